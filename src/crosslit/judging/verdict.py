"""Findings, verdicts, numbers of solutions and comparisons with their JSON form, the interface to other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import total_ordering
from itertools import combinations
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

from crosslit.base.grid import Grid
from crosslit.base.records import Result, Short, data_frame
from crosslit.base.text import exact, spread
from crosslit.contract import FEWEST, PHASES, SOLUTIONS, why_dependent
from crosslit.contract.run import ENDED, Limits, Presses, Run, unexplained
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    from pandas import DataFrame

    from crosslit.contract import Certified

VerdictStatus = Literal["unique", "multiple", "optimal", "unsolvable", "undecided"]
Evidence = Literal["certified", "brute-force", "agreed", "witnessed", "claimed"]

DISAGREEMENT = "disagreement"
# All that a solver can do wrong: the values of `Finding.problem`.
PROBLEMS = {
    "wrong-solution": "it gave a grid that breaks the rules",
    "false-unsolvable": "it says that there is no solution, but there is one",
    "false-unique": "it says that its solution is the only one, but there is another",
    "false-multiple": "it says that there is another solution, but there is only one",
    "missing-solution": "it claims all solutions, but some are missing",
    "duplicate-solution": "it gave a solution twice",
    "not-fewest": "it claims the fewest presses, but there is a solution with fewer",
    "crash": "it ended, or raised an error, instead of answering",
    "hang": "it did not answer within its time",
    "memory": "it took more memory than its limit",
    "orphaned-process": "it left processes behind",
    "malformed-output": "its answer cannot be read or is incomplete",
    DISAGREEMENT: "it and another solver contradict each other, and nothing shows which is wrong",
    "contradicts-itself": "asked the same puzzle again, it gave a different answer",
    "false-bound": "it claims that every solution has more presses than one that was found",
    "wrong-count": "its number of solutions contradicts those found, or two independent backends",
    "counts-differ": "its number of solutions and that of another backend differ, and one of them is wrong",
    "contradicts-nullity": "it claims a number of solutions other than 2^nullity, and no independent backend does; or,"
    " named `nullity`, the nullity is wrong: more solutions were found",
    "unconfirmed": "another backend, asked only about its answer, contradicts it",
    "refused-certificate": "its certificate does not prove its claim",
    "contradicted-certificate": "its certificate was accepted, and yet more solutions were found",
    "error": "it crashed, raised an error, or broke the contract of a backend",
    "stray-output": "it printed on standard output",
    "timing": "it computed longer than it reports, or reports more time than has passed, by over 10% and 20 ms",
}
# A run with such a finding cannot be believed; the other findings do not affect its answer.
_HARMLESS = {"stray-output", "orphaned-process", "timing", "refused-certificate", "contradicted-certificate"}
DISCREDITS = frozenset(PROBLEMS) - _HARMLESS

BRUTE = "brute"


@dataclass(frozen=True, repr=False)
class Finding(Short):
    """An error of a run."""

    backend: str  # whose run is wrong; for a ``disagreement``, one of those that contradict each other
    problem: str  # one of the keys of `PROBLEMS`
    detail: str
    witness: str | None = None  # the one-line form of the grid that proves it
    blame: str = ""  # ``encoding NAME`` or a spec, if it is known or open which part of the backend is wrong

    @property
    def culprit(self) -> str:
        """The name to blame."""
        return self.blame or self.backend

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "blame": self.culprit}

    def __str__(self) -> str:
        return f"{self.culprit}: {self.problem}: {self.detail}"


def run_findings(run: Run) -> list[Finding]:
    """Return the problems in the course of a run: errors, stray output, orphaned processes, unexplained time."""
    found = []
    if run.status == "error":
        found.append(Finding(run.backend, "error", run.error))
    if run.stray:
        found.append(Finding(run.backend, "stray-output", f"printed {run.stray.strip()[:60]!r}"))
    # A run that was killed could not wait for its children.
    if run.left and run.status in ENDED:
        many = "a process" if run.left == 1 else f"{run.left} processes"
        found.append(Finding(run.backend, "orphaned-process", f"it left {many} behind"))
    gap, which = unexplained(run)
    if which:
        timing = run.timing
        measured = f"reported {timing.total:.3f} s, wall {timing.wall:.3f} s, CPU {timing.cpu:.3f} s"
        found.append(Finding(run.backend, "timing", f"{gap:.3f} s of {which} time unexplained: {measured}"))
    return found


def grade(complete: list[Run]) -> tuple[Evidence, tuple[str, ...]]:
    """Return the best grade of evidence that complete runs with the same solutions give together."""
    if any(run.backend == BRUTE for run in complete):
        return "brute-force", (BRUTE,)
    # Otherwise one bug in a shared part could confirm itself. Repetitions confirm no more than the first run.
    different: dict[tuple[str, frozenset[str]], Run] = {}
    for run in complete:
        different.setdefault((run.backend, run.trusted_base), run)
    pairs = [
        (one, other)
        for one, other in combinations(different.values(), 2)
        if not why_dependent(one.trusted_base, other.trusted_base)
    ]
    if not pairs:
        return "claimed", (complete[0].backend,)
    # A native solver and an engine from elsewhere have the least in common.
    one, other = max(pairs, key=lambda pair: bool(pair[0].encoding) != bool(pair[1].encoding))
    return "agreed", (one.backend, other.backend)


class Judged(Result):
    """Base class of conclusions from runs."""

    findings: Sequence[Finding]

    @property
    def consistent(self) -> bool:
        """True if there are no findings."""
        return not self.findings


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """The conclusion about a puzzle, and its evidence."""

    status: VerdictStatus  # ``optimal`` if the fewest presses were requested and are proved
    solutions: int | None  # their number; None if no reliable run gives it
    at_least: int  # the number of different solutions found and checked by the rules
    complete: bool  # whether a reliable run claims that there are no more
    evidence: Evidence | None  # the grade of all of this; None for ``undecided``
    by: tuple[str, ...]  # the backends on which the evidence rests
    # Checked and accepted. The evidence is then ``certified``, unless the check trusts an encoder on which everything
    # else rests too.
    certificate: Certified | None = None

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        record = vars(self) | {name: exact(getattr(self, name)) for name in ("solutions", "at_least")}
        record["by"], certificate = list(self.by), record.pop("certificate")
        return record | ({"certificate": certificate.json()} if certificate is not None else {})


@dataclass(repr=False)
class Comparison(Judged):
    """All runs on one puzzle, and the conclusion from them.

    Examples:
        >>> from crosslit import compare
        >>> compare("10/01", "gauss,glucose4")
        <Comparison of Lights Out, 2 x 2, nullity 0: unique (evidence: agreed, by gauss, glucose4)>
    """

    truth = "consistent and verdict"

    puzzle: Puzzle
    nullity: int | None  # of a board; None for a nonogram, and if it takes more than a second
    limits: Limits  # of each run
    runs: list[Run]  # including repetitions, in the order of the backends
    findings: list[Finding]  # errors; empty if the runs are consistent
    verdict: Verdict
    # The different solutions that the rules accept, in the order of their bits, or by number of presses.
    solutions: Sequence[Grid]
    presses: Presses | None = None  # the bounds on the fewest; None if all solutions were requested
    uncertified: dict[str, str] | None = None  # the reason by backend why no requested certificate was accepted

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        question = SOLUTIONS if self.presses is None else FEWEST
        return {
            "question": question.name,
            "limits": self.limits.json(),
            "puzzle": self.puzzle.json(self.nullity),
            "verdict": self.verdict.json(),
            **({"presses": self.presses.json()} if self.presses is not None else {}),
            **({"uncertified": self.uncertified} if self.uncertified is not None else {}),
            "consistent": self.consistent,
            "findings": [finding.json() for finding in self.findings],
            "runs": [run.json(question is FEWEST) for run in self.runs],
            "totals": {
                name: spread([run.timing.total for run in runs]) if runs[0].status != "unsupported" else None
                for name, runs in self.by_backend().items()
            },
        }

    _repr_pretty_ = Result._repr_pretty_  # IPython would take the __repr__ of this class

    def __repr__(self) -> str:
        return repr(self._report())

    def __str__(self) -> str:
        return str(self._report())

    def _repr_html_(self) -> str:
        html: str = self._report()._repr_html_()
        return html

    def _report(self) -> Any:
        return resolve_name("crosslit.questions.report:Report")(self)  # of a layer above

    def records(self) -> list[dict[str, Any]]:
        """Return the runs as rows of a table, with columns as of `crosslit bench export`.

        Times are in seconds, memory in 2^20 bytes; a ``puzzle`` is named by its name, its one-line form or its id.
        """
        puzzle, records = self.puzzle, []
        named = {"puzzle": puzzle.name or puzzle.json().get("text", puzzle.id), "kind": puzzle.kind}
        named |= {"puzzle_id": puzzle.id, "rows": puzzle.rows, "columns": puzzle.columns}
        judged = {"nullity": self.nullity, "verdict": self.verdict.status, "evidence": self.verdict.evidence}
        for run in self.runs:
            presses = {"presses": run.presses.best, "at_least": run.presses.bound} if self.presses is not None else {}
            texts = {"encoding": run.encoding, "error": run.error}  # empty if there is none
            about = {**run.json(), **texts, **run.timing.json(), **presses}
            found = dict.fromkeys(finding.problem for finding in self.findings if finding.backend == run.backend)
            shown = {name: about.get(name) for name in RUN_COLUMNS}
            records.append({**named, **shown, **judged, "problems": " ".join(found)})
        return records

    def to_dataframe(self) -> DataFrame:
        """Return `records` as a ``pandas.DataFrame``."""
        records = self.records()
        return data_frame(records, [*next(iter(records), {})])  # after an interrupt there may be no run

    def by_backend(self) -> dict[str, list[Run]]:
        """Return the repetitions of each backend."""
        grouped: dict[str, list[Run]] = {}
        for run in self.runs:
            grouped.setdefault(run.backend, []).append(run)
        return grouped


RUN_COLUMNS = (
    *("backend", "encoding", "version", "repetition", "status", "solutions", "presses", "at_least"),
    *(*PHASES, "total", "cpu", "wall", "memory_mb", "error"),
)
"""The columns of a record about the run."""


@total_ordering
@dataclass(frozen=True, repr=False)
class CountResult(Judged):
    """The number of solutions of a puzzle according to some runs, and the evidence for it.

    It equals its number, and is compared, converted and tested like it. If the number is not known, that is an error.
    """

    puzzle: Puzzle
    number: int | None  # None if no reliable run gives it
    evidence: Evidence | None
    by: tuple[str, ...]  # the backends on which the evidence rests
    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]  # including those asked for the solutions
    limits: Limits  # of each run
    at_least: int = 0  # number of solutions that were found and checked
    unchecked: str = ""  # why a requested check confirmed nothing, and what could; empty if it did

    def __int__(self) -> int:
        if self.number is None:
            raise TypeError(f"the number of solutions is not known; there are at least {self.at_least}")
        return self.number

    __index__ = __int__

    def __bool__(self) -> bool:
        return bool(self.at_least or int(self))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CountResult):
            return self is other or (self.number is not None and self.number == other.number)
        return int(self) == other if isinstance(other, int | float) else NotImplemented

    def __lt__(self, other: float | CountResult) -> bool:
        return int(self) < other

    def __hash__(self) -> int:
        return hash(self.number)

    def _lines(self) -> list[str]:
        stopped = [run for run in self.runs if self.number is None and run.status != "complete"]
        return [*super()._lines(), *(f"{run.backend}: {run.ending(self.limits)}" for run in stopped)]

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        return {
            "limits": self.limits.json(),
            "puzzle": self.puzzle.json(),
            "count": exact(self.number),
            **({"at_least": self.at_least} if self.number is None else {}),
            **support_json(self),
            **({"unchecked": self.unchecked} if self.unchecked else {}),
            "consistent": self.consistent,
        }


@dataclass(frozen=True, repr=False)
class MinimalSubset(Result):
    """A minimal set of constraints that contradict each other, and the evidence for it."""

    chosen: Grid | None  # the best answer
    bound: int  # proved lower bound on the size of an answer
    decided: bool  # whether the run that found it searched everything: then it is the smallest, or there is none
    evidence: Evidence | None = None  # its grade, if there is an answer or nothing is left to search
    # The backends on which it rests. A second one was asked only about this answer: it suffices, and needs all parts.
    by: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = ()

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "size": None if self.chosen is None else self.chosen.count(),
            "bound": exact(self.bound),
            "smallest": self.chosen is not None and self.decided,
            **support_json(self),
        }


def evidence_words(answer: Any, more: str = "") -> str:
    """Return the evidence for a verdict or another judged answer, and its sources."""
    return f"(evidence: {answer.evidence}, by {', '.join(answer.by)}{more})"


def support_json(answer: Any) -> dict[str, Any]:
    """Return the JSON form of the evidence for an answer, the errors, and the runs."""
    return {
        "evidence": answer.evidence,
        "by": list(answer.by),
        "findings": [finding.json() for finding in answer.findings],
        "runs": [run.json() for run in answer.runs],
    }
