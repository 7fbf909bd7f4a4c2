"""The lights that a press changes: by a pattern with or without joined edges, by a graph, or by a matrix."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, get_args

from crosslit.base.errors import wrong_type
from crosslit.base.grid import DIGITS, Grid

Offset = tuple[int, ...]
"""A light that a press changes: rows down, columns to the right, and the amount added there if that is not 1."""
Wrap = Literal["none", "horizontal", "vertical", "torus", "moebius", "klein"]
MODULAR_WRAPS: tuple[Wrap, ...] = get_args(Wrap)
WRAPS, TWISTED = MODULAR_WRAPS[:4], MODULAR_WRAPS[4:]

PLUS: tuple[Offset, ...] = ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))
NEIGHBOURS: tuple[Offset, ...] = ((-1, 0), (0, -1), (0, 1), (1, 0))
KING: tuple[Offset, ...] = tuple(itertools.product((-1, 0, 1), repeat=2))
DIAGONAL: tuple[Offset, ...] = ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1))
PATTERNS = {"plus": PLUS, "neighbours": NEIGHBOURS, "king": KING, "diagonal": DIAGONAL}
# A row of hexagons lies half a cell further right than the one above it.
MODULAR_PATTERNS = {**PATTERNS, "hexagons": tuple(offset for offset in KING if offset not in ((-1, -1), (1, 1)))}

MAX_REACH = 1000  # rows or columns to a toggled light: the one-line form draws all cells between, in a second

Effects = tuple[tuple[tuple[int, int], ...], ...]
"""For each press the lights that it changes, each with the amount; a light may occur twice around an edge."""


@lru_cache(maxsize=256)
def effects_of(
    rows: int, columns: int, offsets: tuple[tuple[int, int, int], ...], wrap: Wrap, graph: str, missing: Grid | None
) -> Effects:
    """Return `LightsOut.effects` by the rules of a board."""
    gone = set() if missing is None else {cell for cell, value in enumerate(missing.values()) if value}
    found: list[list[tuple[int, int]]] = [[] for _ in range(rows * columns)]
    if graph.startswith("matrix="):
        found = [[*enumerate(map(DIGITS.index, row))] for row in graph.removeprefix("matrix=").split(",")]
    elif graph:
        found = [[(cell, 1)] for cell in range(columns)]
        for vertex, other in edges_of(graph):
            found[vertex].append((other, 1))
            found[other].append((vertex, 1))
    for press, (down, right, amount) in itertools.product(range(len(found)), offsets):
        row, column = press // columns + down, press % columns + right
        if wrap in ("vertical", "torus", "klein"):
            row %= rows
        if wrap not in ("none", "vertical"):
            crossed, column = divmod(column, columns)
            if crossed % 2 and wrap in TWISTED:
                row = rows - 1 - row
        if 0 <= row < rows and 0 <= column < columns:
            found[press].append((row * columns + column, amount))
    return tuple(
        tuple((light, amount) for light, amount in effect if amount and press not in gone and light not in gone)
        for press, effect in enumerate(found)
    )


Shifts = list[tuple[int, int]]
"""Presses as bits, and how far away in the order of cells each of them toggles a light.

The number of cells is added to each distance, so that none is negative.
"""


@lru_cache(maxsize=64)
def moves(pattern: tuple[Offset, ...], wrap: Wrap, rows: int, columns: int) -> Shifts:
    """Return presses whose lights lie at one distance in row-major order; see `Shifts`."""
    return [
        (_rectangle(lines, cells, columns), (rows + by_rows) * columns + by_columns)
        for down, right in pattern
        for lines, by_rows in _ranges(rows, down, wrap in ("vertical", "torus"))
        for cells, by_columns in _ranges(columns, right, wrap in ("horizontal", "torus"))
    ]


def _rectangle(rows: range, columns: range, width: int) -> int:
    """Return the cells in some rows and columns as bits, which a text lists from the last."""
    row = "0" * (width - columns.stop) + "1" * len(columns) + "0" * columns.start
    return int(row * len(rows), 2) << rows.start * width


def _ranges(length: int, step: int, wraps: bool) -> Iterator[tuple[range, int]]:
    """Yield the places on a line from which a step leads equally far, and how far; joined edges make a difference."""
    # Around joined edges a step goes forward, or backward from the places at which forward would leave the line.
    for by in (step % length, step % length - length) if wraps else (step,):
        if inside := range(max(0, -by), min(length, length - by)):
            yield inside, by


def checked_pattern(pattern: Iterable[Offset], states: int) -> tuple[Offset, ...]:
    """Return the offsets, sorted so that patterns with the same offsets are equal."""
    if pattern is PLUS:  # of most boards
        return PLUS
    if not isinstance(pattern, Iterable):
        raise wrong_type("a pattern as pairs (row, column), such as PATTERNS['king']", pattern)
    offsets = []
    for offset in pattern:
        # `type` and not `isinstance`: True and False are integers for Python.
        numbers = isinstance(offset, tuple) and all(type(step) is int for step in offset)
        if not numbers or len(offset) not in (2, 3) or (len(offset) == 3 and not 1 <= offset[2] < states):
            amount = f", and an amount from 1 to {states - 1}" if states > 2 else ""
            raise TypeError(f"an offset is a pair of whole numbers (row, column){amount}, not {offset!r:.40}")
        offsets.append(offset[:2] if offset[2:] == (1,) else offset)
    if not offsets:
        raise ValueError("a press toggles at least one cell")
    if max(map(abs, itertools.chain(*offsets))) > MAX_REACH:
        raise ValueError(f"an offset is at most {MAX_REACH} rows and columns")
    if len({offset[:2] for offset in offsets}) < len(offsets):
        raise ValueError("a pattern must not repeat an offset")
    return tuple(sorted(offsets))


def picture_of(pattern: tuple[Offset, ...], reach: int) -> str:
    """Return the smallest picture of a pattern centred on the pressed cell: rows separated by commas."""
    amounts = {(down, right): amount[0] if amount else 1 for down, right, *amount in pattern}
    height, width = (max(reach, *(abs(place[axis]) for place in amounts)) for axis in (0, 1))
    return ",".join(
        "".join(DIGITS[amounts.get((down, right), 0)] for right in range(-width, width + 1))
        for down in range(-height, height + 1)
    )


def edges_of(graph: str) -> list[tuple[int, int]]:
    """Return the edges of a graph, with vertices from 0."""
    pairs = (edge.split("-") for edge in graph.removeprefix("edges=").split(",") if edge)
    return [(int(one) - 1, int(other) - 1) for one, other in pairs]


def checked_graph(graph: str, states: int, rows: int, columns: int) -> tuple[str, int]:
    """Return edges, in ascending order, or a matrix; and the number of presses, which is that of lights for edges."""
    key, _, value = graph.partition("=")
    if key not in ("edges", "matrix") or rows > 1:
        raise ValueError(f"expected press=, or edges= or matrix= and one row of lights, found {graph:.40}")
    if key == "edges":
        edge = "[1-9][0-9]{0,6}-[1-9][0-9]{0,6}"
        if not re.fullmatch(f"({edge}(,{edge})*)?", value):
            raise ValueError(f"expected edges= with pairs such as 1-2,2-3, found {value:.40}")
        pairs = sorted((min(pair) + 1, max(pair) + 1) for pair in edges_of(graph))
        if any(one == other or other > columns for one, other in pairs):
            raise ValueError(f"an edge joins two of the vertices 1 to {columns}")
        return f"edges={','.join(f'{one}-{other}' for one, other in pairs)}", columns
    lines, digits = value.split(","), DIGITS[:states]
    if any(len(line) != columns for line in lines) or set(value) - {*digits, ","}:
        form = f"a row for each press, of a digit below {states} for each of the {columns} lights"
        raise ValueError(f"expected matrix= with {form}, found {value:.40}")
    return graph, len(lines)
