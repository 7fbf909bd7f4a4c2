"""The progress of a campaign and a first table of contestants, without statistics."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.numbers import format_seconds, one_line
from crosslit.base.table import Table
from crosslit.contract import SOLUTIONS
from crosslit.contract.run import ENDED, GAP_SECONDS, GAP_SHARE
from crosslit.judging.verdict import Finding
from crosslit_bench.plan.campaign import CampaignSpec, Instance, puzzles_of_share
from crosslit_bench.results.frame import (
    SOLVED,
    WRONG,
    Contestant,
    MachineKind,
    few_collections,
    is_disturbed,
    load,
    unlike_machines,
    usual_measure,
)
from crosslit_bench.store.merge import Writer, current_writer
from crosslit_bench.store.rows import StoredRun
from crosslit_bench.store.schema import PREFIX, doubtful_puzzles
from crosslit_bench.store.store import Store

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

    ``seconds`` is the median that the report has: over puzzles, of the median over repetitions and seeds, by the usual
    measure, unsolved runs counting as inf; None if it is inf, without runs, and if runs are from unlike machines.
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
    disturbed: int  # number of finished runs that other load disturbed
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
        return _by_number(sum((Counter(score.statuses) for score in self.scores), Counter[str]()))

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
            "disturbed": self.disturbed,
            "statuses": self.statuses,
            "wrong": len(self.wrong),
            "contestants": [score.json() for score in self.scores],
            "findings": [
                {"puzzle": puzzle_json(instance.puzzle, None), **finding.json()} for instance, finding in self.findings
            ],
        }


@few_collections()
def campaign_status(store: Store) -> CampaignStatus:
    """Return the progress of the campaign in a store.

    Only puzzles whose runs may have findings are read and judged, only one of several equal runs on them, and only by
    the columns that a judge looks at.
    """
    about, rows = store.about, _finished(store)
    suspects = store.instances(_suspects(store, rows))
    results = load(store, (suspects, _rows(store, suspects)))
    rejected = {
        (judged.instance.puzzle.id, finding.backend) for judged, finding in results.findings if finding.problem in WRONG
    }
    made = Counter(map(itemgetter(3, 1), rows))
    # Unsolved runs are infinite and not left out, so a median exists only if more than half are solved.
    times: dict[str, defaultdict[str, list[float]]] = {planned.label: defaultdict(list) for planned in results.plan}
    for puzzle, status, _, label, spec, _, seconds, *_ in rows:
        if status != "unsupported":
            is_right = status in SOLVED and (puzzle, spec) not in rejected
            times[label][puzzle].append(seconds if is_right else inf)
    counts = Counter({planned.label: planned.planned for planned in results.plan})
    if about.shard:
        share = puzzles_of_share((puzzle for (puzzle,) in store.select("SELECT id FROM puzzles")), *about.shard)
        counts = Counter(row[3] for row in rows if row[0] not in share)
        for label, puzzle, count in store.select("SELECT contestant, puzzle, count(*) FROM plan GROUP BY 1, 2"):
            counts[label] += count if puzzle in share else 0
    kinds, limits_by = _machines(rows)
    machines = tuple(unlike_machines(kinds))
    scores = []
    for contestant in results.contestants:
        label = contestant.label
        statuses = Counter({status: count for (of, status), count in made.items() if of == label})
        # a median over different machines would mean nothing
        middles = (runs[0] if len(runs) == 1 else median(runs) for runs in times[label].values())
        middle = median(middles) if times[label] and not machines else inf
        scores.append(
            ContestantStatus(
                contestant=contestant,
                planned=counts[label],
                statuses=_by_number(statuses),
                solved=sum(seconds < inf for runs in times[label].values() for seconds in runs),
                seconds=middle if middle < inf else None,
            )
        )
    return CampaignStatus(
        path=store.path,
        about=about,
        planned=counts.total(),
        missing=counts.total() - len(rows),
        disturbed=sum(is_disturbed(dict(zip(_LOAD, row[-len(_LOAD) :], strict=True))) for row in rows),
        scores=tuple(scores),
        findings=tuple((judged.instance, finding) for judged, finding in results.findings),
        outside=store.made - len(rows),
        writer=current_writer(store),
        machines=machines,
        limits_by=tuple(sorted(limits_by - {""})),
    )


def _by_number(statuses: Counter[str]) -> dict[str, int]:
    """Return the number of runs by status, the most frequent first, and equal ones in the order of their names."""
    return dict(sorted(statuses.items(), key=lambda item: (-item[1], item[0])))


_JUDGED = "plan.puzzle, plan.contestant, plan.spec, status, error, bound, trusts, stray, left_behind, answer, solutions"
"""The columns on which verdicts depend; times matter too if some are unexplained."""
# Times differ between equal runs, and matter to a judge only if some are `crosslit.contract.run.unexplained`.
_GAP = (
    f"status IN {tuple(sorted(ENDED))} AND max(total + overhead - wall, cpu - overhead - total * threads,"
    f" wall - overhead - total - delayed) > max({GAP_SECONDS}, {GAP_SHARE} * wall)"
)
_IS_SUSPECT = f"stray != '' OR left_behind OR plan.puzzle != runs.puzzle OR {_GAP}"
_MACHINE = ("processor", "processors", "machine_memory_mb", "governor", "limits_by")
_LOAD = ("machine_load", "processors", "delayed", "wall")
_RUNS = "FROM plan JOIN runs USING (key)"
# a claim, contestant, spec, whether the course of the run is suspect, seconds, machine, load
_Finished = tuple[Any, ...]


def _finished(store: Store) -> list[_Finished]:
    """Return the finished runs of the plan."""
    seconds = usual_measure(store.about.limits)
    columns = ["plan.puzzle", "status", "answer", "plan.contestant", "plan.spec", _IS_SUSPECT, seconds]
    columns += [*_MACHINE, *_LOAD]
    found = store.select(f"SELECT {', '.join(columns)} {_RUNS}")
    for types in {tuple(map(type, row)) for row in found}:  # few, of many rows
        if bytes in types or not {types[6], types[9], *types[-len(_LOAD) :]} <= {int, float}:
            raise InputError(str(store.path), "cannot be read: a run has a value of another type")
    return found


def _machines(rows: Iterable[_Finished]) -> tuple[Counter[MachineKind], set[str]]:
    """Return the number of runs by kind of machine, and the means that enforced their limits."""
    kinds: Counter[MachineKind] = Counter()
    found = Counter(map(itemgetter(*range(7, 7 + len(_MACHINE))), rows))
    for (processor, processors, memory, governor, _), count in found.items():
        kinds[processor, processors, round(memory / 1024), governor] += count
    return kinds, {limits_by for *_, limits_by in found}


def _suspects(store: Store, rows: Iterable[_Finished]) -> set[str]:
    """Return the puzzles whose runs may have findings."""
    if store.about.question != SOLUTIONS.name:
        return {row[0] for row in rows}
    noted = {name for (name,) in store.select("SELECT name FROM about WHERE name GLOB ?", f"{PREFIX}*")}
    expected = store.select("SELECT id FROM puzzles WHERE json_extract(facts, '$.expected') IS NOT NULL")
    found = doubtful_puzzles(set(map(itemgetter(0, 1, 2), rows)), noted)
    return found | {puzzle for (puzzle,) in expected} | {row[0] for row in rows if row[5]}


def _rows(store: Store, instances: Sequence[Instance]) -> Iterator[StoredRun]:
    """Yield one of the runs on some puzzles that a judge cannot distinguish: of the first repetition, as judges do."""
    where = "WHERE plan.puzzle IN (SELECT value FROM json_each(?))"
    alike = f"{_JUDGED}, CASE WHEN {_GAP} THEN key END, plan.puzzle = runs.puzzle"
    query = f"SELECT min(plan.repetition), key {_RUNS} {where} GROUP BY {alike}"
    groups = store.select(query, json.dumps([one.puzzle.id for one in instances]))
    yield from store.rows(store.values([key for _, key in groups]), instances)
