"""Pictures of nonograms, with their clues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crosslit.contract.shapes import CELL, DIGIT, FAINT, INK, LETTER, MARGIN, Shape, Word, squares
from crosslit.kinds.clue_puzzle import words
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram

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
            yield Word(x - width / 2, top + row * CELL + CELL / 2 + LETTER * 0.36, number, INK if clue else FAINT)
            x -= width
    for column, clue in enumerate(puzzle.column_clues):
        numbers = _numbers(clue)
        for place, number in enumerate(reversed(numbers)):
            y = top - 5 - place * _SLOT
            yield Word(left + column * CELL + CELL / 2, y, number, INK if clue else FAINT)


def _room(puzzle: Nonogram) -> tuple[float, float]:
    """Return the space for the clues on the left and on top."""
    left = max(sum(map(_slot, _numbers(clue))) for clue in puzzle.row_clues)
    top = max(len(_numbers(clue)) for clue in puzzle.column_clues) * _SLOT
    return left + 4 + MARGIN, top + 4 + MARGIN


def _slot(number: str) -> float:
    return max(_SLOT, len(number) * DIGIT + 4)


def _numbers(clue: Clue) -> list[str]:
    return [str(block) for block in clue] or ["0"]


def frame(puzzle: Nonogram, lines: list[str]) -> list[str]:
    """Add row clues on the left, and column clues on top, read downwards."""
    return framed([words(clue) for clue in puzzle.row_clues], list(map(_numbers, puzzle.column_clues)), lines)


def framed(rows: list[str], columns: list[list[str]], lines: list[str]) -> list[str]:
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
