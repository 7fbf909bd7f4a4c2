"""Two searches for the same solutions at once: the kernel in this process, and another one in a forked process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress

from crosslit.sandbox.linux import end_with_parent
from crosslit_backends.nonogram.line_kernel import KernelSearch, Status

WORK = 2_000_000  # of the kernel between two looks at the other process, about 2 ms
MAX_SEEN = 1 << 16  # solutions; a search that has found more needs no second one
MAX_READ = 1 << 16  # bytes


def first_to_end(search: KernelSearch, other: Callable[[], Iterable[bytes]]) -> Generator[bytes, None, None]:
    """Yield each remaining solution of a search once, until it or the other search has found all.

    Args:
        search: the kernel's search.
        other: yields the same solutions one by one, packed; it is called in a forked process.
    """
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if not child:
        _send(writer, other, parent)
    os.close(writer)
    os.set_blocking(reader, False)
    ours: set[bytes] = set()  # found by the kernel
    theirs: set[bytes] = set()  # found by the other search only
    received, size, status = b"", search.size, Status.SPENT
    try:
        while status is not Status.EXHAUSTED:
            status, packed = search.run(splits=False, capacity=len(ours), work=WORK)
            found = [packed[start : start + size] for start in range(0, len(packed), size)]
            fresh = [solution for solution in found if solution not in theirs]
            theirs.difference_update(found)
            ended = False
            if child:
                ours.update(found)
                with suppress(BlockingIOError):
                    data = os.read(reader, MAX_READ)
                    ended = not data
                    received += data
                whole = len(received) // size * size
                sent = {received[start : start + size] for start in range(0, whole, size)} - ours - theirs
                received = received[whole:]
                theirs |= sent
                fresh += sent
            if fresh:
                yield b"".join(fresh)
            if ended:
                failed, child = os.waitpid(child, 0)[1], 0
                if not failed:
                    return
            elif child and len(ours) > MAX_SEEN:
                _end(child)
                child = 0
    finally:
        if child:
            _end(child)
        os.close(reader)


def _end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _send(writer: int, other: Callable[[], Iterable[bytes]], parent: int) -> None:
    """Write the solutions, and end the process, well if there are no more: nothing of the parent may run here."""
    status = 1
    try:
        end_with_parent(parent)
        for packed in other():
            os.write(writer, packed)
        status = 0
    finally:
        os._exit(status)
