"""What was asked and what was found, and its JSON form: the interface that others read."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from crosslit.contract import Phase, no_time
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle

if TYPE_CHECKING:
    from crosslit.certificates import Certified

SCHEMA = 1
LONGEST = 1e7  # seconds of a run: four months
TEXT_LIMIT = 100_000  # characters of a puzzle's one-line form in JSON

# `lost`: the process that started the run died, or the parent process did not read in time; nobody's fault is known
RunStatus = Literal["complete", "limit", "gave-up", "timeout", "memory", "interrupted", "lost", "error", "unsupported"]
VerdictStatus = Literal["unique", "multiple", "optimal", "unsolvable", "undecided"]
Evidence = Literal["certified", "brute-force", "agreed", "witnessed", "claimed"]


@dataclass(frozen=True)
class Limits:
    """What a run may take.

    Args:
        solutions: stop after so many; None means all.
        seconds: of wall time, from encode to decode.
        memory_mb: of the memory of the run's processes together, resident or in files in memory, in 2^20 bytes; the
            solutions that are kept of it may take a quarter of that.

    Raises:
        ValueError: if a limit is not positive, or a time is no time.
    """

    solutions: int | None = 2
    seconds: float = 60.0
    memory_mb: int = 4096

    def __post_init__(self) -> None:
        if self.solutions is not None and self.solutions < 1:
            raise ValueError(f"a limit of solutions is at least 1, or None for all, not {self.solutions}")
        if not 0 < self.seconds <= LONGEST:
            raise ValueError(f"a limit of time is above 0 and at most {LONGEST:.0e} seconds, not {self.seconds}")
        if self.memory_mb < 1:
            raise ValueError(f"a limit of memory is at least 1 MB, not {self.memory_mb}")

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {"solutions": self.solutions, "seconds": self.seconds, "memory_mb": self.memory_mb}


@dataclass(frozen=True)
class Timing:
    """Seconds of one run.

    Args:
        phases: as the backend reports them.
        cpu: user and system time of the run's processes, from the operating system.
        wall: from the start of its process to its end, measured by the process that started it.
        overhead: of Crosslit within ``wall``: starting the process, handing solutions over, ending it.
        delayed: within ``wall``, waiting for a processor; 0 where the system does not tell.
    """

    phases: dict[Phase, float] = field(default_factory=no_time)
    cpu: float = 0.0
    wall: float = 0.0
    overhead: float = 0.0
    delayed: float = 0.0

    @property
    def total(self) -> float:
        """The sum of the phases."""
        return sum(self.phases.values())

    def json(self) -> dict[str, float]:
        """The JSON form, to the microsecond."""
        seconds: list[tuple[str, float]] = [*self.phases.items()]
        seconds += [("total", self.total), ("cpu", self.cpu), ("wall", self.wall)]
        return {key: round(value, 6) for key, value in seconds}


@dataclass(frozen=True)
class Presses:
    """What is known of the fewest presses that put a board out.

    Args:
        best: the fewest of any solution found; None if there is none.
        bound: every solution has at least so many; None where it is known that there is none.
        proved: whether that question is decided: no solution has fewer than ``best``, or there is none at all.
    """

    best: int | None
    bound: int | None
    proved: bool

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {"best": exact(self.best), "bound": exact(self.bound), "proved": self.proved}


@dataclass
class Run:
    """One backend on one puzzle: what it found, and how it ended.

    Args:
        backend: its spec.
        encoding: the name of its encoding; empty for a backend without one.
        version: of its engine.
        trusts: what it rests on.
        status: how it ended; ``complete`` is the claim that there are no more solutions than it gave.
        grids: what it gave, in order, unchecked.
        timing: seconds.
        threads: how many threads it says that it computed on.
        memory_mb: the largest resident memory of its process, in 2^20 bytes; 0 where it had none.
        stats: what the backend says beside.
        error: why it ended, where that is not plain from the status; empty otherwise.
        stray: what it printed on standard output, which is no place for it.
        repetition: from 0.
        bound: how many presses a solution needs at least, as far as it says that it has proved.
        left: how many processes it left behind when it ended; they were ended then.
        counted: how many solutions it says that there are; None unless it was asked, and answered.
        text: what it wrote, where it was to write something (a certificate), unchecked.
    """

    backend: str
    encoding: str = ""
    version: str = ""
    trusts: frozenset[str] = frozenset()
    status: RunStatus = "error"
    grids: list[Grid] = field(default_factory=list)
    timing: Timing = field(default_factory=Timing)
    threads: int = 1
    memory_mb: float = 0.0
    stats: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    stray: str = ""
    repetition: int = 0
    bound: int = 0
    left: int = 0
    counted: int | None = None
    text: str = ""

    @property
    def label(self) -> str:
        """The spec with its encoding, named or not.

        Examples:
            >>> Run("cpsat:seed=1", encoding="xor").label
            'cpsat/xor:seed=1'
        """
        head, colon, options = self.backend.partition(":")
        engine = head.partition("/")[0]
        return f"{engine}/{self.encoding}{colon}{options}" if self.encoding else self.backend

    @property
    def digest(self) -> str:
        """The sha256 of the set of its solutions, whatever their order and number."""
        return digest(self.grids)

    @property
    def presses(self) -> Presses:
        """What it claims of the fewest presses: its best grid, unchecked, and its bound."""
        best = min((grid.count() for grid in self.grids), default=None)
        if self.status == "complete":
            return Presses(best, best, True)
        return Presses(best, self.bound, False)

    def json(self, grids: bool = False, fewest: bool = False) -> dict[str, Any]:
        """The JSON form; with ``grids``, the solutions in their one-line form too; with ``fewest``, the presses."""
        record: dict[str, Any] = {
            "backend": self.backend,
            "encoding": self.encoding or None,
            "version": self.version,
            "repetition": self.repetition,
            "status": self.status,
            "solutions": len(self.grids),
            "digest": self.digest,
            "seconds": self.timing.json(),
            "memory_mb": round(self.memory_mb, 1),
            "stats": {key: exact(value) for key, value in self.stats.items()},
            "error": self.error or None,
        }
        if self.counted is not None:
            record["count"] = exact(self.counted)
        if fewest:
            record["presses"] = self.presses.json()
        if grids:
            record["grids"] = [grid.text() for grid in self.grids]
        return record


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and whose fault it is, where that is known.

    Args:
        backend: the guilty one; of a ``disagreement``, one of those who contradict each other.
        problem: one of the words of `crosslit.comparison.PROBLEMS`.
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
        from crosslit import __version__

        fewest = self.presses is not None
        return {
            "schema": SCHEMA,
            "crosslit": __version__,
            "task": "fewest" if fewest else "solutions",
            "limits": self.limits.json(),
            "puzzle": puzzle_json(self.puzzle, self.nullity),
            "verdict": self.verdict.json(),
            **({"presses": self.presses.json()} if self.presses is not None else {}),
            **({"uncertified": self.uncertified} if self.uncertified is not None else {}),
            "consistent": self.consistent,
            "findings": [finding.json() for finding in self.findings],
            "runs": [run.json(grids, fewest) for run in self.runs],
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
    large = isinstance(puzzle, LightsOut) and puzzle.rows * puzzle.columns > TEXT_LIMIT  # its text is at least as long
    if not large and len(text := puzzle.text) <= TEXT_LIMIT:
        record["text"] = text
    record["nullity"] = nullity
    return record


def digest(grids: Iterable[Grid]) -> str:
    """The sha256 of a set of grids: of their packed bytes, sorted, each once.

    Examples:
        >>> one, two = Grid.from_text("01"), Grid.from_text("10")
        >>> digest([one, two]) == digest([two, one, two]) != digest([one])
        True
    """
    state = hashlib.sha256()
    for packed in sorted({grid.packed for grid in grids}):
        state.update(packed)
    return state.hexdigest()


def exact(number: Any) -> Any:
    """A number that every JSON reader keeps exact: beyond 2^53 a power of two as {"log2": k}, else decimal digits.

    What JSON has no number for (an infinity, say) becomes a word; words stay as they are.

    Examples:
        >>> exact(7), exact(2**80), exact(2**53 + 1), exact(float("inf")), exact([1])
        (7, {'log2': 80}, '9007199254740993', 'inf', '[1]')
        >>> exact(exact(2**80)), exact({"x": 1.5})
        ({'log2': 80}, "{'x': 1.5}")
    """
    if isinstance(number, float):
        return number if math.isfinite(number) else str(number)
    if not isinstance(number, int):
        known = isinstance(number, dict) and number.keys() == {"log2"} and type(number["log2"]) is int
        return number if number is None or isinstance(number, str) or known else str(number)
    if abs(number) <= 2**53:
        return number
    if number > 0 and number.bit_count() == 1:
        return {"log2": number.bit_length() - 1}
    return f"{Decimal(number):f}"  # unlike str(), without a limit on digits


def number_words(number: int) -> str:
    """A number for people: powers of two beyond 2^53 as such.

    Examples:
        >>> number_words(16), number_words(2**80)
        ('16', '2^80')
    """
    known = exact(number)
    return f"2^{known['log2']}" if isinstance(known, dict) else str(known)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, minimum and maximum of some seconds.

    Examples:
        >>> spread([3.0, 1.0, 2.0])
        {'median': 2.0, 'min': 1.0, 'max': 3.0}
    """
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
