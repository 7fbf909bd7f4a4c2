"""The results of a campaign: its stored runs with the verdicts on them, as one pandas frame, and their table of times.

Runs are judged, and exported, without pandas; tables, statistics and reports are functions of the frame.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from crosslit.base.numbers import format_count, one_line
from crosslit.base.records import csv_line, data_frame
from crosslit.contract import PHASES, QUESTIONS
from crosslit.contract.run import Limits, Run
from crosslit.judging import conclude
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Comparison, Finding
from crosslit_bench.plan.campaign import PAR, CampaignSpec, Expectation, Instance, expectation
from crosslit_bench.store.rows import COLUMNS, StoredRun
from crosslit_bench.store.store import PlannedContestant, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame

WRONG = DISCREDITS - {"error"}
"""The problems of wrong answers; a crash only leaves its puzzle unsolved."""
DISQUALIFIES = WRONG - {DISAGREEMENT}
"""The problems that disqualify; a disagreement does not, because it is unknown who is wrong."""
SOLVED = ("complete", "limit")
"""The statuses of runs that answered the question: all solutions, or as many as requested."""

Measure = Literal["total", "cpu", "wall", "solve"]
"""The time to compare: all phases of a run, CPU time, wall time of its process, or only the search."""
MEASURES: dict[Measure, str] = {"total": "time", "cpu": "CPU time", "wall": "wall time", "solve": "search time"}
"""The name of each measure in reports."""

ADDED = (
    *("puzzle_name", "family", "size", "kind", "rows", "columns", "nullity", "difficulty", "density"),
    *("verdict", "evidence", "expected", "judgement", "problems"),
)
"""The columns after those of a run: its puzzle, the verdict of all runs on it, whether this run is ``right``, ``wrong``
or ``undecided`` (it makes no claim that could be judged), and its problems."""
NAMES = (*COLUMNS, *ADDED)
TIMES = (*PHASES, "total", "cpu", "wall", "overhead", "delayed")
_EMPTY = {"unsupported": dict.fromkeys(("solutions", *TIMES, "memory_mb"))}  # by status: a stored 0 would look fast

MachineKind = tuple[str, int, int, str]
"""Processor, number of processors, memory in 2^30 bytes, governor: equal for machines whose times can be compared."""
CONDITIONS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "Crosslit": lambda run: run["crosslit"],
    "host": lambda run: run["host"],
    "processor": lambda run: run["processor"],
    "processors": lambda run: str(run["processors"]),
    "clock": lambda run: f"{run['clock_mhz']:g} MHz" if run["clock_mhz"] else "unknown",
    "governor": lambda run: run["governor"] or "unknown",
    "memory": lambda run: f"{run['machine_memory_mb'] / 1024:.0f} GB",
    "container": lambda run: run["container"] or "none",
    "system": lambda run: run["system"],
    "Python": lambda run: run["python"],
    "runs side by side": lambda run: str(run["side_by_side"]),
    "runs made by": lambda run: run["carrier"],
}
"""The conditions of a run that may change its time, as texts."""

_MAX_LENGTH = 60  # shown characters of a processor's model
_WAITED = 0.1  # share of its wall time that a disturbed run waited for a processor
_NESTED = ("stats", "trusts")


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
class TimeTable:
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

    def among(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> TimeTable:
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
    def ranked(self) -> TimeTable:
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

    def of_family(self, family: str) -> TimeTable:
        """Return the part of one family of puzzles."""
        return self.among(rows=[index for index, entry in enumerate(self.entries) if entry.family == family])

    def of_kind(self, kind: str) -> TimeTable:
        """Return the part of one kind of puzzle."""
        return self.among(rows=[index for index, entry in enumerate(self.entries) if entry.kind == kind])


@dataclass(frozen=True)
class PuzzleResult:
    """A puzzle with its finished runs and the conclusion from them."""

    instance: Instance
    rows: tuple[StoredRun, ...]  # by repetition and spec
    comparison: Comparison

    @property
    def name(self) -> str:
        """The name of the puzzle; without one, its size and the start of its id."""
        puzzle = self.instance.puzzle
        return puzzle.name or f"{puzzle.rows} x {puzzle.columns} {puzzle.id[:8]}"

    @property
    def entry(self) -> Entry:
        """The puzzle in the table of times."""
        puzzle, verdict = self.instance.puzzle, self.comparison.verdict
        # the first run with that statistic
        words: list[Any] = [row.run.stats.get("difficulty") for row in self.rows]
        return Entry(
            id=puzzle.id,
            name=self.name,
            family=self.instance.family,
            kind=puzzle.kind,
            rows=puzzle.rows,
            columns=puzzle.columns,
            size=self.instance.size,
            nullity=self.comparison.nullity,
            difficulty=next((str(word) for word in words if word), None),
            density=puzzle.density,
            verdict=verdict.status,
            evidence=verdict.evidence,
        )

    def accused(self, finding: Finding) -> str:
        """Return the contestant that a finding is about, or the finding's spec if it is no contestant's."""
        return {row.run.backend: row.label for row in self.rows}.get(finding.backend, finding.backend)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield a record for each run; it has `NAMES`, and ``label`` for the contestant as it is compared."""
        expected = self.instance.facts.get("expected")
        shared = {"puzzle_name": self.instance.puzzle.name, **vars(self.entry), "expected": expected}
        problems: dict[str, dict[str, None]] = {}
        for finding in self.comparison.findings:
            problems.setdefault(finding.backend, {})[finding.problem] = None
        for row in self.rows:
            found = problems.get(row.run.backend, {})
            judged = {"judgement": judgement(row.run, found.keys()), "problems": " ".join(found), "label": row.label}
            yield {**row.values, **_EMPTY.get(row.run.status, {}), **shared, **judged}


@dataclass(frozen=True, kw_only=True)
class Results:
    """All results of a campaign."""

    about: CampaignSpec
    plan: tuple[PlannedContestant, ...]
    judged: tuple[PuzzleResult, ...]  # in the order of the campaign
    contestants: tuple[Contestant, ...]  # in the order of their groups, including disqualified ones
    # names of the kinds of machines if they differ, so that contestants are split by them; else empty
    machines: Mapping[MachineKind, str] = field(default_factory=dict)

    @property
    def planned(self) -> int:
        """The number of planned runs."""
        return sum(contestant.planned for contestant in self.plan)

    @property
    def made(self) -> int:
        """The number of finished runs."""
        return sum(len(judged.rows) for judged in self.judged)

    @property
    def disturbed(self) -> int:
        """The number of finished runs that `is_disturbed`."""
        return sum(is_disturbed(row.values) for judged in self.judged for row in judged.rows)

    @property
    def findings(self) -> list[tuple[PuzzleResult, Finding]]:
        """All findings, wrong answers first."""
        found = [(judged, finding) for judged in self.judged for finding in judged.comparison.findings]
        return sorted(found, key=lambda pair: pair[1].problem not in WRONG)

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each finished run of the plan, in its order, with the columns `NAMES`."""
        rows = [pair for judged in self.judged for pair in zip(judged.rows, judged.records(), strict=True)]
        return [record for _, record in sorted(rows, key=lambda pair: pair[0].place)]

    @cached_property
    def frame(self) -> DataFrame:
        """The finished runs by puzzle, as a pandas frame with the columns `NAMES` and ``label``."""
        return data_frame((record for judged in self.judged for record in judged.records()), (*NAMES, "label"))

    def setups(self) -> dict[tuple[str, ...], list[Mapping[str, Any]]]:
        """Return the stored values of runs by their kind of machine and their `CONDITIONS`, as texts."""
        found: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
        for judged in self.judged:
            for row in judged.rows:
                texts = (read(row.values) for read in CONDITIONS.values())
                found.setdefault((self.machines.get(row.machine, "unknown"), *texts), []).append(row.values)
        return found

    def by_machine(self) -> Results:
        """Return the results with the contestants split by kind of machine, so that no figure mixes their times."""
        names = names_of(Counter(row.machine for judged in self.judged for row in judged.rows))
        if not names:
            return self
        judged = []
        for result in self.judged:
            rows = (row._replace(label=f"{row.label} on {names[row.machine]}") for row in result.rows)
            judged.append(dataclasses.replace(result, rows=tuple(rows)))
        made = {row.label for result in judged for row in result.rows}
        contestants = []
        for contestant in self.contestants:
            # A contestant without any run yet stays in the table under its plain name. Wrong answers disqualify a
            # contestant on all machines.
            labels = {f"{contestant.label} on {name}": name for name in names.values()}
            places = {label: name for label, name in labels.items() if label in made}
            contestants += [] if places else [contestant]
            for label, name in places.items():
                group = f"{contestant.group} on {name}" if contestant.group else name
                contestants.append(dataclasses.replace(contestant, label=label, group=group))
        return dataclasses.replace(self, judged=tuple(judged), contestants=tuple(contestants), machines=names)

    def table(self, measure: Measure = "total") -> TimeTable:
        """Return the table of times: medians over repetitions and seeds."""
        frame, ids = self.frame, [judged.instance.puzzle.id for judged in self.judged]
        labels = [contestant.label for contestant in self.contestants]
        # NaN for "not asked" and infinity for "not solved": a missing run must never look like a fast or slow one.
        seconds = frame[measure].astype(float).where(frame["judgement"] == "right", math.inf)
        times = seconds[frame["status"] != "unsupported"].groupby([frame["puzzle"], frame["label"]]).median().unstack()
        ends = frame[["puzzle", "label", "status"]].drop_duplicates()
        statuses = ends.groupby(["puzzle", "label"])["status"].agg(" / ".join).unstack()
        return TimeTable(
            entries=tuple(judged.entry for judged in self.judged),
            contestants=self.contestants,
            seconds=times.reindex(index=ids, columns=labels).to_numpy(float),
            statuses=statuses.reindex(index=ids, columns=labels).astype(object).fillna("").to_numpy(str),
            limit=self.about.limits.shortest,
            measure=measure,
            floor=self.about.floor,
            without_growth=self.about.without_growth,
            par=self.about.par,
        )


def judgement(run: Run, problems: Iterable[str]) -> Literal["right", "wrong", "undecided"]:
    """Return whether a run's answer is right, judged by the problems that all runs on its puzzle show.

    Findings are per backend and puzzle: if one repetition is wrong, all repetitions with an answer count as wrong.
    """
    answered, found = run.status in SOLVED, set(problems)
    if (answered or run.grids) and found & DISQUALIFIES:
        return "wrong"
    return "right" if answered and DISAGREEMENT not in found else "undecided"


@contextmanager
def few_collections() -> Iterator[None]:
    """Collect garbage rarely: rows are many objects without cycles, and looking for some took a quarter of the time."""
    threshold = gc.get_threshold()
    gc.set_threshold(100_000)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)


@few_collections()
def load(store: Store, chosen: tuple[Sequence[Instance], Iterable[StoredRun]] | None = None) -> Results:
    """Return the results of the campaign in a store, with all runs on each puzzle cross-checked.

    The runs are the finished ones of the plan, or some on some puzzles.
    """
    about, planned = store.about, store.contestants()
    instances, found = (store.instances(), store.rows()) if chosen is None else chosen
    by_puzzle: dict[str, list[StoredRun]] = {}
    for row in found:
        by_puzzle.setdefault(row.values["puzzle"], []).append(row)
    question, judged = QUESTIONS[about.question], []
    wrong: dict[str, list[Finding]] = {}
    for instance in instances:
        rows = by_puzzle.get(instance.puzzle.id, [])
        # The order in which runs ended depends on the machine, and a verdict must not.
        rows.sort(key=lambda row: (row.run.repetition, row.run.backend))
        comparison: Comparison = conclude(question, instance.puzzle, [row.run for row in rows], about.limits)
        if (expected := expectation(instance)) is not None:
            comparison.findings += _contradictions(comparison, expected)
        judged.append(result := PuzzleResult(instance, tuple(rows), comparison))
        for finding in comparison.findings:
            if finding.problem in DISQUALIFIES:
                wrong.setdefault(result.accused(finding), []).append(finding)
    order = {group: index for index, group in enumerate(about.contestants)}
    contestants = tuple(
        Contestant(label=label, group=group, version=version, disqualified=tuple(wrong.get(label, ())))
        for label, group, version, _ in sorted(
            planned, key=lambda item: (order.get(item.group, len(order)), item.label)
        )
    )
    return Results(about=about, plan=tuple(planned), judged=tuple(judged), contestants=contestants)


def _contradictions(comparison: Comparison, expected: Expectation) -> Iterator[Finding]:
    verdict, source = expected
    max_solutions = {"unsolvable": 0, "unique": 1}.get(verdict)
    # Checked solutions refute the expectation itself, so no backend is blamed.
    if max_solutions is not None and comparison.verdict.at_least > max_solutions:
        number = format_count(comparison.verdict.at_least, "solution")
        yield Finding(source, DISAGREEMENT, f"it says {verdict}; {number} found and checked by the rules")
        return
    # A backend whose error is known already is not named a second time.
    accused = {finding.backend for finding in comparison.findings if finding.problem in DISCREDITS}
    for run in comparison.runs:
        if run.status == "complete" and run.backend not in accused:
            accused.add(run.backend)
            claim = ("unsolvable", "unique", "multiple")[min(2, len(run.grids))]
            # a run for the fewest presses makes no claim about other solutions
            if claim != verdict and not (run.grids and comparison.presses is not None):
                yield Finding(run.backend, DISAGREEMENT, f"it says {claim}; {source} says {verdict}")


def written(records: Iterable[Mapping[str, Any]], form: str) -> Iterator[str]:
    """Yield the lines of a file of records, ``csv`` or ``jsonl``.

    In CSV, a ``'`` precedes text that a spreadsheet would take for a formula, because names and errors come from
    untrusted files and programs; JSON lines are unchanged.
    """
    if form == "jsonl":
        for record in records:
            yield json.dumps(unpacked(record)) + "\n"
        return
    yield csv_line(NAMES)
    for record in records:
        yield csv_line([record[name] for name in NAMES])


def unpacked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as it is exported, with its JSON columns decoded."""
    return {name: json.loads(record[name]) if name in _NESTED else record[name] for name in NAMES}


def is_loaded(run: Mapping[str, Any]) -> bool:
    """Return whether the load of the machine exceeded its number of processors during a run, if that began."""
    return bool(run["wall"] > 0 and run["machine_load"] > run["processors"])


def has_waited(run: Mapping[str, Any]) -> bool:
    """Return whether a run waited for a processor for over a tenth of its wall time."""
    return bool(run["delayed"] > _WAITED * run["wall"])


def is_disturbed(run: Mapping[str, Any]) -> bool:
    """Return whether other load may have made the times of a run too long."""
    return is_loaded(run) or has_waited(run)


def disturbed_words(disturbed: int, made: int) -> str:
    """Return how many of the runs were disturbed, for readers of their times; empty if none was."""
    counts = f"{disturbed:,} of {format_count(made, 'run')}"
    return f"{counts} disturbed by other load: times may be too long" if disturbed else ""


def names_of(kinds: Counter[MachineKind]) -> dict[MachineKind, str]:
    """Return names for several kinds, numbered by descending number of runs; empty for a single kind."""
    ordered = sorted(kinds, key=lambda kind: (-kinds[kind], kind))
    return {kind: f"machine {number}" for number, kind in enumerate(ordered, 1)} if len(ordered) > 1 else {}


def unlike_machines(kinds: Counter[MachineKind]) -> list[str]:
    """Return descriptions of several kinds of machines, with their numbers of runs; empty for a single kind."""
    found = []
    for kind, name in names_of(kinds).items():
        processor, processors, memory, governor = kind
        parts = [f"{name}: {one_line(processor)[:_MAX_LENGTH]}", format_count(processors, "processor")]
        parts += [f"{memory} GB"] if memory else []
        parts += [f"governor {one_line(governor)}"] if governor else []
        found.append(", ".join([*parts, format_count(kinds[kind], "run")]))
    return found


def usual_measure(limits: Limits) -> Measure:
    """Return the default measure: CPU time if it is limited, else the time of all phases."""
    return "total" if limits.cpu_seconds is None else "cpu"
