"""The time limit of an answer, not counting the time that a solver waits for a processor.

Otherwise a solver that needs 3 s could be reported as hanging after 10 s of wall time on a busy machine. Linux counts
that time for each thread; on other systems only wall time is known.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from crosslit.sandbox.linux import descendants
from crosslit_verify.deadline import Deadline

MAX_TIMES = 8
"""Maximum wall time, as a multiple of the time limit, that a solver gets while other processes use the processors."""

_FIRST_LOOK = 0.05  # seconds until the first look at /proc, which takes longer than most answers
_REST = 0.01  # share of the limit too small for another wait


class Times(NamedTuple):
    """Seconds that a thread has run, and seconds that it has waited for a processor."""

    run: float
    waited: float


class Patience:
    """The time limit of one answer.

    A solver has used its limit when it has run or slept that long. Its threads also wait for each other, which cannot
    be distinguished from waiting for other processes; so the limit is also used when all threads together have run that
    long on every processor.

    Args:
        pid: process id of the solver's first process.
        seconds: the limit.
        deadline: deadline of the whole verification.
    """

    def __init__(self, pid: int, seconds: float, deadline: Deadline) -> None:
        self._pid, self._seconds, self._deadline = pid, seconds, deadline
        self._began = time.monotonic()
        self._look = self._began + min(_FIRST_LOOK, seconds / 8)
        self._before: dict[str, Times] | None = None
        self.starved = False

    @property
    def wait(self) -> float:
        """Seconds to wait before the next check of `is_over`."""
        return min(self._look - time.monotonic(), self._deadline.left)

    @property
    def is_over(self) -> bool:
        """True if the time is over; ``starved`` if `MAX_TIMES` the limit has passed, and the solver has used less."""
        now = time.monotonic()
        if now < self._look:
            return False
        if self._before is None:
            # Read only now: most answers have come by then, and reading /proc takes longer than they do.
            self._before = times(self._pid)
            self._look = self._began + self._seconds
            return False
        wall = now - self._began
        left = self._seconds - self._used(wall)
        self.starved = left > _REST * self._seconds and wall >= MAX_TIMES * self._seconds
        # The earliest moment at which the rest can be used up, so there is one look for each stretch of waiting.
        self._look = now + left
        return self.starved or left <= _REST * self._seconds

    def _used(self, wall: float) -> float:
        assert self._before is not None
        run = waited = 0.0
        for thread, after in times(self._pid).items():
            before = self._before.get(thread, Times(0, 0))
            run += after.run - before.run
            waited += after.waited - before.waited
        # The second term ends a solver whose many threads wait for each other all the time.
        return max(wall - waited, run / (os.cpu_count() or 1))


def times(pid: int) -> dict[str, Times]:
    """Return the times of every thread of a process and its descendants; empty if the system does not report them."""
    found: dict[str, Times] = {}
    for process in (pid, *descendants(pid)):
        for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
            try:
                run, waited = path.read_text().split()[:2]
            except (OSError, ValueError):  # the thread has ended
                continue
            found[str(path)] = Times(int(run) / 1e9, int(waited) / 1e9)
    return found
