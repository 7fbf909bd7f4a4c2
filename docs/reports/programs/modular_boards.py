"""Solvers of Lights Out with k states: ``echo 'modular-lights-out:3/01/20' | python modular_boards.py am205``.

Each function takes k and the lights of a board whose presses add 1 to a plus, and returns the presses, None for
unsolvable, or the word ``unsupported``.
"""

# ruff: noqa: D103 (a function is named after the program it calls)

import contextlib
import io
import re
import subprocess
import sys

from puzzles import serve


def near(board):
    """Return the numbers of the cells that each press changes."""
    cells = [(r, c) for r, row in enumerate(board) for c in range(len(row))]
    return [[k for k, (i, j) in enumerate(cells) if abs(i - r) + abs(j - c) <= 1] for r, c in cells]


def am205(k, board):
    if k not in (2, 3, 5, 7, 11, 13):  # "solving for multiple solutions only works for a prime modulus"
        return "unsupported"
    import numpy
    from modular_matrix import ModularMatrix, SingularMatrixError

    effects = near(board)
    matrix = ModularMatrix([[int(j in cells) for j in range(len(effects))] for cells in effects], k)
    try:
        return matrix.solve(-numpy.array(board).ravel() % k, "any")
    except SingularMatrixError:
        return None


def lights_out_perl(k, board):
    text = "/".join("".join(map(str, row)) for row in board)
    if k > 10 or k != max(map(max, board)) + 1:  # it takes the greatest light for k - 1
        return "unsupported"
    done = subprocess.run(["lightsOut.pl", text], capture_output=True, text=True)
    if "no solutions" in done.stderr:
        return None
    return [int(n) for n in re.sub(r"\D", "", done.stdout.partition("Press:")[2])]


def lights_puzzle(k, board):
    if k != 3:
        return "unsupported"
    effects = near(board)
    lights = "".join("RGB"[light] for row in board for light in row)
    buttons = "\n".join(f"{len(cells)} {' '.join(str(c + 1) for c in cells)}" for cells in effects)
    text = f"{len(effects)} {len(effects)}\n{lights}\n{'2 ' * len(effects)}\n{buttons}\nR\n"
    done = subprocess.run(["algorithm"], input=text, capture_output=True, text=True, check=True)
    return None if "impossible" in done.stdout else [int(n) for n in re.findall(r"Button \d+: (\d)", done.stdout)]


def modulo3(k, board):
    from modulo3 import LightsOutMod3

    if (k, len(board), len(board[0])) != (3, 3, 3):
        return "unsupported"
    game, pressed = LightsOutMod3.__new__(LightsOutMod3), [0] * 9  # without its window
    game.states = board
    game.toggle = lambda row, column: pressed.__setitem__(3 * row + column, pressed[3 * row + column] + 1)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        game.solve()
    return None if "No solution" in output.getvalue() else pressed


def main(name: str) -> None:
    solve = globals()[name.replace("-", "_")]

    def answer(text):
        head, *rows = text.partition(":")[2].split("/")
        if not re.fullmatch("[0-9a-f]+", "".join(rows)):
            return "unsupported"  # other presses, joined edges, missing cells
        board = [[int(light, 16) for light in row] for row in rows]
        pressed = solve(int(head), board)
        if pressed is None or isinstance(pressed, str):
            return "unsolvable" if pressed is None else pressed
        width = len(board[0])
        return "/".join("".join(f"{n:x}" for n in pressed[i : i + width]) for i in range(0, len(pressed), width))

    serve(answer)


if __name__ == "__main__":
    main(sys.argv[1])
