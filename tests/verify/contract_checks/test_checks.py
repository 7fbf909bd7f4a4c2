"""The checks of the contract on backends with one fault each; ``checks.txt`` has the results of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crosslit_verify.contract_checks import CheckOutcome, Size, check, configurations, puzzles

from crosslit import Grid
from crosslit.base.errors import SpecError
from crosslit.contract.run import Run
from crosslit.kinds import NAMED, OWN
from crosslit.runs.job import Job
from tests import stored
from tests.contract.executor import execute

Lie = Callable[[Job, Run], Run]
SIZES: tuple[Size, ...] = ("quick", "usual", "full")


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
    "is late if tall": lambda job, run: replace(run, grids=[], status="timeout") if job.puzzle.rows > 2 else run,
    "counts one more": lambda job, run: replace(run, counted=None if run.counted is None else run.counted + 1),
    "a bound too high": lambda job, run: replace(run, bound=run.bound + 1),
    "a bound too low": lambda job, run: replace(run, bound=max(0, run.bound - 1)),
    "prints": lambda job, run: replace(run, stray="hello"),
    "leaves a process": lambda job, run: replace(run, left=1),
}
CASES = [
    *(("gauss", name) for name in LIES),
    *(("fewest", name) for name in ("honest", "gives nothing", "a bound too high")),
]


def lying(lie: str | Lie) -> Any:
    """The execution of runs that all have one fault."""
    change = LIES[lie] if isinstance(lie, str) else lie

    def execute_with_fault(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        yield from ((job, change(job, run)) for job, run in execute(jobs))

    return execute_with_fault


def outcomes(lie: str | Lie, spec: str = "gauss") -> dict[str, CheckOutcome]:
    """All checks on boards, by name."""
    (configuration,) = configurations(spec, ["lights-out"])
    return {outcome.check: outcome for outcome in check(configuration, lying(lie), "quick")}


@pytest.mark.parametrize(("spec", "name"), CASES)
def test_every_check_of_a_backend_with_one_fault(spec: str, name: str) -> None:
    lines = []
    for found in outcomes(name, spec).values():
        if found.check != "describes itself" and found.status == ("passed" if name == "honest" else "failed"):
            parts = (found.detail, found.puzzle, found.gave, found.right)
            lines.append(f"{found.check}: {'; '.join(str(part)[:150] for part in parts if part is not None)}")
    stored.check(Path(__file__).with_name("checks.txt"), f"{spec} {name}", "\n".join(lines) or "no failure")


@pytest.mark.parametrize(
    ("spec", "kinds", "message"),
    [
        ("line", ["lights-out"], "does not solve lights-out puzzles"),
        ("gauss", [], "it names no backend that can be checked"),
    ],
)
def test_a_backend_that_cannot_be_checked_is_refused_with_the_reason(spec: str, kinds: list[str], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        configurations(spec, kinds)


def test_the_reason_for_a_kind_that_it_solves_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    (configuration,) = configurations("line", ["nonogram"])
    monkeypatch.setattr(type(configuration.choice.backend), "unsupported_reason", lambda *_: "it is ill")
    with pytest.raises(SpecError, match="'line': it is ill"):
        configurations("line", ["lights-out", "nonogram"])


def test_runs_are_judged_in_order_and_one_at_a_time_for_what_they_leave() -> None:
    def backwards(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        for job, run in reversed([*lying("has a wrong first cell")(jobs)]):
            yield job, replace(run, left=int(len(jobs) == 1 == (job.limits and job.limits.solutions)))

    (configuration,) = configurations("gauss", ["lights-out"])
    found = {outcome.check: outcome for outcome in check(configuration, backwards, "quick")}
    assert found["answers right"] == outcomes("has a wrong first cell")["answers right"]
    assert (found["stops on request"].status, found["leaves nothing running"].status) == ("failed", "failed")


def test_a_question_to_the_backend_that_fails_is_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    (configuration,) = configurations("gauss", ["lights-out"])
    monkeypatch.setattr(type(configuration.choice.backend), "unsupported_reason", lambda *_: 1 / 0)
    found = {outcome.check: outcome for outcome in check(configuration, lying("honest"), "quick")}
    assert (found["answers right"].status, found["answers right"].puzzle) == ("failed", "000")
    assert "ZeroDivisionError" in found["answers right"].detail


@pytest.mark.parametrize("kind", [*OWN, *NAMED])
def test_the_puzzles_of_each_size_are_as_stored(kind: str) -> None:
    found = {size: [puzzle.text for puzzle in puzzles(kind, size)] for size in SIZES}
    lines = [f"{size}: {len(texts)}: {' '.join(texts[:: len(texts) // 20])}" for size, texts in found.items()]
    stored.check(Path(__file__).with_name("puzzles.txt"), kind, "\n".join(lines))


def test_another_order_is_not_the_same_again() -> None:
    asked: Counter[str] = Counter()

    def turned(job: Job, run: Run) -> Run:
        asked[job.puzzle.text] += 1
        return replace(run, grids=run.grids[:: -1 if asked[job.puzzle.text] % 2 else 1])

    detail = outcomes(turned)["is repeatable"].detail
    assert detail.startswith("the same task gave other solutions, or another order")


def test_runs_that_stop_early_and_runs_with_a_hint_want_one_and_two_solutions() -> None:
    wanted: list[Any] = []

    def noting(job: Job, run: Run) -> Run:
        wanted.append((job.limits and job.limits.solutions, getattr(job.request, "hint", None)))
        return run

    assert {result.status for result in outcomes(noting).values()} == {"passed", "skipped"}
    assert sorted(map(str, {*wanted} - {(None, None)})) == ["(1, None)", "(2, None)", "(None, 1)", "(None, 2)"]
