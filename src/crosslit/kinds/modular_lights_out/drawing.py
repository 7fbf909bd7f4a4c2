"""Pictures of boards with k states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crosslit.base.grid import Grid
from crosslit.base.layout import DIGITS
from crosslit.contract import shapes
from crosslit.contract.shapes import CELL, LETTER, MARGIN, Box, Disc, Shape, Style, Word
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut


def frame(board: ModularLightsOut, lines: list[str]) -> list[str]:
    """Blank the missing cells, two characters each."""
    pairs = zip(board.lights, (line.ljust(2 * board.columns) for line in lines), strict=True)
    rows = (zip(lights, re.findall("..", line), strict=True) for lights, line in pairs)
    return ["".join("  " if light == "_" else cell for light, cell in row).rstrip() for row in rows]


def scene(board: ModularLightsOut, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a board."""
    return MARGIN, MARGIN, _cells(board, lines)


def _cells(board: ModularLightsOut, lines: Sequence[str]) -> Iterator[Shape]:
    """Yield lights as squares, the brighter the larger their number, and presses as discs; both with digits."""
    for row, (lights, values) in enumerate(zip(board.lights, lines, strict=True)):
        for column, (light, value) in enumerate(zip(lights, values, strict=True)):
            if light == "_":
                continue
            x, y = MARGIN + column * CELL, MARGIN + row * CELL
            fill = _between(shapes.DARK, shapes.LIT, DIGITS.index(light) / (board.states - 1))
            yield Box(x + 1, y + 1, CELL - 2, CELL - 2, fill, 3, shapes.GRID if light == "0" else shapes.INK)
            pressed = value.isalnum() and value != "0"
            if value == "?":
                yield from shapes.question(x, y)
            elif light != "0":  # in the corner if presses are shown
                yield Word(x + (15 if pressed else 10), y + (17.5 if pressed else 10 + LETTER * 0.38), light)
            if pressed:
                yield Disc(x + 8, y + 8, 6, shapes.PRESS)
                yield Word(x + 8, y + 8 + LETTER * 0.38, value, shapes.PAPER, "middle", True)


def _between(one: str, other: str, fraction: float) -> str:
    """Return a colour between two."""
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * fraction):02x}" for a, b in pairs)


def contradiction(board: ModularLightsOut, lights: Grid, style: Style) -> tuple[str, str]:
    """Return a picture of lights that contradict each other, and the reason in words."""
    picture = "\n".join(
        "".join(f"{light} " if mark == "1" else style.empty for light, mark in zip(*pair, strict=True)).rstrip()
        for pair in zip(board.lights, lights.each_line(), strict=True)
    )
    found = board.multiples(lights)
    if found is None:
        return picture, "these lights do not contradict each other"
    count = lights.count()
    if count == 1:
        return picture, f"no press makes this light 0 modulo {board.states} (checked by the rules)"
    total = sum(factor * board.values[cell] for cell, factor in found.items()) % board.states
    times = ", ".join(map(str, found.values()))
    these = f"these {count} lights" if len(found) == count else f"{len(found)} of these {count} lights"
    return picture, (
        f"{these}, times {times} in the order of rows, add up to {total} modulo {board.states}, "
        "and no press changes that (checked by the rules)"
    )
