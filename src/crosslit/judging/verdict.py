"""What was asked and what was found, and its JSON form: the interface that others read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from crosslit.contract import FEWEST, SOLUTIONS
from crosslit.grid import Grid
from crosslit.numbers import exact, spread
from crosslit.puzzles import Puzzle
from crosslit.runs.run import Limits, Presses, Run

if TYPE_CHECKING:
    from crosslit.certificates import Certified

SCHEMA = 1
TEXT_LIMIT = 100_000  # characters of a puzzle's one-line form in JSON

VerdictStatus = Literal["unique", "multiple", "optimal", "unsolvable", "undecided"]
Evidence = Literal["certified", "brute-force", "agreed", "witnessed", "claimed"]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and whose fault it is, where that is known.

    Args:
        backend: the guilty one; of a ``disagreement``, one of those who contradict each other.
        problem: one of the words of `crosslit.judging.solutions.PROBLEMS`.
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
