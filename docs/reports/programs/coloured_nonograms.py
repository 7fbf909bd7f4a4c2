"""Solvers of coloured nonograms: ``echo 'coloured-nonogram:1a 1b|1a,1b' | python coloured_nonograms.py pynogram``.

Each function takes the clues of the rows and of the columns, lists of (length, letter), and returns the grids that
it found as rows of letters, or one and whether it is unique, None for unsolvable, or the word ``unsupported``.
"""

# ruff: noqa: D103 (a function is named after the program it calls)

import itertools
import json
import re
import subprocess
import sys

from puzzles import serve


def letters(rows, columns):
    return sorted({letter for clue in rows + columns for _, letter in clue})


def command(words, text, unsolvable="no such message"):
    """Return the output of a program, or None if its messages say that there is no solution."""
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if re.search(unsolvable, done.stdout + done.stderr):
        return None
    done.check_returncode()
    return done.stdout


def pbnsolve(rows, columns):
    colours = "".join(f'<color name="{x}" char="{x}">f00</color>' for x in letters(rows, columns))
    sides = [[[f'<count color="{x}">{n}</count>' for n, x in clue] for clue in side] for side in (columns, rows)]
    lines = ["".join(f"<line>{''.join(clue)}</line>" for clue in side) for side in sides]
    text = f"""<?xml version="1.0"?><puzzleset><puzzle type="grid" defaultcolor="a">
<color name="white" char=".">fff</color>{colours}<clues type="columns">{lines[0]}</clues>
<clues type="rows">{lines[1]}</clues></puzzle></puzzleset>"""
    output = command(["pbnsolve", "-u"], text, "NO SOLUTION")
    if output is None:
        return None
    grids = re.findall(rf"(?:^[.a-z]{{{len(columns)}}}\n){{{len(rows)}}}", output, re.MULTILINE)
    return grids[0].split(), "UNIQUE" in output


def nonogrid(rows, columns):
    if not all(rows + columns):  # its files of colours have no empty clues
        return "unsupported"
    sides = [",".join(" ".join(f"{n}{letter}" for n, letter in clue) for clue in side) for side in (rows, columns)]
    colours = ", ".join(f"'{letter} = (red) {letter}'" for letter in letters(rows, columns))
    text = f"[colors]\ndefs = [{colours}]\n[clues]\nrows = '{sides[0]}'\ncolumns = '{sides[1]}'\n"
    output = command(["nonogrid", "--max-solutions", "2"], text, "Bad puzzle")
    if output is None:
        return None
    _, *parts = re.split(r"\d+-th solution:\n", output)
    if parts:
        return parts[0].splitlines()[: len(rows)], len(parts) == 1
    return [line.split()[-len(columns) :] for line in output.splitlines()[-len(rows) :]], True


def pynogram(rows, columns):
    from pynogram.core.backtracking import Solver
    from pynogram.core.board import make_board
    from pynogram.core.color import ColorBlock, ColorMap
    from pynogram.core.common import NonogramError

    colours = ColorMap()
    for letter in letters(rows, columns):
        colours.make_color(letter, letter)
    names = {colour.id_: letter for letter, colour in colours.items()}
    try:
        board = make_board(
            *([[ColorBlock(*block) for block in clue] for clue in side] for side in (columns, rows)), colours
        )
        Solver(board, max_solutions=2).solve()
    except (NonogramError, ValueError):  # its exceptions for a puzzle without a solution
        return None
    grids = board.solutions or ([board.cells] if board.is_solved_full else None)
    return grids and ([[names[cell] for cell in row] for row in grids[0]], len(grids) == 1)


def color_nonogram(rows, columns):
    def line(clue):
        gap = itertools.pairwise([letter for _, letter in clue] + [""])
        pairs = zip(clue, gap, strict=True)
        blanks = [
            [{"char": x, "count": n}, {"char": " ", "count": int(x == y), "multi": True}] for (n, x), (_, y) in pairs
        ]
        return list(itertools.chain(*blanks))

    question = json.dumps({"rows": list(map(line, rows)), "cols": list(map(line, columns))})
    output = command(
        ["nonogram.js", "--no-stretch", "--no-color"], question, "no solutions|different counts|more characters"
    )
    return output and [output.splitlines()]


def nonogram_cli(rows, columns):
    layout = [[[[letter, n] for n, letter in clue] for clue in side] for side in (rows, columns)]
    output = command(["nonogram-cli", "solve"], json.dumps({"rows": layout[0], "cols": layout[1]}))
    grids = json.loads(output)
    return [
        ["".join(" " if c == "Space" else c["Box"]["color"] for c in row) for row in grid] for grid in grids
    ] or None


def main(name: str) -> None:
    solve = globals()[name.replace("-", "_")]

    def answer(text):
        clues = re.sub("^[^:]*:(.*;)?", "", text)
        blocks = [
            [[(int(n), x) for n, x in re.findall(r"(\d+)(\w)", c)] for c in s.split(",")] for s in clues.split("|")
        ]
        found = solve(*blocks)
        if found is None or isinstance(found, str):
            return "unsolvable" if found is None else found
        is_unique = ""
        if isinstance(found, tuple):
            found, is_unique = [found[0]], " unique" if found[1] else " not unique"
        number = {letter: str(n) for n, letter in enumerate("abcdefghi", 1)}
        return (
            " ".join("/".join("".join(number.get(c, "0") for c in row) for row in grid) for grid in found) + is_unique
        )

    serve(answer)


if __name__ == "__main__":
    main(sys.argv[1])
