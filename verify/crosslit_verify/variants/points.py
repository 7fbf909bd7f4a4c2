"""Random models of a few small integers and Booleans under the constraints of `relations`, and all of their points."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from crosslit.contract.family import between, pick, seeded, shuffled
from crosslit_verify.variants.model import Constraint, Step, Variable, VariantModel
from crosslit_verify.variants.relations import RELATIONS, scope

_BOOLEANS = 2
_VIEWS = ((1, 0), (1, 0), (1, 0), (1, 1), (-1, 0), (2, -1))  # of a variable: its factor and an offset


def relation_model(
    seed: int, number: int, kinds: Sequence[str], techniques: Set[str], accepts: Set[str]
) -> VariantModel:
    """Return a model with constraints of some kinds; each technique has its own random numbers."""
    rng = seeded("constraints", seed, number)
    lows = [between(rng, 0, 1), *(pick(rng, (0, 0, 1, -2, -3)) for _ in range(between(rng, 1, 3)))]
    variables = [Variable("int", low, low + between(rng, 1, 4)) for low in lows] + [Variable()] * _BOOLEANS
    objective, hint = [], []
    items: list[Constraint | None] = []
    for kind in kinds:
        rng = seeded(kind, seed, number)
        items += [_drawn(kind, rng, variables, accepts) for _ in range(pick(rng, (1, 1, 2)))]
    if "objective" in techniques:
        rng = seeded("objective", seed, number)
        chosen = shuffled(rng, range(len(variables)))[: between(rng, 1, len(variables))]
        objective = [(index, between(rng, 1, 9) * pick(rng, (1, -1))) for index in chosen]
    if "incremental" in techniques and "hint" in accepts:
        rng = seeded("incremental", seed, number)
        hint = [(index, between(rng, low, high)) for index, (_, low, high) in enumerate(variables)]
    steps, asks_all = [Step(hint=tuple(hint))], not objective and "all" in accepts
    if "objectives" in techniques & accepts:
        steps += other_objectives(seeded("objectives", seed, number), range(len(variables)), objective)
        asks_all = False
    model = VariantModel(tuple(variables), tuple(filter(None, items)), tuple(objective), steps=tuple(steps))
    return replace(model, asks_all=asks_all)


def other_objectives(rng: random.Random, variables: Sequence[int], objective: Sequence[tuple[int, int]]) -> list[Step]:
    """Return steps with other objectives over some variables, perhaps the opposite one; the last may have the first."""
    steps = []
    for _ in range(pick(rng, (1, 1, 2))):  # solves, which are most of the time of a case
        own = shuffled(rng, variables)[: between(rng, 1, len(variables))]
        terms = [(index, between(rng, 1, 9) * pick(rng, (1, -1))) for index in own]
        if rng.random() < 0.3 and objective and {*dict(objective)} <= {*variables}:
            terms = [(index, -cost) for index, cost in objective]
        steps.append(Step(objective=tuple(terms), is_maximised=rng.random() < 0.5))
    return [*steps, *[Step()] * (rng.random() < 0.3)]


def _drawn(kind: str, rng: random.Random, variables: Sequence[Variable], accepts: Set[str]) -> Constraint | None:
    """Return a random constraint of a kind; None if no variables suit it."""
    draw, first = RELATIONS[kind].draw, len(variables) - _BOOLEANS
    for _ in range(20):
        size = pick(rng, range(draw.least, draw.most + 1, draw.step))
        own = [index for word in draw.scope for index in _indices(rng, variables, word, size)]
        views = tuple(pick(rng, _VIEWS) if draw.has_views and index < first else (1, 0) for index in own)
        domains = _domains((own, (), "", views), variables)
        if draw.suits(domains):
            mode = pick(rng, ("", "", *(word for word in ("if", "iff") if word in accepts)))
            literal = [between(rng, first, len(variables) - 1)] if mode else []
            mode += pick(rng, ("", " not")) if mode else ""
            return Constraint(kind, ((*own, *literal), draw.numbers(rng, domains), mode, views))
    return None


def _indices(rng: random.Random, variables: Sequence[Variable], kind: str, size: int) -> list[int]:
    """Return variables of a kind: all different in half of the cases in which there are enough."""
    own = [index for index, variable in enumerate(variables) if variable.kind == kind]
    different = shuffled(rng, own)[:size]
    return different if len(different) == size and rng.random() < 0.5 else [pick(rng, own) for _ in range(size)]


def _domains(data: tuple[Any, ...], variables: Sequence[Variable]) -> list[list[int]]:
    """Return the values of the variables of a constraint, as it sees them."""
    pairs = ((variables[index], view) for index, view in zip(scope(data), data[3], strict=True))
    return [sorted(a * value + b for value in range(own.low, own.high + 1)) for own, (a, b) in pairs]


def all_points(model: VariantModel) -> list[list[int]]:
    """Return the points that satisfy a model of integers and Booleans, the best one first."""
    ranges = (range(low, high + 1) for _, low, high in model.variables)
    points = np.array(list(itertools.product(*ranges)), dtype=np.int64)
    for item in model.all_constraints():
        own = sorted({*item.variables})
        rows, places = np.unique(points[:, own], axis=0, return_inverse=True)
        held = [item.holds(dict(zip(own, row, strict=True))) for row in rows.tolist()]
        points = points[np.array(held, dtype=bool)[places.reshape(-1)]]
    costs = sum((points[:, index] * cost for index, cost in model.objective), np.zeros(len(points), dtype=np.int64))
    found: list[list[int]] = points[np.argsort(costs, kind="stable")].tolist()
    return found


def simpler_models(model: VariantModel) -> Iterator[VariantModel]:
    """Yield models without the mode or the views of a constraint, or without a value of a domain."""
    for place, item in enumerate(model.constraints):
        if item.kind in RELATIONS:
            own, numbers, mode, views = item.data
            for data in ((scope(item.data), numbers, "", views), (own, numbers, mode, ((1, 0),) * len(views))):
                if data != item.data:
                    yield changed(model, "constraints", place, Constraint(item.kind, data))
    for place, (kind, low, high) in enumerate(model.variables):
        for pair in ((low + 1, high), (low, high - 1)) if kind == "int" and low < high else ():
            yield changed(model, "variables", place, Variable("int", *pair))


def changed(model: VariantModel, name: str, place: int, item: Any) -> VariantModel:
    """Return a model with another variable, constraint or step, or term of its objective."""
    items = getattr(model, name)
    change: dict[str, Any] = {name: (*items[:place], item, *items[place + 1 :])}
    return replace(model, **change)


def is_clear(model: VariantModel) -> bool:
    """Return whether all engines agree on the meaning of the constraints: none divides by 0, for instance."""
    own = [(kind, _domains(data, model.variables)) for kind, data in model.constraints if kind in RELATIONS]
    return all(RELATIONS[kind].draw.suits(domains) for kind, domains in own)
