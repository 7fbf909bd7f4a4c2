"""Smaller boards with k states, for finding a small one on which a solver fails."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from crosslit.answer import DIGITS
from crosslit.grid import Grid
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit.kinds.reduction import kept_lines

_MAX_TINY = 6
_MAX_ONE_LIGHT = 36  # cells of a board on which every single light is tried


def smaller(board: ModularLightsOut, solution: Grid | None, square: bool) -> Iterator[ModularLightsOut]:
    """Yield smaller boards, the largest steps first: fewer lines, usual rules, fewer states, and smaller lights.

    A board without some lines comes with its own lights, with those that the rest of the solution makes, and dark.
    """
    yield from _tiny(board, square)
    for rows, columns in kept_lines(board.rows, board.columns, square):
        if (rule := _cut_rule(board, columns)) is not None:
            lines = _part(board.lights, rows, columns)
            cut = ModularLightsOut(board.states, tuple(lines), rule, board.wrap)
            yield cut
            yield from _from_presses(cut, None if solution is None else _part(solution.lines(), rows, columns))
    yield replace(board, wrap="none")
    yield replace(board, rule="press=plus")
    yield replace(board, rule="press=plus", wrap="none")
    yield from (replace(board, rule=rule) for rule in _plainer_rules(board))
    if any("_" in line for line in board.lights):
        yield replace(board, lights=tuple(line.replace("_", "0") for line in board.lights))
    for states in range(2, board.states):
        values = str.maketrans(DIGITS[: board.states], "".join(DIGITS[value % states] for value in range(board.states)))
        with suppress(ValueError):  # the rule may have larger amounts
            fewer = replace(board, states=states, lights=tuple(line.translate(values) for line in board.lights))
            yield fewer
            yield from _from_presses(
                fewer, None if solution is None else [line.translate(values) for line in solution.lines()]
            )
    yield from _lower(board)


def _tiny(board: ModularLightsOut, square: bool) -> Iterator[ModularLightsOut]:
    """Yield boards of few cells with one light, or after presses of one cell: zero divisors show most mistakes."""
    values = [value for value in range(1, board.states) if board.states % value == 0]
    shapes = itertools.product(range(1, board.rows + 1), range(1, board.columns + 1))
    for rows, columns in sorted(shapes, key=math.prod):
        if rows * columns > min(_MAX_TINY, board.rows * board.columns - 1) or (square and rows != columns):
            continue
        dark = ModularLightsOut(board.states, ("0" * columns,) * rows, board.rule if board.is_grid else "press=plus")
        for cell, value in itertools.product(range(rows * columns), values):
            one = dark.layout.pack([value * (place == cell) for place in range(rows * columns)])
            yield replace(dark, lights=tuple(one.lines()))
            yield dark.pressed(one)


def _from_presses(board: ModularLightsOut, presses: Sequence[str] | None) -> Iterator[ModularLightsOut]:
    """Yield the dark board, and after presses, those whose solution is the other way round."""
    dark = _dark(board)
    yield dark
    if presses is not None:
        back = str.maketrans(DIGITS[: board.states], DIGITS[0] + DIGITS[board.states - 1 : 0 : -1])
        yield dark.pressed(board.layout.parse("/".join(presses).translate(back)))


def _dark(board: ModularLightsOut) -> ModularLightsOut:
    return replace(
        board, lights=tuple("".join("_" if light == "_" else "0" for light in line) for line in board.lights)
    )


def _lower(board: ModularLightsOut) -> Iterator[ModularLightsOut]:
    """Yield boards with one light off, or smaller, and those with one light only."""
    text = "/".join(board.lights)
    dark = "/".join(_dark(board).lights)
    for place, light in enumerate(text):
        if light in "/_":
            continue
        for value in sorted({0, DIGITS.index(light) // 2, max(0, DIGITS.index(light) - 1)} - {DIGITS.index(light)}):
            yield replace(board, lights=tuple(f"{text[:place]}{DIGITS[value]}{text[place + 1 :]}".split("/")))
        if len(text) <= _MAX_ONE_LIGHT:
            for digit in DIGITS[1 : board.states]:
                yield replace(board, lights=tuple(f"{dark[:place]}{digit}{dark[place + 1 :]}".split("/")))


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
        edges = value.split(",")
        yield from (
            "edges=" + ",".join(edges[:place] + edges[place + 1 :]) for place in range(len(edges) if value else 0)
        )
    elif value not in ("plus", "neighbours", "king", "diagonal", "hexagons"):
        for place, digit in enumerate(value):
            for lower in {"0", "1"} if digit in DIGITS[2:] else {"0"} if digit == "1" else ():
                changed = f"{value[:place]}{lower}{value[place + 1 :]}"
                if key == "matrix" or set(changed) - {"0", ","}:
                    yield f"{key}={changed}"
