"""The figures of the pages: ``python docs/figures.py`` writes them, and a test holds the files to this code."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from crosslit_encoders.nonogram.models import line_automaton

import crosslit
from crosslit.base.shapes import CELL, FAINT, INK, MARK, PAPER, PRESS, Shape, box, disc, stroke, word
from crosslit.formats.drawing import scene, svg

HERE = Path(__file__).resolve().parent
EMPTY, EDGE = "#e4e7eb", "#9aa0a6"


def figures() -> dict[str, str]:
    """Return each figure by its path in ``docs/``."""
    heart = crosslit.load(HERE.parent / "examples" / "heart.non")
    board = crosslit.load(HERE.parent / "examples" / "board-5x5.txt")
    return {
        "heart.svg": crosslit.draw(heart, crosslit.solve(heart)).svg(),
        "board-5x5.svg": crosslit.draw(board, crosslit.solve(board)).svg(),
        "counterexamples.svg": _svg(_counterexamples(), 760, 384, "The smallest puzzle that shows each fault"),
        "explanation/automaton.svg": _svg(_automaton((2, 1)), 420, 84, "The automaton of the clue 2 1"),
        "explanation/order.svg": _svg(_order(2, 5), 345, 134, "The order encoding of one block of 2 in a line of 5"),
        "explanation/xor.svg": _svg(_xors(), 480, 134, "An XOR of five presses, whole and cut"),
    }


def _svg(shapes: Iterator[Shape], width: float, height: float, title: str) -> str:
    return svg((width, height, (box(0, 0, width, height, PAPER), *shapes), title))


def _counterexamples() -> Iterator[Shape]:
    """The faults of the findings, each with its program and the smallest puzzle on which an answer is wrong."""
    page = (HERE / "findings.md").read_text(encoding="utf-8").replace("\\|", "|")
    rows = re.findall(r"^\| \d+ \| \[(\S+) (\S+)\].*\| \*\*(\S+)\*\* \| `(.+?)` \|", page, re.MULTILINE)
    for place, (name, version, problem, text) in enumerate(rows):
        width, _, drawn, _ = scene(crosslit.load(text))
        x, y = 76 + place % 5 * 152, 22 + place // 5 * 136
        yield word(x, y, name, bold=True)
        yield word(x, y + 16, f"{version}: {problem}", MARK)
        yield f'<g transform="translate({x - width / 2:g} {y + 22:g})">{"".join(drawn[1:])}</g>'


def _automaton(clue: tuple[int, ...]) -> Iterator[Shape]:
    """The states of a clue in a row; an arrow is labelled with the cell that it reads."""
    start, finals, transitions = line_automaton([(length, 1) for length in clue])
    states = sorted({state for before, _, after in transitions for state in (before, after)})
    x, y, radius = {state: 50 + 85.0 * place for place, state in enumerate(states)}, 56.0, 15.0
    yield from _arrow(x[start] - 42, y, x[start] - radius, y)
    for before, value, after in transitions:
        if before == after:
            left, right, top = x[before] - 7, x[before] + 7, y - radius - 20
            yield stroke(left, y - radius + 2, left, top, 1.2, INK)
            yield stroke(left, top, right, top, 1.2, INK)
            yield from _arrow(right, top, right, y - radius + 1)
            yield from _cell(x[before] - 28, top + 2, bool(value))
        else:
            yield from _arrow(x[before] + radius, y, x[after] - radius, y)
            yield from _cell((x[before] + x[after]) / 2 - 7, y - 20, bool(value))
    for state in states:
        yield disc(x[state], y, radius, INK)
        yield disc(x[state], y, radius - 1.2, PAPER)
        if state in finals:
            yield disc(x[state], y, radius - 4, INK)
            yield disc(x[state], y, radius - 5.2, PAPER)
        yield word(x[state], y + 4, str(state))


def _order(block: int, length: int) -> Iterator[Shape]:
    """Each arrangement of one block, and the values of its variables."""
    starts, top, left, right = range(length - block + 1), 32.0, 10.0, 150.0
    yield word(left + length * CELL / 2, 20, "line", FAINT)
    for place in starts[:-1]:
        yield word(right + 30 + place * 62, 20, f"start ≤ {place + 1}", FAINT)
    for start in starts:
        y = top + start * (CELL + 4)
        for cell in range(length):
            filled = start <= cell < start + block
            yield box(left + cell * CELL, y, CELL, CELL, INK if filled else PAPER, 0, EDGE)
        for place in starts[:-1]:
            true = start <= place
            yield box(right + 8 + place * 62, y, 44, CELL, PRESS if true else EMPTY, 3, EDGE)
            yield word(right + 30 + place * 62, y + 14, "true" if true else "false", PAPER if true else INK)


def _xors() -> Iterator[Shape]:
    """One XOR of five variables, as it is and cut into two."""
    for row, (name, parts) in enumerate((("direct", ["abcde"]), ("cut4", ["abcx", "xde"]))):
        y = 12.0 + 62 * row
        yield word(10, y + 30, name, INK, "start", True)
        x = 70.0
        for part in parts:
            width = 22.0 * len(part) + 8
            yield box(x, y + 10, width, 30, PAPER, 6, INK)
            for place, variable in enumerate(part):
                new = variable == "x"
                centre = x + 15 + 22 * place
                yield disc(centre, y + 25, 9, PRESS if new else EMPTY)
                yield word(centre, y + 29, variable, PAPER if new else INK)
            x += width + 10
        clauses = sum(1 << len(part) - 1 for part in parts)
        widest = max(map(len, parts))
        words = f"{clauses} clauses of up to {widest}" if len(parts) > 1 else f"{clauses} clauses of {widest}"
        yield word(330, y + 29, words, FAINT, "start")


def _cell(x: float, y: float, filled: bool) -> Iterator[Shape]:
    yield box(x, y, 14, 14, INK if filled else PAPER, 0, EDGE)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> Iterator[Shape]:
    """A line with a head at its second end."""
    yield stroke(x1, y1, x2, y2, 1.2, INK)
    towards = math.atan2(y1 - y2, x1 - x2)
    for side in (-0.45, 0.45):
        yield stroke(x2, y2, x2 + 6 * math.cos(towards + side), y2 + 6 * math.sin(towards + side), 1.2, INK)


if __name__ == "__main__":
    for path, text in figures().items():
        (HERE / path).write_text(text, encoding="utf-8")
