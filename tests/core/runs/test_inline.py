"""The clock and the contract, with a clock that moves only when the test moves it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import nullcontext
from typing import Any

import pytest

from crosslit import Grid, load
from crosslit.contract import Backend, ContractError, GaveUp, Task
from crosslit.runs.job import drive, drive_batches

PUZZLE = load("1|1")
GRID = Grid.from_text("1")


class Time:
    """A clock that advances only when asked."""

    now = 0.0

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    fake = Time()
    monkeypatch.setattr("crosslit.contract.backend.time.perf_counter", lambda: fake.now)
    return fake


class Stub(Backend):
    """A backend made of a function."""

    def __init__(self, behave: Callable[[Task], Generator[Any, None, None]]) -> None:
        self.behave = behave

    def solutions(self, puzzle: Any, task: Task) -> Generator[Any, None, None]:
        return self.behave(task)


def run(behave: Callable[[Task], Generator[Any, None, None]], task: Task) -> list[Grid]:
    return list(drive(Stub(behave), PUZZLE, task))  # type: ignore[arg-type]


PHASES = ["encode", 1, "load", 2, "solve", 4, "decode", 8, GRID, "solve", 16]


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        pytest.param(PHASES, {"encode": 1, "load": 2, "solve": 20, "decode": 8}, id="every second is in its phase"),
        pytest.param([3], {"solve": 3}, id="the time before an end without solution counts"),
        pytest.param([3, GaveUp("enough")], {"solve": 3}, id="the time before giving up counts"),
        pytest.param([1, GRID, 1], {"solve": 2}, id="the clock stands still while a solution is held"),
    ],
)
def test_the_clock_counts_the_time_of_the_backend(time: Time, steps: list[Any], seconds: dict[str, int]) -> None:
    def behave(task: Task) -> Generator[Grid, None, None]:
        for step in steps:
            if isinstance(step, int):
                time.pass_by(step)
            elif isinstance(step, str):
                task.phase(step)  # type: ignore[arg-type]
            elif isinstance(step, GaveUp):
                raise step
            else:
                yield step

    task = Task()
    with pytest.raises(GaveUp, match="enough") if isinstance(steps[-1], GaveUp) else nullcontext():
        for _ in drive(Stub(behave), PUZZLE, task):  # type: ignore[arg-type]
            time.pass_by(100)
    assert {phase: spent for phase, spent in task.clock.seconds.items() if spent} == seconds


def test_a_solution_is_held_until_the_next_is_asked_for_or_none(time: Time) -> None:
    def behave(task: Task) -> Generator[Grid, None, None]:
        yield GRID
        yield GRID

    task, held = Task(), []
    solutions = drive(Stub(behave), PUZZLE, task, held.append)  # type: ignore[arg-type]
    for _ in range(2):
        next(solutions)
        time.pass_by(3)
    solutions.close()
    assert held == [3, 3]
    assert sum(task.clock.seconds.values()) == 0


def test_freeing_the_engine_counts_even_when_the_consumer_leaves(time: Time) -> None:
    freed = []

    def behave(task: Task) -> Generator[Grid, None, None]:
        try:
            yield GRID
        finally:
            time.pass_by(5)
            freed.append(True)

    task = Task()
    solutions = drive(Stub(behave), PUZZLE, task)  # type: ignore[arg-type]
    next(solutions)
    time.pass_by(100)
    solutions.close()
    assert freed
    assert task.clock.seconds["solve"] == 5


def test_an_unknown_phase_breaks_the_contract() -> None:
    with pytest.raises(ContractError, match="unknown phase 'think'"):
        Task().phase("think")  # type: ignore[arg-type]


@pytest.mark.parametrize("rubbish", [None, "1", [[True]], Grid.from_text("11")])
def test_what_is_no_grid_of_the_shape_breaks_the_contract(rubbish: object) -> None:
    def behave(task: Task) -> Generator[object, None, None]:
        yield rubbish

    with pytest.raises(ContractError, match="it yielded"):
        run(behave, Task())


@pytest.mark.parametrize("rubbish", [b"", b"123", "12", None])
def test_a_batch_is_bytes_of_one_solution_or_more(rubbish: object) -> None:
    class Batches(Stub):
        name = "stub"

        def batches(self, *_: object) -> Generator[object, None, None]:
            yield rubbish

    with pytest.raises(ContractError, match="where grids of 2 bytes each are expected"):
        list(drive_batches(Batches(run), load("0000/0000/0000/0000"), Task()))  # type: ignore[arg-type]


def test_an_answer_that_is_no_generator_breaks_the_contract() -> None:
    stub = Stub(lambda _: [GRID])  # type: ignore[arg-type,return-value]
    stub.name = "stub"  # type: ignore[attr-defined]
    with pytest.raises(ContractError, match="it answered with list where a generator of Grids is expected"):
        list(drive(stub, PUZZLE, Task()))  # type: ignore[arg-type]
    with pytest.raises(ContractError, match="does not answer 'fewest'"):
        list(drive(stub, PUZZLE, Task("fewest")))  # type: ignore[arg-type]


@pytest.mark.parametrize("bound", [1.5, "7", None])
def test_a_bound_that_is_no_whole_number_breaks_the_contract(bound: object) -> None:
    with pytest.raises(ContractError, match="a bound is a whole number, not"):
        Task().improve_bound(bound)  # type: ignore[arg-type]
