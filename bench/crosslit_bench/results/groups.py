"""Groups of runs that no judge can distinguish: only one `Run` is built per group, as building them dominates reading.

A group is the repetitions of a contestant on a puzzle that ended in the same way with the same solutions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.contract import PHASES
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.runs.run import GAP_SECONDS, GAP_SHARE, Run, Timing
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.store.answers import check_solutions
from crosslit_bench.store.rows import check_columns
from crosslit_bench.store.store import WRONG_PUZZLE, Store

_PLAN = ("puzzle", "contestant", "spec", "seed")
_JUDGED = ("status", "error", "stray", "left_behind", "bound", "trusts", "answer", "solutions")
_TIMES = (*PHASES, "cpu", "wall", "overhead", "delayed", "threads")
_TOTAL = "(" + " + ".join(f"runs.{phase}" for phase in PHASES) + ")"
_OUTSIDE = f"(runs.wall - runs.overhead - {_TOTAL})"
# `unexplained` in SQL, with a margin for rounding: a run with suspicious times is a group of one, and Python decides
_EXPLAINED = (
    f"max(-{_OUTSIDE}, runs.cpu - runs.overhead - {_TOTAL} * runs.threads, {_OUTSIDE} - runs.delayed)"
    f" <= 0.999 * max({GAP_SECONDS}, {GAP_SHARE} * runs.wall)"
)
# a column of a damaged file holds values of any type, and in SQL every text is larger than every number
_NUMBERS = " AND ".join(
    f"runs.{name} BETWEEN {-1e9 if name in ('overhead', 'delayed') else 0} AND 1e9" for name in _TIMES
)
_SHARED = {
    **{name: f"plan.{name}" for name in _PLAN},
    **{name: f"runs.{name}" for name in _JUDGED},
    "made": "runs.key IS NOT NULL",
    "expected": "runs.puzzle IS plan.puzzle",
    "odd": f"CASE WHEN runs.key IS NULL OR ({_NUMBERS} AND {_EXPLAINED}) THEN '' ELSE runs.key END",
}
_OWN = ("plan.place", "plan.repetition", _TOTAL)
_QUERY = f"SELECT {', '.join([*_SHARED.values(), *_OWN])} FROM plan LEFT JOIN runs USING (key)"


@dataclass(frozen=True, kw_only=True)
class RunGroup:
    """Planned runs of a contestant on a puzzle that a judge cannot distinguish, or that are missing.

    Args:
        first: the first of them in the order of the plan.
        size: number of runs.
        run: the earliest repetition, with its times only if they may be a finding; None for missing runs.
        seconds: total time of each run's phases; empty for missing runs.
    """

    first: PlannedRun
    size: int
    run: Run | None
    seconds: Sequence[float]


def run_groups(store: Store) -> Iterator[RunGroup]:
    """Yield the planned runs of a store, finished or missing, in groups.

    One run of each group, sorted by repetition and backend, gives a judge the same findings as all runs, because it
    reports nothing twice and names the first of equal runs.

    Raises:
        InputError: if a value is damaged; columns that are not read here, such as the statistics, are not checked.
    """
    puzzles = {instance.puzzle.id: instance.puzzle for instance in store.instances()}
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in store.select(_QUERY):
        # Grouped in Python: in SQL it took 0.60 s instead of 0.52 for 100,000 rows.
        groups.setdefault(row[: -len(_OWN)], []).append(row[-len(_OWN) :])
    with store.understood():
        earliest = {min(members)[0]: shared for shared, members in groups.items()}
        firsts = {first.place: first for first in store.planned(earliest)}
    answers: dict[str, list[Grid]] = {"": []}
    for place, shared in earliest.items():
        with store.understood():
            values = dict(zip(_SHARED, shared, strict=True))
            _, repetitions, seconds = zip(*groups[shared], strict=True)
            values["repetition"] = min(repetitions)
            run = _run(store, values, puzzles, answers) if values["made"] else None
            yield RunGroup(
                first=firsts[place],
                size=len(seconds),
                run=run,
                seconds=seconds if run else (),
            )


def _run(store: Store, values: dict[str, Any], puzzles: Mapping[str, Puzzle], answers: dict[str, list[Grid]]) -> Run:
    """Return a run that represents its group."""
    check_columns({name: values[name] for name in _JUDGED})
    if not values["expected"]:
        raise ValueError(WRONG_PUZZLE)
    answer = values["answer"]
    if answer not in answers:
        answers[answer] = store.answer(answer).grids()
    grids = answers[answer]
    check_solutions(puzzles[values["puzzle"]], grids, values["solutions"])
    timing, threads = Timing(), 1
    # Times are read only if they may be a finding, since a group otherwise represents runs with different times.
    if values["odd"]:
        (row,) = store.select(f"SELECT {', '.join(_TIMES)} FROM runs WHERE key = ?", values["odd"])
        times = dict(zip(_TIMES, row, strict=True))
        check_columns(times)
        threads = times.pop("threads")
        timing = Timing({phase: times.pop(phase) for phase in PHASES}, **times)
    return Run(
        backend=values["spec"],
        trusted_base=frozenset(json.loads(values["trusts"])),
        status=values["status"],
        grids=grids,
        timing=timing,
        threads=threads,
        error=values["error"],
        stray=values["stray"],
        repetition=values["repetition"],
        bound=values["bound"],
        left=values["left_behind"],
    )
