"""How far a campaign is, and who has solved how much: what there is to say before anything is analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.campaigns.about import About
from crosslit.campaigns.filling import Filler, filler
from crosslit.campaigns.plan import share
from crosslit.campaigns.results import SOLVED, WRONG, Judged, load, time_of
from crosslit.campaigns.store import Store
from crosslit.campaigns.table import Contestant
from crosslit.records import Finding, Run


@dataclass(frozen=True)
class Score:
    """A contestant, and how its runs ended.

    Args:
        contestant: who.
        planned: its runs, made or not.
        statuses: how many ended in which way.
        seconds: the median over its runs of the time of their phases, a run that did not answer being longer than any;
            None where half of them or more did not, and without any.
    """

    contestant: Contestant
    planned: int
    statuses: Mapping[str, int]
    seconds: float | None

    @property
    def made(self) -> int:
        """How many of its runs were made."""
        return sum(self.statuses.values())

    @property
    def solved(self) -> int:
        """How many of its runs have answered the question."""
        return sum(self.statuses.get(status, 0) for status in SOLVED)

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


@dataclass(frozen=True)
class Standing:
    """How far a campaign is.

    Args:
        path: of the store.
        about: the campaign.
        planned: how many runs are to be made here, and were made beside.
        missing: how many of them were not made yet.
        scores: of the contestants, in the order of their groups.
        findings: all that is wrong, wrong answers first.
        outside: how many runs are in the file that the plan does not have any more.
        filler: who fills the file now.
    """

    path: Path
    about: About
    planned: int
    missing: int
    scores: tuple[Score, ...]
    findings: tuple[tuple[Judged, Finding], ...]
    outside: int
    filler: Filler | None

    @property
    def made(self) -> int:
        """How many of the planned runs were made."""
        return self.planned - self.missing

    @property
    def statuses(self) -> dict[str, int]:
        """How many runs ended in which way."""
        return dict(sum((Counter(score.statuses) for score in self.scores), Counter[str]()).most_common())

    @property
    def wrong(self) -> list[tuple[Judged, Finding]]:
        """The wrong answers."""
        return [(judged, finding) for judged, finding in self.findings if finding.problem in WRONG]

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        from crosslit import __version__
        from crosslit.records import SCHEMA

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
            "running": self.filler is not None,
            "statuses": self.statuses,
            "wrong": len(self.wrong),
            "contestants": [score.json() for score in self.scores],
            "findings": [{"puzzle": judged.instance.puzzle.id, **finding.json()} for judged, finding in self.findings],
        }


def standing(store: Store) -> Standing:
    """How far the campaign in a store is.

    Raises:
        InputError: if the store has no campaign.
    """
    results = load(store)
    rows = {row.key: row for row in results.rows}
    plan, shard = store.plan(), results.about.shard
    due = {one.key for one in (share(plan, *shard) if shard else plan)}
    here = [one for one in plan if one.key in due or one.key in rows]
    planned = Counter(one.contestant for one in here)
    made: dict[str, list[Run]] = {}
    for row in rows.values():
        made.setdefault(row.contestant, []).append(row.run)
    scores = []
    for contestant in results.contestants:
        runs = made.get(contestant.label, [])
        times = [time_of(run) for run in runs if run.status != "unsupported"]
        statuses = dict(Counter(str(run.status) for run in runs).most_common())
        middle = median(times) if times else inf
        scores.append(Score(contestant, planned[contestant.label], statuses, middle if middle < inf else None))
    return Standing(
        store.path,
        results.about,
        len(here),
        len(due - rows.keys()),
        tuple(scores),
        tuple(results.findings),
        len(store.keys()) - len(rows),
        filler(store),
    )
