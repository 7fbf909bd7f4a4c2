"""The failures and the result of a verification with variants, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit.drawing import ASCII, Style
from crosslit_verify.failure import numbered
from crosslit_verify.judging import Problem
from crosslit_verify.variants.model import Wrong
from crosslit_verify.variants.techniques import Case


@dataclass(frozen=True)
class VariantFailure:
    """A wrong answer of an engine, on the smallest model found."""

    wrong: Wrong
    case: Case  # the reduced model
    number: int  # number of the case it was found in
    group: str  # what failures with the same cause probably share: the most specific option that cures them
    confirmed: str  # the engine that confirms it, besides exact arithmetic; empty if none does
    persists: bool  # whether the engine is as wrong if it is given the point, as if it got another model
    cures: tuple[str, ...]  # options of the engine that remove the failure, each by itself
    script: str  # shows it in Python, and needs only the engine
    export: str  # the model in the engine's own language; empty if the engine cannot write it
    suffix: str  # of the file of that model

    @property
    def problem(self) -> Problem:
        """The problem of the answer."""
        return Problem(self.wrong.problem, self.wrong.detail)

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
                f"  puzzle     {self.case.puzzle} (case {self.number:,})",
                f"  techniques {', '.join(self.techniques) or 'none'}; without any of them it does not fail",
                f"  model      {sizes}, step {self.wrong.step + 1} of {len(model.steps)}{settings}",
                f"  cured by   {', '.join(self.cures) or 'no option of the allow-list'}",
                f"  {self._confirmation}",
            ]
        )

    @property
    def _confirmation(self) -> str:
        if not self.confirmed:
            return f"not confirmed{': engine or translation' if self.persists else ''}"
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
    problems = ("wrong-infeasible", "broken-point", "wrong-objective", "not-optimal", "crash")
    goes_on = True

    @property
    def passed(self) -> bool:
        """True if answers were judged, and none is wrong."""
        return not self.failures and self.counts["judged"] > 0

    def failure_texts(self, _: Style = ASCII) -> Iterator[str]:
        """Yield the failures as text."""
        return (failure.text() for failure in (*self.failures, *self.unconfirmed))

    def summary(self) -> str:
        """Return a summary: the engine and its numbers of cases."""
        word = "passed" if self.passed else "failed" if self.failures else "nothing judged"
        rest = ", ".join(f"{number:,} {name}" for name, number in self.counts.items() if name != "cases" and number)
        cases = self.counts["cases"]
        return f"{word}: {self.engine}, {cases:,} cases, {cases / max(self.seconds, 1e-9):,.0f} a second; {rest}"

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        failures = [failure.json() for failure in (*self.failures, *self.unconfirmed)]
        numbers = {"passed": self.passed, "interrupted": self.interrupted, "counts": dict(self.counts)}
        return {"engine": self.engine, **numbers, "failures": failures}

    def files(self, path: str) -> dict[str, bytes]:
        """Return a script for each failure, the first one at a path, and its model in the engine's own language."""
        found = {}
        for number, failure in enumerate((*self.failures, *self.unconfirmed), 1):
            script = numbered(path, number)
            found[script] = failure.script.encode()
            if failure.export:
                found[str(Path(script).with_suffix(failure.suffix))] = failure.export.encode()
        return found
