"""The results of a campaign: all runs of its plan with the verdicts on them, as records, as a frame and as a status.

Runs are judged when they are read, so there is no stored verdict that a later run refutes. A record of a run has the
columns `NAMES`, in exports, in frames and in Python. This module must not solve or rank. Only `Results.frame` and
`Results.times` need pandas.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from crosslit.base.records import csv_text, data_frame
from crosslit.base.text import Table, format_count, format_seconds, one_line
from crosslit.contract import FEWEST
from crosslit.contract.run import status_words
from crosslit.formats import FORMATS
from crosslit.judging.solutions import judge, judge_fewest
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Comparison, Finding
from crosslit.questions.formula import attributed
from crosslit_bench.plan import Contestant, Plan, PlannedRun, share
from crosslit_bench.spec import CampaignSpec, Instance
from crosslit_bench.store import RUN_COLUMNS, TIMES, Store, StoredRun

if TYPE_CHECKING:
    from pandas import DataFrame

WRONG = DISCREDITS - {"error"}
"""The problems of wrong answers; a crash only leaves its puzzle unsolved."""
DISQUALIFIES = WRONG - {DISAGREEMENT}
"""The problems that disqualify; a disagreement does not, because it is unknown who is wrong."""
SOLVED = ("complete", "limit")
"""The statuses of runs that answered the question: all solutions, or as many as were asked for."""
UNSOLVED = ("timeout", "memory", "one found", "gave-up", "error", "unsupported")

Measure = Literal["total", "cpu", "wall", "solve"]
MEASURES: dict[Measure, str] = {"total": "time", "cpu": "CPU time", "wall": "wall time", "solve": "search time"}
"""The name of each measure in reports."""

MACHINE = ("processor", "processors", "machine_memory_mb", "governor")
"""The columns that make two machines unlike, so that their times are not mixed."""
SETUP = ("crosslit", "python", "system", "host", *MACHINE, "clock_mhz", "container", "jobs", "limits_by")
"""The columns of software and machines, which the report and a comparison of two campaigns show."""
NAMES = (
    *("puzzle", "puzzle_id", "kind", "family", "rows", "columns", "size", "nullity", "difficulty", "density"),
    *("verdict", "evidence", "expected", "backend", "group", "spec", "seed", "repetition", "task"),
    *("judgement", "problems", "presses", "at_least"),
    *(name for name in RUN_COLUMNS if name != "bound"),  # which is `at_least`
    *("timeout", "cpu_timeout", "memory_limit_mb", "cores", "key"),
)
"""The columns of a record: the puzzle and the verdict of all runs on it, the contestant (``backend``), whether this run
is ``right``, ``wrong`` or ``unsolved``, what was stored, and the limits."""
_NOTHING = dict.fromkeys(("solutions", *TIMES, "memory_mb"))  # of an unsupported puzzle; a stored 0 would look fast
_WAITED = 0.1  # share of its wall time for which a disturbed run waited for a processor


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A contestant as it is compared: one for each machine, if there are unlike ones."""

    label: str
    group: str
    contestant: Contestant
    planned: int = 0  # number of its runs
    wrong: tuple[Finding, ...] = ()  # wrong answers, on any machine, which disqualify it


@dataclass(frozen=True)
class PuzzleResult:
    """A puzzle with its finished runs and the conclusion from them."""

    instance: Instance
    runs: tuple[StoredRun, ...]
    comparison: Comparison

    @property
    def name(self) -> str:
        """The name of the puzzle; without one, its size and the start of its id."""
        puzzle = self.instance.puzzle
        return puzzle.name or f"{puzzle.rows} x {puzzle.columns} {puzzle.id[:8]}"

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The columns of the puzzle."""
        puzzle, verdict = self.instance.puzzle, self.comparison.verdict
        status, evidence = str(verdict.status), verdict.evidence
        if status == "undecided" and verdict.at_least and self.comparison.limits.solutions == 1:
            status, evidence = "solvable", "witnessed"  # all that a campaign for the first solution asks
        words = (run.run.stats.get("difficulty") for run in self.runs)  # of the first run with that statistic
        return {
            "puzzle": self.name,
            "puzzle_id": puzzle.id,
            "kind": puzzle.kind,
            "family": self.instance.family,
            "rows": puzzle.rows,
            "columns": puzzle.columns,
            "size": self.instance.size,
            "nullity": self.comparison.nullity,
            "difficulty": next((str(word) for word in words if word), None),
            "density": puzzle.density,
            "verdict": status,
            "evidence": evidence,
            "expected": self.instance.expected,
        }

    def accused(self, finding: Finding) -> str:
        """Return the entrant that a finding is about, or the finding's spec if it is none's."""
        return next((run.label for run in self.runs if run.run.backend == finding.backend), finding.backend)

    @cached_property
    def judgements(self) -> list[str]:
        """Whether each run is ``right``, ``wrong`` or ``unsolved``."""
        disputed = {finding.backend for finding in self.comparison.findings if finding.problem == DISAGREEMENT}
        refuted = {finding.backend for finding in self.comparison.findings if finding.problem in DISQUALIFIES}
        found = []
        for run in (stored.run for stored in self.runs):
            answered = run.status in SOLVED
            wrong = run.backend in refuted and (answered or run.grids)
            found.append("wrong" if wrong else "right" if answered and run.backend not in disputed else "unsolved")
        return found

    def records(self, spec: CampaignSpec, groups: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield a record for each run, with the columns `NAMES`; the groups are those of entrants."""
        limits = {"timeout": spec.limits.timeout, "cpu_timeout": spec.limits.cpu_timeout, "cores": spec.limits.cores}
        shared = {**self.facts, "task": spec.task, **limits, "memory_limit_mb": spec.limits.memory_mb}
        problems: dict[str, dict[str, None]] = {}  # of each backend, each once
        for finding in self.comparison.findings:
            problems.setdefault(finding.backend, {})[finding.problem] = None
        for (planned, columns, run, label), judgement in zip(self.runs, self.judgements, strict=True):
            presses = run.presses if self.comparison.presses is not None else None
            record = {
                **shared,
                "backend": label,
                "group": groups[label],
                "spec": planned.spec,
                "seed": planned.seed,
                "repetition": planned.repetition,
                "key": planned.key,
                "problems": " ".join(problems.get(run.backend, ())),
                "judgement": judgement,
                "presses": presses and presses.best,
                "at_least": presses and presses.bound,
                **columns,
            }
            yield record | (_NOTHING if run.status == "unsupported" else {})


@dataclass(frozen=True, kw_only=True)
class Times:
    """The times of entrants on puzzles, as pandas frames with a row for each puzzle."""

    puzzles: DataFrame  # the facts of each puzzle
    seconds: DataFrame  # a column for each entrant: medians; inf if unsolved or not right, nan if not asked
    statuses: DataFrame  # of the same shape: different ones joined by " / "; empty without runs
    starts: Mapping[str, float]  # seconds to start the program of an entrant that is one
    entrants: tuple[Entrant, ...]
    spec: CampaignSpec
    measure: Measure = "total"

    @property
    def limit(self) -> float:
        """The least seconds that an unsolved run has taken."""
        return self.spec.run_limits.shortest

    @property
    def ranked(self) -> DataFrame:
        """The times without disqualified entrants."""
        return self.seconds[[entrant.label for entrant in self.entrants if not entrant.wrong]]

    @property
    def groups(self) -> dict[str, str]:
        """The group of each entrant."""
        return {entrant.label: entrant.group for entrant in self.entrants}

    def only(self, column: str, value: str) -> Times:
        """Return the part of one family or kind of puzzles."""
        rows = self.puzzles[column] == value
        parts = {name: getattr(self, name)[rows] for name in ("puzzles", "seconds", "statuses")}
        return replace(self, **parts)


@dataclass(frozen=True, kw_only=True)
class Results:
    """All results of a campaign."""

    path: Path
    spec: CampaignSpec
    shard: tuple[int, int] | None
    puzzles: tuple[PuzzleResult, ...]
    entrants: tuple[Entrant, ...]
    machines: tuple[str, ...]  # descriptions of unlike machines, with their numbers of runs; empty if all are alike
    outside: int  # number of stored runs that are not in the plan

    @property
    def planned(self) -> int:
        """The number of planned runs."""
        return sum(entrant.planned for entrant in self.entrants)

    @property
    def made(self) -> int:
        """The number of finished planned runs."""
        return sum(len(result.runs) for result in self.puzzles)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """A record for each finished run, by puzzle."""
        groups = {entrant.label: entrant.group for entrant in self.entrants}
        return [record for result in self.puzzles for record in result.records(self.spec, groups)]

    @cached_property
    def findings(self) -> list[tuple[PuzzleResult, Finding]]:
        """All findings, wrong answers first."""
        found = [(result, finding) for result in self.puzzles for finding in result.comparison.findings]
        return sorted(found, key=lambda pair: pair[1].problem not in WRONG)

    @property
    def wrong(self) -> list[tuple[PuzzleResult, Finding]]:
        """The wrong answers."""
        return [pair for pair in self.findings if pair[1].problem in WRONG]

    @property
    def errors(self) -> list[tuple[PuzzleResult, Finding]]:
        """The crashes and the answers that break the contract of a backend."""
        return [pair for pair in self.findings if pair[1].problem == "error"]

    @cached_property
    def disturbed(self) -> int:
        """The number of runs that other load disturbed."""
        return sum(is_disturbed(run.columns) for result in self.puzzles for run in result.runs)

    @property
    def disturbance(self) -> str:
        """A sentence on these runs; empty if there are none."""
        words = f"{self.disturbed:,} of {format_count(self.made, 'run')} disturbed by other load: times may be too long"
        return words if self.disturbed else ""

    @property
    def measure(self) -> Measure:
        """The usual measure: CPU time if it is limited, else the time of all phases."""
        return "total" if self.spec.limits.cpu_timeout is None else "cpu"

    @cached_property
    def frame(self) -> DataFrame:
        """The records as a pandas frame."""
        return data_frame(self.records, NAMES).astype(dict.fromkeys(TIMES, float))

    def times(self, measure: Measure | None = None) -> Times:
        """Return the times, by default by the usual measure: medians over repetitions and seeds."""
        import pandas as pd

        measure, frame = measure or self.measure, self.frame
        labels = [entrant.label for entrant in self.entrants]
        facts = pd.DataFrame([result.facts for result in self.puzzles]).set_index("puzzle_id")
        asked = frame[frame["status"] != "unsupported"]
        seconds = asked[measure].where(asked["judgement"] == "right", math.inf)
        medians = seconds.groupby([asked["puzzle_id"], asked["backend"]]).median().unstack()
        ends = frame[["puzzle_id", "backend", "status"]].drop_duplicates()
        statuses = ends.groupby(["puzzle_id", "backend"])["status"].agg(" / ".join).unstack()
        return Times(
            puzzles=facts,
            seconds=medians.reindex(index=facts.index, columns=labels).astype(float),
            statuses=statuses.reindex(index=facts.index, columns=labels).astype(object).fillna(""),
            starts=frame["start"].astype(float).groupby(frame["backend"]).median().dropna().to_dict(),
            entrants=self.entrants,
            spec=self.spec,
            measure=measure,
        )

    def conditions(self) -> dict[str, str]:
        """Return the conditions of the runs: limits, software and machines, each with its different values."""
        spec, records = self.spec, self.records
        found = {"limits of a run": spec.run_limits.words, "repetitions": str(spec.repetitions)}
        for name in SETUP:
            values = sorted({_shown(name, record[name]) for record in records} - {""})
            found[name.replace("_", " ")] = "; ".join(values)
        return found | {"disturbed": self.disturbance or "no run"}

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A row of the status for each entrant: its runs by status, its right answers, and its median time."""
        times: dict[str, dict[str, list[float]]] = {entrant.label: {} for entrant in self.entrants}
        statuses = {entrant.label: Counter[str]() for entrant in self.entrants}
        solved = Counter[str]()
        for result in self.puzzles:
            for run, judgement in zip(result.runs, result.judgements, strict=True):
                status, right = run.columns["status"], judgement == "right"
                statuses[run.label][status] += 1
                solved[run.label] += right
                if status != "unsupported":
                    seconds = run.columns[self.measure] if right else math.inf
                    times[run.label].setdefault(run.planned.puzzle_id, []).append(seconds)
        found = []
        for entrant in self.entrants:
            seconds = median(map(median, times[entrant.label].values())) if times[entrant.label] else math.inf
            found.append(
                {
                    "backend": entrant.label,
                    "group": entrant.group or None,
                    "version": entrant.contestant.version or None,
                    "planned": entrant.planned,
                    "made": statuses[entrant.label].total(),
                    "solved": solved[entrant.label],
                    "wrong": len(entrant.wrong),
                    "statuses": _by_frequency(statuses[entrant.label]),
                    "seconds": round(seconds, 6) if seconds < math.inf else None,
                }
            )
        return found

    @property
    def statuses(self) -> dict[str, int]:
        """The number of runs by status, the most frequent first."""
        return _by_frequency(Counter(run.columns["status"] for result in self.puzzles for run in result.runs))

    def table(self) -> Table:
        """Return the status as a table of entrants."""
        unsolved = [status for status in UNSOLVED if self.statuses.get(status)]
        names = ["group", "backend"] if any(row["group"] for row in self.rows) else ["backend"]
        made = ["made"] if self.made < self.planned else []
        numbers = ["solved", *made, "of runs", "wrong", *unsolved, "median"]
        table = Table(*names, *numbers, right=numbers)
        for row in self.rows:
            skipped = row["statuses"].get("unsupported", 0)
            runs = [row[name] - skipped for name in [*made, "planned"]]
            counts = [row["solved"], *runs, row["wrong"]]
            counts += [row["statuses"].get(status, 0) for status in unsolved]
            time = "-" if row["seconds"] is None else format_seconds(row["seconds"], column=True)
            heads = [one_line(row["group"] or ""), row["backend"]][-len(names) :]
            table.add_row(*heads, *map(str, counts), time, alarm=bool(row["wrong"]))
        return table

    def line(self) -> str:
        """Return the status on one line."""
        part = f" (shard {self.shard[0]} of {self.shard[1]})" if self.shard else ""
        parts = [f"{self.made} of {format_count(self.planned, 'run')} made{part}"]
        parts += [f"{count} {status_words(word, self.spec.run_limits)}" for word, count in self.statuses.items()]
        parts.append(format_count(len(self.wrong), "wrong answer"))
        parts += [f"{format_count(self.outside, 'run')} of an earlier plan, which do not count"] if self.outside else []
        return ", ".join(parts)

    def json(self) -> dict[str, Any]:
        """Return the status in its JSON form."""
        return {
            "store": str(self.path),
            "campaign": self.spec.name,
            "title": self.spec.title,
            "asked": self.spec.task,
            "limits": self.spec.run_limits.json(),
            "shard": "/".join(map(str, self.shard)) if self.shard else None,
            "planned": self.planned,
            "made": self.made,
            "outside": self.outside,
            "unlike_machines": list(self.machines),
            "disturbed": self.disturbed,
            "statuses": self.statuses,
            "wrong": len(self.wrong),
            "backends": self.rows,
            "findings": [
                {"puzzle": result.instance.puzzle.json(), **finding.json()} for result, finding in self.findings
            ],
        }


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _shown(name: str, value: Any) -> str:
    if name == "machine_memory_mb":
        return f"{value / 1024:.0f} GB"
    return f"{value:g}" if name == "clock_mhz" else str(value)


def is_disturbed(record: Mapping[str, Any]) -> bool:
    """Return whether the times of a run may be too long: the machine was busy, or the run waited for a processor."""
    if not record["wall"]:  # an unsupported puzzle
        return False
    return bool(record["machine_load"] > record["processors"] or record["delayed"] > _WAITED * record["wall"])


def load(path: Path) -> Results:
    """Return the results in a store, with all runs on each puzzle cross-checked.

    If unlike machines made the runs, each contestant is split into an entrant for each of them.
    """
    with Store(path) as store:
        spec, shard, plan, instances = store.spec, store.shard, store.plan(), store.instances
        due = share(plan.runs, shard)
        runs = sorted(store.runs(due), key=lambda run: (run.run.repetition, run.run.backend))
        outside = len(store.keys()) - len(runs)
    machines = Counter(map(_machine, runs)).most_common()
    names = {text: f"machine {number}" for number, (text, _) in enumerate(machines, 1)} if len(machines) > 1 else {}
    by_puzzle: dict[str, list[StoredRun]] = {}
    for run in runs:
        label = f"{run.label} on {names[_machine(run)]}" if names else run.label
        by_puzzle.setdefault(run.planned.puzzle_id, []).append(run._replace(label=label))
    puzzles = tuple(_judge(spec, instance, by_puzzle.get(instance.puzzle.id, [])) for instance in instances)
    entrants = tuple(_entrants(plan, due, puzzles))
    unlike = tuple(f"{names[text]}: {text}, {format_count(number, 'run')}" for text, number in machines if names)
    return Results(
        path=path, spec=spec, shard=shard, puzzles=puzzles, entrants=entrants, machines=unlike, outside=outside
    )


def _machine(run: StoredRun) -> str:
    return _machine_words(*map(run.columns.__getitem__, MACHINE))


@functools.cache
def _machine_words(*values: Any) -> str:
    """Return what makes two machines unlike, in words."""
    return ", ".join(filter(None, (f"{one_line(_shown(*pair)):.60}" for pair in zip(MACHINE, values, strict=True))))


def _judge(spec: CampaignSpec, instance: Instance, runs: list[StoredRun]) -> PuzzleResult:
    """Return a puzzle with the conclusion from its runs."""
    judge_runs = judge_fewest if spec.question == FEWEST.name else judge
    comparison = judge_runs(instance.puzzle, [run.run for run in runs], spec.run_limits)
    comparison.findings = attributed(instance.puzzle, comparison.findings, comparison.runs)
    comparison.findings += _contradictions(comparison, instance)
    return PuzzleResult(instance, tuple(runs), comparison)


def _entrants(plan: Plan, due: list[PlannedRun], puzzles: Iterable[PuzzleResult]) -> Iterator[Entrant]:
    """Yield the entrants of the contestants, with their planned runs and wrong answers."""
    planned = Counter(run.contestant for run in due)
    labels: dict[str, set[str]] = {}  # by contestant
    wrong: dict[str, dict[Finding, None]] = {}  # by contestant, each once
    for result in puzzles:
        for run in result.runs:
            labels.setdefault(run.planned.contestant, set()).add(run.label)
            for finding in result.comparison.findings:
                if finding.backend == run.run.backend and finding.problem in DISQUALIFIES:
                    wrong.setdefault(run.planned.contestant, {})[finding] = None
    for contestant in plan.contestants:
        own = contestant.label
        for place, label in enumerate(sorted(labels.get(own, {own}))):
            group = f"{contestant.group}{label.removeprefix(own)}".removeprefix(" on ")
            count = 0 if place else planned[own]  # a run is planned once, on whichever machine
            guilt = tuple(wrong.get(own, ()))
            yield Entrant(label=label, group=group, contestant=contestant, planned=count, wrong=guilt)


def _contradictions(comparison: Comparison, instance: Instance) -> Iterator[Finding]:
    """Yield what contradicts the verdict that the campaign expects."""
    if instance.expected is None:
        return
    max_solutions = {"unsolvable": 0, "unique": 1}.get(instance.expected, math.inf)
    if (found := comparison.verdict.at_least) > max_solutions:  # checked solutions refute the expectation itself
        detail = f"it says {instance.expected}; {format_count(found, 'solution')} found and checked by the rules"
        yield Finding(instance.source, DISAGREEMENT, detail)
        return
    accused = {finding.backend for finding in comparison.findings if finding.problem in DISCREDITS}
    for backend, run in {run.backend: run for run in comparison.runs if run.status == "complete"}.items():
        if backend not in accused:
            claim = {0: "unsolvable", 1: "unique"}.get(len(run.grids), "multiple")
            # of fewest presses, a complete run has given one solution of several
            if claim != instance.expected and not (run.grids and comparison.presses is not None):
                detail = f"it says {claim}; {instance.source} says {instance.expected}"
                yield Finding(backend, DISAGREEMENT, detail)


def exported(results: Results, form: str) -> Iterator[str]:
    """Yield an export in pieces: the runs as ``csv``, safe in spreadsheets, or ``jsonl``; the campaign as ``toml``."""
    if form == "toml":
        yield repeatable(results).toml
    elif form == "jsonl":
        yield from (json.dumps(unpacked(record)) + "\n" for record in results.records)
    else:
        yield csv_text(results.records, NAMES)


def unpacked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its columns in order, and those that are JSON decoded."""
    return {name: json.loads(record[name]) if name in ("stats", "trusts") else record[name] for name in NAMES}


def repeatable(results: Results) -> CampaignSpec:
    """Return the campaign with its puzzles in their one-line forms, so that it needs no other files of puzzles."""
    tables: dict[tuple[Any, ...], list[str]] = {}
    for puzzle, *others in (result.instance for result in results.puzzles):
        tables.setdefault(tuple(others), []).append(FORMATS["lines"].write(puzzle).strip())
    without, puzzles = results.spec.without_growth, []
    for (family, expected, source), lines in tables.items():
        growth = {"growth": False} if family in without else {}
        verdict = {"expected": expected, "source": source} if expected else {}
        puzzles.append({"family": family, **growth, **verdict, "puzzles": lines})
    return replace(results.spec, puzzles=tuple(puzzles))
