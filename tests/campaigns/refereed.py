"""A campaign of 30 puzzles and 6 contestants with everything that a report can show, from synthetic times."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from crosslit_bench.plan.campaign import Instance
from crosslit_bench.results.judged import Results
from crosslit_bench.store.outcome import Outcome

from crosslit import Grid, Nonogram
from crosslit.contract import no_time
from crosslit.kinds.chance import random_grid
from crosslit.runs.run import Limits, Run, RunStatus, Timing
from tests.campaigns.reports import HERE, campaign
from tests.campaigns.synthetic import solvable, unsolvable

GROUPS = {"native": ("gauss", "line"), "SAT": ("cadical195/cut", "glucose4/cut"), "other": ("cpsat/table", "buggy")}
LIMITS = Limits(1, 5.0, 512)
RUNS = 2
# seconds = start + scale * exp(rate * n), on boards and on nonograms; none where it does not take that kind
_SPEED: dict[str, tuple[tuple[float, float, float] | None, tuple[float, float, float] | None]] = {
    "gauss": ((0.0004, 0.0001, 0.28), None),
    "line": (None, (0.002, 0.003, 0.10)),
    "cadical195/cut": ((0.004, 0.0003, 0.75), (0.004, 0.002, 0.22)),
    "glucose4/cut": ((0.003, 0.0002, 0.83), (0.003, 0.002, 0.221)),
    "cpsat/table": ((0.02, 0.0004, 0.90), (0.02, 0.004, 0.23)),
    "buggy": ((0.001, 0.0001, 0.50), (0.001, 0.001, 0.20)),
}
_SHAPES = ((10, 11), (15, 15), (20, 25), (12, 30), (30, 30), (25, 20), (16, 19), (35, 21), (40, 8), (9, 33))
_ODD: dict[tuple[str, str], RunStatus] = {
    ("cpsat/table", "picture 12 x 30"): "memory",
    ("line", "picture 35 x 21"): "gave-up",
    ("glucose4/cut", "board 8, no 0"): "error",
}


def _puzzles() -> Iterator[tuple[Instance, Grid | None]]:
    for n in range(4, 16, 2):
        for seed in (0, 1):
            yield solvable(seed, n, f"board {n}, no {seed}")
    for n in (4, 5, 9, 11):
        for seed in (0, 1):
            yield unsolvable(seed, n, f"hopeless {n}, no {seed}")
    for rows, columns in _SHAPES:
        grid = random_grid(random.Random(f"{rows} {columns}"), rows, columns, 0.6)
        puzzle = Nonogram.of(grid, f"picture {rows} x {columns}")
        yield (
            Instance(puzzle=puzzle, family="survey", size=math.sqrt(rows * columns), facts={"file": "survey.non"}),
            grid,
        )


def refereed(folder: Path, seed: int = 1) -> Results:
    """Return its results; the store is ``results.sqlite`` in the folder."""
    known = {instance.puzzle.id: grid for instance, grid in _puzzles()}
    rng = random.Random(seed)

    def run(instance: Instance, label: str) -> Outcome | None:
        rate = _SPEED[label][instance.puzzle.kind == "nonogram"]
        if (label, instance.puzzle.name) == ("cadical195/cut", "picture 40 x 8"):
            return None
        if rate is None:
            return Outcome(key="", run=Run("", status="unsupported"), circumstances=HERE)
        start, scale, growth = rate
        seconds = start + scale * math.exp(growth * instance.size) * math.exp(rng.gauss(0, 0.3))
        grid = known[instance.puzzle.id]
        grids = [grid] if grid is not None else []
        status: RunStatus = "limit" if grids else "complete"
        if label == "buggy" and instance.puzzle.name.endswith("no 1") and grids:
            status, grids = "complete", []
        if seconds > LIMITS.seconds:
            status = "timeout"
        status = _ODD.get((label, instance.puzzle.name), status)
        if status not in ("limit", "complete"):
            grids, seconds = [], min(seconds, LIMITS.seconds)
        phases = no_time()
        phases["encode"], phases["solve"] = seconds / 4, seconds * 3 / 4
        delayed = 0.2 * seconds if rng.random() < 0.05 else 0.0
        timing = Timing(phases, seconds * 0.98, seconds + 0.004 + delayed, 0.003, delayed)
        made = Run(
            "",
            version="1.0",
            trusted_base=frozenset({label}),
            status=status,
            grids=grids,
            timing=timing,
            memory_mb=25 + seconds,
            stats={"difficulty": ("line", "probe", "search")[rng.randrange(3)]} if label == "line" else {},
            error="out of luck" if status == "error" else "",
        )
        lost = rng.random() < 0.01
        where = replace(HERE, load=5.5 if rng.random() < 0.05 else 0.5)
        return Outcome(
            key="", run=made, circumstances=where, attempts=1 + lost, lost="its process was killed" if lost else ""
        )

    instances = [instance for instance, _ in _puzzles()]
    text = f'title = "A refereed campaign"\nrepetitions = {RUNS}\n\n[limits]\nseconds = 5\nmemory_mb = 512\n'
    return campaign(
        folder,
        instances,
        GROUPS,
        run,
        runs=RUNS,
        name="refereed",
        title="A refereed campaign",
        asked="first",
        limits=LIMITS,
        repetitions=RUNS,
        text=text,
    )
