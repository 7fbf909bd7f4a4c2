"""Workers that are processes of this machine."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crosslit import add_solver
from crosslit.base.errors import InputError, InternalError
from crosslit.registry import all_backends, forget
from crosslit.runs.linux import children
from crosslit.runs.workers import Process, Processes, TaskResult, in_order


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker imports this module by its name."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]), prepend=os.pathsep)


@contextlib.contextmanager
def service(side_by_side: int) -> Iterator[Callable[[Any], Any]]:
    def perform(task: Any) -> Any:
        if task == "fail":
            raise InputError("solver", "bad")
        if task == "break":
            raise KeyError("x")
        if task == "bug":
            raise InternalError("it is wrong")
        if task == "pid":
            return os.getpid()
        if task == "side by side":
            return side_by_side
        if task == "backends":
            return "mine" in all_backends()
        if task == "kill" or (isinstance(task, Path) and not task.exists()):
            if isinstance(task, Path):
                task.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "sleep":
            time.sleep(60)
        return 2 * task if not isinstance(task, Path) else "done"

    yield perform


def results(tasks: Any, jobs: int = 2, **options: Any) -> list[Any]:
    with Processes(service, jobs, **options) as executor:
        return list(executor.results(tasks))


def test_every_task_has_a_result() -> None:
    assert sorted(result.value for result in results(range(20))) == [2 * number for number in range(20)]


def test_a_task_that_kills_two_processes_is_lost_alone() -> None:
    found = {result.task: result for result in results(["kill", "a", "b"])}
    assert (found["a"].value, found["b"].value) == ("aa", "bb")
    assert found["kill"].value is None
    assert found["kill"].lost == ("its process ended with status -9",) * 2


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        ("fail", InputError, "solver: bad"),
        ("bug", InternalError, "it is wrong"),
        ("break", RuntimeError, "KeyError: 'x'"),
    ],
)
def test_an_error_of_a_task_is_raised(task: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        results([task])


def test_a_task_whose_process_was_killed_once_has_a_result_and_says_so(tmp_path: Path) -> None:
    (found,) = results([tmp_path / "begun"])
    assert (found.value, found.lost) == ("done", ("its process ended with status -9",))


def test_a_lost_task_is_repeated_though_others_never_end(tmp_path: Path) -> None:
    with Processes(service, 1) as executor:
        tasks = itertools.chain([tmp_path / "begun"], itertools.repeat("a"))
        first = [result.task for result in itertools.islice(executor.results(tasks), 1)]
    assert first == [tmp_path / "begun"]


def test_a_process_without_a_task_ends_by_itself() -> None:
    process = Process(service, 1, idle_seconds=0.2)
    try:
        process.send("a")
        assert process.receive() is not None
        assert process.receive() is None
        assert process._process.wait(30) == 0
        assert process.has_ended
    finally:
        process.end()


def test_a_process_ends_during_a_task_when_nobody_waits_for_it() -> None:
    process = Process(service, 1)
    process.send("sleep")
    process.connection.close()
    try:
        assert process._process.wait(30) == 0
    finally:
        process.end()


@contextlib.contextmanager
def slow_to_end(_: int) -> Iterator[Callable[[Any], Any]]:
    """A service that is told twice to end, the second time while it cleans up, and then leaves a file."""
    paths: list[Path] = []
    try:
        yield paths.append
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        paths[0].touch()


def test_a_process_that_is_told_twice_to_end_cleans_up(tmp_path: Path) -> None:
    process = Process(slow_to_end, 1)
    assert not process.has_ended
    process.send(tmp_path / "ended")
    assert process.receive() is not None
    assert process.end() == "ended with status 0"
    assert (tmp_path / "ended").exists()


def test_a_process_carries_out_one_task_after_another() -> None:
    assert len({result.value for result in results(["pid"] * 5, jobs=1)}) == 1


def test_workers_know_the_solvers_that_are_defined_here() -> None:
    add_solver("mine", "true {cnf}")
    try:
        assert [result.value for result in results(["backends"])] == [True]
    finally:
        forget("mine")


def test_results_come_in_order_and_those_after_a_gap_last() -> None:
    found = [TaskResult((number,), None) for number in (1, 0, 5, 2, 4)]
    assert [result.task[0] for result in in_order(found, {})] == [0, 1, 2, 4, 5]


def test_a_stop_ends_the_processes() -> None:
    asked: list[Any] = []
    assert results((asked.append(task) or task for task in ["sleep"] * 3), stop=lambda: len(asked) >= 2) == []
    assert len(asked) == 2  # a task is taken when a process is free
    assert not [pid for pid in children(os.getpid()) if b"workers.child" in _command(pid)]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_worker_knows_how_many_tasks_run_side_by_side(jobs: int) -> None:
    with Processes(service, jobs) as executor:
        assert {result.value for result in executor.results(["side by side"] * 4)} == {jobs}
