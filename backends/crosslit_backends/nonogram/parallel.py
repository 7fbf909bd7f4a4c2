"""Two searches for the same solutions at once: the kernel in a thread, and another one that pauses now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue

from crosslit_backends.nonogram.line_kernel import KernelSearch, Status

MAX_SEEN = 1 << 16  # solutions; a search that has found more needs no second one
WITHOUT_END = 1 << 60  # work
SWITCH = 0.0005  # seconds that the kernel's thread waits for its turn in Python, instead of 5 ms


class _Thread(threading.Thread):
    """The kernel's search: it holds Python's lock only between two of its calls."""

    def __init__(self, search: KernelSearch) -> None:
        super().__init__(daemon=True)
        self._search = search
        self._halted = False
        self._batches: SimpleQueue[bytes] = SimpleQueue()
        self._error: BaseException | None = None
        self.found = 0
        self.is_complete = False

    def run(self) -> None:
        try:
            status = Status.SPENT
            while status is not Status.EXHAUSTED and not self._halted and self.found <= MAX_SEEN:
                status, packed = self._search.run(splits=False, capacity=self.found, work=WITHOUT_END)
                self.found += len(packed) // self._search.size
                self._batches.put(packed)
            self.is_complete = status is Status.EXHAUSTED
        except BaseException as error:
            self._error = error

    def batches(self) -> Iterator[bytes]:
        """Yield what it has found since the last time.

        Raises:
            BaseException: what has ended the thread.
        """
        with suppress(Empty):
            while True:
                yield self._batches.get_nowait()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Stop it; the search can go on later."""
        self._halted = True
        while self.is_alive():
            self._search.halt()
            self.join(0.001)


def first_to_end(search: KernelSearch, other: Iterator[bytes]) -> Generator[bytes, None, None]:
    """Yield each remaining solution of a search once, until it or the other search has found all.

    Args:
        search: the kernel's search.
        other: the same solutions one by one, packed; it yields nothing when it has made ready and when it pauses.
    """
    size = search.size
    ours: set[bytes] = set()  # found by the kernel
    theirs: set[bytes] = set()  # found by the other search only
    kernel = _Thread(search)
    interval = sys.getswitchinterval()

    def fresh(packed: bytes) -> bytes:
        found = [packed[start : start + size] for start in range(0, len(packed), size)]
        if len(ours) <= MAX_SEEN:
            ours.update(found)
        return b"".join(solution for solution in found if solution not in theirs)

    has_all = True
    next(other)  # by itself: new pages of memory take several times as long in a process with two busy threads
    try:
        sys.setswitchinterval(SWITCH)
        kernel.start()
        for packed in other:
            yield from filter(None, map(fresh, kernel.batches()))
            if packed and packed not in ours:
                theirs.add(packed)
                yield packed
            if not kernel.is_alive():
                has_all = kernel.is_complete
                break
    finally:
        kernel.stop()
        sys.setswitchinterval(interval)
    yield from filter(None, map(fresh, kernel.batches()))
    while not has_all:  # it has found more than `MAX_SEEN`
        status, packed = search.run(splits=False, capacity=kernel.found)
        if left := fresh(packed):
            yield left
        has_all = status is Status.EXHAUSTED
