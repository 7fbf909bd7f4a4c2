"""Two searches at once: every solution once, the end of either one, and no process left."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import line_kernel, residue
from crosslit_backends.nonogram.hybrid import Hybrid
from crosslit_backends.nonogram.line_kernel import Status
from crosslit_backends.nonogram.parallel import first_to_end

from crosslit import Nonogram, load
from crosslit.contract import Task
from tests.conftest import random_nonogram
from tests.driving import solve_inline

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a process ends with its parent")


class StubSearch:
    """A search that yields some batches, and then goes on without finding anything unless it is `complete`."""

    size = 8

    def __init__(self, *batches: bytes, complete: bool = False) -> None:
        self.batches, self.complete = list(batches), complete

    def run(self, **_: object) -> tuple[Status, bytes]:
        time.sleep(0.001)
        found = self.batches.pop(0) if self.batches else b""
        return Status.EXHAUSTED if self.complete and not self.batches else Status.SPENT, found


def both(search: Any, other: Any) -> list[bytes]:
    """The solutions of two searches, sorted."""
    packed = b"".join(first_to_end(search, other))
    return sorted(packed[start : start + 8] for start in range(0, len(packed), 8))


def sleeps() -> Iterator[bytes]:
    yield os.getpid().to_bytes(8, "little")
    time.sleep(60)


def fails() -> Iterator[bytes]:
    yield b"solution"
    raise MemoryError


def test_the_end_of_the_other_search_is_the_end() -> None:
    found = both(StubSearch(b"1       2       "), lambda: iter([b"2       ", b"3       "]))
    assert found == [b"1       ", b"2       ", b"3       "]


def test_the_kernel_goes_on_if_the_other_search_fails() -> None:
    batches = [b""] * 30 + [b"1       solution"]
    assert both(StubSearch(*batches, complete=True), fails) == [b"1       ", b"solution"]


def test_a_search_that_is_closed_leaves_no_process() -> None:
    search = first_to_end(StubSearch(), sleeps)  # type: ignore[arg-type]
    child = int.from_bytes(next(search), "little")
    search.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_process_that_is_killed_leaves_none() -> None:
    reader, writer = os.pipe()
    parent = os.fork()
    if not parent:
        for found in first_to_end(StubSearch(), sleeps):  # type: ignore[arg-type]
            os.write(writer, found)
    os.close(writer)
    assert os.read(reader, 8)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    assert os.read(reader, 8) == b""  # the end of the last process that could write
    os.close(reader)


@pytest.mark.skipif(bool(compiled.missing()), reason="no compiled kernel")
def test_hybrid_finds_every_solution_once_on_two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_kernel, "STEP", 1)
    monkeypatch.setattr(residue, "SEARCH", 0)
    rng = random.Random(14)
    searches = 0
    for _ in range(12):
        first, second = (random_nonogram(rng, 6, 6) for _ in range(2))
        for puzzle in (first, Nonogram(first.row_clues, second.column_clues)):
            task = Task(cores=2)
            found = sorted(grid.text() for grid in Hybrid().solutions(puzzle, task))
            assert found == sorted(grid.text() for grid in solve_inline("line", puzzle))
            searches += int(task.stats.get("searches", 1))
    assert searches > 24


@pytest.mark.skipif(bool(compiled.missing()), reason="no compiled kernel")
def test_one_of_several_parts_has_two_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residue, "SEARCH", 0)
    puzzle = load("3,1 2,3,3 1,1,1 1|1 2,1 2,4 1,1,1 1,1 1")  # rows 2 and 4 share no open column with rows 3 and 5
    task = Task(cores=2)
    assert len({*Hybrid().solutions(puzzle, task)}) == 4
    assert task.stats["searches"] == 2
