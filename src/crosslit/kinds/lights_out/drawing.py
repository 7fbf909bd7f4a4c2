"""Pictures of boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crosslit.base.grid import Grid
from crosslit.contract.shapes import (
    CELL,
    DARK,
    GRID,
    INK,
    LIT,
    MARGIN,
    PRESS,
    UNICODE,
    Box,
    Disc,
    Shape,
    Style,
    question,
)
from crosslit.kinds.lights_out.puzzle import LightsOut


def scene(board: LightsOut, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a board."""
    return MARGIN, MARGIN, _cells(board, lines, MARGIN, MARGIN)


def _cells(board: LightsOut, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    """Yield lights as rounded squares, lit or dark, and presses as discs; missing cells are blank."""
    for row, (lights, values) in enumerate(zip(board.lines, lines, strict=True)):
        for column, (light, value) in enumerate(zip(lights, values, strict=True)):
            if light == "_":
                continue
            x, y = left + column * CELL, top + row * CELL
            fill = LIT if light == "1" else DARK
            yield Box(x + 1, y + 1, CELL - 2, CELL - 2, fill, 3, INK if light == "1" else GRID)
            if value == "1":
                yield Disc(x + CELL / 2, y + CELL / 2, CELL * 0.24, PRESS)
            elif value == "?":
                yield from question(x, y)


def draw_lights(board: LightsOut, marked: Grid, style: Style = UNICODE) -> str:
    """Return the marked lights of a board: lit ones filled, dark ones ``()``, all others as dots.

    Examples:
        >>> from crosslit.formats.drawing import ASCII
        >>> from crosslit.formats import read
        >>> print(draw_lights(read("100/000"), Grid.from_text("101/000"), ASCII))
        ##. ()
        . . .
    """
    pairs = zip(board.lines, marked.each_line(), strict=True)
    words = {"11": style.filled, "01": style.press, "_0": "  "}
    return "\n".join(
        "".join(words.get(lit + own, style.empty) for lit, own in zip(*pair, strict=True)).rstrip() for pair in pairs
    )


def contradiction(board: LightsOut, lights: Grid, style: Style) -> tuple[str, str]:
    """Return a picture of lights that contradict each other, and the reason in words."""
    found = board.contradicting(lights)
    reason = "these lights do not contradict each other" if found is None else _parity(board, found, lights.count())
    return draw_lights(board, lights, style), reason


def _parity(board: LightsOut, found: Grid, shown: int) -> str:
    """Return why some of the lights shown contradict each other: an odd number of these is lit."""
    count, lit = found.count(), (found.bits & board.lit.bits).bit_count()
    if count == 1:
        row, column = next(found.cells())
        light = "this light" if shown == 1 else f"the light in row {row + 1}, column {column + 1}"
        return f"no press toggles {light}, and it is lit (checked by the rules)"
    odd = "1 of them is lit" if lit == 1 else f"{lit} of them are lit, an odd number"
    these = f"these {count} lights" if count == shown else f"{count} of these {shown} lights"
    return f"every press toggles an even number of {these}, and {odd} (checked by the rules)"
