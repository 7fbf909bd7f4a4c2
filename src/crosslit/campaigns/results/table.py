"""How long each contestant took on each puzzle: what the analysis, the figures and the tables are about."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from crosslit.campaigns.spec.campaign import PAR
from crosslit.judging.verdict import Finding
from crosslit.runs.run import Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Measure = Literal["total", "cpu", "wall", "solve"]
"""Which time: the phases of a run together; on processors; of its process from start to end; of the search alone."""
MEASURES: dict[Measure, str] = {"total": "time", "cpu": "CPU time", "wall": "wall time", "solve": "search time"}
"""The name of a time, by measure."""


def usual_measure(limits: Limits) -> Measure:
    """Return the time that is compared where nobody chooses one: CPU time where it is limited."""
    return "total" if limits.cpu_seconds is None else "cpu"


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """Who is compared.

    Args:
        label: the spec, its encoding named.
        group: what the campaign calls it one of; may be empty.
        version: of its engine.
        disqualified: the wrong answers that it gave; it is shown and never ranked if there are any.
    """

    label: str
    group: str
    version: str
    disqualified: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A puzzle, as far as the analysis is concerned.

    Args:
        id: of the puzzle.
        name: for people.
        family: what the campaign calls it one of.
        kind: of puzzle.
        rows, columns: of its grid.
        size: what time is drawn against.
        nullity: of a Lights Out board; None for a nonogram, and where it takes more than a second.
        difficulty: of a nonogram, the word of the backend `line`; None where that has not solved it.
        density: of its making, or of the clues; None for a board.
        verdict: the status of the cross-check of all runs.
        evidence: its grade; None for ``undecided``.
    """

    id: str
    name: str
    family: str
    kind: str
    rows: int
    columns: int
    size: float
    nullity: int | None
    difficulty: str | None
    density: float | None
    verdict: str
    evidence: str | None


@dataclass(frozen=True, kw_only=True)
class Table:
    """Times of contestants on puzzles.

    Args:
        entries: the puzzles, one for each row.
        contestants: one for each column.
        seconds: of shape (puzzles, contestants): the median over repetitions and seeds of how long it took; inf where
            that was not solved within the limits, or the answer is wrong or in a disagreement (the median counts an
            unsolved run as inf); nan where the contestant was not asked, or does not take the puzzle.
        statuses: of the same shape: how the runs ended, each word once, joined by " / "; empty where there was none.
        limit: of each run, in seconds.
        measure: what time is meant.
        floor: seconds below which growth takes times for "at most so long"; None lets it choose.
        without_growth: families of which no growth is fitted.
        par: k of the PAR-k that is shown in addition to PAR-2.
    """

    entries: tuple[Entry, ...]
    contestants: tuple[Contestant, ...]
    seconds: NDArray[np.float64]
    statuses: NDArray[np.str_]
    limit: float
    measure: Measure = "total"
    floor: float | None = None
    without_growth: tuple[str, ...] = ()
    par: float = PAR

    def among(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Table:
        """The part with these puzzles and contestants, by number; None means all."""
        import numpy as np

        chosen_rows = range(len(self.entries)) if rows is None else rows
        chosen_columns = range(len(self.contestants)) if columns is None else columns
        at = np.ix_(list(chosen_rows), list(chosen_columns))
        return dataclasses.replace(
            self,
            entries=tuple(self.entries[row] for row in chosen_rows),
            contestants=tuple(self.contestants[column] for column in chosen_columns),
            seconds=self.seconds[at],
            statuses=self.statuses[at],
        )

    @property
    def ranked(self) -> Table:
        """The part of those who are not disqualified."""
        return self.among(columns=[at for at, one in enumerate(self.contestants) if not one.disqualified])

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the puzzles, in order."""
        return tuple(dict.fromkeys(entry.family for entry in self.entries))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the puzzles, in order."""
        return tuple(dict.fromkeys(entry.kind for entry in self.entries))

    def of_family(self, family: str) -> Table:
        """Return the part of one family of puzzles."""
        return self.among(rows=[at for at, entry in enumerate(self.entries) if entry.family == family])

    def of_kind(self, kind: str) -> Table:
        """Return the part of one kind of puzzle."""
        return self.among(rows=[at for at, entry in enumerate(self.entries) if entry.kind == kind])
