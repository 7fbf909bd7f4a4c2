"""Changes to a board with k states: some with a known effect on its solutions, others that make it smaller."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from crosslit.base.grid import Grid
from crosslit.contract.family import Relation
from crosslit.kinds.modular_lights_out.makers import planted, random_lights
from crosslit.kinds.modular_lights_out.puzzle import PATTERNS, ModularLightsOut
from crosslit.kinds.reduction import cleared, kept_lines, part

_MAX_SMALL = 26  # cells: fewer are tried in every shape
_MAX_ONE_LIGHT = 36  # cells of a board on which every single light is tried
_PLANTED = 3  # boards with a solution of each shape


def relations(board: ModularLightsOut) -> Iterator[Relation]:
    """Yield the board after one press of every cell, and with all lights multiplied by a number prime to k."""
    k, present = board.states, [not missing for missing in board.gone]

    def carried(factor: int, more: int) -> Callable[[Grid], Grid]:
        def carry(grid: Grid) -> Grid:
            pairs = zip(grid.values(), present, strict=True)
            return board.layout.pack([(value * factor + more) % k * there for value, there in pairs])

        return carry

    yield Relation("every cell pressed before", board.pressed(board.layout.pack([*map(int, present)])), carried(1, -1))
    factor = next((factor for factor in range(2, k) if math.gcd(factor, k) == 1), None)
    if factor is not None:
        lit = board.lit([value * factor % k for value in board.values])
        yield Relation(f"lights times {factor}", lit, carried(factor, 0))


def smaller(board: ModularLightsOut, solution: Grid | None, square: bool) -> Iterator[ModularLightsOut]:
    """Yield smaller boards, the largest steps first: fewer lines, usual rules, fewer states, and smaller lights.

    A board without some lines comes with its own lights, with those that the rest of the solution makes, and dark.
    """
    yield from _small(board, square)
    for rows, columns in kept_lines(board.rows, board.columns, square):
        lights, rule = tuple(_part(board.lights, rows, columns)), _cut_rule(board, columns)
        cut = ModularLightsOut(board.states, lights, rule, board.wrap)
        yield from (cut, *_from_presses(cut, solution and part(solution, rows, columns)))
    yield replace(board, wrap="none")
    yield replace(board, rule="press=plus")
    yield replace(board, rule="press=plus", wrap="none")
    yield from (replace(board, rule=rule) for rule in _plainer_rules(board))
    yield replace(board, lights=tuple(line.replace("_", "0") for line in board.lights))
    for states in range(2, board.states):
        with suppress(ValueError):  # the rule may have larger amounts
            fewer = replace(board.lit([value % states for value in board.values]), states=states)
            presses = solution and fewer.layout.pack([times % states for times in solution.values()])
            yield from (fewer, *_from_presses(fewer, presses))
    yield from _lower(board)


def _small(board: ModularLightsOut, square: bool) -> Iterator[ModularLightsOut]:
    """Yield the dark board and random ones in every smaller shape: many mistakes show in some shapes only."""
    rule = board.rule if board.is_grid else "press=plus"
    shapes = itertools.product(range(1, board.rows + 1), range(1, board.columns + 1))
    for rows, columns in sorted(shapes, key=math.prod):
        if rows * columns < min(_MAX_SMALL, board.rows * board.columns) and (rows == columns or not square):
            rng = random.Random(rows)
            some = random_lights(rng, rows, columns, board.states, rule=rule, wrap=board.wrap)
            yield from (some.dark, some, *(planted(rng, some) for _ in range(_PLANTED)))


def _from_presses(board: ModularLightsOut, presses: Grid | None) -> Iterator[ModularLightsOut]:
    """Yield the dark board, and after presses, those whose solution is the other way round."""
    yield board.dark
    if presses is not None:
        yield board.dark.pressed(board.back(presses))


def _lower(board: ModularLightsOut) -> Iterator[ModularLightsOut]:
    """Yield boards with one light, with fewer, and with one light smaller."""
    values = board.values
    if len(values) <= _MAX_ONE_LIGHT:
        for cell, value in itertools.product(range(len(values)), range(1, board.states)):
            yield board.lit([value * (place == cell) for place in range(len(values))])
    yield from (board.lit(fewer.values()) for fewer in cleared(board.shown))
    for cell, value in enumerate(values):
        yield from (board.lit([*values[:cell], lower, *values[cell + 1 :]]) for lower in range(1, value))


def _part(lines: Sequence[str], rows: list[int], columns: list[int]) -> list[str]:
    return ["".join(lines[row][column] for column in columns) for row in rows]


def _cut_rule(board: ModularLightsOut, kept: list[int]) -> str:
    """Return the rule for some of the columns."""
    if board.is_grid:
        return board.rule
    if board.rule.startswith("matrix="):
        return "matrix=" + ",".join(_part(board.rule.removeprefix("matrix=").split(","), kept, kept))
    new = {old: number for number, old in enumerate(kept, 1)}
    return "edges=" + ",".join(f"{new[one]}-{new[other]}" for one, other in board.edges if {one, other} <= new.keys())


def _plainer_rules(board: ModularLightsOut) -> Iterator[str]:
    """Yield the rule without one edge, or one amount lower."""
    key, _, value = board.rule.partition("=")
    if key == "edges":
        edges = value.split(",") if value else []
        yield from (f"edges={','.join(edges[:place] + edges[place + 1 :])}" for place in range(len(edges)))
    elif value not in PATTERNS:
        for found in re.finditer("[1-9a-f]", value):
            for lower in "01"[: int(found[0], 36)]:
                changed = f"{value[: found.start()]}{lower}{value[found.end() :]}"
                if key == "matrix" or set(changed) - {"0", ","}:
                    yield f"{key}={changed}"
