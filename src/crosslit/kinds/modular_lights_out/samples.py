"""Small boards with all their solutions, against which backends are checked, and all boards of few cells and states."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crosslit.base.grid import Grid
from crosslit.contract.family import Member, Sort
from crosslit.kinds.modular_lights_out import makers
from crosslit.kinds.modular_lights_out.howell import count_up_to
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut

_MAX_SOLUTIONS = 12  # of a sample: engines that exclude one solution after the other take long for many
_FEW = 100  # boards of a shape and a number of states other than 2, to enumerate all of them
_MAX_CELLS = 9  # of shapes all of whose boards are enumerated
_STATES = (2, 3, 4, 6)
# Without a solution though every light is even; with missing cells; with presses that meet themselves; with several.
_RULES = ("4/edges=1-2/02", "6/press=hexagons/0_1/23_", "4/press=king/wrap=torus/31", "6/edges=1-2/33")
_BOARDS = [f"{ModularLightsOut.kind}:{rules}" for rules in _RULES]
_SHAPES = ((2, 1, 9), (2, 4, 2), (3, 3, 2), (4, 2, 2), (4, 1, 4), (5, 1, 4), (6, 3, 1), (8, 1, 3))  # states and size


def samples() -> tuple[ModularLightsOut, ...]:
    """Return boards of several shapes, rules and numbers of states, from a fixed seed; the last has 6 solutions."""
    rng, boards = random.Random(8), [ModularLightsOut.parse(text) for text in _BOARDS[:-1]]
    for states, rows, columns in _SHAPES:
        usual = makers.random_lights(rng, rows, columns, states)
        boards += [usual, makers.planted(rng, usual), makers.random_grid_rules(rng, rows, columns, states)]
        boards += [makers.random_graph(rng, rows * columns, states), makers.random_matrix(rng, rows * columns, states)]
    few = [board for board in boards if count_up_to(board, _MAX_SOLUTIONS + 1) <= _MAX_SOLUTIONS]
    return (*few, ModularLightsOut.parse(_BOARDS[-1]))


def larger_samples() -> list[ModularLightsOut]:
    """Return boards whose solution with the fewest presses is not found by luck."""
    rng = random.Random(2)
    shapes = [(3, 3, 3), (2, 4, 4), (2, 3, 6), (4, 4, 2)]
    return [makers.planted(rng, makers.random_lights(rng, rows, columns, states)) for rows, columns, states in shapes]


def solutions(board: ModularLightsOut) -> Iterator[Grid]:
    """Yield the presses after which all lights are 0, by trying all."""
    presses = np.array([*itertools.product(range(board.states), repeat=board.rows * board.columns)])
    return (board.layout.pack(row.tolist()) for row in presses[_is_zero(board, presses)])


def all_zero(board: ModularLightsOut, packed: bytes) -> bool:
    """Return whether every packed grid is a solution."""
    layout, powers = board.layout, 1 << np.arange(board.layout.width)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, layout.size), axis=1, bitorder="little")
    presses = bits[:, : layout.bits].reshape(-1, board.rows * board.columns, layout.width) @ powers
    return bool((presses < board.states).all() and _is_zero(board, presses).all() and not bits[:, layout.bits :].any())


def _is_zero(board: ModularLightsOut, presses: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each row of presses whether it solves a board, from the effects of presses as the rules state them."""
    times = np.ascontiguousarray(presses.T)
    left = np.repeat(np.array(board.values)[:, None], len(presses), axis=1)
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            left[light] += amount * times[press]
    left[board.gone] = times[board.gone]
    return np.asarray(~(left % board.states).any(axis=0))


def satisfied(board: ModularLightsOut, presses: Grid) -> int:
    """Return the lights that are 0 after presses, as bits; none if a missing cell is pressed."""
    missing = any(gone and times for gone, times in zip(board.gone, presses.values(), strict=True))
    return 0 if missing else ~board.broken(presses).bits


def families() -> tuple[Sort, ...]:
    """Return all boards of two states up to 9 cells, and of 3, 4 and 6 where these are few."""
    return (Sort("{} board of few states", _size, _boards, most_cells=_MAX_CELLS),)


def _dark(rows: int, columns: int) -> list[ModularLightsOut]:
    chosen = [states for states in _STATES if states == 2 or states ** (rows * columns) <= _FEW]
    return [ModularLightsOut(states, ("0" * columns,) * rows) for states in chosen]


def _size(rows: int, columns: int) -> int:
    return sum(dark.states ** (rows * columns) for dark in _dark(rows, columns))


def _boards(rows: int, columns: int) -> Iterator[Member]:
    """Yield all boards; the presses that lead from a dark board to lights, taken back, solve these lights."""
    for dark in _dark(rows, columns):
        found: dict[tuple[str, ...], list[Grid]] = defaultdict(list)
        for grid in dark.layout.every():
            found[dark.pressed(grid).lights].append(dark.back(grid))
        for grid in dark.layout.every():
            lights = tuple(grid.lines())
            yield replace(dark, lights=lights), frozenset(found.get(lights, ()))
