"""The progress of a campaign and a first table of contestants, without statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.judging.verdict import Finding
from crosslit.numbers import format_seconds, one_line
from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.plan.plan import PlannedRun, puzzles_of_share
from crosslit_bench.results.judged import WRONG, Results, judgement_of, load
from crosslit_bench.results.likeness import unlike_machines
from crosslit_bench.results.table import Contestant
from crosslit_bench.store.store import Store
from crosslit_bench.store.writer_lock import Writer, current_writer

_HEADINGS = {
    "timeout": "timeouts",
    "memory": "memory",
    "gave-up": "gave up",
    "error": "errors",
    "unsupported": "unsupported",
}
"""The headings for statuses of runs without an answer."""


@dataclass(frozen=True, kw_only=True)
class ContestantStatus:
    """A contestant with counts of its runs.

    Args:
        contestant: the contestant.
        planned: number of its planned runs.
        statuses: number of finished runs by status.
        solved: number of runs that answered the question and are not known to be wrong.
        seconds: median over its runs of the time of their phases, unsolved runs counting as inf; None if it is inf, if
            there are no runs, and if different kinds of machines made them.
    """

    contestant: Contestant
    planned: int
    statuses: Mapping[str, int]
    solved: int
    seconds: float | None

    @property
    def made(self) -> int:
        """The number of finished runs."""
        return sum(self.statuses.values())

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "contestant": self.contestant.label,
            "group": self.contestant.group or None,
            "version": self.contestant.version or None,
            "planned": self.planned,
            "made": self.made,
            "solved": self.solved,
            "wrong": len(self.contestant.disqualified),
            "statuses": dict(self.statuses),
            "seconds": None if self.seconds is None else round(self.seconds, 6),
        }


@dataclass(frozen=True, kw_only=True)
class CampaignStatus:
    """The progress of a campaign.

    Args:
        path: path of the store.
        about: the description of the campaign.
        planned: number of planned runs that belong in this store or are in it.
        missing: number of these that are not finished.
        scores: the contestants, in the order of their groups.
        findings: all findings, wrong answers first.
        outside: number of stored runs that are not in the plan.
        writer: the process that is writing to the file; None if there is none.
        machines: descriptions of the kinds of machines if there are several, so that medians would mix their times.
        limits_by: means by which the limits of the runs were enforced.
    """

    path: Path
    about: CampaignSpec
    planned: int
    missing: int
    scores: tuple[ContestantStatus, ...]
    findings: tuple[tuple[Instance, Finding], ...]
    outside: int
    writer: Writer | None
    limits_by: tuple[str, ...]
    machines: tuple[str, ...] = ()

    @property
    def made(self) -> int:
        """The number of finished planned runs."""
        return self.planned - self.missing

    @property
    def statuses(self) -> dict[str, int]:
        """The number of runs by status."""
        return dict(sum((Counter(score.statuses) for score in self.scores), Counter[str]()).most_common())

    @property
    def numbers(self) -> list[str]:
        """The headings of the numeric columns in the table of contestants."""
        return ["solved", "of", "wrong", *(_HEADINGS[word] for word in self._unsolved), "median"]

    @property
    def columns(self) -> list[str]:
        """The headings of the table of contestants."""
        return [*(["group"] if self._is_grouped else []), "backend", *self.numbers]

    def cells(self, score: ContestantStatus) -> list[str]:
        """Return the row of a contestant in the table."""
        who = score.contestant
        asked = score.planned - score.statuses.get("unsupported", 0)
        cells = [one_line(who.group)] if self._is_grouped else []
        cells += [who.label, str(score.solved), str(asked), str(len(who.disqualified))]
        cells += [str(score.statuses.get(word, 0)) for word in self._unsolved]
        return [*cells, "-" if score.seconds is None else format_seconds(score.seconds, column=True)]

    @property
    def _unsolved(self) -> list[str]:
        return [word for word in _HEADINGS if self.statuses.get(word)]

    @property
    def _is_grouped(self) -> bool:
        return any(score.contestant.group for score in self.scores)

    @property
    def wrong(self) -> list[tuple[Instance, Finding]]:
        """The wrong answers."""
        return [(instance, finding) for instance, finding in self.findings if finding.problem in WRONG]

    @property
    def errors(self) -> list[tuple[Instance, Finding]]:
        """The crashes and the answers that violate the contract."""
        return [(instance, finding) for instance, finding in self.findings if finding.problem == "error"]

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        from crosslit._version import __version__
        from crosslit.judging.verdict import SCHEMA

        shard, about = self.about.shard, self.about
        return {
            "schema": SCHEMA,
            "crosslit": __version__,
            "task": "bench",
            "store": str(self.path),
            "campaign": about.name,
            "title": about.title,
            "asked": about.asked,
            "limits": about.limits.json(),
            "shard": f"{shard[0]}/{shard[1]}" if shard else None,
            "planned": self.planned,
            "made": self.made,
            "outside": self.outside,
            "limits_by": list(self.limits_by),
            "running": self.writer is not None,
            "unlike_machines": list(self.machines),
            "statuses": self.statuses,
            "wrong": len(self.wrong),
            "contestants": [score.json() for score in self.scores],
            "findings": [{"puzzle": instance.puzzle.id, **finding.json()} for instance, finding in self.findings],
        }


def campaign_status(store: Store, results: Results | None = None) -> CampaignStatus:
    """Return the progress of the campaign in a store.

    Args:
        store: the store.
        results: its results, if they are loaded.
    """
    results = results or load(store)
    about, rows = results.about, {row.key: row for row in results.rows}
    share = puzzles_of_share((run.puzzle.id for run in results.planned), *(about.shard or (1, 1)))
    planned = [run for run in results.planned if run.key in rows or run.puzzle.id in share]
    machines = tuple(unlike_machines(results.rows))
    comparisons = {result.instance.puzzle.id: result.comparison for result in results.judged}
    runs: dict[str, list[PlannedRun]] = {}
    for run in planned:
        runs.setdefault(run.contestant, []).append(run)
    scores = []
    for contestant in results.contestants:
        made = [rows[run.key] for run in runs.get(contestant.label, ()) if run.key in rows]
        right = [judgement_of(row.run, comparisons[row.puzzle]) == "right" for row in made]
        asked = zip(made, right, strict=True)
        # Unsolved runs are infinite and not left out, so a median exists only if more than half are solved.
        times = [row.run.timing.total if ok else inf for row, ok in asked if row.run.status != "unsupported"]
        middle = median(times) if times and not machines else inf  # over different machines it would mean nothing
        scores.append(
            ContestantStatus(
                contestant=contestant,
                planned=len(runs.get(contestant.label, ())),
                statuses=dict(Counter(str(row.run.status) for row in made).most_common()),
                solved=sum(right),
                seconds=middle if middle < inf else None,
            )
        )
    return CampaignStatus(
        path=store.path,
        about=about,
        planned=len(planned),
        missing=len(planned) - len(rows),
        scores=tuple(scores),
        findings=tuple((judged.instance, finding) for judged, finding in results.findings),
        outside=store.made - len(rows),
        writer=current_writer(store),
        machines=machines,
        limits_by=tuple(sorted({row.circumstances.limits_by for row in rows.values()} - {""})),
    )
