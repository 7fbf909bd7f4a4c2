"""The judged results of a campaign: the cross-checked runs of every puzzle, and the table of times."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Literal

from crosslit.contract import QUESTIONS
from crosslit.judging import conclude
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Comparison, Finding
from crosslit.numbers import format_count
from crosslit.runs.run import Run
from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.plan.sources import Expectation, expectation
from crosslit_bench.results.likeness import MachineKind, split
from crosslit_bench.results.table import Contestant, Entry, Measure, Table
from crosslit_bench.store.rows import Row
from crosslit_bench.store.store import PlannedContestant, Store

WRONG = DISCREDITS - {"error"}
"""The problems of wrong answers; a crash only leaves its puzzle unsolved."""
DISQUALIFIES = WRONG - {DISAGREEMENT}
"""The problems that disqualify; a disagreement does not, because it is unknown who is wrong."""
SOLVED = ("complete", "limit")
"""The statuses of runs that answered the question: all solutions, or as many as requested."""


@dataclass(frozen=True)
class PuzzleResult:
    """A puzzle with its finished runs and the conclusion from them."""

    instance: Instance
    rows: tuple[Row, ...]
    comparison: Comparison

    @property
    def name(self) -> str:
        """The name of the puzzle; without one, its size and the start of its id."""
        puzzle = self.instance.puzzle
        return puzzle.name or f"{puzzle.rows} x {puzzle.columns} {puzzle.id[:8]}"

    @property
    def difficulty(self) -> str | None:
        """The difficulty of the puzzle, from the first run with that statistic; None if there is none."""
        words: list[Any] = [row.run.stats.get("difficulty") for row in self.rows]
        return next((str(word) for word in words if word), None)

    def accused(self, finding: Finding) -> str:
        """Return the contestant that a finding is about, or the finding's spec if it is no contestant's."""
        return {row.run.backend: row.contestant for row in self.rows}.get(finding.backend, finding.backend)


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
    def rows(self) -> list[Row]:
        """All finished runs, by puzzle."""
        return [row for judged in self.judged for row in judged.rows]

    @property
    def findings(self) -> list[tuple[PuzzleResult, Finding]]:
        """All findings, wrong answers first."""
        found = [(judged, finding) for judged in self.judged for finding in judged.comparison.findings]
        return sorted(found, key=lambda pair: pair[1].problem not in WRONG)

    def by_machine(self) -> Results:
        """Return the results with the contestants split by kind of machine, so that no figure mixes their times."""
        rows, contestants, machines = split(self.rows, self.contestants)
        if not machines:
            return self
        known = {row.key: row for row in rows}
        judged = (replace(result, rows=tuple(known[row.key] for row in result.rows)) for result in self.judged)
        return replace(self, judged=tuple(judged), contestants=contestants, machines=machines)

    def table(self, measure: Measure = "total") -> Table:
        """Return the table of times: medians over repetitions and seeds."""
        import numpy as np

        columns = {contestant.label: column for column, contestant in enumerate(self.contestants)}
        # NaN for "not asked" and infinity for "not solved": a missing run must never look like a fast or slow one.
        seconds = np.full((len(self.judged), len(columns)), np.nan)
        statuses = np.full(seconds.shape, "", dtype=object)
        for index, result in enumerate(self.judged):
            runs: dict[int, list[Run]] = {}
            for row in result.rows:
                runs.setdefault(columns[row.contestant], []).append(row.run)
            for column, finished in runs.items():
                statuses[index, column] = " / ".join(dict.fromkeys(run.status for run in finished))
                times = [
                    time_of(run, measure) if judgement(run, result.comparison) == "right" else math.inf
                    for run in finished
                    if run.status != "unsupported"
                ]
                if times:
                    seconds[index, column] = median(times)
        return Table(
            entries=tuple(map(_entry, self.judged)),
            contestants=self.contestants,
            seconds=seconds,
            statuses=statuses.astype(str) if statuses.size else np.zeros(statuses.shape, str),
            limit=self.about.limits.shortest,
            measure=measure,
            floor=self.about.floor,
            without_growth=self.about.without_growth,
            par=self.about.par,
        )


def time_of(run: Run, measure: Measure = "total") -> float:
    """Return the time of a run in seconds; inf if it did not answer the question."""
    if run.status not in SOLVED:
        return math.inf
    return run.timing.phases["solve"] if measure == "solve" else float(getattr(run.timing, measure))


def judgement(run: Run, comparison: Comparison) -> Literal["right", "wrong", "undecided"]:
    """Return whether a run's answer is right, judged by the comparison of all runs on its puzzle.

    Findings are per backend and puzzle: if one repetition is wrong, all repetitions with an answer count as wrong.
    """
    answered = run.status in SOLVED
    problems = {finding.problem for finding in comparison.findings if finding.backend == run.backend}
    if (answered or run.grids) and problems & DISQUALIFIES:
        return "wrong"
    return "right" if answered and DISAGREEMENT not in problems else "undecided"


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
def load(store: Store, chosen: tuple[Sequence[Instance], Iterable[Row]] | None = None) -> Results:
    """Return the results of the campaign in a store, with all runs on each puzzle cross-checked.

    The runs are the finished ones of the plan, or those of some rows on some puzzles.
    """
    about, planned = store.about, store.contestants()
    instances, found = (store.instances(), store.rows()) if chosen is None else chosen
    by_puzzle: dict[str, list[Row]] = {}
    for row in found:
        by_puzzle.setdefault(row.puzzle, []).append(row)
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


def _entry(result: PuzzleResult) -> Entry:
    puzzle, comparison = result.instance.puzzle, result.comparison
    return Entry(
        id=puzzle.id,
        name=result.name,
        family=result.instance.family,
        kind=puzzle.kind,
        rows=puzzle.rows,
        columns=puzzle.columns,
        size=result.instance.size,
        nullity=comparison.nullity,
        difficulty=result.difficulty,
        density=puzzle.density,
        verdict=comparison.verdict.status,
        evidence=comparison.verdict.evidence,
    )
