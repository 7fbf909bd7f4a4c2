"""The progress of a campaign and a first table of contestants, without statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.drawing.table import Table
from crosslit.judging.verdict import Finding
from crosslit.numbers import format_seconds, one_line
from crosslit.runs.run import ENDED, GAP_SECONDS, GAP_SHARE
from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.plan.plan import puzzles_of_share
from crosslit_bench.results.judged import WRONG, judgement, load
from crosslit_bench.results.likeness import MachineKind, unlike_machines
from crosslit_bench.results.table import Contestant
from crosslit_bench.store.rows import JUDGED, Row, judged_row
from crosslit_bench.store.store import Store
from crosslit_bench.store.writer_lock import Writer, current_writer

_HEADINGS = {
    "timeout": "timeouts",
    "memory": "memory",
    "one found": "one found",
    "gave-up": "gave up",
    "error": "errors",
    "unsupported": "unsupported",
}
"""The headings for statuses of runs without an answer."""


@dataclass(frozen=True, kw_only=True)
class ContestantStatus:
    """A contestant with the numbers of its planned runs, of its finished runs by status, and of the right answers.

    ``seconds`` is the median over its runs of the time of their phases, unsolved runs counting as inf; None if it is
    inf, if there are no runs, and if different kinds of machines made them.
    """

    contestant: Contestant
    planned: int
    statuses: Mapping[str, int]
    solved: int
    seconds: float | None

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "contestant": self.contestant.label,
            "group": self.contestant.group or None,
            "version": self.contestant.version or None,
            "planned": self.planned,
            "made": sum(self.statuses.values()),
            "solved": self.solved,
            "wrong": len(self.contestant.disqualified),
            "statuses": dict(self.statuses),
            "seconds": None if self.seconds is None else round(self.seconds, 6),
        }


@dataclass(frozen=True, kw_only=True)
class CampaignStatus:
    """The progress of a campaign."""

    path: Path  # of the store
    about: CampaignSpec
    planned: int  # number of planned runs that belong in this store or are in it
    missing: int  # number of these that are not finished
    scores: tuple[ContestantStatus, ...]  # in the order of their groups
    findings: tuple[tuple[Instance, Finding], ...]  # wrong answers first
    outside: int  # number of stored runs that are not in the plan
    writer: Writer | None  # the process that is writing to the file; None if there is none
    limits_by: tuple[str, ...]  # means by which the limits of the runs were enforced
    # descriptions of the kinds of machines if there are several, so that medians would mix their times
    machines: tuple[str, ...]

    @property
    def made(self) -> int:
        """The number of finished planned runs."""
        return self.planned - self.missing

    @property
    def statuses(self) -> dict[str, int]:
        """The number of runs by status."""
        return dict(sum((Counter(score.statuses) for score in self.scores), Counter[str]()).most_common())

    def table(self) -> Table:
        """Return the table of contestants."""
        unsolved = [status for status in _HEADINGS if self.statuses.get(status)]
        is_grouped = any(score.contestant.group for score in self.scores)
        names = ["group", "backend"] if is_grouped else ["backend"]
        made = ["made"] if self.missing else []
        numbers = ["solved", *made, "of runs", "wrong", *(_HEADINGS[status] for status in unsolved), "median"]
        table = Table(*names, *numbers, right=numbers, names=names)
        for score in self.scores:
            contestant, statuses = score.contestant, score.statuses
            wrong, unsupported = len(contestant.disqualified), statuses.get("unsupported", 0)
            counts = [score.solved, *([sum(statuses.values()) - unsupported] if made else [])]
            counts += [score.planned - unsupported, wrong, *(statuses.get(status, 0) for status in unsolved)]
            median_time = "-" if score.seconds is None else format_seconds(score.seconds, column=True)
            cells = [contestant.label, *map(str, counts), median_time]
            table.add_row(*([one_line(contestant.group)] if is_grouped else []), *cells, alarm=wrong > 0)
        return table

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
        from crosslit.judging.verdict import puzzle_json

        about, shard = self.about, self.about.shard
        return {
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
            "findings": [
                {"puzzle": puzzle_json(instance.puzzle, None), **finding.json()} for instance, finding in self.findings
            ],
        }


def campaign_status(store: Store) -> CampaignStatus:
    """Return the progress of the campaign in a store.

    Only one of several equal runs is judged, and only what a judge looks at is read.
    """
    groups, kinds, limits_by = _finished(store)
    results, times_of = load(store, _rows(store, groups)), {key: seconds for (_, key), seconds in groups.values()}
    comparisons = {result.instance.puzzle.id: result.comparison for result in results.judged}
    about, machines = results.about, tuple(unlike_machines(kinds))
    share = puzzles_of_share(comparisons, *about.shard) if about.shard else comparisons.keys()
    counts: Counter[str] = Counter()
    column = "puzzle" if about.shard else "NULL"
    for label, puzzle, count in store.select(f"SELECT contestant, {column}, count(*) FROM plan GROUP BY 1, 2"):
        counts[label] += count if puzzle is None or puzzle in share else 0
    statuses: dict[str, Counter[str]] = {label: Counter() for label in counts}
    times: dict[str, list[float]] = {label: [] for label in counts}
    solved: Counter[str] = Counter()
    for row in results.rows:
        seconds = times_of[row.key]
        is_right = judgement(row.run, comparisons[row.puzzle]) == "right"
        counts[row.contestant] += len(seconds) if row.puzzle not in share else 0
        statuses[row.contestant][row.run.status] += len(seconds)
        solved[row.contestant] += len(seconds) if is_right else 0
        # Unsolved runs are infinite and not left out, so a median exists only if more than half are solved.
        if row.run.status != "unsupported":
            times[row.contestant] += seconds if is_right else [inf] * len(seconds)
    scores = []
    for contestant in results.contestants:
        label = contestant.label
        # A median over different machines would mean nothing.
        middle = median(times[label]) if times[label] and not machines else inf
        scores.append(
            ContestantStatus(
                contestant=contestant,
                planned=counts[label],
                statuses=dict(statuses[label].most_common()),
                solved=solved[label],
                seconds=middle if middle < inf else None,
            )
        )
    finished = sum(map(len, times_of.values()))
    return CampaignStatus(
        path=store.path,
        about=about,
        planned=counts.total(),
        missing=counts.total() - finished,
        scores=tuple(scores),
        findings=tuple((judged.instance, finding) for judged, finding in results.findings),
        outside=store.made - finished,
        writer=current_writer(store),
        machines=machines,
        limits_by=tuple(sorted(limits_by - {""})),
    )


# the plan's names count
_OF_PLAN = {"puzzle": "plan.puzzle", "contestant": "plan.contestant", "spec": "plan.spec"}
_JUDGED = [_OF_PLAN.get(name, name) for name in JUDGED.kinds if name not in ("repetition", "key")]
# Times differ between equal runs, and matter to a judge only if some are unexplained (`crosslit.runs.run.unexplained`).
_GAP = (
    f"status IN {tuple(sorted(ENDED))} AND max(total + overhead - wall, cpu - overhead - total * threads,"
    f" wall - overhead - total - delayed) > max({GAP_SECONDS}, {GAP_SHARE} * wall)"
)
_MACHINE = ("processor", "processors", "machine_memory_mb", "governor", "limits_by")
_Group = tuple[tuple[int, str], list[float]]  # the first repetition and its key, and the seconds of all
_END = 3 + len(_MACHINE)  # of the columns before those that a judge looks at


def _finished(store: Store) -> tuple[dict[tuple[Any, ...], _Group], Counter[MachineKind], set[str]]:
    """Return the finished runs of the plan, the kinds of their machines, and the means that enforced their limits.

    Runs that a judge cannot distinguish are a group; the columns of the group are those of `JUDGED`, without the last
    two, then whether the run is on its planned puzzle and, if its times are unexplained, its key.
    """
    groups: dict[tuple[Any, ...], _Group] = {}
    kinds: Counter[tuple[Any, ...]] = Counter()
    machines: Counter[MachineKind] = Counter()
    columns = (
        "plan.repetition",
        "key",
        "total",
        *_MACHINE,
        *_JUDGED,
        "plan.puzzle = runs.puzzle",
        f"CASE WHEN {_GAP} THEN key END",
    )
    with store.understood():
        for row in store.scan(f"SELECT {', '.join(columns)} FROM plan JOIN runs USING (key)"):
            found = groups.get(judged := row[_END:])
            # the first repetition, since judges name the first of equal runs
            if found is None or row[:2] < found[0]:
                found = groups[judged] = row[:2], found[1] if found else []
            found[1].append(row[2])
            kinds[row[3:_END]] += 1
        for (processor, processors, memory, governor, _), count in kinds.items():
            machines[processor, processors, round(memory / 1024), governor] += count
    return groups, machines, {kind[-1] for kind in kinds}


def _rows(store: Store, groups: Mapping[tuple[Any, ...], _Group]) -> Iterator[Row]:
    """Yield the first run of each group; unless its times are unexplained, with the columns of `JUDGED` only."""
    yield from store.rows(store.values([judged[-1] for judged in groups if judged[-1] is not None]))
    with store.understood():
        if not all(judged[-2] for judged in groups):
            raise ValueError("a run is on another puzzle than planned")
        first = [(*judged[:-2], *at) for judged, (at, _) in groups.items() if judged[-1] is None]
        values = JUDGED.check(first)
    yield from store.rows(values, partial(judged_row, about=store.about))
