"""Small campaigns whose every run a test decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.results.frame import Results
from crosslit_bench.results.frame import load as load_results
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.store import Store

from crosslit import Grid, LightsOut, Nonogram, load
from crosslit.contract import no_time
from crosslit.contract.run import Limits, Run, Timing
from tests.bench.synthetic import HERE, add, planned_run

LIMITS = Limits(2, 5.0, 512)
BOARD = load("110/100/000")  # its one solution presses the corner
CORNER = Grid.from_text("100/000/000")
PICTURE = load("1,2|2,1")
DRAWN = Grid.from_text("10/11")

Made = Run | Outcome | None


def named(puzzle: LightsOut | Nonogram, name: str, family: str = "boards", size: float = 3) -> Instance:
    if isinstance(puzzle, LightsOut):
        return Instance(puzzle=LightsOut(puzzle.lit, name=name), family=family, size=size)
    return Instance(puzzle=Nonogram(puzzle.row_clues, puzzle.column_clues, name), family=family, size=size)


def solved(seconds: float, *grids: Grid, **said: Any) -> Run:
    """A run that claims to have found all."""
    phases = no_time()
    phases["solve"] = seconds
    return Run("", status="complete", grids=list(grids), timing=Timing(phases, seconds, seconds), **said)


def unsolved(**said: Any) -> Run:
    return Run("", **{"status": "timeout", "timing": Timing(no_time(), 5.0, 5.0), **said})


def campaign(
    store_folder: Path,
    instances: Sequence[Instance],
    contestants: Sequence[str] | Mapping[str, Sequence[str]],
    run: Callable[[Instance, str], Made],
    *,
    runs: int = 1,
    **about: Any,
) -> Results:
    """The results of a campaign whose runs a function returns; None is a run that was not made.

    Args:
        store_folder: folder of the store.
        instances: puzzles of the campaign.
        contestants: labels of the contestants, in groups or not.
        run: returns the result of a contestant on a puzzle; called once for each run.
        runs: number of runs of each contestant on each puzzle.
        about: further fields of the campaign.
    """
    said = {"name": "small", "title": "A small campaign", "about": "To see.", "asked": "unique", "limits": LIMITS}
    grouped = dict(contestants) if isinstance(contestants, Mapping) else {"": tuple(contestants)}
    told = CampaignSpec(**{**said, "contestants": grouped, "sources": (), "text": "# file\n", **about})
    groups = {label: group for group, labels in grouped.items() for label in labels}
    made = []
    for instance, label, repetition in product(instances, groups, range(runs)):
        planned = planned_run(instance.puzzle, label, groups[label], repetition, len(made))
        made.append((planned, run(instance, label)))
    path = store_folder / "results.sqlite"
    path.unlink(missing_ok=True)
    with Store(path, create=True) as store:
        store._database.execute("PRAGMA synchronous = OFF")  # the file need not survive a power failure
        store.prepare(told, instances, [one for one, _ in made])
        for planned, found in made:
            if isinstance(found, Run):
                found = Outcome(key=planned.key, run=found, circumstances=HERE)
            if found is not None:
                found.run.backend, found.run.repetition = planned.spec, planned.repetition
                add(store, planned, found)
        return load_results(store).by_machine()
