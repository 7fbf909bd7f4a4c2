"""Smaller boards, for finding a small one on which a solver fails."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.puzzle import PLUS, LightsOut
from crosslit.kinds.reduction import cleared, kept_lines, part


def smaller(board: LightsOut, picture: Grid | None, square: bool) -> Iterator[LightsOut]:
    """Yield smaller boards, the largest steps first.

    Lines are dropped, many at once and then one at a time. Unusual rules are removed one by one, and lights are
    cleared, many at once and one at a time. The dark board is tried in every smaller shape, and boards with one light
    in every shape that results from dropping lines once.
    """
    kept = list(kept_lines(board.rows, board.columns, square))
    yield from _smaller_and_dark(board, square)
    for rows, columns in kept:
        yield _cut(board, rows, columns)
        if picture is not None:
            yield _dark(_cut(board, rows, columns)).pressed(part(picture, rows, columns))
    for cut in {(len(rows), len(columns)): _cut(board, rows, columns) for rows, columns in kept}.values():
        yield from _one_light(cut)
    yield from _plainer(board)
    yield from _darker(board, picture)


def _dark(board: LightsOut) -> LightsOut:
    return replace(board, lit=Grid.from_bits(board.rows, board.columns, 0))


def _smaller_and_dark(board: LightsOut, square: bool) -> Iterator[LightsOut]:
    """Yield the dark board of every smaller shape."""
    # dropping one line at a time can end in a local minimum: a greedy solver kept 6 x 8, but fails on 2 x 11 too
    shapes = itertools.product(range(1, board.rows + 1), range(1, board.columns + 1))
    for rows, columns in sorted(shapes, key=lambda shape: shape[0] * shape[1]):
        if rows == columns or not square:
            yield LightsOut(Grid.from_bits(rows, columns, 0), board.pattern, board.wrap)


def _cut(board: LightsOut, rows: list[int], columns: list[int]) -> LightsOut:
    missing = None if board.missing is None else part(board.missing, rows, columns)
    return LightsOut(part(board.lit, rows, columns), board.pattern, board.wrap, missing)


def _plainer(board: LightsOut) -> Iterator[LightsOut]:
    """Yield boards with more usual rules: plus, no joined edges, no missing cells, one offset or missing cell fewer."""
    lit, pattern, wrap, missing = board.lit, board.pattern, board.wrap, board.missing
    if board.settings or missing is not None:
        yield LightsOut(lit)
    if pattern != PLUS:
        yield LightsOut(lit, PLUS, wrap, missing)
    if wrap != "none":
        yield LightsOut(lit, pattern, "none", missing)
    if missing is not None:
        yield LightsOut(lit, pattern, wrap)
        yield from (LightsOut(lit, pattern, wrap, fewer) for fewer in cleared(missing))
    if pattern != PLUS and len(pattern) > 1:
        for index in range(len(pattern)):
            yield LightsOut(lit, (*pattern[:index], *pattern[index + 1 :]), wrap, missing)


def _darker(board: LightsOut, picture: Grid | None) -> Iterator[LightsOut]:
    """Yield boards with fewer lights: none, one anywhere, fewer of the lit ones, and those of fewer presses."""
    yield from _one_light(board)
    for fewer in cleared(board.lit):
        yield replace(board, lit=fewer)
    if picture is not None:
        for fewer in cleared(picture):
            yield _dark(board).pressed(fewer)


def _one_light(board: LightsOut) -> Iterator[LightsOut]:
    """Yield the dark board, and those with one light."""
    gone = board.missing.bits if board.missing is not None else 0
    yield _dark(board)
    for cell in range(board.rows * board.columns):
        if not gone >> cell & 1:
            yield replace(board, lit=Grid.from_bits(board.rows, board.columns, 1 << cell))
