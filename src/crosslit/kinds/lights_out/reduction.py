"""Smaller boards, to find a small one on which a solver fails."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.families import planted, random_lights
from crosslit.kinds.lights_out.rules import PLUS, edges_of
from crosslit.kinds.reduction import cleared, kept_lines, part

_MAX_SMALL = 26  # cells: with k states, random boards of fewer are tried in every shape
_PLANTED = 3  # boards with a solution of each shape
_MAX_ONE_LIGHT = 36  # cells of a board with k states on which every single light is tried


def smaller(board: LightsOut, solution: Grid | None, square: bool) -> Iterator[LightsOut]:
    """Yield smaller boards, the largest steps first.

    Lines are dropped, many at once and then one at a time; such a board comes with its own lights, and with those that
    the rest of the solution makes. Unusual rules are removed one by one, the number of states is reduced, and lights
    are cleared, many at once and one at a time. The dark board is tried in every smaller shape, and boards with one
    light in every shape that results from dropping lines once.
    """
    kept = list(kept_lines(board.rows, board.columns, square))
    yield from _of_smaller_shapes(board, square)
    for rows, columns in kept:
        cut = _cut(board, rows, columns)
        yield from (cut, *_from_presses(cut, solution and part(solution, rows, columns)))
    for cut in {(len(rows), len(columns)): _cut(board, rows, columns) for rows, columns in kept}.values():
        yield from _one_light(cut)
    yield from _plainer(board)
    for states in range(2, board.states):
        with suppress(ValueError, TypeError):  # the rules may have larger amounts
            lit = board.lights._replace(states=states).pack([value % states for value in board.values])
            fewer = replace(board, lit=lit)
            presses = solution and fewer.layout.pack([times % states for times in solution.values()])
            yield from (fewer, fewer.dark, *_from_presses(fewer, presses))
    yield from _darker(board, solution)


def _of_smaller_shapes(board: LightsOut, square: bool) -> Iterator[LightsOut]:
    """Yield the dark board of every smaller shape, with k states also random ones: many mistakes show in some shapes.

    Dropping one line at a time can end in a local minimum: a greedy solver kept 6 x 8, but fails on 2 x 11 too.
    """
    settings = () if board.graph else board.settings
    shapes = itertools.product(range(1, board.rows + 1), range(1, board.columns + 1))
    for rows, columns in sorted(shapes, key=math.prod):
        if rows != columns and square:
            continue
        if not board.is_modular:
            yield LightsOut(Grid.from_bits(rows, columns, 0), board.pattern, board.wrap)
        elif rows * columns < min(_MAX_SMALL, board.rows * board.columns):
            rng = random.Random(rows)
            some = random_lights(rng, rows, columns, board.states, *settings)
            yield from (some.dark, some, *(planted(rng, some) for _ in range(_PLANTED)))


def _from_presses(board: LightsOut, presses: Grid | None) -> Iterator[LightsOut]:
    """Yield the board that presses solve."""
    if presses is not None:
        yield board.dark.pressed(board.back(presses))


def _cut(board: LightsOut, rows: list[int], columns: list[int]) -> LightsOut:
    missing = None if board.missing is None else part(board.missing, rows, columns)
    lights = columns if board.lit.columns == board.columns else [*range(board.lit.columns)]
    lit, graph = part(board.lit, rows, lights), board.graph
    key, _, value = graph.partition("=")
    if key == "matrix":
        lines = value.split(",")
        graph = "matrix=" + ",".join("".join(lines[press][light] for light in lights) for press in columns)
    elif key == "edges":
        new = {old: number for number, old in enumerate(columns, 1)}
        kept = (f"{new[one]}-{new[other]}" for one, other in edges_of(board.graph) if {one, other} <= new.keys())
        graph = f"edges={','.join(kept)}"
    return replace(board, lit=lit, missing=missing, graph=graph, name="")


def _plainer(board: LightsOut) -> Iterator[LightsOut]:
    """Yield boards with fewer missing cells and, with k states, with more usual rules.

    Boards of two states keep their rules, since a solver of other rules need not know the usual ones.
    """
    pattern, missing = board.pattern, board.missing
    has_rules = board.is_modular and board.lit.columns <= board.columns  # a grid of more lights is not smaller
    if has_rules and board.settings:
        yield replace(board, pattern=PLUS, wrap="none", missing=None, graph="")
    if has_rules and pattern != PLUS:
        yield replace(board, pattern=PLUS, graph="")
    if has_rules and board.wrap != "none":
        yield replace(board, wrap="none")
    if missing is not None:
        yield replace(board, missing=None)
        yield from (replace(board, missing=fewer) for fewer in cleared(missing))
    if has_rules and pattern != PLUS:
        for index, (down, right, *amount) in enumerate(pattern):
            for less in ([], [(down, right)]) if amount else ([],):
                if kept := (*pattern[:index], *less, *pattern[index + 1 :]):
                    yield replace(board, pattern=kept)
    yield from (replace(board, graph=graph) for graph in _plainer_graphs(board.graph))


def _plainer_graphs(graph: str) -> Iterator[str]:
    """Yield a graph without one edge, or a matrix with one amount lower."""
    key, _, value = graph.partition("=")
    if key == "edges":
        edges = value.split(",") if value else []
        yield from (f"edges={','.join(edges[:place] + edges[place + 1 :])}" for place in range(len(edges)))
    for found in re.finditer("[1-9a-f]", value) if key == "matrix" else ():
        for lower in "01"[: int(found[0], 36)]:
            yield f"matrix={value[: found.start()]}{lower}{value[found.end() :]}"


def _darker(board: LightsOut, solution: Grid | None) -> Iterator[LightsOut]:
    """Yield boards with fewer lights: none, one anywhere, fewer or smaller ones, and those of fewer presses."""
    yield from _one_light(board)
    yield from (replace(board, lit=fewer) for fewer in cleared(board.lit))
    if solution is not None:
        for fewer in cleared(solution):
            yield from _from_presses(board, fewer)
    values: Sequence[int] = board.values if board.is_modular else ()
    for cell, value in enumerate(values):
        yield from (board.with_lights([*values[:cell], lower, *values[cell + 1 :]]) for lower in range(1, value))


def _one_light(board: LightsOut) -> Iterator[LightsOut]:
    """Yield the dark board, and those with one light."""
    yield (dark := board.dark)
    gone, width = board.missing.values() if board.missing is not None else [], board.lights.width
    present = [cell for cell in range(math.prod(board.lit.shape)) if not gone or not gone[cell]]
    if board.states == 2 or not present[_MAX_ONE_LIGHT:]:
        for cell, value in itertools.product(present, range(1, board.states)):
            yield replace(dark, lit=Grid.from_bits(*board.lit.shape, value << cell * width, board.states))
