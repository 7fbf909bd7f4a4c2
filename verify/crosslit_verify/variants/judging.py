"""Answers to variants judged in rational arithmetic; failures and the result of a verification with variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from crosslit.base.errors import InternalError
from crosslit.contract.clauses import NoRefutation, check_refutation, lemmas
from crosslit.contract.shapes import ASCII, Style
from crosslit_verify.failure import numbered
from crosslit_verify.judging import Problem
from crosslit_verify.variants.model import Number, Variant, VariantModel, Wrong, magnitude, total, units
from crosslit_verify.variants.scripted import ScriptedEngine

NO_ENGINE = "no second engine here decides it"


@dataclass(frozen=True)
class VariantFailure:
    """A wrong answer of an engine, on the smallest model found."""

    wrong: Wrong
    case: Variant  # the reduced model
    number: int  # number of the case it was found in
    group: str  # what failures with the same cause probably share: problem, fewest techniques, most special cure
    confirmed: str  # the engine that confirms it, besides exact arithmetic; empty if none does
    doubt: str  # why it is not confirmed; empty if it is
    cures: tuple[str, ...]  # options of the engine that remove the failure, each by itself
    script: str  # shows it in Python, and needs only the engine
    export: str  # the model in the engine's own language; empty if the engine cannot write it
    suffix: str  # of the file of that model

    @property
    def problem(self) -> Problem:
        """The problem of the answer."""
        return Problem(self.wrong.problem, self.wrong.detail)

    @property
    def is_open(self) -> bool:
        """True if no second engine was there that confirms or denies it."""
        return self.doubt.startswith(NO_ENGINE)

    @property
    def techniques(self) -> list[str]:
        """The techniques of which none can be left out."""
        return sorted(self.case.techniques)

    def text(self) -> str:
        """Return the failure as text."""
        model = self.case.model
        sizes = f"{len(model.variables)} variables, {len(model.all_constraints())} constraints"
        settings = "".join(f", {name}={value}" for name, value in model.options)
        return "\n".join(
            [
                f"{self.wrong.problem}: {self.wrong.detail}",
                f"  puzzle     {self.case.puzzle or 'none'} (case {self.number:,})",
                f"  techniques {', '.join(self.techniques) or 'none'}; without any of them it does not fail",
                f"  model      {sizes}, step {self.wrong.step + 1} of {len(model.steps)}{settings}",
                f"  cured by   {', '.join(self.cures) or 'no option of the allow-list'}",
                f"  {self._confirmation}",
            ]
        )

    @property
    def _confirmation(self) -> str:
        if not self.confirmed:
            return f"not confirmed: {self.doubt}"
        return f"confirmed  by {self.confirmed}{' and exact arithmetic' if self.wrong.point else ''}"

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "problem": self.wrong.problem,
            "group": self.group,
            "detail": self.wrong.detail,
            "puzzle": {"text": self.case.puzzle},
            "case": self.number,
            "techniques": self.techniques,
            "options": dict(self.case.model.options),
            "cures": list(self.cures),
            "confirmed": self.confirmed,
            "doubt": self.doubt,
        }


@dataclass(frozen=True)
class VariantVerification:
    """The result of a verification with variants; see `crosslit_verify.records.Verification`."""

    failures: tuple[VariantFailure, ...]  # the first confirmed one of each group
    unconfirmed: tuple[VariantFailure, ...]
    counts: Mapping[str, int]  # cases, those judged, wrong and so on
    seconds: float
    engine: str  # with its version
    interrupted: bool
    suite: str
    seed: int
    techniques: Sequence[str]  # those that a case may have
    error: str = ""  # the first exception of the engine
    problems = (
        "wrong-infeasible",
        "broken-point",
        "wrong-objective",
        "not-optimal",
        "missing-point",
        "wrong-core",
        "wrong-proof",
        "crash",
    )
    goes_on = True

    @property
    def undecided(self) -> tuple[VariantFailure, ...]:
        """The failures that no second engine confirms or denies."""
        return tuple(failure for failure in self.unconfirmed if failure.is_open)

    @property
    def passed(self) -> bool:
        """True if answers were judged, and none is wrong, or may be wrong for want of a second engine."""
        return not (self.failures or self.undecided) and self.counts["judged"] > 0

    def failure_texts(self, _: Style = ASCII) -> Iterator[str]:
        """Yield the failures as text."""
        return (failure.text() for failure in (*self.failures, *self.unconfirmed))

    def summary(self) -> str:
        """Return a summary: the engine and its numbers of cases."""
        word = "failed" if self.failures else "undecided" if self.undecided else "nothing judged"
        word = "passed" if self.passed else word
        rest = ", ".join(f"{number:,} {name}" for name, number in self.counts.items() if name != "cases" and number)
        cases = self.counts["cases"]
        error = f"; first {self.error}" if self.error else ""
        drawn = f"cases of seed {self.seed} with {', '.join(self.techniques)}"
        speed = f"{cases / max(self.seconds, 1e-9):,.0f} a second"
        return f"{word}: {self.engine}, {cases:,} {drawn}, {speed}; {rest}{error}"

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        failures = [failure.json() for failure in (*self.failures, *self.unconfirmed)]
        numbers = {"passed": self.passed, "interrupted": self.interrupted, "counts": dict(self.counts)}
        drawn = {"seed": self.seed, "techniques": list(self.techniques)}
        return {"engine": self.engine, **drawn, **numbers, "failures": failures}

    def files(self, path: str) -> dict[str, bytes]:
        """Return a script for each failure, the first one at a path, and its model in the engine's own language."""
        found = {}
        for number, failure in enumerate((*self.failures, *self.unconfirmed), 1):
            script = numbered(path, number)
            found[script] = failure.script.encode()
            if failure.export:
                found[str(Path(script).with_suffix(failure.suffix))] = failure.export.encode()
        return found


OPTIMUM_TOLERANCE = Fraction(1, 1000)
"""Relative to an optimum: most mixed-integer solvers stop at a gap of 1e-4."""


_INFEASIBLE = frozenset(
    ["INFEASIBLE", "UNSAT", "UNSATISFIABLE", "INCONSISTENT", "KINFEASIBLE", "KUNBOUNDEDORINFEASIBLE", "INFORUNBD"]
)
_FEASIBLE = frozenset(["OPTIMAL", "KOPTIMAL", "SAT", "SATISFIABLE", "FEASIBLE"])


def answer(raw: Any, model: VariantModel) -> tuple[str, list[Number] | None, Fraction | None]:
    """Return the claim of an answer (``infeasible``, ``feasible`` or empty), its point, and its objective."""
    status, values, objective, *_ = raw
    values = values[0] if model.asks_all and values else values
    if status.upper() in _INFEASIBLE:
        return "infeasible", None, None
    if status.upper() not in _FEASIBLE or len(values) != len(model.variables):
        return "", None, None
    point: list[Number] = []
    for variable, value in zip(model.variables, values, strict=True):
        number = Fraction(value) if isinstance(value, str) else value
        nearest = round(number)
        is_near = variable.kind != "real" and abs(number - nearest) < 1e-4
        point.append(nearest if is_near else Fraction(number))
    return "feasible", point, None if objective is None else Fraction(objective)


def judge(engine: ScriptedEngine, case: Variant, answers: list[Any]) -> Wrong | None:
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
            if claim and len(raw) > 4 and (wrong := _judge_core(case, step, raw[4])):
                return wrong
            if claim and model.asks_proof and (wrong := _judge_proof(model, raw[5])):
                return wrong
            continue
        if broken := model.broken(point, step, engine.tolerance):
            return Wrong("broken-point", step, f"{raw[0]}, but its point breaks a constraint: {broken}", point)
        terms = model.objective_at(step)
        value = total(terms, point)
        gap = Fraction(1, 10**9)
        if engine.tolerance:
            gap = OPTIMUM_TOLERANCE * max(1, abs(value))
            gap += engine.tolerance * magnitude(terms, point)
        if objective is not None and model.steps[step].is_maximised:
            objective = -objective
        if terms and objective is not None and abs(objective - value) > gap:
            detail = f"objective {float(objective):.12g}, but its point has {float(value):.12g}"
            return Wrong("wrong-objective", step, detail, point)
        if witness is not None and value - (best := total(terms, witness)) > gap:
            detail = f"{raw[0]} with objective {float(value):.12g}, but a point has {float(best):.12g}"
            return Wrong("not-optimal", step, detail, witness)
    return _judge_list(case, answers[0]) if model.asks_all else None


def _judge_core(case: Variant, step: int, core: list[int]) -> Wrong | None:
    """Return what is wrong with assumptions that contradict the constraints up to a step; None if nothing is known."""
    if not {*core} <= {*units(case.model.steps[step].fixed)}:
        return Wrong("wrong-core", step, f"the core {core} has a literal that is not assumed")
    free = replace(case.model, steps=tuple(replace(one, fixed=()) for one in case.model.steps))
    for point in case.points:
        is_core = all(point[abs(literal) - 1] == (literal > 0) for literal in core)
        if is_core and not free.broken(point, step):
            return Wrong("wrong-core", step, f"a point satisfies the core {core} and all constraints", point)
    return None


def _judge_proof(model: VariantModel, lines: Sequence[str]) -> Wrong | None:
    """Return what is wrong with a proof that clauses contradict each other, checked by unit propagation."""
    try:
        check_refutation([item.data for item in model.constraints], lemmas(lines), len(model.variables))
    except NoRefutation as error:
        return Wrong("wrong-proof", 0, f"its proof refutes nothing: {error}")
    return None


def _judge_list(case: Variant, raw: Any) -> Wrong | None:
    """Return what is wrong with a list of all points; None if nothing is."""
    if not answer(raw, case.model)[0] or raw[0] == "FEASIBLE":  # not all of them
        return None
    for point in raw[1]:
        if broken := case.model.broken(point, 0):
            return Wrong("broken-point", 0, f"one of {len(raw[1])} points breaks a constraint: {broken}", point)
    missing = next((point for point in case.points if [*point] not in raw[1]), None)
    if missing is None:
        return None
    different = len({*map(tuple, raw[1])})
    return Wrong("missing-point", 0, f"{different} different points, of {len(case.points)}", missing)


def improved(case: Variant, answers: list[Any] | str) -> Variant:
    """Return the case with the points of an engine as witnesses, where they satisfy it exactly and are better."""
    model, witnesses = case.model, list(case.witnesses)
    for step, raw in enumerate([] if isinstance(answers, str) else answers):
        point, known = answer(raw, model)[1], witnesses[step]
        if point is None or model.broken(point, step):
            continue
        if known is None or total(terms := model.objective_at(step), point) < total(terms, known):
            witnesses[step] = point
    return replace(case, witnesses=tuple(witnesses))


def check(case: Variant) -> None:
    """Raise an `InternalError` if a witness breaks its own model: then the model is wrong, not an engine."""
    for step, witness in enumerate(case.witnesses):
        if witness is not None and (broken := case.model.broken(witness, step)):
            raise InternalError(f"a variant of {case.puzzle} with {sorted(case.techniques)} has no witness: {broken}")
