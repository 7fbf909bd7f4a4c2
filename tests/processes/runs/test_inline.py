"""The clock and the contract, with a clock that moves only when the test moves it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import replace
from time import perf_counter, process_time
from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.base.errors import UnenforcedLimit
from crosslit.base.grid import Layout
from crosslit.contract import Backend, ContractError, GaveUp, Task
from crosslit.registry import select_one
from crosslit.runs.drive import drive, drive_batches, drive_count
from crosslit.runs.job import Certify, CheckCertificate, Job, Request, Solve
from crosslit.runs.runner import InProcessRunner

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
    monkeypatch.setattr("crosslit.contract.time.perf_counter", lambda: fake.now)
    return fake


class Stub(Backend):
    """A backend made of a function."""

    def __init__(self, behave: Callable[[Task], Generator[Any, None, None]]) -> None:
        self.behave = behave

    def solutions(self, puzzle: Any, task: Task) -> Generator[Any, None, None]:
        return self.behave(task)


def yields(*given: Any) -> Any:
    """A backend that yields these."""
    return Stub(lambda _: (each for each in given))


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
    task, held = Task(), []
    solutions = drive(yields(GRID, GRID), PUZZLE, task, held.append)
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


@pytest.mark.parametrize(
    ("rubbish", "words"),
    [
        (None, "NoneType where a Grid"),
        ([[True]], "list where a Grid"),
        (Grid.from_text("1/0"), "a 2 x 1 grid where a 1 x 1 grid"),
        (Layout(1, 1, 3).parse("2"), "a 1 x 1 grid of 3 states where a 1 x 1 grid"),
    ],
)
def test_what_is_no_grid_of_the_shape_and_states_of_its_puzzle_breaks_the_contract(rubbish: object, words: str) -> None:
    with pytest.raises(ContractError, match=f"^it yielded {words} is expected"):
        list(drive(yields(rubbish), PUZZLE, Task()))


@pytest.mark.parametrize("rubbish", [b"", b"123", "12", None])
def test_a_batch_is_bytes_of_one_solution_or_more(rubbish: object) -> None:
    class Batches(Stub):
        name = "stub"

        def batches(self, *_: object) -> Generator[object, None, None]:
            yield rubbish

    with pytest.raises(ContractError, match="where grids of 2 bytes each are expected"):
        list(drive_batches(Batches(list), load("0000/0000/0000/0000"), Task()))  # type: ignore[arg-type]


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


@pytest.mark.parametrize("number", [0, 4, 5, 8, -1, 1.0, None, True, "2"])
def test_a_number_of_solutions_is_whole_and_not_above_that_of_grids(time: Time, number: Any) -> None:
    class Counter(Backend):
        name = "counter"

        def count(self, *_: object) -> Any:
            time.pass_by(3)
            return number

    said = "more than 2^2 solutions of a puzzle of 2 cells" if number in (5, 8) else f"{number!r} where a whole number"
    task, refused = Task("count"), pytest.raises(ContractError, match=re.escape(f"it counted {said}"))
    with nullcontext() if str(number) in "04" else refused:
        assert drive_count(Counter(), load("1,1|1"), task) == number
    assert sum(task.clock.seconds.values()) == 3


def job_of(request: Request, puzzle: Any = PUZZLE, spec: str = "brute", **more: Any) -> Job:
    return Job(choice=select_one(spec, puzzle), puzzle=puzzle, request=request, **more)


def test_a_task_is_what_its_job_asks_for() -> None:
    board = load("10/01")
    lights = Grid.from_text("11/01")
    request = Solve(question="mus", hint=0, candidates=lights)
    task = job_of(request, board, "gauss").task(Limits(5, memory_mb=77), cores=4)
    assert (task.question, task.max_solutions_hint, task.candidates) == ("mus", 0, lights)
    assert (task.memory_mb, task.cores, task.encoding, task.options) == (77, 4, None, {})
    assert job_of(Solve(), board, "gauss").task(Limits(5)).max_solutions_hint == 5
    task = job_of(Certify(()), load("1,1|1,1"), "cpsat/order:seed=4").task(Limits(None))
    assert (task.question, task.max_solutions_hint, task.options) == ("solutions", None, {"seed": 4})
    assert task.encoding is not None
    assert task.encoding.name == "order"


@pytest.fixture
def in_process() -> InProcessRunner:
    with pytest.warns(UnenforcedLimit, match="limits of time and memory have no effect"):
        return InProcessRunner(Limits(3))


@pytest.mark.parametrize(
    ("limit", "status", "found"),
    [
        (None, "limit", 3),
        (Limits(1), "limit", 1),
        (Limits(4), "limit", 4),
        (Limits(5), "complete", 4),
        (Limits(None), "complete", 4),
    ],
)
def test_a_run_in_this_process_stops_at_its_limit(
    in_process: InProcessRunner, limit: Limits | None, status: str, found: int
) -> None:
    job = job_of(Solve(), load("00/00/00"), "gauss", limits=limit)
    began, used = perf_counter(), process_time()
    ((same, run),) = in_process.runs([job])
    assert run.timing.wall <= perf_counter() - began and run.timing.cpu <= process_time() - used
    assert (same, run.status, len(run.grids), run.threads) == (job, status, found, 1)
    assert run.timing.wall - run.timing.overhead == pytest.approx(run.timing.total)
    assert not in_process.interrupted
    assert run.stats["nullity"] == 2


def test_what_a_run_in_this_process_cannot_do(in_process: InProcessRunner) -> None:
    board = load("00/00/00")
    assert in_process.run(job_of(Solve(question="count"), board, "gauss")).counted == 4
    refused = replace(select_one("gauss", board), refusal="too large")
    for job, error in (
        (job_of(Certify(()), board, "gauss"), "it needs an isolated run"),
        (Job(choice=None, puzzle=board, request=CheckCertificate("{}")), "it needs an isolated run"),
        (Job(choice=refused, puzzle=board), "too large"),
    ):
        run = in_process.run(job)
        assert (run.status, run.error, run.grids) == ("unsupported", error, [])
    failing = replace(
        select_one("gauss", board), backend=Stub(lambda task: (task.improve_bound(3) or "rubbish" for _ in "1"))
    )
    failing.backend.name = "stub"  # type: ignore[misc]
    run = in_process.run(Job(choice=failing, puzzle=board))
    assert (run.status, run.error.partition(" where")[0], run.bound) == ("error", "it yielded str", 3)
