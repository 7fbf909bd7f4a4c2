"""Nonograms as text and as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import mul

from crosslit.base.grid import DIGITS
from crosslit.base.shapes import CELL, DIGIT, FAINT, INK, LETTER, MARGIN, PAPER, Shape, box, squares, word
from crosslit.kinds.nonogram.colours import LETTERS, WHITE, ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram, words

_SLOT = 14.0  # height of a block of a clue, and its minimum width
_GAP = 4.0  # between clues and cells
_BRIGHTNESS = 299, 587, 114  # of red, green and blue, as in grey television
_BRIGHT = 140_000
_DROP = LETTER * 0.36  # from the middle of a block to the baseline of its number


def scene(puzzle: Nonogram, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a nonogram."""
    left = _GAP + MARGIN + max(sum(_width(number) for number, _ in _blocks(puzzle, clue)) for clue in puzzle.row_clues)
    top = _GAP + MARGIN + max(len(_blocks(puzzle, clue)) for clue in puzzle.column_clues) * _SLOT
    return left, top, _shapes(puzzle, lines, left, top)


def _blocks(puzzle: Nonogram, clue: Clue) -> Sequence[tuple[str, str]]:
    """Return the number of each block, and the colour behind it, or ""; 0 for an empty clue."""
    colours = [rgb for _, rgb in puzzle.palette] or ["", ""]
    return [(str(length), colours[colour]) for length, colour in puzzle.pairs(clue)] or [("0", "")]


def _width(number: str) -> float:
    return max(_SLOT, len(number) * DIGIT + _GAP)


def _shapes(puzzle: Nonogram, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    if puzzle.palette:
        if puzzle.palette[0] != WHITE:
            yield box(left, top, puzzle.columns * CELL, puzzle.rows * CELL, f"#{puzzle.palette[0][1]}")
        for row, line in enumerate(lines):
            # one rectangle for a run of cells: no seams between neighbours
            for run in re.finditer(r"([1-9a-v])\1*", line):
                x, y, fill = left + run.start() * CELL, top + row * CELL, puzzle.palette[DIGITS.index(run[1])][1]
                yield box(x, y, len(run[0]) * CELL, CELL, f"#{fill}")
        lines = [re.sub("[0-9a-v]", " ", line) for line in lines]
    yield from squares(puzzle, lines, left, top)
    # From the cells outwards, so that clues are aligned with the picture.
    for row, clue in enumerate(puzzle.row_clues):
        x = left - _GAP
        for number, rgb in reversed(_blocks(puzzle, clue)):
            x -= _width(number)
            yield from _block(number, rgb, x + _width(number) / 2, top + row * CELL + CELL / 2 + _DROP)
    for column, clue in enumerate(puzzle.column_clues):
        for place, (number, rgb) in enumerate(reversed(_blocks(puzzle, clue))):
            yield from _block(number, rgb, left + column * CELL + CELL / 2, top - 5 - place * _SLOT)


def _block(number: str, rgb: str, x: float, y: float) -> Iterator[Shape]:
    """Yield the shapes of a block of a clue, whose number has its middle at ``x`` and its baseline at ``y``."""
    ink = FAINT if number == "0" else INK
    if rgb:
        width = _width(number) - 1
        yield box(x - width / 2, y - _DROP - (_SLOT - 1) / 2, width, _SLOT - 1, f"#{rgb}", 2)
        ink = _ink(rgb)
    yield word(x, y, number, ink)


def frame(puzzle: Nonogram, lines: Iterable[str]) -> list[str]:
    """Add row clues on the left, and column clues on top, read downwards: letters of colours below numbers.

    In several colours each cell has the letter of its colour, twice.
    """
    columns = [re.findall("[0-9]+|[a-zA-E]", words(clue)) for clue in puzzle.column_clues]
    if puzzle.colours != 1:
        lines = [re.sub(r"([0-9a-v])(?: |$)", lambda cell: _cell(cell[1]), line).rstrip() for line in lines]
    return _framed([words(clue) for clue in puzzle.row_clues], columns, [*lines])


def _framed(rows: list[str], columns: list[list[str]], lines: list[str]) -> list[str]:
    """Add the text of row clues on the left, and parts of column clues on top, aligned next to the cells."""
    left, height = max(map(len, rows)), max(map(len, columns))
    head: list[str] = []
    for level in range(height):
        parts = [column[level - height] if level >= height - len(column) else "" for column in columns]
        text = "".join(f"{part:>2}" for part in parts)
        # Numbers that would touch are shared among lines, in turn, so that each has the width of several cells.
        step = 1 if text.split() == list(filter(None, parts)) else max(map(len, parts)) // 2 + 1
        for first in range(step):
            line = "".join(f"{part:>{2 * step}}" for part in parts[first::step])
            head.append((" " * (left + 3 + 2 * (first - step)) + line).rstrip())
    return [*head, *(f"{row:>{left}} {line}" for row, line in zip(rows, lines, strict=True))]


def _cell(digit: str) -> str:
    return ". " if digit == "0" else LETTERS[DIGITS.index(digit) - 1] * 2


def tint(puzzle: ColouredNonogram, picture: str) -> str:
    """Return a picture of text with the colours of a terminal: behind the letters of cells and row clues."""

    def painted(found: re.Match[str]) -> str:
        colour = puzzle.palette[min(LETTERS.index(found[0][-1]) + 1, puzzle.colours)]
        ink, ground = (";".join(map(str, bytes.fromhex(rgb))) for rgb in (_ink(colour.rgb)[1:], colour.rgb))
        return f"\x1b[38;2;{ink};48;2;{ground}m{found[0]}\x1b[0m"

    return re.sub(r"([a-zA-E])\1|[0-9]+[a-zA-E]", painted, picture)


def _ink(rgb: str) -> str:
    """Return the colour for letters on a colour: dark or light, whichever is easier to read."""
    return INK if sum(map(mul, _BRIGHTNESS, bytes.fromhex(rgb))) > _BRIGHT else PAPER
