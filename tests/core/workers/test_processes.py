"""Workers that are processes of this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crosslit.errors import InputError
from crosslit.sandbox.linux import children
from crosslit.workers.executor import Processes


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker imports this module by its name."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))


@contextlib.contextmanager
def service(_side_by_side: int) -> Iterator[Callable[[Any], Any]]:
    def perform(task: Any) -> Any:
        if task == "fail":
            raise InputError("solver", "bad")
        if task == "break":
            raise KeyError("x")
        if task == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "sleep":
            time.sleep(60)
        return task * 2

    yield perform


def results(tasks: Any, **options: Any) -> list[Any]:
    with Processes(service, 2, **options) as executor:
        return list(executor.results(tasks))


def test_every_task_has_a_result() -> None:
    assert sorted(result.value for result in results(range(20))) == [2 * number for number in range(20)]


def test_a_task_that_kills_two_processes_is_lost_alone() -> None:
    found = {result.task: result for result in results(["kill", "a", "b"])}
    assert (found["a"].value, found["b"].value) == ("aa", "bb")
    assert found["kill"].value is None
    assert found["kill"].lost == ("its process ended with status -9",) * 2


@pytest.mark.parametrize(
    ("task", "error", "message"), [("fail", InputError, "solver: bad"), ("break", RuntimeError, "KeyError: 'x'")]
)
def test_an_error_of_a_task_is_raised(task: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        results([task])


def test_a_stop_ends_the_processes() -> None:
    asked: list[Any] = []
    assert results((asked.append(task) or task for task in ["sleep", "sleep"]), stop=lambda: len(asked) == 2) == []
    assert not [pid for pid in children(os.getpid()) if b"workers.child" in _command(pid)]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
