"""Pictures of coloured nonograms, with their clues: as text, which letters make readable without colour, and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crosslit.base.layout import DIGITS
from crosslit.contract.shapes import CELL, DIGIT, FAINT, INK, LETTER, MARGIN, PAPER, Box, Shape, Word, squares
from crosslit.kinds.clue_puzzle import words
from crosslit.kinds.coloured_nonogram.puzzle import LETTERS, WHITE, Block, Colour, ColouredNonogram
from crosslit.kinds.nonogram.drawing import framed

_SLOT = 15.0  # minimum width of one block of a clue


def frame(puzzle: ColouredNonogram, lines: list[str]) -> list[str]:
    """Write the letter of its colour twice into each cell; add clues on the left and on top, letters below numbers."""
    columns = [
        [part for block in clue for part in (str(block.length), str(block)[-1])] or ["0"]
        for clue in puzzle.column_clues
    ]
    if puzzle.colours > 1:
        lines = [re.sub(r"([0-9a-v])(?: |$)", lambda cell: _cell(cell[1]), line).rstrip() for line in lines]
    return framed([words(clue) for clue in puzzle.row_clues], columns, lines)


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


def scene(puzzle: ColouredNonogram, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a puzzle."""
    left = max(sum(map(_slot, clue)) or _SLOT for clue in puzzle.row_clues) + 4 + MARGIN
    top = max(1, *map(len, puzzle.column_clues)) * _SLOT + 4 + MARGIN
    return left, top, _shapes(puzzle, lines, left, top)


def _shapes(puzzle: ColouredNonogram, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    if puzzle.palette[0].rgb != WHITE.rgb:
        width, height = puzzle.columns * CELL, puzzle.rows * CELL
        yield Box(left, top, width, height, f"#{puzzle.palette[0].rgb}")
    for row, line in enumerate(lines):
        # one rectangle for a run of cells: no seams between neighbours
        for run in re.finditer(r"([1-9a-v])\1*", line):
            colour = puzzle.palette[DIGITS.index(run[1])]
            x, y = left + run.start() * CELL, top + row * CELL
            yield Box(x, y, len(run[0]) * CELL, CELL, f"#{colour.rgb}")
    yield from squares(puzzle, [re.sub("[0-9a-v]", " ", line) for line in lines], left, top)
    for row, clue in enumerate(puzzle.row_clues):
        x, y = left - 3, top + row * CELL + (CELL - _SLOT) / 2
        for block in reversed(clue):
            x -= _slot(block)
            yield from _block(puzzle, block, x, y, _slot(block))
        if not clue:
            yield Word(x - _SLOT / 2, y + _SLOT / 2 + LETTER * 0.36, "0", FAINT)
    for column, clue in enumerate(puzzle.column_clues):
        x = left + column * CELL
        for place, block in enumerate(reversed(clue), 1):
            width = max(_slot(block), CELL - 2)
            yield from _block(puzzle, block, x + (CELL - width) / 2, top - 3 - place * _SLOT, width)
        if not clue:
            yield Word(x + CELL / 2, top - 3 - _SLOT / 2 + LETTER * 0.36, "0", FAINT)


def _block(puzzle: ColouredNonogram, block: Block, x: float, y: float, width: float) -> Iterator[Shape]:
    colour = puzzle.palette[block.colour]
    yield Box(x + 0.5, y + 0.5, width - 1, _SLOT - 1, f"#{colour.rgb}", 2)
    yield Word(x + width / 2, y + _SLOT / 2 + LETTER * 0.36, str(block.length), _ink(colour))


def _slot(block: Block) -> float:
    return max(_SLOT, len(str(block.length)) * DIGIT + 5)
