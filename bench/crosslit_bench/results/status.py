"""The progress of a campaign and a first table of contestants, without statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.judging.verdict import Finding
from crosslit.numbers import format_seconds, one_line
from crosslit.runs.run import Run
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.plan.plan import puzzles_of_share
from crosslit_bench.results.groups import RunGroup, run_groups
from crosslit_bench.results.judged import WRONG, contestants_of, judged_puzzle, judgement_of, wrong_answers
from crosslit_bench.results.likeness import unlike_machines
from crosslit_bench.results.staleness import outdated
from crosslit_bench.results.table import Contestant
from crosslit_bench.store.about import About
from crosslit_bench.store.store import Store
from crosslit_bench.store.validation import text
from crosslit_bench.store.writer_lock import Writer, current_writer

_WORDS = {
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
        outdated: number of finished runs that are out of date, because their software has changed since.
        writer: the process that is writing to the file; None if there is none.
        machines: descriptions of the kinds of machines if there are several, so that medians would mix their times.
        limits_by: means by which the limits of the runs were enforced.
    """

    path: Path
    about: About
    planned: int
    missing: int
    scores: tuple[ContestantStatus, ...]
    findings: tuple[tuple[Instance, Finding], ...]
    outside: int
    outdated: int
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
        return ["solved", "of", "wrong", *(_WORDS[word] for word in self._told), "median"]

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
        cells += [str(score.statuses.get(word, 0)) for word in self._told]
        return [*cells, "-" if score.seconds is None else format_seconds(score.seconds, column=True)]

    @property
    def _told(self) -> list[str]:
        return [word for word in _WORDS if self.statuses.get(word)]

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
            "outdated": self.outdated,
            "limits_by": list(self.limits_by),
            "running": self.writer is not None,
            "unlike_machines": list(self.machines),
            "statuses": self.statuses,
            "wrong": len(self.wrong),
            "contestants": [score.json() for score in self.scores],
            "findings": [{"puzzle": instance.puzzle.id, **finding.json()} for instance, finding in self.findings],
        }


def campaign_status(store: Store) -> CampaignStatus:
    """Return the progress of the campaign in a store, judging one run of each group of indistinguishable runs."""
    about, instances = store.about, store.instances()
    by_puzzle: dict[str, list[tuple[RunGroup, Run]]] = {}
    planned: Counter[str] = Counter()
    missing, groups = 0, list(run_groups(store))
    ids = {group.first.puzzle.id for group in groups}
    shared = puzzles_of_share(ids, *about.shard) if about.shard else ids
    for group in groups:
        if group.run is not None:
            by_puzzle.setdefault(group.first.puzzle.id, []).append((group, group.run))
        elif group.first.puzzle.id in shared:
            missing += group.size
        else:
            continue
        planned[group.first.contestant] += group.size
    tallies: dict[str, _Tally] = {}
    compared, found = [], []
    for instance in instances:
        made = by_puzzle.get(instance.puzzle.id, [])
        made.sort(key=lambda one: (one[1].repetition, one[1].backend))
        comparison = judged_puzzle(about, instance, [run for _, run in made])
        compared.append(({run.backend: group.first.contestant for group, run in made}, comparison))
        found += [(instance, finding) for finding in comparison.findings]
        for group, run in made:
            right = judgement_of(run, comparison) == "right"
            tallies.setdefault(group.first.contestant, _Tally()).add(run, group.seconds, right)
    planned_first = sorted((group.first for group in groups), key=lambda first: first.place)
    contestants = contestants_of(about, planned_first, wrong_answers(compared))
    scores = [tallies.get(one.label, _Tally()).score(one, planned[one.label]) for one in contestants]
    machines = tuple(unlike_machines(store))
    if machines:
        # A median over different machines would mean nothing.
        scores = [replace(score, seconds=None) for score in scores]
    here = sorted((group.first.place, number) for number, group in enumerate(groups) if group.run is not None)
    firsts = [groups[number].first for _, number in here for _ in range(groups[number].size)]
    return CampaignStatus(
        path=store.path,
        about=about,
        planned=planned.total(),
        missing=missing,
        scores=tuple(scores),
        findings=tuple(sorted(found, key=lambda pair: pair[1].problem not in WRONG)),
        outside=store.made - len(firsts),
        outdated=outdated(store, firsts),
        writer=current_writer(store),
        machines=machines,
        limits_by=_limits_by(store),
    )


def _limits_by(store: Store) -> tuple[str, ...]:
    with store.understood():
        found = store.select("SELECT DISTINCT limits_by FROM runs")
        return tuple(sorted(text(by) for (by,) in found if by != ""))


class _Tally:
    """A counter of a contestant's runs and times."""

    def __init__(self) -> None:
        self._statuses: Counter[str] = Counter()
        self._solved = 0
        self._times: list[float] = []

    def add(self, run: Run, seconds: Sequence[float], right: bool) -> None:
        """Add a group of runs, given by one of them and the time of each."""
        self._statuses[str(run.status)] += len(seconds)
        self._solved += len(seconds) if right else 0
        if run.status != "unsupported":
            self._times += seconds if right else [inf] * len(seconds)

    def score(self, contestant: Contestant, planned: int) -> ContestantStatus:
        """Return the status of a contestant from these counts."""
        # Unsolved runs are infinite and not left out, so a median exists only if more than half are solved.
        middle = median(self._times) if self._times else inf
        return ContestantStatus(
            contestant=contestant,
            planned=planned,
            statuses=dict(self._statuses.most_common()),
            solved=self._solved,
            seconds=middle if middle < inf else None,
        )
