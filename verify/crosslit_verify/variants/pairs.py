"""Dense rows around a planted point, and pairs of models that must agree, for models of which not all is known."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from fractions import Fraction

from crosslit.contract.family import between, pick, shuffled
from crosslit_verify.variants.forms import Builder
from crosslit_verify.variants.model import Constraint, Number, Point, Renaming, Variable, Variant, total

_MIRRORED = {"le": "ge", "ge": "le", "eq": "eq"}


def dense_rows(
    rng: random.Random,
    builder: Builder,
    solution: Sequence[int],
    accepts: Set[str],
    objective: list[tuple[int, Number]],
) -> Iterator[Constraint]:
    """Yield rows with decimal coefficients over new variables and some cells, which the solution satisfies.

    Reporters of wrong answers of mixed-integer solvers send such models, with general bounds and few rows.
    """
    size, point = pick(rng, (5, 20, 100)), dict(enumerate(solution))
    for _ in range(between(rng, 2, 6)):
        low = -size * between(rng, 0, 1)
        value, is_real = between(rng, low, size), "int" not in accepts or ("real" in accepts and rng.random() < 0.4)
        domain = Variable("real" if is_real else "int", low, size)
        index = builder.variable(lambda _, value: value, value, domain=domain)
        point[index] = value
        if objective:
            objective.append((index, between(rng, -99, 99)))
    for _ in range(between(rng, 1, 6)):
        scale = pick(rng, (1, 1, 10, 100))  # at most two decimals
        numbers = shuffled(rng, sorted(point)[len(solution) :])
        # a cell comes first, as in all rows of puzzles
        own = shuffled(rng, range(len(solution)))[: between(rng, 1, 2)] + numbers[: between(rng, 1, len(numbers))]
        largest = pick(rng, (9, 100 * scale))
        factors = (Fraction(between(rng, 1, largest) * pick(rng, (1, -1)), scale) for _ in own)
        terms, sense = tuple(zip(own, factors, strict=True)), pick(rng, ("le", "le", "ge", "ge", "eq"))
        slack = {"le": 1, "ge": -1, "eq": 0}[sense] * pick(rng, (1, 3, 50))
        yield Constraint("linear", (terms, sense, total(terms, point) + slack))


def paired(rng: random.Random, case: Variant, accepts: Set[str]) -> Variant:
    """Return a case that must agree: permuted variables, scaled rows, shifted numbers, an objective plus a constant."""
    case = case.renamed(Renaming(shuffled(rng, range(len(case.model.variables)))))
    model = case.model
    kept = {index for item in model.all_constraints() if item.kind != "linear" for index in item.variables}
    numbers = [index for index, variable in enumerate(model.variables) if variable.kind != "bool"]
    shifts = {index: between(rng, -9, 9) for index in numbers if index not in kept}

    def changed(item: Constraint) -> Constraint:
        if item.kind != "linear":
            return item
        (terms, sense, bound), scale = item.data, pick(rng, (1, 1, 2, 3, -1, -5))
        bound += sum(factor * shifts.get(index, 0) for index, factor in terms)
        scaled = tuple((index, factor * scale) for index, factor in terms)
        return Constraint("linear", (scaled, _MIRRORED[sense] if scale < 0 else sense, bound * scale))

    variables = [
        variable._replace(low=variable.low + shifts.get(index, 0), high=variable.high + shifts.get(index, 0))
        for index, variable in enumerate(model.variables)
    ]
    constant = [(len(variables), between(rng, -50, 50))] if model.objective and "int" in accepts else []
    steps = tuple(
        replace(
            step,
            hint=tuple((index, value + shifts.get(index, 0)) for index, value in step.hint),
            added=tuple(map(changed, step.added)),
        )
        for step in model.steps
    )

    def moved(point: Point) -> list[Number]:
        return [*(value + shifts.get(index, 0) for index, value in enumerate(point)), *[1] * len(constant)]

    own = replace(
        model,
        variables=(*variables, *[Variable("int", 1, 1)] * len(constant)),
        constraints=tuple(map(changed, model.constraints)),
        objective=(*model.objective, *constant),
        steps=steps,
    )
    points = tuple(point and moved(point) for point in case.witnesses)
    return replace(case, model=own, witnesses=points, points=[*map(moved, case.points)])
