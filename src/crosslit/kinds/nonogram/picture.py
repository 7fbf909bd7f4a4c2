"""Nonograms as text and as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from crosslit.base.grid import DIGITS
from crosslit.contract.shapes import CELL, DIGIT, FAINT, INK, LETTER, MARGIN, PAPER, Shape, box, squares, word
from crosslit.kinds.nonogram.colours import LETTERS, WHITE, Block, Colour, ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram, words

_SLOT = 14.0  # minimum width of one number of a clue


def scene(puzzle: Nonogram, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a nonogram."""
    left, top = _room(puzzle)
    return left, top, _cells(puzzle, lines, left, top)


def _cells(puzzle: Nonogram, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    yield from squares(puzzle, lines, left, top)
    for row, clue in enumerate(puzzle.row_clues):
        x = left - 4
        # From the cells outwards, so that clues are aligned with the picture.
        for number in reversed(_numbers(clue)):
            width = _slot(number)
            yield word(x - width / 2, top + row * CELL + CELL / 2 + LETTER * 0.36, number, INK if clue else FAINT)
            x -= width
    for column, clue in enumerate(puzzle.column_clues):
        numbers = _numbers(clue)
        for place, number in enumerate(reversed(numbers)):
            y = top - 5 - place * _SLOT
            yield word(left + column * CELL + CELL / 2, y, number, INK if clue else FAINT)


def _room(puzzle: Nonogram) -> tuple[float, float]:
    """Return the space for the clues on the left and on top."""
    left = max(sum(map(_slot, _numbers(clue))) for clue in puzzle.row_clues)
    top = max(len(_numbers(clue)) for clue in puzzle.column_clues) * _SLOT
    return left + 4 + MARGIN, top + 4 + MARGIN


def _slot(number: str) -> float:
    return max(_SLOT, len(number) * DIGIT + 4)


def _numbers(clue: Clue) -> list[str]:
    return [str(block) for block in clue] or ["0"]


def frame(puzzle: Nonogram, lines: Iterable[str]) -> list[str]:
    """Add row clues on the left, and column clues on top, read downwards: letters of colours below numbers.

    In several colours each cell has the letter of its colour, twice.
    """
    columns = [re.findall("[0-9]+|[a-zA-E]", words(clue)) for clue in puzzle.column_clues]
    if puzzle.colours > 1:
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


_BOX = 15.0  # minimum width of one block of a clue


def _cell(digit: str) -> str:
    return ". " if digit == "0" else LETTERS[DIGITS.index(digit) - 1] * 2


def tint(puzzle: ColouredNonogram, picture: str) -> str:
    """Return a picture of text with the colours of a terminal: behind the letters of cells and row clues."""

    def painted(found: re.Match[str]) -> str:
        colour = puzzle.palette[min(LETTERS.index(found[0][-1]) + 1, puzzle.colours)]
        ink, ground = (";".join(map(str, bytes.fromhex(rgb))) for rgb in (_ink(colour)[1:], colour.rgb))
        return f"\x1b[38;2;{ink};48;2;{ground}m{found[0]}\x1b[0m"

    return re.sub(r"([a-zA-E])\1|[0-9]+[a-zA-E]", painted, picture)


def _ink(colour: Colour) -> str:
    """Return the colour for letters on a colour: dark or light, whichever is easier to read."""
    red, green, blue = bytes.fromhex(colour.rgb)
    return INK if 299 * red + 587 * green + 114 * blue > 140_000 else PAPER


def coloured_scene(puzzle: ColouredNonogram, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a puzzle."""
    left = max(sum(map(_box, clue)) or _BOX for clue in puzzle.row_clues) + 4 + MARGIN
    top = max(1, *map(len, puzzle.column_clues)) * _BOX + 4 + MARGIN
    return left, top, _shapes(puzzle, lines, left, top)


def _shapes(puzzle: ColouredNonogram, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    if puzzle.palette[0].rgb != WHITE.rgb:
        width, height = puzzle.columns * CELL, puzzle.rows * CELL
        yield box(left, top, width, height, f"#{puzzle.palette[0].rgb}")
    for row, line in enumerate(lines):
        # one rectangle for a run of cells: no seams between neighbours
        for run in re.finditer(r"([1-9a-v])\1*", line):
            colour = puzzle.palette[DIGITS.index(run[1])]
            x, y = left + run.start() * CELL, top + row * CELL
            yield box(x, y, len(run[0]) * CELL, CELL, f"#{colour.rgb}")
    yield from squares(puzzle, [re.sub("[0-9a-v]", " ", line) for line in lines], left, top)
    for row, clue in enumerate(puzzle.row_clues):
        x, y = left - 3, top + row * CELL + (CELL - _BOX) / 2
        for block in reversed(clue):
            x -= _box(block)
            yield from _block(puzzle, block, x, y, _box(block))
        if not clue:
            yield word(x - _BOX / 2, y + _BOX / 2 + LETTER * 0.36, "0", FAINT)
    for column, clue in enumerate(puzzle.column_clues):
        x = left + column * CELL
        for place, block in enumerate(reversed(clue), 1):
            width = max(_box(block), CELL - 2)
            yield from _block(puzzle, block, x + (CELL - width) / 2, top - 3 - place * _BOX, width)
        if not clue:
            yield word(x + CELL / 2, top - 3 - _BOX / 2 + LETTER * 0.36, "0", FAINT)


def _block(puzzle: ColouredNonogram, block: Block, x: float, y: float, width: float) -> Iterator[Shape]:
    colour = puzzle.palette[block.colour]
    yield box(x + 0.5, y + 0.5, width - 1, _BOX - 1, f"#{colour.rgb}", 2)
    yield word(x + width / 2, y + _BOX / 2 + LETTER * 0.36, str(block.length), _ink(colour))


def _box(block: Block) -> float:
    return max(_BOX, len(str(block.length)) * DIGIT + 5)
