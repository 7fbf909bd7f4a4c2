"""Smaller boards with k states, for finding a small one on which a solver fails."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from crosslit.answer import DIGITS
from crosslit.grid import Grid
from crosslit.kinds.modular_lights_out.makers import planted, random_lights
from crosslit.kinds.modular_lights_out.puzzle import PATTERNS, ModularLightsOut
from crosslit.kinds.reduction import kept_lines

_MAX_SMALL = 26  # cells: fewer are tried in every shape
_PLANTED = 3  # boards with a solution of each shape
_MAX_ONE_LIGHT = 36  # cells of a board on which every single light is tried


def smaller(board: ModularLightsOut, solution: Grid | None, square: bool) -> Iterator[ModularLightsOut]:
    """Yield smaller boards, the largest steps first: fewer lines, usual rules, fewer states, and smaller lights.

    A board without some lines comes with its own lights, with those that the rest of the solution makes, and dark.
    """
    yield from _small(board, square)
    presses = None if solution is None else solution.lines()
    for rows, columns in kept_lines(board.rows, board.columns, square):
        if (rule := _cut_rule(board, columns)) is not None:
            cut = ModularLightsOut(board.states, tuple(_part(board.lights, rows, columns)), rule, board.wrap)
            yield from (cut, *_from_presses(cut, presses and _part(presses, rows, columns)))
    yield replace(board, wrap="none")
    yield replace(board, rule="press=plus")
    yield replace(board, rule="press=plus", wrap="none")
    yield from (replace(board, rule=rule) for rule in _plainer_rules(board))
    yield replace(board, lights=tuple(line.replace("_", "0") for line in board.lights))
    for states in range(2, board.states):
        values = str.maketrans(DIGITS[: board.states], "".join(DIGITS[value % states] for value in range(board.states)))
        with suppress(ValueError):  # the rule may have larger amounts
            fewer = replace(board, states=states, lights=tuple(line.translate(values) for line in board.lights))
            yield from (fewer, *_from_presses(fewer, presses and [line.translate(values) for line in presses]))
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


def _from_presses(board: ModularLightsOut, presses: Sequence[str] | None) -> Iterator[ModularLightsOut]:
    """Yield the dark board, and after presses, those whose solution is the other way round."""
    yield board.dark
    if presses is not None:
        yield board.dark.pressed(board.back(board.layout.parse("/".join(presses))))


def _lower(board: ModularLightsOut) -> Iterator[ModularLightsOut]:
    """Yield boards with one light off, or smaller, and those with one light only."""
    text, dark = "/".join(board.lights), "/".join(board.dark.lights)
    for place, light in enumerate(text):
        if light in "/_":
            continue
        value = DIGITS.index(light)
        changed = [(text, lower) for lower in sorted({0, value // 2, max(0, value - 1)} - {value})]
        if len(text) <= _MAX_ONE_LIGHT:
            changed += [(dark, single) for single in range(1, board.states)]
        for lights, new in changed:
            yield replace(board, lights=tuple(f"{lights[:place]}{DIGITS[new]}{lights[place + 1 :]}".split("/")))


def _part(lines: Sequence[str], rows: list[int], columns: list[int]) -> list[str]:
    return ["".join(lines[row][column] for column in columns) for row in rows]


def _cut_rule(board: ModularLightsOut, kept: list[int]) -> str | None:
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
