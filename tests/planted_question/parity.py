"""A distribution that brings a question: whether the number of solutions is even (0) or odd (1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crosslit import LightsOut
from crosslit.contract import Backend, Question, Task
from crosslit.judging.verdict import DISCREDITS, Finding, run_findings
from crosslit.kinds import Puzzle
from crosslit.runs.run import Limits, Run


@dataclass(frozen=True)
class Parity:
    """The parity that all runs agree on; None where they do not."""

    parity: int | None
    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"parity": self.parity, "findings": [finding.json() for finding in self.findings]}


def judge(puzzle: Puzzle, runs: Sequence[Run], limits: Limits) -> Parity:
    """Return the parity on which all credible runs agree."""
    findings = [finding for run in runs for finding in run_findings(run)]
    discredited = {finding.backend for finding in findings if finding.problem in DISCREDITS}
    said = {run.counted for run in runs if run.counted is not None and run.backend not in discredited}
    return Parity(said.pop() if len(said) == 1 else None, tuple(findings), tuple(runs))


PARITY = Question(name="parity", words="find the parity of the number of solutions", judge=judge, answer="number")


@dataclass(frozen=True)
class _Parity(Backend):
    """A solver: a board has one solution, a power of two or none."""

    name: str
    says: int | None = None

    summary = "the rank of the board, in a word"
    kinds = frozenset({LightsOut.kind})
    groups = frozenset({"parity-group"})
    preload = ("crosslit_backends.lights_out.gauss",)

    trusted_base = frozenset({"elimination"})

    def version(self) -> str:
        """Return a version."""
        return "1"

    def parity(self, puzzle: Any, task: Task) -> int:
        """Return the parity of the count."""
        from crosslit_backends.lights_out.gauss import BACKENDS as GAUSS

        solver: Any = GAUSS[0]
        return int(solver.count(puzzle, task) % 2) if self.says is None else self.says


BACKENDS: list[Backend] = [_Parity("parity"), _Parity("parity-odd", 1), _Parity("parity-huge", 1 << 40)]
