"""Stores whose every run a test decides, and synthetic ones of any size; nothing is run."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crosslit_bench.plan import Contestant, Plan, PlannedRun
from crosslit_bench.results import Results, load
from crosslit_bench.spec import CampaignLimits, CampaignSpec, Instance
from crosslit_bench.store import RunRow, Store

from crosslit import Grid, LightsOut, Nonogram
from crosslit import load as load_puzzle
from crosslit.contract import no_time
from crosslit.contract.family import random_grid
from crosslit.contract.run import Run, Timing
from crosslit.kinds import Puzzle

HERE = {
    "started": "2026-03-04T05:06:07.890+00:00",
    "crosslit": "1.0",
    "python": "3.12.1",
    "system": "Linux 6.1",
    "host": "desk",
    "processor": "Some CPU",
    "processors": 4,
    **dict.fromkeys(("governor", "container"), ""),
    **dict.fromkeys(("clock_mhz", "machine_memory_mb"), 0.0),
    "machine_load": 0.5,
    "jobs": 1,
    "limits_by": "nobody",
}
BOARD = load_puzzle("110/100/000").named("a board")  # its one solution presses the corner
CORNER = Grid.from_text("100/000/000")
PICTURE = load_puzzle("1,2|2,1").named("a picture")
DRAWN = Grid.from_text("10/11")
BOTH = [Instance(BOARD, "boards"), Instance(PICTURE, "pictures")]


def right(puzzle: Puzzle) -> Grid:
    """The solution of one of these puzzles."""
    return CORNER if puzzle.kind == "lights-out" else DRAWN


def solved(seconds: float, *grids: Grid, **more: Any) -> Run:
    """A run that claims to have found all."""
    phases = no_time()
    phases["solve"] = seconds
    return Run("", **{"status": "complete", "grids": list(grids), "timing": Timing(phases, seconds, seconds), **more})


def unsolved(**more: Any) -> Run:
    return Run("", **{"status": "timeout", "timing": Timing(no_time(), 5.0, 5.0), **more})


def a_spec(backends: Mapping[str, Sequence[str]] | Sequence[str] = ("a",), **keys: Any) -> CampaignSpec:
    """A campaign whose backends, also in a text, need not exist."""
    some = backends.split(",") if isinstance(backends, str) else backends
    groups = some if isinstance(some, Mapping) else {"": some}
    about = {"title": "A small campaign", "name": "small", "puzzles": ({"puzzles": ["10/01"]},)}
    about |= {"limits": CampaignLimits(timeout=5.0, memory_mb=512)}
    return CampaignSpec(**{**about, "backends": {name: tuple(some) for name, some in groups.items()}, **keys})


def planned_run(puzzle: Puzzle, label: str, repetition: int = 0) -> PlannedRun:
    """A run with a key that depends on nothing else."""
    key = hashlib.sha256(f"{puzzle.id} {label} {repetition}".encode(errors="replace")).hexdigest()
    own = {"puzzle": puzzle, "puzzle_id": puzzle.id, "contestant": label, "spec": label}
    return PlannedRun(key=key, **own, seed=None, repetition=repetition)  # type: ignore[arg-type]


def a_plan(
    spec: CampaignSpec, instances: Sequence[Instance], suits: Callable[[Instance, str], bool] = lambda *_: True
) -> Plan:
    """Every label on every puzzle that suits it, in this order."""
    groups = {label: group for group, labels in spec.backends.items() for label in labels}
    contestants = [Contestant(label, group, "1.0", "", "", "{}") for label, group in groups.items()]
    pairs = [(one, label) for one in instances for label in groups if suits(one, label)]
    repeated = range(spec.repetitions)
    return Plan(contestants, [planned_run(one.puzzle, label, number) for one, label in pairs for number in repeated])


def made(planned: PlannedRun, run: Run, start: float | None = None, **where: Any) -> RunRow:
    """A run under some circumstances."""
    run.backend, run.repetition = planned.spec, planned.repetition
    return RunRow.of(planned, run, {**HERE, **where}, start)


def honest(instance: Instance, _: str) -> Run:
    return solved(0.01, right(instance.puzzle))


Answer = Run | tuple[Run, dict[str, Any]] | None


def campaign(
    path: Path,
    answer: Callable[[Instance, str], Answer] = honest,
    backends: Mapping[str, Sequence[str]] | Sequence[str] = ("a",),
    instances: Sequence[Instance] = BOTH,
    suits: Callable[[Instance, str], bool] = lambda *_: True,
    **keys: Any,
) -> Results:
    """The results of a campaign whose runs a function returns, with circumstances or without; None is not made."""
    spec = a_spec(backends, **keys)
    plan = a_plan(spec, instances, suits)
    path.unlink(missing_ok=True)
    by_id = {instance.puzzle.id: instance for instance in instances}
    with Store(path, create=True) as store:
        store.prepare(spec, instances, plan)
        found = [(run, answer(by_id[run.puzzle_id], run.contestant)) for run in plan.runs]
        pairs = [(run, one if isinstance(one, tuple) else (one, {})) for run, one in found if one is not None]
        store.add(made(run, one, **where) for run, (one, where) in pairs)
    return load(path)


def answered(scale: float, liar: str = "", **where: Any) -> Callable[[Instance, str], Answer]:
    """Answers in known times: constant, in powers of 3, and else in cubes, where one crashes and one is refused."""

    def answer(instance: Instance, label: str) -> Answer:
        n, at = round(instance.size), {**where, "start": 0.25 if label == "sat/xor" else None}
        seconds = {"gauss": 0.002, "first-row": 0.001 * 3.0 ** (n - 3)}.get(label, 7e-4 * (n / 3) ** 3) * scale
        if label == "sat/xor" and n == 2:
            return unsolved(status="unsupported", timing=Timing()), at
        if label in ("sat/xor", "liar") and n == 3:
            return unsolved(status="error", error="it crashed"), at
        if seconds > 5:
            return unsolved(), at
        grids = [] if (label, n) == (liar, 4) else [DRAWN if n == 2 else Grid.from_bits(n, n, 1)]
        return solved(seconds, *grids, status="limit" if grids else "complete"), at

    return answer


def two_campaigns(folder: Path) -> None:
    """Write ``old.sqlite``, ``part.sqlite`` with few of its runs and another claim, and ``new.sqlite`` with a lie."""
    boards = [LightsOut(Grid.from_bits(n, n, 0), name=f"board {n}") for n in range(3, 13)]
    some = [*(Instance(one.pressed(Grid.from_bits(one.rows, one.rows, 1)), "boards") for one in boards), BOTH[1]]
    groups, keys = {"native": ["gauss", "first-row"], "SAT": ["sat/xor"]}, {"task": "first", "about": "To be sure."}
    campaign(folder / "old.sqlite", answered(1), groups, some, **keys)
    claims = answered(1, "gauss")
    campaign(
        folder / "part.sqlite",
        lambda *x: claims(*x) if x[1] == "gauss" and x[0] in some[:10] else None,
        groups,
        some,
        **keys,
    )
    newer = answered(2, "liar", python="3.14.0")
    campaign(folder / "new.sqlite", newer, ["gauss", "first-row", "liar"], some, **keys)


# the time grows as exp(rate * (n - 3)) milliseconds, or as a power of n where there is no rate
RATES = {"lights-out": {"a": 0.0, "b": 0.1, "liar": 0.2, "c": 0.45, "d": 0.9}}
RATES |= {"nonogram": {"e": 0.1, "f": 0.15, "g": 0.3, "h": 0.4, "i": 0.0}}


def random_campaign(path: Path) -> Results:
    """The results of a campaign on 40 puzzles with a solution; ``liar`` denies a few.

    Several backends were asked all nonograms, and one all boards, on which fewer puzzles are compared.
    """
    rng = random.Random(0)
    grids = [random_grid(rng, n, n, 0.6) for n in range(3, 23) for _ in range(2)]
    boards = [LightsOut(Grid.from_bits(grid.rows, grid.rows, 0)).pressed(grid) for grid in grids[::2]]
    pictures = [Nonogram.of(grid) for grid in grids[1::2]]
    solutions = dict(zip([puzzle.id for puzzle in (*boards, *pictures)], [*grids[::2], *grids[1::2]], strict=True))
    instances = [*(Instance(board, "boards") for board in boards), *(Instance(one, "pictures") for one in pictures)]

    def answer(instance: Instance, label: str) -> Run | None:
        n, rate, chance = instance.size, RATES[instance.puzzle.kind][label], rng.random()
        seconds = 0.001 * (math.exp(rate * (n - 3)) if rate else (n / 3) ** 2) * math.exp(rng.gauss(0, 0.2))
        if label == "liar" and chance < 0.2:
            run = solved(seconds)
        elif chance > 0.95 or seconds >= 5.0:
            status = "timeout" if seconds >= 5.0 else rng.choice(["memory", "error", "gave-up"])
            run = unsolved(status=status, error="x" * (status == "error"))
        else:
            run = solved(seconds, solutions[instance.puzzle.id], status="limit")
        run.trusted_base = frozenset({label})
        return run if rng.random() < 0.95 else None

    labels = [label for rates in RATES.values() for label in rates]
    return campaign(path, answer, labels, instances, lambda one, label: label in RATES[one.puzzle.kind], task="first")
