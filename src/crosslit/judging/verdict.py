"""What was asked, what was found, what can be wrong with it, and the JSON form of all: the interface of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from crosslit.contract import FEWEST, SOLUTIONS, are_independent
from crosslit.grid import Grid
from crosslit.numbers import exact, spread
from crosslit.puzzles import Puzzle
from crosslit.runs.run import ENDED, Limits, Presses, Run, unexplained

if TYPE_CHECKING:
    from crosslit.certificates import Certified

SCHEMA = 1
TEXT_LIMIT = 100_000  # characters of a puzzle's one-line form in JSON

VerdictStatus = Literal["unique", "multiple", "optimal", "unsolvable", "undecided"]
Evidence = Literal["certified", "brute-force", "agreed", "witnessed", "claimed"]

DISAGREEMENT = "disagreement"
# The words of `Finding.problem`, and what each says of the backend that is named.
PROBLEMS = {
    "wrong-solution": "it gave a grid that breaks the rules",
    "duplicate-solution": "it gave a solution twice",
    "missing-solution": "it claims to have found all, and lacks a solution that was found and checked",
    "false-unique": "it claims that its one solution is the only one, and there is another, found and checked",
    "false-unsolvable": "it claims that there is no solution, and there is one, found and checked",
    "not-fewest": "it claims the fewest presses, and a solution with fewer was found and checked",
    "false-bound": "it claims that every solution has more presses than one that was found and checked",
    "not-improving": "asked for solutions of ever fewer presses, it gave one that has no fewer than the one before",
    "wrong-count": "it claims another number of solutions than was found and checked, or than two lineages agree on",
    "counts-differ": "its number of solutions and that of another backend differ, and one of them is wrong",
    "contradicts-nullity": "it claims a number of solutions other than 2^nullity, and no other lineage does; or, named"
    " `nullity`, the nullity is wrong: more solutions were found and checked",
    DISAGREEMENT: "it and others that are named contradict each other: one of them is wrong, and nothing shows which",
    "false-backbone": "it claims that all solutions agree where two that were found and checked differ",
    "unconfirmed": "another backend, asked about its answer alone, says otherwise",
    "refused-certificate": "the certificate that it gave does not prove its claim",
    "contradicted-certificate": "its certificate was accepted, and yet more solutions were found and checked",
    "error": "it crashed, raised an error, or broke the contract of a backend",
    "stray-output": "it printed on standard output",
    "orphaned-process": "it left processes behind that went on; they were ended",
    "timing": "the time it reports and the time measured from outside differ by over 10% and 20 ms",
}
# These say that a run's claims cannot be believed; the others leave its answer standing.
DISCREDITS = frozenset(PROBLEMS) - {
    "stray-output",
    "orphaned-process",
    "timing",
    "refused-certificate",
    "contradicted-certificate",
}
# These blame the backend that is named.
BLAMES = DISCREDITS - {DISAGREEMENT}

BRUTE = "brute"


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and whose fault it is, where that is known.

    Args:
        backend: the guilty one; of a ``disagreement``, one of those who contradict each other.
        problem: one of the words of `PROBLEMS`.
        detail: one line for people.
        witness: the one-line form of the grid that proves it; None where no grid does.
    """

    backend: str
    problem: str
    detail: str
    witness: str | None = None

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {"backend": self.backend, "problem": self.problem, "detail": self.detail, "witness": self.witness}


@dataclass(frozen=True)
class Verdict:
    """What is known of a puzzle, and how well.

    Args:
        status: ``unique``, ``multiple``, ``unsolvable``, or ``undecided``; ``optimal`` where the fewest presses were
            asked for and are proved.
        solutions: how many there are; None where no run vouches for it.
        at_least: how many different ones were found and checked by the rules.
        complete: whether a run vouches that there are no more.
        evidence: the grade of all that is said here; None for ``undecided``.
        by: the backends that the evidence rests on.
        certificate: what was checked and accepted, if anything. The evidence is ``certified`` then, unless the check
            trusts an encoder that everything else rests on too.
    """

    status: VerdictStatus
    solutions: int | None
    at_least: int
    complete: bool
    evidence: Evidence | None
    by: tuple[str, ...]
    certificate: Certified | None = None

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "status": self.status,
            "solutions": exact(self.solutions),
            "at_least": exact(self.at_least),
            "complete": self.complete,
            "evidence": self.evidence,
            "by": list(self.by),
            **({"certificate": self.certificate.json()} if self.certificate is not None else {}),
        }


@dataclass
class Comparison:
    """All runs on one puzzle, and what follows from them.

    Args:
        puzzle: what was solved.
        nullity: of a Lights Out board; None for a nonogram, and where it takes more than a second.
        limits: of each run.
        runs: repetitions included, in the order of the backends.
        findings: what is wrong; empty if the runs are consistent.
        verdict: on the puzzle.
        solutions: the different ones found and checked by the rules, in the order of their bits; those of the fewest
            presses first where these were asked for.
        presses: what is known of the fewest presses; None where all solutions were asked for.
        uncertified: where a certificate was asked for, by backend why it has made none that was accepted; else None.
    """

    puzzle: Puzzle
    nullity: int | None
    limits: Limits
    runs: list[Run]
    findings: list[Finding]
    verdict: Verdict
    solutions: list[Grid]
    presses: Presses | None = None
    uncertified: dict[str, str] | None = None

    @property
    def consistent(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def json(self, grids: bool = False) -> dict[str, Any]:
        """The JSON form, documented in the README."""
        from crosslit._version import __version__

        asked = SOLUTIONS if self.presses is None else FEWEST
        return {
            "schema": SCHEMA,
            "crosslit": __version__,
            "task": asked.name,
            "limits": self.limits.json(),
            "puzzle": puzzle_json(self.puzzle, self.nullity),
            "verdict": self.verdict.json(),
            **({"presses": self.presses.json()} if self.presses is not None else {}),
            **({"uncertified": self.uncertified} if self.uncertified is not None else {}),
            "consistent": self.consistent,
            "findings": [finding.json() for finding in self.findings],
            "runs": [run.json(grids, asked is FEWEST) for run in self.runs],
            "totals": {
                name: spread([run.timing.total for run in runs]) if runs[0].status != "unsupported" else None
                for name, runs in self.by_backend().items()
            },
        }

    def by_backend(self) -> dict[str, list[Run]]:
        """The repetitions of each backend."""
        grouped: dict[str, list[Run]] = {}
        for run in self.runs:
            grouped.setdefault(run.backend, []).append(run)
        return grouped


def puzzle_json(puzzle: Puzzle, nullity: int | None) -> dict[str, Any]:
    """The JSON form of a puzzle; its one-line form is left out above `TEXT_LIMIT` characters."""
    record: dict[str, Any] = {
        "name": puzzle.name,
        "kind": puzzle.kind,
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "id": puzzle.id,
    }
    if puzzle.min_text <= TEXT_LIMIT and len(text := puzzle.text) <= TEXT_LIMIT:
        record["text"] = text
    record["nullity"] = nullity
    return record


def checked(puzzle: Puzzle, runs: Sequence[Run]) -> tuple[dict[Grid, str], dict[Grid, str]]:
    """Every grid that any run gave, by the rules.

    Returns:
        The grids that break the rules, with what is wrong; and the solutions, with the backend that found each first.
    """
    wrong: dict[Grid, str] = {}
    finders: dict[Grid, str] = {}
    for run in runs:
        for grid in run.grids:
            if grid in finders or grid in wrong:
                continue
            violation = next(puzzle.violations(grid), None)
            if violation is None:
                finders[grid] = run.backend
            else:
                wrong[grid] = violation
    return wrong, finders


def run_findings(run: Run) -> list[Finding]:
    """What is wrong with how a run went: errors, stray output, processes left behind, time that nothing explains."""
    found = []
    if run.status == "error":
        found.append(Finding(run.backend, "error", run.error))
    if run.stray:
        found.append(Finding(run.backend, "stray-output", f"printed {run.stray.strip()[:60]!r}"))
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
    """The best evidence that some complete runs, all with the same solutions, give together."""
    if any(run.backend == BRUTE for run in complete):
        return "brute-force", (BRUTE,)
    for index, run in enumerate(complete):
        for other in complete[index + 1 :]:
            if are_independent(run.trusted_base, other.trusted_base):
                return "agreed", (run.backend, other.backend)
    return "claimed", (complete[0].backend,)
