"""Smaller models on which an engine may fail too, and models for a second engine."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from crosslit_verify.variants.forms import Builder, clause, linear, lower
from crosslit_verify.variants.model import Constraint, Model, Renaming, Wrong, total
from crosslit_verify.variants.techniques import Case


def _cut(item: Any, name: str, start: int, size: int = 1) -> Any:
    """Return a record without some items of one of its tuples."""
    items = getattr(item, name)
    return replace(item, **{name: items[:start] + items[start + size :]})


def smaller_cases(case: Case) -> Iterator[Case]:
    """Yield cases without a part of the model; their witnesses remain valid."""
    model, steps = case.model, case.model.steps
    for index in range(len(steps) if len(steps) > 1 else 0):
        yield replace(_cut(case, "witnesses", index), model=_cut(model, "steps", index))
    for name in ("options", "constraints", "objective"):
        size = length = len(getattr(model, name))
        while size:
            yield from (replace(case, model=_cut(model, name, start, size)) for start in range(0, length, size))
            size //= 2
    for index, step in enumerate(steps):
        for name in ("fixed", "hint", "added"):
            for place in range(len(getattr(step, name))):
                shorter = (*steps[:index], _cut(step, name, place), *steps[index + 1 :])
                yield replace(case, model=replace(model, steps=shorter))
    yield from _substituted_cases(case)
    used = {index for item in model.all_constraints() for index in item.variables} | {key for key, _ in model.objective}
    used |= {index for step in model.steps for index, _ in (*step.fixed, *step.hint)}
    if 0 < len(used) < len(model.variables):
        yield case.renamed(Renaming(sorted(used)))


def _substituted_cases(case: Case) -> Iterator[Case]:
    """Yield cases in which a variable that is only in linear constraints has its value in the witness."""
    point, variables = case.witnesses[0], range(len(case.model.variables))
    if point is None or len(case.witnesses) > 1:
        return
    for index in variables:
        if {item.kind for item in case.model.constraints if index in item.variables} == {"linear"}:
            kept = [other for other in variables if other != index]
            yield case.renamed(Renaming(kept, values={index: point[index]}))


def refuting_model(model: Model, wrong: Wrong, accepts: Set[str]) -> Model | None:
    """Return a model of the failing step for another engine, whose answer decides; None if it lacks a kind of variable.

    It is infeasible exactly if the integers of a broken point have no completion. For the other failures it is feasible
    exactly if there is a point, with an objective no worse than that of the refuting point.
    """
    if not {variable.kind for variable in model.variables} - {"bool"} <= accepts:
        return None
    constraints = model.all_constraints(wrong.step)
    fixed = [*model.steps[wrong.step].fixed]
    if wrong.problem == "broken-point":
        pairs = zip(model.variables, enumerate(wrong.point), strict=True)
        fixed += [pair for variable, pair in pairs if variable.kind != "real"]
    elif wrong.problem != "wrong-infeasible":
        constraints.append(Constraint("linear", (model.objective, "le", total(model.objective, wrong.point))))
    for index, value in fixed:
        is_bool = model.variables[index].kind == "bool" and value in (0, 1)
        constraints.append(clause([(index, value == 1)]) if is_bool else linear([index], "eq", value))
    builder = Builder(0)
    builder.variables = [*model.variables]
    parts = [part for item in constraints for part in lower(builder, item, accepts, lambda forms: forms[0])]
    return Model(tuple(builder.variables), tuple(parts))
