"""Verification by several workers: the same cases, counts and failures as by one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable
from typing import Any

import pytest
from crosslit_verify import Settings, SolverFailure, Verifier
from crosslit_verify.parts import share
from crosslit_verify.replay import NO_CORPUS
from crosslit_verify.session import open_verifier

from crosslit.runs.workers import Executor, TaskResult
from tests.dask_cluster import Have
from tests.dask_cluster import have as have

from .scripted import Scripted


class Backwards(Executor):
    """Three workers in this process; of three results the last comes first."""

    def __init__(self, service: Any, lost: Callable[[Any], bool] = lambda _: False) -> None:
        super().__init__(service)
        self._lost, self.tasks = lost, list[Any]()

    def results(self, tasks: Iterable[Any]) -> Generator[TaskResult, None, None]:
        chunk: list[Any] = []
        for task in tasks:
            self.tasks.append(task)
            chunk.append(task)
            if len(chunk) == 3:
                yield from self._results(chunk)
                chunk = []
        yield from self._results(chunk)

    def _results(self, tasks: list[Any]) -> Generator[TaskResult, None, None]:
        for task in reversed(tasks):
            if self._lost(task):
                yield TaskResult(task, None, ("killed", "killed"))
                continue
            with self._service(1) as judge:
                yield TaskResult(task, judge(task))


def verified_in_parts(
    settings: Settings, change: Any = lambda number, puzzle: None, lost: Callable[[Any], bool] = lambda _: False
) -> tuple[Any, list[Any]]:
    executor = Backwards(functools.partial(share, settings, lambda: Scripted(change)), lost)
    return Verifier(settings, Scripted(change), executor=executor).run(), executor.tasks


def wide(number: int, puzzle: Any) -> SolverFailure | None:
    return SolverFailure("crash", f"KeyError: {puzzle.rows}") if puzzle.columns >= 3 else None


def mixed(number: int, puzzle: Any) -> SolverFailure | None:
    return SolverFailure("malformed-output", "no JSON") if puzzle.rows == 4 else wide(number, puzzle)


@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("change", [lambda number, puzzle: None, wide, mixed])
@pytest.mark.parametrize("slow_seconds", [0.1, -1])
def test_the_result_is_that_of_one_worker(
    change: Any, keep_going: bool, slow_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosslit_verify.session.SLOW_SECONDS", slow_seconds)
    settings = Settings("lights-out", cases=150, size="1..6", keep_going=keep_going)
    alone = Verifier(settings, Scripted(change)).run()
    shared, _ = verified_in_parts(settings, change)
    assert _without_times(shared) == _without_times(alone)


def _without_times(found: Any) -> dict[str, Any]:
    return {name: value for name, value in found.json().items() if name not in ("seconds", "shares")}


def test_a_block_ends_where_no_puzzle_waits_to_be_asked_again() -> None:
    _, blocks = verified_in_parts(Settings("lights-out", cases=150, size="1..6"))
    assert {(block.number + len(block.cases) - 1) % 8 for block in blocks[:-1]} == {5}


def test_the_cases_of_lost_workers_are_counted_as_skipped() -> None:
    found, blocks = verified_in_parts(
        Settings("lights-out", cases=100, size="1..4"), lost=lambda task: task.number == 6
    )
    assert found.coverage.skipped == {"their workers were lost: killed": len(blocks[0].cases)}
    assert found.coverage.cases == 100


def test_after_an_interrupt_failures_of_later_blocks_are_kept() -> None:
    def lost(task: Any) -> bool:
        if task.number == 6:  # the last of the first three blocks
            raise KeyboardInterrupt
        return False

    found, _ = verified_in_parts(Settings("lights-out", cases=100, size="1..4"), wide, lost)
    assert found.interrupted
    assert [failure.problem.group for failure in found.failures] == ["crash"]


@pytest.mark.slow
@pytest.mark.parametrize("keep_going", [False, True])
def test_a_cluster_asks_the_same_cases_though_a_worker_is_killed(have: Have, keep_going: bool) -> None:
    pytest.importorskip("distributed", reason="needs the extra dask")
    settings = Settings("lights-out", cases=300, size="1..6", keep_going=keep_going)
    cluster = have(3)

    def kill(verifier: Verifier) -> None:
        if verifier.coverage.cases > 5:  # those of this process
            cluster.have(2)

    subject = functools.partial(Scripted, large)
    with open_verifier(settings, subject, kill, NO_CORPUS, dask=cluster.address) as verifier:
        shared = verifier.run()
    assert _without_times(shared) == _without_times(Verifier(settings, subject()).run())
    assert len(cluster.workers) == 2


def large(number: int, puzzle: Any) -> SolverFailure | None:
    return SolverFailure("crash", f"KeyError: {puzzle.rows}") if puzzle.columns >= 5 else None
