"""All results of the contract checks for backends with one fault each, as stored in ``checks.txt``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crosslit_verify.contract_checks.checks import check as check_contract
from crosslit_verify.contract_checks.checks import configurations

from crosslit import Grid
from crosslit.contract.run import Run, Timing
from crosslit.runs.job import Job
from tests.contract.executor import execute
from tests.stored import check

STORED = Path(__file__).with_name("checks.txt")
Lie = Callable[[Job, Run], Run]


def flipped(grid: Grid) -> Grid:
    """The grid with another value in its first cell."""
    return Grid.from_bits(grid.rows, grid.columns, grid.bits ^ 1)


LIES: dict[str, Lie] = {
    "honest": lambda job, run: run,
    "loses the last of several": lambda job, run: replace(run, grids=run.grids[: max(1, len(run.grids) - 1)]),
    "gives the first one twice": lambda job, run: replace(run, grids=[*run.grids[:1], *run.grids]),
    "has a wrong first cell": lambda job, run: replace(run, grids=[flipped(grid) for grid in run.grids]),
    "a wrong one after the right ones": lambda job, run: replace(run, grids=[*run.grids, *map(flipped, run.grids[:1])]),
    "gives nothing": lambda job, run: replace(run, grids=[], status="complete"),
    "claims the rest is none": lambda job, run: replace(run, status="complete"),
    "never claims the end": lambda job, run: replace(run, status="gave-up"),
    "ends on tall puzzles": lambda job, run: replace(run, status="crash", error="x") if job.puzzle.rows > 2 else run,
    "is late on tall puzzles": lambda job, run: replace(run, status="timeout") if job.puzzle.rows > 2 else run,
    "counts one more": lambda job, run: replace(run, counted=None if run.counted is None else run.counted + 1),
    "a bound too high": lambda job, run: replace(run, bound=run.bound + 1),
    "a bound too low": lambda job, run: replace(run, bound=max(0, run.bound - 1)),
    "reports a negative time": lambda job, run: replace(run, timing=Timing({"solve": -1.0}, 1.0, 1.0)),
    "reports no time": lambda job, run: replace(run, timing=Timing({"solve": 0.0}, 0.0, 0.0)),
    "prints": lambda job, run: replace(run, stray="hello"),
    "leaves a process": lambda job, run: replace(run, left=1),
}


CASES = [
    *(("gauss", name) for name in LIES),
    *(("fewest", name) for name in ("honest", "gives the first one twice", "gives nothing", "a bound too high")),
]


def lying(name: str) -> Any:
    """The execution of runs that all have one fault."""

    def execute_with_fault(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        yield from ((job, LIES[name](job, run)) for job, run in execute(jobs))

    return execute_with_fault


@pytest.mark.parametrize(("spec", "name"), CASES)
def test_every_check_of_a_backend_with_one_fault(spec: str, name: str) -> None:
    (configuration,) = configurations(spec, ["lights-out"])
    lines = []
    for found in check_contract(configuration, lying(name), "quick"):
        if found.check != "describes itself" and found.status == ("passed" if name == "honest" else "failed"):
            parts = (found.detail, found.puzzle, found.gave, found.right)
            lines.append(f"{found.check}: {'; '.join(str(part)[:150] for part in parts if part is not None)}")
    check(STORED, f"{spec} {name}", "\n".join(lines) or "no failure")
