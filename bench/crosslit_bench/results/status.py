"""The progress of a campaign and a first table of contestants, without statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.contract import PHASES
from crosslit.drawing.table import Table
from crosslit.judging.verdict import Finding
from crosslit.numbers import format_seconds, one_line
from crosslit.runs.run import Run, Timing, unexplained
from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.plan.plan import puzzles_of_share
from crosslit_bench.results.judged import WRONG, judgement, load
from crosslit_bench.results.likeness import MachineKind, unlike_machines
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

    def table(self) -> Table:
        """Return the table of contestants."""
        unsolved = [status for status in _HEADINGS if self.statuses.get(status)]
        is_grouped = any(score.contestant.group for score in self.scores)
        names = ["group", "backend"] if is_grouped else ["backend"]
        numbers = ["solved", "of", "wrong", *(_HEADINGS[status] for status in unsolved), "median"]
        table = Table(*names, *numbers, right=numbers, names=names)
        for score in self.scores:
            contestant = score.contestant
            asked = score.planned - score.statuses.get("unsupported", 0)
            cells = [one_line(contestant.group)] if is_grouped else []
            cells += [contestant.label, str(score.solved), str(asked), str(len(contestant.disqualified))]
            cells += [str(score.statuses.get(status, 0)) for status in unsolved]
            median_time = "-" if score.seconds is None else format_seconds(score.seconds, column=True)
            table.add_row(*cells, median_time, alarm=bool(contestant.disqualified))
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


def campaign_status(store: Store) -> CampaignStatus:
    """Return the progress of the campaign in a store.

    Only one of several equal runs is loaded and judged: for five repetitions, that takes a third of the time.
    """
    finished, kinds, limits_by = _finished(store)
    results = load(store, {judged_as for _, judged_as, _ in finished.values()})
    rows = {row.key: row for row in results.rows}
    comparisons = {result.instance.puzzle.id: result.comparison for result in results.judged}
    right = {key: judgement(row.run, comparisons[row.puzzle]) == "right" for key, row in rows.items()}
    about, planned = results.about, results.planned
    if about.shard:
        share = puzzles_of_share(comparisons, *about.shard)
        planned = tuple(run for run in planned if run.key in finished or run.puzzle.id in share)
    machines = tuple(unlike_machines(kinds))
    counts = Counter(run.contestant for run in planned)
    runs: dict[str, list[tuple[str, float]]] = {}
    for label, judged_as, seconds in finished.values():
        runs.setdefault(label, []).append((judged_as, seconds))
    scores = []
    for contestant in results.contestants:
        made = runs.get(contestant.label, [])
        statuses = [rows[key].run.status for key, _ in made]
        asked = (run for run, status in zip(made, statuses, strict=True) if status != "unsupported")
        # Unsolved runs are infinite and not left out, so a median exists only if more than half are solved.
        times = [seconds if right[key] else inf for key, seconds in asked]
        middle = median(times) if times and not machines else inf  # over different machines it would mean nothing
        scores.append(
            ContestantStatus(
                contestant=contestant,
                planned=counts[contestant.label],
                statuses=dict(Counter(map(str, statuses)).most_common()),
                solved=sum(right[key] for key, _ in made),
                seconds=middle if middle < inf else None,
            )
        )
    return CampaignStatus(
        path=store.path,
        about=about,
        planned=len(planned),
        missing=len(planned) - len(finished),
        scores=tuple(scores),
        findings=tuple((judged.instance, finding) for judged, finding in results.findings),
        outside=store.made - len(finished),
        writer=current_writer(store),
        machines=machines,
        limits_by=tuple(sorted(limits_by - {""})),
    )


# the plan's names count, and then all that a judge looks at
_JUDGED = (
    *("plan.puzzle", "plan.spec", "status", "error", "bound", "trusts", "stray", "left_behind"),
    *("answer", "solutions", "runs.puzzle"),
)
_TIMES = (*PHASES, "cpu", "wall", "overhead", "delayed", "threads")
_MACHINE = ("processor", "processors", "machine_memory_mb", "governor", "limits_by")


def _finished(store: Store) -> tuple[dict[str, tuple[str, str, float]], Counter[MachineKind], set[str]]:
    """Return the finished runs of the plan, the kinds of their machines, and the means that enforced their limits.

    For each run, by its key: the contestant, the key of the first run that a judge cannot distinguish from it, and the
    seconds of its phases.
    """
    finished: dict[str, tuple[str, str, float]] = {}
    first: dict[tuple[Any, ...], str] = {}
    kinds: Counter[MachineKind] = Counter()
    means: set[str] = set()
    columns = ("key", "plan.contestant", *_JUDGED, *_TIMES, *_MACHINE)
    # By repetition, since judges name the first of equal runs.
    query = f"SELECT {', '.join(columns)} FROM plan JOIN runs USING (key) ORDER BY plan.repetition"
    with store.understood():
        for key, contestant, *values in store.select(query):
            judged, measured = values[: len(_JUDGED)], values[len(_JUDGED) : -len(_MACHINE)]
            *phases, cpu, wall, overhead, delayed, threads = measured
            timing = Timing(dict(zip(PHASES, phases, strict=True)), cpu, wall, overhead, delayed)
            # Times differ between equal runs, and matter to a judge only if some are unexplained.
            gap = unexplained(Run("", status=judged[2], timing=timing, threads=threads))
            finished[key] = contestant, first.setdefault((*judged, *gap), key), timing.total
            processor, processors, memory, governor, limits_by = values[-len(_MACHINE) :]
            kinds[processor, processors, round(memory / 1024), governor] += 1
            means.add(limits_by)
    return finished, kinds, means
