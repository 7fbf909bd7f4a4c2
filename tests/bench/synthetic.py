"""Stores of synthetic results, in any number, for all readers of a store."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from crosslit_bench.plan.campaign import CampaignSpec, Instance, PlannedRun
from crosslit_bench.store.outcome import Circumstances, Outcome
from crosslit_bench.store.store import Store

from crosslit import Grid, generate
from crosslit.contract import no_time
from crosslit.contract.family import random_grid
from crosslit.contract.run import Limits, Run, RunStatus, Timing
from crosslit.kinds import LightsOut, Nonogram, Puzzle

LIMITS = Limits(1, 10.0, 1024)
HERE = Circumstances(
    started="2026-03-04T05:06:07.890+00:00",
    load=0.5,
    side_by_side=1,
    carrier="local",
    host="desk",
    processor="Some CPU",
    processors=4,
    system="Linux 6.1",
    python="3.12.1",
)
# the time grows as exp(rate * (n - from)) milliseconds, or as a power of n where there is no rate
_BOARDS = {
    "polynomial": ("native", 0.0),
    "gauss": ("native", 0.1),
    "first-row": ("native", 0.45),
    "cryptominisat/full-xor": ("XOR", 0.15),
    "glucose4/full-cut4": ("clauses", 0.9),
    "cadical195/full-cut4": ("clauses", 0.8),
    "cpsat/bool-xor": ("clauses", 0.7),
}
_NONOGRAMS = {
    "line": ("native", 0.1),
    "hybrid": ("native", 0.15),
    "glucose4/order": ("clauses", 0.2),
    "glucose4/direct": ("clauses", 0.3),
    "cadical195/automaton": ("clauses", 0.25),
    "cpsat/automaton": ("clauses", 0.35),
    "frontier": ("native", 0.4),
}
_NATIVE = ("gauss", "polynomial", "first-row", "line", "hybrid", "frontier")


def planned_run(puzzle: Puzzle, label: str, group: str, repetition: int, place: int) -> PlannedRun:
    return PlannedRun(
        key=hashlib.sha256(f"{puzzle.id} {label} {repetition}".encode()).hexdigest(),
        place=place,
        puzzle=puzzle,
        spec=label,
        contestant=label,
        group=group,
        seed=None,
        repetition=repetition,
        version="1.0",
    )


def solvable(seed: int, n: int, name: str = "") -> tuple[Instance, Grid]:
    """A board with a solution."""
    rng = random.Random(f"solvable {seed} {n}")
    presses = random_grid(rng, n, n)
    board = LightsOut(Grid.from_bits(n, n, 0), name=name or f"solvable {n} no {seed}").pressed(presses)
    return Instance(puzzle=board, family="solvable boards", size=n, facts={"seed": seed}), presses


def unsolvable(seed: int, n: int, name: str = "") -> tuple[Instance, None]:
    """A board without a solution; n x n boards must have a nullity."""
    (board,) = generate("lights-out", n, solvable=False, seed=seed)
    puzzle = board.named(name or f"unsolvable {n} no {seed}")
    return Instance(puzzle=puzzle, family="unsolvable boards", size=n, facts={"seed": seed}), None


def picture(seed: int, n: int, name: str = "") -> tuple[Instance, Grid]:
    """The nonogram of a picture."""
    grid = random_grid(random.Random(f"picture {seed} {n}"), n, n, 0.6)
    puzzle = Nonogram.of(grid, name or f"picture {n} no {seed}")
    return Instance(puzzle=puzzle, family="random nonograms", size=n, facts={"seed": seed, "density": 0.6}), grid


def puzzles(count: int, names: Sequence[str] = ()) -> Iterator[tuple[Instance, Grid | None]]:
    """Yield puzzles of three families in turn; the first ones have these names."""
    for at in range(count):
        seed, name = at // 3, names[at] if at < len(names) else ""
        if at % 3 == 0:
            yield solvable(seed, 3 + seed % 20, name)
        elif at % 3 == 1:
            yield unsolvable(seed, (4, 5, 9, 11, 14)[seed % 5], name)
        else:
            yield picture(seed, 5 + seed % 20, name)


def add(store: Store, planned: PlannedRun, outcome: Outcome) -> bool:
    """Store a run; return whether it is new."""
    new, rejected = store.add_all([(planned, outcome)])
    assert not rejected, rejected
    return new == 1


def fill(
    path: Path,
    rows: int = 10_000,
    *,
    repetitions: int = 5,
    seed: int = 0,
    names: Sequence[str] = (),
    errors: Sequence[str] = ("out of luck",),
    wrong: str = "",
    title: str = "Synthetic results",
    done: float = 1.0,
) -> Path:
    """Make a store with a number of runs: every contestant on every puzzle that it supports.

    Args:
        path: path of the new file.
        rows: maximum number of runs; at most the runs of one puzzle are missing.
        repetitions: number of repetitions of every run.
        seed: seed of random choices.
        names: names of the first puzzles.
        errors: texts of the runs that end with an error, in turn; without any, no run does.
        wrong: a contestant that sometimes claims that a solvable puzzle has no solution.
        title: title of the campaign.
        done: share of the runs that were made.
    """
    rng = random.Random(seed)
    groups: dict[str, list[str]] = {}
    for label, (group, _) in {**_BOARDS, **_NONOGRAMS}.items():
        groups.setdefault(group, []).append(label)
    contestants = {group: tuple(dict.fromkeys(labels)) for group, labels in groups.items()}
    made = list(puzzles(max(1, rows // (7 * repetitions)), names))
    campaign = CampaignSpec(
        name="synthetic",
        title=title,
        about="Nobody measured this.",
        asked="first",
        limits=LIMITS,
        contestants=contestants,
        sources=(),
        repetitions=repetitions,
        text="# synthetic\n",
    )
    planned: list[tuple[PlannedRun, Grid | None, float]] = []
    for instance, solution in made:
        kind = _BOARDS if instance.puzzle.kind == LightsOut.kind else _NONOGRAMS
        for label, (group, rate) in kind.items():
            for repetition in range(repetitions):
                run = planned_run(instance.puzzle, label, group, repetition, len(planned))
                planned.append((run, solution, _seconds(rng, instance.size, rate)))
    with Store(path, create=True) as store:
        store._database.execute("PRAGMA synchronous = OFF")
        store._database.execute("PRAGMA journal_mode = MEMORY")
        instances = [instance for instance, _ in made]
        store.prepare(campaign, instances, [run for run, _, _ in planned])
        failed = 0
        for run, solution, seconds in planned:
            if rng.random() >= done:
                continue
            chance = rng.random()
            status: RunStatus = "limit" if solution is not None else "complete"
            grids, error = [solution] if solution is not None else [], ""
            if run.contestant == wrong and solution is not None and chance < 0.2:
                status, grids = "complete", []
            elif seconds >= LIMITS.seconds:
                status, grids, seconds = "timeout", [], LIMITS.seconds
            elif run.contestant not in _NATIVE and chance < 0.01:
                status, grids = "memory", []
            elif errors and run.contestant not in _NATIVE and chance < 0.015:
                status, grids, error = "error", [], errors[failed % len(errors)]
                failed += 1
            elif chance > 0.995:
                status, grids, error = "gave-up", [], "its budget is spent"
            add(store, run, Outcome(key=run.key, run=_run(run, status, grids, seconds, error), circumstances=HERE))
    return path


def _seconds(rng: random.Random, size: float, rate: float) -> float:
    growth = math.exp(rate * (size - 3)) if rate else (size / 3) ** 2
    return 0.001 * growth * math.exp(rng.gauss(0, 0.2))


def _run(planned: PlannedRun, status: RunStatus, grids: list[Grid], seconds: float, error: str) -> Run:
    engine, _, encoding = planned.contestant.partition("/")
    phases = no_time()
    phases["encode"], phases["load"] = seconds * 0.2, seconds * 0.1
    phases["solve"], phases["decode"] = seconds * 0.69, seconds * 0.01
    timing = Timing(phases, seconds + 0.001, seconds + 0.004, 0.003, 0.0)
    trusted_base = frozenset({engine, *([encoding] if encoding else [])})
    stats = {"difficulty": "probe"} if engine == "line" else {"conflicts": round(seconds * 1000)}
    return Run(
        planned.spec, encoding, "1.0", trusted_base, status, grids, timing, 1, 25.0 + seconds, stats, error,
        repetition=planned.repetition,
    )  # fmt: skip
