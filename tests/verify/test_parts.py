"""Verification by several workers: the same cases, counts and failures as by one."""

from __future__ import annotations

import functools
import platform
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention
from crosslit_generate import Case
from crosslit_verify import Coverage, Settings, SolverAnswer, SolverFailure, Verifier
from crosslit_verify.failure import Observation
from crosslit_verify.parts import Batch, BatchResult, examined, share
from crosslit_verify.replay import NO_CORPUS
from crosslit_verify.session import open_verifier
from crosslit_verify.trial import Trial

import crosslit
from crosslit.base.errors import InputError
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


@pytest.mark.parametrize(
    ("pace", "size"), [(0.0, 512), (1e-9, 512), (0.01, 96), (1 / 16, 16), (1 / 17, 16), (0.1, 8), (5.0, 8)]
)
def test_a_batch_takes_about_a_second_at_the_pace_of_the_last_one(pace: float, size: int) -> None:
    class Paced(Executor):
        def results(self, tasks: Iterable[Any]) -> Generator[TaskResult, None, None]:
            for task in tasks:
                sizes.append(len(task.cases))
                yield TaskResult(task, BatchResult([Coverage()], {}, 0.0, True, pace * len(task.cases)))
                if len(sizes) == 2:
                    return

    sizes: list[int] = []
    Verifier(Settings("lights-out"), Scripted(), executor=Paced(None)).run()
    assert sizes == [8, size if pace else 8]


def test_the_result_of_a_batch_has_the_times_and_the_coverage_of_that_batch_only() -> None:
    case, settings = Case(crosslit.load("10"), "boards", False), Settings("lights-out", keep_going=True)
    trial = Trial(settings, Scripted(lambda number, _: SolverFailure("crash", str(number)) if number == 7 else None))
    for first, numbers in ((1, 5), (6, 3)):
        before = time.monotonic()
        found = examined(trial, Batch(0, first, (case,) * numbers, None, first == 6))
        taken = time.monotonic() - before
        *pairs, rest = found.observations
        covered = sum(each.cases for each in (*pairs[::2], rest) if isinstance(each, Coverage))
        assert (covered, len(pairs), trial.has_hung) == (numbers, 2 * (first == 6), first == 6)
        assert 0 < found.seconds <= taken
        assert 0 < found.slowest <= taken or first == 6
        assert 0 < sum(found.shares.values()) <= found.seconds
        assert [each.host for each in pairs[1::2] if isinstance(each, Observation)] == [platform.node()] * (first == 6)


def test_a_scheduler_that_is_gone_ends_a_verification_with_what_was_found() -> None:
    class Gone(Executor):
        def results(self, _tasks: Iterable[Any]) -> Generator[TaskResult, None, None]:
            raise InputError("--dask", "gone")
            yield

    def verify(change: Any) -> Any:
        return Verifier(Settings("lights-out", keep_going=True), Scripted(change), executor=Gone(None)).run()

    found = verify(lambda *_: SolverFailure("crash", "x"))
    assert (found.end, len(found.failures)) == ("stopped: --dask: gone", 1)
    with pytest.raises(InputError, match="gone"):
        verify(lambda *_: None)


@pytest.mark.parametrize("place", range(7))
def test_coverage_that_is_added_is_that_of_all_cases_together(place: int) -> None:
    one, two, three = crosslit.load("1"), crosslit.load("11"), crosslit.load("111")
    right, unknown = SolverAnswer((), True), Abstention("unknown")
    cases: list[tuple[Case, Any, bool]] = [
        (Case(three, "begun", True), unknown, False),
        (Case(one, "whole", True), right, False),
        (Case(two, "random", False), right, False),
        (Case(two, "whole", True, True), unknown, False),
        (Case(three, "random", False), right, True),
        (Case(three, "begun", True), unknown, True),
    ]
    whole, first, second = Coverage(), Coverage(), Coverage()
    for index, (case, reply, failed) in enumerate(cases):
        for coverage in (whole, first if index < place else second):
            coverage.count(case)
            coverage.count_judged(case, reply, failed)
            coverage.skipped[f"reason {index % 2}"] += 1
            coverage.again, coverage.related, coverage.unanswered = index, 10 * index, (case.puzzle, 1.0)
    whole.again, whole.related = first.again + second.again, first.related + second.related
    first.add(second)
    assert first == whole
    assert (whole.exhausted, whole.begun, whole.random) == ({"whole": 2}, {"begun": 2}, {"random": 2})
    assert (whole.abstained, whole.smallest, whole.largest) == ({"unknown": 2}, {"unknown": two}, (1, 3))


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
