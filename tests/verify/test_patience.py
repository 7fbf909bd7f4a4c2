"""Time that other processes take from a solver does not make it hang."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from crosslit_backends.programs.protocol import Answer
from crosslit_verify import clock
from crosslit_verify.clock import MAX_TIMES, Times, times
from crosslit_verify.commands import OneShotCommand, PersistentCommand

from .solvers import PUZZLE, detail, each, problem, python

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the time of waiting")


def waiting(share: float, run: float = 0.0, threads: int = 1) -> object:
    """The times of a solver whose threads each wait and run for a share of the time."""

    def made(_: int) -> dict[str, Times]:
        now = time.monotonic()
        return {str(thread): Times(run * now, share * now) for thread in range(threads)}

    return made


@pytest.mark.parametrize("kind", [PersistentCommand, OneShotCommand])
def test_time_that_it_waits_for_a_processor_is_not_counted(
    kind: type[PersistentCommand | OneShotCommand], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = "time.sleep(0.5)\nanswer('11/11')" if kind is OneShotCommand else ""
    command = python(f"sys.stdin.read()\n{late}") if late else each("time.sleep(0.5)\nanswer()")
    for share, answered in ((0.0, "hang"), (0.9, "right")):
        monkeypatch.setattr(clock, "times", waiting(share))
        with kind(command, timeout=0.4) as subject:
            subject._is_first = False
            subject._loading = 0  # type: ignore[union-attr]
            assert problem(subject.ask(PUZZLE)) == answered


def test_a_solver_without_a_processor_hangs_after_some_times_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "times", waiting(1.0))
    with PersistentCommand(each("time.sleep(60)"), timeout=0.1, loading=0) as subject:
        subject._is_first = False
        assert f"nor in {MAX_TIMES} times as long on a busy machine" in detail(subject.ask(PUZZLE))


def test_threads_that_wait_for_each_other_are_no_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    processors = os.cpu_count() or 1
    monkeypatch.setattr(clock, "times", waiting(0.75, run=0.25, threads=4 * processors))
    with PersistentCommand(each("time.sleep(60)"), timeout=0.2, loading=0) as subject:
        subject._is_first = False
        answer = subject.ask(PUZZLE)
    assert not isinstance(answer, Answer)
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
        assert sum(each.run for each in found.values()) >= 0.4
        assert all(each.waited >= 0 for each in found.values())
        process.kill()
    assert times(process.pid) == {}
