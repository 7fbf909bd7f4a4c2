"""Two searches at once: every solution once, the end of either one, and no thread left."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import cycle
from typing import Any
from unittest.mock import Mock

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import probing, residue
from crosslit_backends.nonogram.coloured_hybrid import ColouredHybrid
from crosslit_backends.nonogram.hybrid import Hybrid
from crosslit_backends.nonogram.kernel import KernelSearch, Status
from crosslit_backends.nonogram.probing import Alternation, first_to_end

from crosslit import Nonogram, load
from crosslit.contract import Task
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.making import random_picture
from tests.conftest import random_nonogram
from tests.driving import solve_inline


class StubSearch:
    """A search that yields some batches, and then goes on without finding anything unless it is `complete`."""

    size = 8

    def __init__(self, *batches: bytes, complete: bool = False) -> None:
        self.batches, self.complete = list(batches), complete
        self.halted = threading.Event()

    def run(self, **_: object) -> tuple[Status, bytes]:
        if not self.batches and not self.complete:
            self.halted.wait(10)
        found = self.batches.pop(0) if self.batches else b""
        return Status.EXHAUSTED if self.complete and not self.batches else Status.SPENT, found

    def halt(self) -> None:
        self.halted.set()


def both(search: Any, other: Iterator[bytes]) -> list[bytes]:
    """The solutions of two searches, sorted."""
    packed = b"".join(first_to_end(search, other))
    return sorted(packed[start : start + 8] for start in range(0, len(packed), 8))


def pauses(*found: bytes) -> Iterator[bytes]:
    yield b""
    yield from found
    while True:
        time.sleep(0.001)
        yield b""


def test_the_end_of_the_other_search_is_the_end() -> None:
    found = both(StubSearch(b"1       2       "), iter([b"", b"2       ", b"", b"3       "]))
    assert {b"2       ", b"3       "} <= {*found}
    assert len(found) == len({*found})


def test_the_end_of_the_kernel_is_the_end() -> None:
    search = StubSearch(b"", b"1       2       ", b"3       ", complete=True)
    assert both(search, pauses(b"2       ")) == [b"1       ", b"2       ", b"3       "]


def test_a_kernel_that_finds_many_goes_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "MAX_SEEN", 1)
    search = StubSearch(b"1       2       ", b"3       4       ", complete=True)
    assert both(search, pauses(b"4       ")) == [b"1       ", b"2       ", b"3       ", b"4       "]


def test_an_error_of_the_kernel_ends_both() -> None:
    search = StubSearch()
    search.run = Mock(side_effect=MemoryError)  # type: ignore[method-assign]
    with pytest.raises(MemoryError):
        both(search, pauses())


@pytest.mark.parametrize("ends", [GeneratorExit, MemoryError])
def test_a_search_that_ends_early_leaves_no_thread(ends: type[BaseException]) -> None:
    threads, interval = threading.active_count(), sys.getswitchinterval()
    search = first_to_end(StubSearch(), pauses(b"1       "))  # type: ignore[arg-type]
    assert next(search) == b"1       "
    with suppress(ends):
        search.throw(ends)
    assert (threading.active_count(), sys.getswitchinterval()) == (threads, interval)


@pytest.mark.skipif(bool(compiled.missing()), reason="no compiled kernel")
@pytest.mark.parametrize("first", [0, 20])
def test_hybrid_finds_every_solution_once_on_two_cores(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two searches begin at once, or after a while."""
    monkeypatch.setattr(residue, "FIRST_WORK", first)
    monkeypatch.setattr(residue, "WORK", 0)
    monkeypatch.setattr(residue, "FEW", 0)
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
@pytest.mark.parametrize("most", [0, 1 << 16])
@pytest.mark.parametrize("some", [False, True, None], ids=["no work", "some work", "all work"])
@pytest.mark.parametrize(
    ("backend", "work"), [(Hybrid(), 600), (ColouredHybrid(), 6000)], ids=["one", "several colours"]
)
def test_turns_on_one_core_lose_and_repeat_no_solution(
    backend: Hybrid, work: int, some: bool | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SAT ends in its first turn, the kernel in its second, or SAT with what neither has searched."""
    rests, search = cycle([True, False, False]), Alternation._search
    # a turn ends after one or two answers
    monkeypatch.setattr(
        Alternation,
        "_search",
        lambda self, literals, budget: None if budget and self.piece and next(rests) else search(self, literals, None),
    )
    ends: set[str] = set()
    for name, value in (("FEW", 0), ("FIRST_WORK", 0), ("WORK", 0), ("MAX_SEEN", most)):
        monkeypatch.setattr(residue, name, value)
    goes, turn = residue.Residue._go_on, residue.searched

    def kept(search: KernelSearch, given: int, known: set[bytes] | None = None) -> Generator[bytes, None, bool]:
        if known is None:
            return (yield from turn(search, given))
        done = yield from turn(search, 10**9 if some is None else work if some else 1, known)
        if done:
            ends.add("kernel")
        return done

    monkeypatch.setattr(residue, "searched", kept)
    monkeypatch.setattr(residue.Residue, "_go_on", lambda self: (ends.add("sat"), goes(self))[1])
    rng = random.Random(15)
    for size in [5, 6, 7] * 6:
        if "nonogram" in backend.kinds:
            first, permutations, line = random_nonogram(rng, size, size), Nonogram([[1]] * 5, [[1]] * 5), "line"
        else:
            first, line = random_picture(rng, size, size, rng.randint(1, 3), 0.6), "coloured-line"
            permutations = ColouredNonogram(*[[[(1, 1)], [(1, 2)]] * 3] * 2)
        for puzzle in (first, type(first)(first.row_clues, rng.sample(first.column_clues, size)), permutations):
            found = sorted(grid.text() for grid in backend.solutions(puzzle, Task()))
            assert found == sorted(grid.text() for grid in solve_inline(line, puzzle))
    assert ("kernel" in ends, "sat" in ends) == (some is not False, some is not None or not most)


@pytest.mark.skipif(bool(compiled.missing()), reason="no compiled kernel")
def test_several_parts_are_searched_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residue, "FIRST_WORK", 0)
    monkeypatch.setattr(residue, "WORK", 0)
    monkeypatch.setattr(residue, "FEW", 0)
    puzzle = load("3,1 2,3,3 1,1,1 1|1 2,1 2,4 1,1,1 1,1 1")  # rows 2 and 4 share no open column with rows 3 and 5
    task = Task(cores=2)
    assert len({*Hybrid().solutions(puzzle, task)}) == 4
    assert "searches" not in task.stats
