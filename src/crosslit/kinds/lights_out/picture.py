"""Boards as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from crosslit.base import shapes
from crosslit.base.grid import DIGITS, Grid
from crosslit.base.shapes import CELL, DROP, MARGIN, UNICODE, Shape, Style, box, disc, word
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.check import contradicting


def scene(board: LightsOut, lines: Sequence[str]) -> tuple[float, float, Iterator[Shape]]:
    """Return the space left of and above the cells, and the shapes of a board."""
    return MARGIN, MARGIN, _cells(board, lines)


def _cells(board: LightsOut, lines: Sequence[str]) -> Iterator[Shape]:
    """Yield lights as squares, the brighter the larger their number, and presses as discs; missing cells are blank.

    On a board with k states both have digits, the press in the corner.
    """
    # A matrix may have more or fewer lights than presses: then the picture shows the presses.
    shown = board.lines if board.lit.columns == board.columns else iter(["0" * board.columns])
    for row, (lights, values) in enumerate(zip(shown, lines, strict=True)):
        for column, (light, value) in enumerate(zip(lights, values, strict=True)):
            if light == "_":
                continue
            x, y = MARGIN + column * CELL, MARGIN + row * CELL
            fill = _between(shapes.DARK, shapes.LIT, DIGITS.index(light) / (board.states - 1))
            yield box(x + 1, y + 1, CELL - 2, CELL - 2, fill, 3, shapes.GRID if light == "0" else shapes.INK)
            pressed = value.isalnum() and value != "0"
            if value == "?":
                yield from shapes.question(x, y)
            elif light != "0" and board.is_modular:
                yield word(x + (15 if pressed else 10), y + (17.5 if pressed else 10 + DROP), light)
            if pressed and board.is_modular:
                yield disc(x + 8, y + 8, 6, shapes.PRESS)
                yield word(x + 8, y + 8 + DROP, value, shapes.PAPER, "middle", True)
            elif pressed:
                yield disc(x + CELL / 2, y + CELL / 2, CELL * 0.24, shapes.PRESS)


@cache  # few different colours: a page has many thousand lights
def _between(one: str, other: str, fraction: float) -> str:
    """Return a colour between two."""
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * fraction):02x}" for a, b in pairs)


def draw_lights(board: LightsOut, marked: Grid, style: Style = UNICODE) -> str:
    """Return the marked lights of a board: lit ones filled, dark ones ``()``, or their digits; all others as dots.

    Examples:
        >>> from crosslit.formats.drawing import ASCII
        >>> from crosslit.formats import read
        >>> print(draw_lights(read("100/000"), Grid.from_text("101/000"), ASCII))
        ##. ()
        . . .
    """
    pairs = zip(board.lines, marked.lines(), strict=True)
    words = {"11": style.filled, "01": style.press, "_0": "  "}
    if board.is_modular:
        words = {"_0": "  ", **{f"{digit}1": f"{digit} " for digit in DIGITS}}
    return "\n".join(
        "".join(words.get(lit + own, style.empty) for lit, own in zip(*pair, strict=True)).rstrip() for pair in pairs
    )


def contradiction(board: LightsOut, lights: Grid, style: Style) -> tuple[str, str]:
    """Return a picture of lights that contradict each other, and the reason in words."""
    found, shown = contradicting(board, lights), lights.count()
    if found is None:
        reason = "these lights do not contradict each other"
    else:
        reason = f"{(_sum if board.states != 2 else _parity)(board, found, shown)} (checked by the rules)"
    return draw_lights(board, lights, style), reason


def _parity(board: LightsOut, found: dict[int, int], shown: int) -> str:
    """Return why some of the lights shown contradict each other: an odd number of these is lit."""
    count, lit = len(found), sum(board.values[cell] for cell in found)
    if count == 1:
        row, column = divmod(next(iter(found)), board.lit.columns)
        light = "this light" if shown == 1 else f"the light in row {row + 1}, column {column + 1}"
        return f"no press toggles {light}, and it is lit"
    odd = "1 of them is lit" if lit == 1 else f"{lit} of them are lit, an odd number"
    these = f"these {count} lights" if count == shown else f"{count} of these {shown} lights"
    return f"every press toggles an even number of {these}, and {odd}"


def _sum(board: LightsOut, found: dict[int, int], shown: int) -> str:
    """Return why some of the lights shown contradict each other: no press changes the sum of their multiples."""
    if shown == 1:
        return f"no press makes this light 0 modulo {board.states}"
    total = sum(factor * board.values[cell] for cell, factor in found.items()) % board.states
    times = ", ".join(map(str, found.values()))
    these = f"these {shown} lights" if len(found) == shown else f"{len(found)} of these {shown} lights"
    changes = f"add up to {total} modulo {board.states}, and no press changes that"
    return f"{these}, times {times} in the order of rows, {changes}"
