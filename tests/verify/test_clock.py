"""The end of a verification bounds everything in it, and time that other processes take makes no solver hang."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure
from crosslit_verify import Settings, Verifier, session, trial
from crosslit_verify import clock as clocks
from crosslit_verify.clock import CLOSING_SECONDS, LAST_SECONDS, MAX_TIMES, Deadline, OutOfTime, Patience, Times, times
from crosslit_verify.commands import OneShotCommand, PersistentCommand
from crosslit_verify.reference import Oracle, Unanswered

from crosslit.kinds import Puzzle

from .scripted import Scripted
from .solvers import PUZZLE, detail, each, linux, problem, python


class Clock:
    """A clock that advances only when asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        time = SimpleNamespace(monotonic=lambda: self.now, perf_counter=lambda: self.now)
        for module in (clocks, session, trial):
            monkeypatch.setattr(module, "time", time)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Slow(Scripted):
    """A subject that takes a while for each answer, and until the end where that comes first."""

    def __init__(self, clock: Clock, seconds: float, change: Any = lambda number, puzzle: None) -> None:
        super().__init__(change)
        self.clock, self.takes, self.end = clock, seconds, Deadline()

    def end_by(self, deadline: Any) -> None:
        self.end = deadline

    def ask(self, puzzle: Puzzle, meanwhile: Any = lambda: None) -> Any:
        self.end.check()
        if self.end.left < self.takes:
            self.clock.now += self.end.left
            raise OutOfTime
        self.clock.now += self.takes
        return super().ask(puzzle, meanwhile)


def test_a_deadline_bounds_questions_and_ends(clock: Clock) -> None:
    end = Deadline(30)
    assert (end.left, end.cap(2), end.cap(100), end.is_over) == (30, 2, 30 + CLOSING_SECONDS, False)
    clock.now += 30
    assert (end.left, end.cap(100), end.is_over) == (0, CLOSING_SECONDS, True)
    with pytest.raises(OutOfTime):
        end.check()
    for _ in range(2):  # however many failures are found at the end
        assert (end.for_search(9), end.left, end.is_over) == (LAST_SECONDS, LAST_SECONDS, True)
    clock.now += 100
    assert 0 < end.cap(10) < LAST_SECONDS
    assert Deadline().left == inf


@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_at_five_answers_a_second_a_minute_has_a_random_10_by_10(kind: str, clock: Clock) -> None:
    subject = Slow(clock, 0.2)
    found = Verifier(Settings(kind, seconds=60, keep_going=True), subject).run()
    assert found.passed
    assert len(subject.asked) <= 300
    assert clock.now == pytest.approx(1060, abs=0.2)
    assert (10, 10) in found.coverage.sizes  # no exhaustive family has this shape


def test_failures_at_the_end_share_the_last_half_second(clock: Clock) -> None:
    def crash(number: int, puzzle: Puzzle) -> Any:
        return SolverFailure("crash", f"{'abcdefgh'[puzzle.rows % 8]} failed") if puzzle.rows > 1 else None

    found = Verifier(Settings("lights-out", seconds=2, keep_going=True), Slow(clock, 0.3, crash)).run()
    assert found.failures
    assert clock.now <= 1002 + LAST_SECONDS + 0.3


def test_a_question_under_way_at_the_end_is_shown(clock: Clock) -> None:
    subject = Slow(clock, 4)
    found = Verifier(Settings("lights-out", seconds=10), subject).run()
    assert (found.coverage.cases, found.end) == (2, "stopped after 10 s")
    assert "  no answer yet: 00, asked 2.0 s before the end" in found.summary()
    assert found.json()["coverage"]["unanswered"] == "00"


def test_large_families_are_not_listed_beyond_the_end(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(settings: Settings, tick: Any) -> Any:
        for _ in range(100):
            clock.now += 1
            tick()
        yield from ()

    monkeypatch.setattr(session, "stream", listed)
    Verifier(Settings("lights-out", seconds=10), Scripted()).run()
    assert clock.now == 1010


def test_a_reference_obeys_the_deadline(clock: Clock) -> None:
    from crosslit import load

    oracle = Oracle()
    oracle.deadline = Deadline(1)
    clock.now += 1
    with pytest.raises(Unanswered, match="the time ran out"):
        oracle.reference(load("/".join(["wrap=torus", *["1" * 8] * 8])))
    oracle.close()


class Hanging(Scripted):
    """A subject that answers puzzles of less than nine cells in a second, and no others."""

    timeout = 10.0

    def ask(self, puzzle: Puzzle, meanwhile: Any = lambda: None) -> Any:
        self.asked.append(puzzle)
        needs = inf if puzzle.rows * puzzle.columns >= 9 else 1.0
        if self.timeout < needs:
            return SolverFailure("hang", f"no answer within {self.timeout:.2g} s")
        return super().ask(puzzle, meanwhile)


def test_a_shrunk_hang_is_confirmed_by_a_new_process() -> None:
    subject = Hanging()
    found = Verifier(Settings("lights-out", cases=200, size="3.."), subject).run()
    (failure,) = found.failures
    assert (failure.problem.group, failure.puzzle.text, failure.again) == ("hang", "000/000/000", True)
    assert failure.problem.detail == "no answer within 10 s"
    found = Verifier(Settings("lights-out", cases=60), Hanging()).run()
    assert all(failure.puzzle.rows * failure.puzzle.columns >= 9 for failure in found.failures)
    assert found.failures


def test_a_hang_found_at_the_end_is_not_said_to_be_asked_again(clock: Clock) -> None:
    subject = Slow(clock, 3, lambda number, _: SolverFailure("hang", "no answer") if number == 3 else None)
    (failure,) = Verifier(Settings("lights-out", seconds=10), subject).run().failures
    assert failure.again is None
    assert "the time ran out before it could be asked again" in failure.text()


def waiting(share: float, run: float = 0.0, threads: int = 1) -> object:
    """The times of a solver whose threads each wait and run for a share of the time."""

    def made(_: int) -> dict[str, Times]:
        now = time.monotonic()
        return {str(thread): Times(run * now, share * now) for thread in range(threads)}

    return made


@pytest.mark.parametrize(
    ("wall", "waited", "run", "is_over", "left"),
    [
        (9.89, 0.0, 0.0, False, 0.11),
        (9.91, 0.0, 0.0, True, 0.09),  # a hundredth is not worth another wait
        (10.0, 4.0, 0.0, False, 4.0),
        (14.0, 4.0, 0.0, True, 0.0),
        (14.0, 14.0, 16.0, False, 2.0),  # on two processors
        (14.0, 14.0, 20.0, True, 0.0),
        (79.9, 79.9, 0.0, False, 10.0),
        (80.0, 80.0, 0.0, True, 10.0),  # eight times the limit
    ],
)
def test_a_limit_is_over_after_its_time_without_waiting(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, wall: float, waited: float, run: float, is_over: bool, left: float
) -> None:
    used = {"1": Times(3.0, 5.0)}  # by the first look
    monkeypatch.setattr(clocks, "times", lambda _: used)
    monkeypatch.setattr(clocks.os, "cpu_count", lambda: 2)
    patience = Patience(1, 8.0, Deadline(100), 2.0)
    assert (patience.wait, patience.is_over) == (pytest.approx(0.05), False)
    assert patience._before is None  # nothing is read before that
    clock.now += 0.05
    assert (patience.is_over, patience.wait) == (False, pytest.approx(9.95))
    used = {"1": Times(3.0 + run / 2, 5.0 + waited / 2), "2": Times(run / 2, waited / 2)}  # of which one is new
    patience._look = clock.now = 1000 + wall
    assert (patience.is_over, patience.wait) == (is_over, pytest.approx(min(left, 100 - wall)))
    assert patience.words == f"8 s and 2 s more to start{', nor in 8 times as long on a busy machine' * (wall == 80)}"


def test_a_wait_is_no_longer_than_an_eighth_of_a_short_limit_nor_beyond_the_end(clock: Clock) -> None:
    assert Patience(1, 0.08, Deadline(100)).wait == pytest.approx(0.01)
    assert Patience(1, 8.0, Deadline(0.02)).wait == pytest.approx(0.02)
    assert Patience(1, 8.0, Deadline()).words == "8 s"


@pytest.mark.parametrize("kind", [PersistentCommand, OneShotCommand])
def test_time_that_it_waits_for_a_processor_is_not_counted(
    kind: type[PersistentCommand | OneShotCommand], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = "time.sleep(0.5)\nanswer('11/11')" if kind is OneShotCommand else ""
    command = python(f"sys.stdin.read()\n{late}") if late else each("time.sleep(0.5)\nanswer()")
    for share, answered in ((0.0, "hang"), (0.9, "right")):
        monkeypatch.setattr(clocks, "times", waiting(share))
        with kind(command, timeout=0.4) as subject:
            subject._is_first = False
            subject._loading = 0  # type: ignore[union-attr]
            assert problem(subject.ask(PUZZLE)) == answered


def test_a_solver_without_a_processor_hangs_after_some_times_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "times", waiting(1.0))
    with PersistentCommand(each("time.sleep(60)"), timeout=0.1, loading=0) as subject:
        subject._is_first = False
        assert f"nor in {MAX_TIMES} times as long on a busy machine" in detail(subject.ask(PUZZLE))


def test_threads_that_wait_for_each_other_are_no_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    processors = os.cpu_count() or 1
    monkeypatch.setattr(clocks, "times", waiting(0.75, run=0.25, threads=4 * processors))
    with PersistentCommand(each("time.sleep(60)"), timeout=0.2, loading=0) as subject:
        subject._is_first = False
        answer = subject.ask(PUZZLE)
    assert not isinstance(answer, SolverAnswer)
    assert answer.detail == "no answer within 0.2 s"


@linux
def test_the_times_are_those_of_all_threads_and_processes() -> None:
    spins = "import os, time\nos.fork()\nuntil = time.process_time() + 0.2\nwhile time.process_time() < until: pass\n"
    with subprocess.Popen(
        [sys.executable, "-c", f"{spins}print(flush=True)\ninput()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == [b"\n"] * 2
        found = times(process.pid)
        assert len(found) == 2
        assert sum(used.run for used in found.values()) >= 0.4
        assert all(used.waited >= 0 for used in found.values())
        process.kill()
    assert times(process.pid) == {}
