"""Answers to variants judged in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from crosslit.errors import InternalError
from crosslit_verify.variants.model import Model, Number, Wrong, total
from crosslit_verify.variants.scripts import Engine
from crosslit_verify.variants.techniques import Case

OPTIMUM_TOLERANCE = Fraction(1, 1000)
"""Relative to an optimum: most mixed-integer solvers stop at a gap of 1e-4."""


_INFEASIBLE = frozenset(
    ["INFEASIBLE", "UNSAT", "UNSATISFIABLE", "INCONSISTENT", "KINFEASIBLE", "KUNBOUNDEDORINFEASIBLE", "INFORUNBD"]
)
_FEASIBLE = frozenset(["OPTIMAL", "KOPTIMAL", "SAT", "SATISFIABLE", "FEASIBLE"])


def answer(raw: Any, model: Model) -> tuple[str, list[Number] | None, Fraction | None]:
    """Return the claim of an answer (``infeasible``, ``feasible`` or empty), its point, and its objective."""
    status, values, objective, _ = raw
    if status.upper() in _INFEASIBLE:
        return "infeasible", None, None
    if status.upper() not in _FEASIBLE or len(values) != len(model.variables):
        return "", None, None
    point: list[Number] = []
    for variable, value in zip(model.variables, values, strict=True):
        number = Fraction(value)
        is_near = variable.kind != "real" and abs(number - round(number)) < Fraction(1, 10_000)
        point.append(round(number) if is_near else number)
    return "feasible", point, None if objective is None else Fraction(objective)


def judge(engine: Engine, case: Case, answers: list[Any]) -> Wrong | None:
    """Return what is wrong with the answers of an engine; None if nothing is.

    Only a point accuses: one that satisfies a model called infeasible, one that the engine gave and that breaks a
    constraint or has another objective than claimed, or one that is better than a claimed optimum.
    """
    model = case.model
    for step, (raw, witness) in enumerate(zip(answers, case.witnesses, strict=True)):
        claim, point, objective = answer(raw, model)
        if claim == "infeasible" and witness is not None:
            return Wrong("wrong-infeasible", step, f"{raw[0]}, but a point satisfies all constraints", witness)
        if point is None:
            continue
        if broken := model.broken(point, step, engine.tolerance):
            return Wrong("broken-point", step, f"{raw[0]}, but its point breaks a constraint: {broken}", point)
        value = total(model.objective, point)
        gap = Fraction(1, 10**9)
        if engine.tolerance:
            gap = OPTIMUM_TOLERANCE * max(1, abs(value))
            gap += engine.tolerance * sum(abs(factor) for _, factor in model.objective)
        if model.objective and objective is not None and abs(objective - value) > gap:
            detail = f"objective {float(objective):.12g}, but its point has {float(value):.12g}"
            return Wrong("wrong-objective", step, detail, point)
        if witness is not None and value - (best := total(model.objective, witness)) > gap:
            detail = f"{raw[0]} with objective {float(value):.12g}, but a point has {float(best):.12g}"
            return Wrong("not-optimal", step, detail, witness)
    return None


def check(case: Case) -> None:
    """Raise an `InternalError` if a witness breaks its own model: then the model is wrong, not an engine."""
    for step, witness in enumerate(case.witnesses):
        if witness is not None and (broken := case.model.broken(witness, step)):
            raise InternalError(f"a variant of {case.puzzle} with {sorted(case.techniques)} has no witness: {broken}")
