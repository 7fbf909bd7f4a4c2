"""Lights Out with k states as finite-domain models, and as CP-SAT models made from them."""

from __future__ import annotations

from crosslit.contract import Encoding
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import CONTRADICTION, LINEAGE, Linear, Model
from crosslit_encoders.modular_lights_out.system import light_sums


def quotient(board: ModularLightsOut) -> Model:
    """Model each light as an integer sum: its presses add up to its value plus k times a quotient.

    Sizes: k Boolean variables for each cell (1 for k = 2) and a sum that chooses one of them; an integer variable and a
    sum for each light. The presses determine the quotients.

    Examples:
        >>> quotient(ModularLightsOut.parse("modular-lights-out:6/14")).sizes
        {'variables': 14, 'constraints': 4}
    """
    k, model = board.states, _values(board)
    for terms, total in light_sums(board):
        products = tuple((amount * value, variable) for amount, cell in terms for value, variable in _cell(k, cell))
        most = sum(amount * (k - 1) for amount, _ in terms)
        if products and most >= total:
            model.add(Linear((*products, (-k, model.variable(0, (most - total) // k))), total, total))
        elif total:
            model.add(CONTRADICTION)
    return model


def _values(board: ModularLightsOut) -> Model:
    """Return a model whose cells have one value each."""
    model = Model(board.rows, board.columns, states=board.states)
    if board.states > 2:
        for first in range(0, model.cells, board.states):
            model.add_sum(range(first, first + board.states), 1, 1)
    return model


def _cell(states: int, cell: int) -> list[tuple[int, int]]:
    """Return the values of a cell above 0, each with its variable."""
    return [(1, cell)] if states == 2 else [(value, cell * states + value) for value in range(1, states)]


ENCODINGS = [
    Encoding(
        name="quotient",
        kind="modular-lights-out",
        target=target,
        encode=cp_sat_of(quotient) if target == "cp-sat" else quotient,
        trusted_base=frozenset({"modular-sums", LINEAGE}),
        summary="sum of presses = value + k times a quotient",
        default=True,
    )
    for target in ("linear", "cp-sat")
]
