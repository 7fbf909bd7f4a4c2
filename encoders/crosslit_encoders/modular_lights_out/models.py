"""Lights Out with k states as finite-domain models, and as CP-SAT models made from them."""

from __future__ import annotations

import itertools

from crosslit.contract import Encoding
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import CONTRADICTION, LINEAGE, Linear, Model
from crosslit_encoders.modular_lights_out.chase import CHASED, chased
from crosslit_encoders.modular_lights_out.system import System, full


def quotient(board: ModularLightsOut) -> Model:
    """Model each light as an integer sum: its presses add up to its value plus k times a quotient.

    Sizes: k Boolean variables for each cell (1 for k = 2) and a sum that chooses one of them; an integer variable and a
    sum for each light. The presses determine the quotients.

    Examples:
        >>> quotient(ModularLightsOut.parse("modular-lights-out:6/14")).sizes
        {'variables': 14, 'constraints': 4}
    """
    k, system = board.states, full(board)
    model = _values(k, system)
    for terms, total in system.sums:
        products = tuple((amount * value, variable) for amount, cell in terms for value, variable in _cell(k, cell))
        most = sum(amount * (k - 1) for amount, _ in terms)
        if products and most >= total:
            model.add(Linear((*products, (-k, model.variable(0, (most - total) // k))), total, total))
        elif total:
            model.add(CONTRADICTION)
    return model


def chased_paths(board: ModularLightsOut) -> Model:
    """Model each equation of a chase as a path through the partial sums of its presses modulo k.

    A step leads from a sum, by a value of the next press, to the next sum; as many steps lead into a sum as out of it.
    M.-C. Cote, B. Gendron and L.-M. Rousseau, "Modeling the regular constraint with integer programming", CPAIOR 2007.

    Sizes: Boolean variables of cells as for ``quotient``, but only of some cells. For an equation of m presses, m > 1,
    another 2 k + (m - 2) k^2, one for each step, and at most 1 + (m - 1) k + m (k - 1) sums.

    Examples:
        >>> chased_paths(ModularLightsOut.parse("modular-lights-out:6/100/400")).sizes
        {'variables': 30, 'constraints': 30}
    """
    k, system = board.states, chased(board)
    model = _values(k, system)
    for terms, total in system.sums:
        into: dict[int, list[int]] = {0: []}  # the steps into each sum
        for place, (amount, cell) in enumerate(terms, 1):
            steps = {
                (before, value, after): model.variable()
                for before, value in itertools.product(into, range(k))
                if (after := (before + amount * value) % k) == total or place < len(terms)
            }
            for number, entering in into.items():
                leaving = [step for (before, *_), step in steps.items() if before == number]
                model.add_sum(leaving, int(place == 1), int(place == 1), entering)
            for value, variable in _cell(k, cell):
                model.add_sum([step for (_, press, _), step in steps.items() if press == value], 0, 0, [variable])
            into = {}
            for (*_, after), step in steps.items():
                into.setdefault(after, []).append(step)
        if total and not terms:
            model.add(CONTRADICTION)
    return model


def _values(states: int, system: System) -> Model:
    """Return a model whose cells have one value each."""
    model = Model(system.rows, system.columns, system.extend, states=states)
    if states > 2:
        for first in range(0, model.cells, states):
            model.add_sum(range(first, first + states), 1, 1)
    return model


def _cell(states: int, cell: int) -> list[tuple[int, int]]:
    """Return the values of a cell above 0, each with its variable."""
    return [(1, cell)] if states == 2 else [(value, cell * states + value) for value in range(1, states)]


_MODELS = (
    ("quotient", quotient, {"modular-sums"}, "sum of presses = value + k times a quotient"),
    ("chased-paths", chased_paths, {"modular-sums", "modular-chase"}, f"{CHASED}, a path through partial sums"),
)

ENCODINGS = [
    Encoding(
        name=name,
        kind="modular-lights-out",
        target=target,
        encode=cp_sat_of(encode) if target == "cp-sat" else encode,
        trusted_base=frozenset({LINEAGE, *trusted}),
        summary=summary,
        default=name == "quotient",
        default_for=frozenset({"solutions", "count"} if name == "chased-paths" else ()),
    )
    for name, encode, trusted, summary in _MODELS
    for target in ("linear", "cp-sat")
]
