"""The table of times of contestants on puzzles, the input of the analysis and the figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from crosslit.judging.verdict import Finding
from crosslit.runs.run import Limits
from crosslit_bench.plan.campaign import PAR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Measure = Literal["total", "cpu", "wall", "solve"]
"""The time to compare: all phases of a run, CPU time, wall time of its process, or only the search."""
MEASURES: dict[Measure, str] = {"total": "time", "cpu": "CPU time", "wall": "wall time", "solve": "search time"}
"""The name of each measure in reports."""


def usual_measure(limits: Limits) -> Measure:
    """Return the default measure: CPU time if it is limited, else the time of all phases."""
    return "total" if limits.cpu_seconds is None else "cpu"


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A backend with its options, as a campaign compares it."""

    label: str  # the spec with its encoding
    group: str  # the campaign's group for it; may be empty
    version: str  # version of its engine
    disqualified: tuple[Finding, ...] = ()  # its wrong answers; if there are any, it is shown but not ranked


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The facts about a puzzle for the analysis."""

    id: str
    name: str  # or a substitute if it has none
    family: str
    kind: str
    rows: int
    columns: int
    size: float  # size for the growth of time
    nullity: int | None  # nullity of a Lights Out board; None for a nonogram, or if its computation takes over a second
    difficulty: str | None  # difficulty of a nonogram, from the backend `line`; None if `line` did not solve it
    density: float | None  # fraction of the cells that a nonogram's clues fill; None for a board
    verdict: str  # status of the cross-check of all runs
    evidence: str | None  # grade of the evidence; None for ``undecided``


@dataclass(frozen=True, kw_only=True)
class Table:
    """Times of contestants on puzzles."""

    entries: tuple[Entry, ...]  # the puzzles, one for each row
    contestants: tuple[Contestant, ...]  # the contestants, one for each column
    # median times over repetitions and seeds, of shape (puzzles, contestants). An unsolved run counts as inf, and so
    # does an answer that is wrong or in a disagreement; nan if the contestant was not asked or does not support the
    # puzzle
    seconds: NDArray[np.float64]
    # statuses of the runs, of the same shape: different ones joined by " / "; empty without runs
    statuses: NDArray[np.str_]
    limit: float  # time limit of each run, in seconds
    measure: Measure = "total"
    # seconds below which the analysis of growth treats times as censored; None for an automatic choice
    floor: float | None = None
    without_growth: tuple[str, ...] = ()  # families for which growth is not fitted
    par: float = PAR  # k of the PAR-k that is shown in addition to PAR-2

    def among(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Table:
        """Return the part with these puzzles and contestants, by index; None means all."""
        import numpy as np

        chosen_rows = range(len(self.entries)) if rows is None else rows
        chosen_columns = range(len(self.contestants)) if columns is None else columns
        part = np.ix_(list(chosen_rows), list(chosen_columns))
        return dataclasses.replace(
            self,
            entries=tuple(self.entries[row] for row in chosen_rows),
            contestants=tuple(self.contestants[column] for column in chosen_columns),
            seconds=self.seconds[part],
            statuses=self.statuses[part],
        )

    @property
    def ranked(self) -> Table:
        """The part without disqualified contestants."""
        return self.among(
            columns=[index for index, contestant in enumerate(self.contestants) if not contestant.disqualified]
        )

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
        return self.among(rows=[index for index, entry in enumerate(self.entries) if entry.family == family])

    def of_kind(self, kind: str) -> Table:
        """Return the part of one kind of puzzle."""
        return self.among(rows=[index for index, entry in enumerate(self.entries) if entry.kind == kind])
