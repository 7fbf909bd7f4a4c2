"""How far a campaign is, and who has solved how much: what there is to say before anything is analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.campaigns.results.about import About
from crosslit.campaigns.results.judged import WRONG, PuzzleResult, judgement, load, time_of
from crosslit.campaigns.results.staleness import outdated
from crosslit.campaigns.results.store import Store
from crosslit.campaigns.results.table import Contestant
from crosslit.campaigns.results.writer_lock import Writer, current_writer
from crosslit.campaigns.spec.plan import share
from crosslit.judging.verdict import Finding
from crosslit.numbers import format_seconds, one_line
from crosslit.runs.run import Run

_WORDS = {
    "timeout": "timeouts",
    "memory": "memory",
    "gave-up": "gave up",
    "error": "errors",
    "unsupported": "unsupported",
}
"""The headings of the ways in which runs end without an answer."""


@dataclass(frozen=True, kw_only=True)
class ContestantStatus:
    """A contestant, and how its runs ended.

    Args:
        contestant: who.
        planned: its runs, made or not.
        statuses: how many ended in which way.
        solved: how many have answered the question, and are not known to be wrong.
        seconds: the median over its runs of the time of their phases, one that has not solved it being longer than any;
            None where half of them or more have not, and without any.
    """

    contestant: Contestant
    planned: int
    statuses: Mapping[str, int]
    solved: int
    seconds: float | None

    @property
    def made(self) -> int:
        """How many of its runs were made."""
        return sum(self.statuses.values())

    def json(self) -> dict[str, Any]:
        """The JSON form."""
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
    """How far a campaign is.

    Args:
        path: of the store.
        about: the campaign.
        planned: how many runs are to be made here, and were made beside.
        missing: how many of them were not made yet.
        scores: of the contestants, in the order of their groups.
        findings: all that is wrong, wrong answers first.
        outside: how many runs are in the file that the plan does not have any more.
        outdated: how many of those made would be made otherwise now: what makes them has changed since.
        writer: the process that writes to the file now.
    """

    path: Path
    about: About
    planned: int
    missing: int
    scores: tuple[ContestantStatus, ...]
    findings: tuple[tuple[PuzzleResult, Finding], ...]
    outside: int
    outdated: int
    writer: Writer | None

    @property
    def made(self) -> int:
        """How many of the planned runs were made."""
        return self.planned - self.missing

    @property
    def statuses(self) -> dict[str, int]:
        """How many runs ended in which way."""
        return dict(sum((Counter(score.statuses) for score in self.scores), Counter[str]()).most_common())

    @property
    def numbers(self) -> list[str]:
        """The headings of the columns of numbers in the table of contestants."""
        return ["solved", "of", "wrong", *(_WORDS[word] for word in self._told), "median"]

    @property
    def columns(self) -> list[str]:
        """The headings of the table of contestants."""
        return [*(["group"] if self._is_grouped else []), "backend", *self.numbers]

    def cells(self, score: ContestantStatus) -> list[str]:
        """Return the row of one contestant in the table, its median time in words."""
        who = score.contestant
        asked = score.planned - score.statuses.get("unsupported", 0)
        cells = [one_line(who.group)] if self._is_grouped else []
        cells += [who.label, str(score.solved), str(asked), str(len(who.disqualified))]
        cells += [str(score.statuses.get(word, 0)) for word in self._told]
        return [*cells, "-" if score.seconds is None else format_seconds(score.seconds, column=True)]

    @property
    def _told(self) -> list[str]:
        return [word for word in _WORDS if self.statuses.get(word)]

    @property
    def _is_grouped(self) -> bool:
        return any(score.contestant.group for score in self.scores)

    @property
    def wrong(self) -> list[tuple[PuzzleResult, Finding]]:
        """The wrong answers."""
        return [(judged, finding) for judged, finding in self.findings if finding.problem in WRONG]

    @property
    def errors(self) -> list[tuple[PuzzleResult, Finding]]:
        """The crashes, and the answers that no backend may give."""
        return [(judged, finding) for judged, finding in self.findings if finding.problem == "error"]

    def json(self) -> dict[str, Any]:
        """The JSON form."""
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
            "outdated": self.outdated,
            "running": self.writer is not None,
            "statuses": self.statuses,
            "wrong": len(self.wrong),
            "contestants": [score.json() for score in self.scores],
            "findings": [{"puzzle": judged.instance.puzzle.id, **finding.json()} for judged, finding in self.findings],
        }


def campaign_status(store: Store) -> CampaignStatus:
    """How far the campaign in a store is."""
    results = load(store)
    rows = {row.key: row for row in results.rows}
    plan, shard = store.plan(), results.about.shard
    due = {one.key for one in (share(plan, *shard) if shard else plan)}
    here = [one for one in plan if one.key in due or one.key in rows]
    planned = Counter(one.contestant for one in here)
    made: dict[str, list[tuple[Run, bool]]] = {}
    for judged in results.judged:
        for row in judged.rows:
            made.setdefault(row.contestant, []).append((row.run, judgement(judged, row) == "right"))
    scores = []
    for contestant in results.contestants:
        runs = made.get(contestant.label, [])
        times = [time_of(run) if right else inf for run, right in runs if run.status != "unsupported"]
        statuses = dict(Counter(str(run.status) for run, _ in runs).most_common())
        middle = median(times) if times else inf
        seconds = middle if middle < inf else None
        solved = sum(right for _, right in runs)
        scores.append(
            ContestantStatus(
                contestant=contestant,
                planned=planned[contestant.label],
                statuses=statuses,
                solved=solved,
                seconds=seconds,
            )
        )
    return CampaignStatus(
        path=store.path,
        about=results.about,
        planned=len(here),
        missing=len(due - rows.keys()),
        scores=tuple(scores),
        findings=tuple(results.findings),
        outside=len(store.keys()) - len(rows),
        outdated=outdated(store, [one for one in plan if one.key in rows]),
        writer=current_writer(store),
    )
