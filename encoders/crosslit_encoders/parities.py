"""Parity constraints of finite-domain models, native or as sums."""

from __future__ import annotations

from collections.abc import Iterable

from crosslit_encoders.finite_domain import CONTRADICTION, Constraint, Linear, Model, Parity


def with_parities(model: Model, xors: Iterable[tuple[tuple[int, ...], int]]) -> Model:
    """Add the XORs; one without presses is either dropped or a contradiction."""
    for presses, value in xors:
        if presses:
            model.add(Parity(presses, value))
        elif value:
            model.add(CONTRADICTION)
    return model


def in_sums(model: Model) -> Model:
    """Replace each parity constraint by a sum with an integer."""
    constraints: list[Constraint] = []
    for parity in model.constraints:
        if isinstance(parity, Parity):
            # Determined by the presses: half of their number, rounded down. So solutions do not multiply.
            pairs = model.variable(0, len(parity.variables) // 2)
            terms = (*((1, press) for press in parity.variables), (-2, pairs))
            constraints.append(Linear(terms, parity.value, parity.value))
        else:
            constraints.append(parity)
    model.constraints = constraints
    return model
