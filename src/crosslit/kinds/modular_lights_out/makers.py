"""Families of random boards with k states."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import partial
from typing import Any

from crosslit.base.errors import GaveUp
from crosslit.base.layout import DIGITS
from crosslit.contract.family import Chance, Maker, between, pick
from crosslit.kinds.modular_lights_out.puzzle import MAX_STATES, PATTERNS, WRAPS, ModularLightsOut

_TRIES = 100
_LARGE = 7  # rows and columns at which solvers may reach a first limit
_COMPOSITE = (4, 6, 8, 9, 10, 12)


def random_lights(
    rng: random.Random, rows: int, columns: int, states: int, gone: float = 0, **rules: Any
) -> ModularLightsOut:
    """Return a board with random lights, each missing with a probability."""
    cells = ["_" if gone and rng.random() < gone else pick(rng, DIGITS[:states]) for _ in range(rows * columns)]
    lines = ("".join(cells[first : first + columns]) for first in range(0, len(cells), columns))
    return ModularLightsOut(states, tuple(lines), **rules)


def planted(rng: random.Random, board: ModularLightsOut) -> ModularLightsOut:
    """Return a board of the same rules with a solution: the dark one after random presses."""
    presses = [0 if gone else between(rng, 0, board.states - 1) for gone in board.gone]
    return board.dark.pressed(board.layout.pack(presses))


def of_rules(rng: random.Random, board: ModularLightsOut, solvable: bool) -> ModularLightsOut:
    """Return a board of the same rules with a solution, or one without; GaveUp if no random lights lack one."""
    from crosslit.kinds.modular_lights_out.howell import count_up_to  # loads NumPy, which the help does without

    if solvable:
        return planted(rng, board)
    for _ in range(_TRIES):
        made = random_lights(rng, board.rows, board.columns, board.states, rule=board.rule, wrap=board.wrap)
        if not count_up_to(made, 1):
            return made
    raise GaveUp("random boards of these rules have a solution")


def random_grid_rules(rng: random.Random, rows: int, columns: int, states: int) -> ModularLightsOut:
    """Return a board with a random press pattern, joined edges and missing cells; solvable half of the time."""
    picture = ",".join("".join(pick(rng, "00" + DIGITS[:states]) for _ in range(3)) for _ in range(3))
    patterns = [*PATTERNS, picture if set(picture) - {"0", ","} else "plus"]
    rule, wrap = f"press={pick(rng, patterns)}", pick(rng, WRAPS)
    return _either(rng, random_lights(rng, rows, columns, states, pick(rng, (0, 0, 0.2)), rule=rule, wrap=wrap))


def random_graph(rng: random.Random, cells: int, states: int) -> ModularLightsOut:
    """Return a board on a random graph; solvable half of the time."""
    density = rng.random()
    pairs = [pair for pair in itertools.combinations(range(1, cells + 1), 2) if rng.random() < density]
    rule = "edges=" + ",".join(f"{one}-{other}" for one, other in pairs)
    return _either(rng, random_lights(rng, 1, cells, states, rule=rule))


def random_matrix(rng: random.Random, cells: int, states: int) -> ModularLightsOut:
    """Return a board given by random amounts; solvable half of the time."""
    lines = ("".join(pick(rng, "00" + DIGITS[:states]) for _ in range(cells)) for _ in range(cells))
    return _either(rng, random_lights(rng, 1, cells, states, rule=f"matrix={','.join(lines)}"))


def _either(rng: random.Random, board: ModularLightsOut) -> ModularLightsOut:
    return planted(rng, board) if rng.random() < 0.5 else board


def _states(chance: Chance) -> int:
    """Return a number of states: often a composite one, on which solvers for prime numbers fail."""
    return pick(chance.rng, _COMPOSITE) if chance.rng.random() < 0.5 else between(chance.rng, 2, MAX_STATES)


def makers() -> tuple[Maker, ...]:
    """Return the families of random boards."""

    def usual(chance: Chance) -> ModularLightsOut:
        return random_lights(chance.rng, *chance.shape(), _states(chance))

    def unusual(chance: Chance) -> ModularLightsOut:
        return random_grid_rules(chance.rng, *chance.shape(), _states(chance))

    def row(make: Callable[[random.Random, int, int], ModularLightsOut], chance: Chance) -> ModularLightsOut | None:
        return None if chance.square else make(chance.rng, chance.side(), _states(chance))

    def large(chance: Chance) -> ModularLightsOut | None:
        if chance.longest < _LARGE:
            return None
        rows = between(chance.rng, _LARGE, chance.longest)
        columns = rows if chance.square else between(chance.rng, _LARGE, chance.longest)
        return _either(chance.rng, random_lights(chance.rng, rows, columns, _states(chance)))

    return (
        Maker("planted presses", lambda chance: planted(chance.rng, usual(chance)), True),
        Maker("random lights", usual),
        Maker("planted presses, unusual rules", lambda chance: planted(chance.rng, unusual(chance)), True),
        Maker("unusual rules", unusual),
        Maker("graph", partial(row, random_graph)),
        Maker("matrix", partial(row, random_matrix)),
        Maker("7 x 7 and larger", large),
    )
