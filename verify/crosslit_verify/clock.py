"""The time limits of a verification: its deadline, and that of each answer."""

from __future__ import annotations

import os
import time
from math import inf
from typing import NamedTuple

from crosslit.runs.linux import descendants, times_of_threads

LAST_SECONDS = 0.5
"""Seconds after the end in which a failure found at the very end may be shrunk."""

CLOSING_SECONDS = 2.25
"""Seconds after the end in which the solver may exit; then it is killed."""

CONFIRMATION_SHARE = 0.8
"""Share of the remaining time for asking again a puzzle on which the solver hangs."""

_MIN_SECONDS = 0.25  # for a wait that cannot be skipped, such as for the end of a killed process


class OutOfTime(Exception):
    """The end of the verification's time, which is no fault of the solver."""


class Deadline:
    """The deadline of a verification, some seconds from now, which bounds every wait; None for no deadline."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = inf if seconds is None else time.monotonic() + seconds
        # Two ends: questions stop at this one, which may be extended, and processes are killed after the fixed one.
        self._until = self._end

    @property
    def left(self) -> float:
        """Seconds left for questions and references; negative after the deadline."""
        return self._until - time.monotonic()

    @property
    def is_over(self) -> bool:
        """True if the time is over, not counting an extension."""
        return time.monotonic() >= self._end

    def check(self) -> None:
        """Raise `OutOfTime` after the end."""
        if time.monotonic() >= self._until:  # not `left`, since this is called several times for each puzzle
            raise OutOfTime

    def for_search(self, max_seconds: float) -> float:
        """Return the time limit of a search: the given seconds, or those left, but a few even at the very end."""
        if self.left < LAST_SECONDS:
            self._until = self._end + LAST_SECONDS
        return min(max_seconds, self.left)

    def cap(self, seconds: float) -> float:
        """Return the seconds to wait for the end of a process: those given, or fewer near the end."""
        # Not 0, since a killed process needs a moment to end, and one that is not awaited would be left behind.
        return max(_MIN_SECONDS, min(seconds, self._end + CLOSING_SECONDS - time.monotonic()))


MAX_TIMES = 8
"""Maximum wall time, as a multiple of the time limit, that a solver gets while other processes use the processors."""

_FIRST_LOOK = 0.05  # seconds until the first look at /proc, which takes longer than most answers
_REST = 0.01  # share of the limit too small for another wait


class Times(NamedTuple):
    """Seconds that a thread has run, and seconds that it has waited for a processor."""

    run: float
    waited: float


class Patience:
    """The time limit of one answer, not counting the time that the solver waits for a processor.

    Otherwise a solver that needs 3 s could be reported as hanging after 10 s of wall time on a busy machine. Linux
    counts that time for each thread; on other systems only wall time is known.

    A solver has used its limit when it has run or slept that long. Its threads also wait for each other, which cannot
    be distinguished from waiting for other processes; so the limit is also used when all threads together have run that
    long on every processor.
    """

    def __init__(self, pid: int, seconds: float, deadline: Deadline, loading: float = 0.0) -> None:
        self._pid, self._deadline = pid, deadline
        self._answer, self._loading = seconds, loading
        seconds = self._seconds = seconds + loading
        self._began = time.monotonic()
        self._look = self._began + min(_FIRST_LOOK, seconds / 8)
        self._before: dict[str, Times] | None = None
        self._is_starved = False

    @property
    def wait(self) -> float:
        """Seconds to wait before the next check of `is_over`."""
        return min(self._look - time.monotonic(), self._deadline.left)

    @property
    def is_over(self) -> bool:
        """True if the time is over; also if `MAX_TIMES` the limit has passed, and the solver has used less."""
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
        self._is_starved = left > _REST * self._seconds and wall >= MAX_TIMES * self._seconds
        # The earliest moment at which the rest can be used up, so there is one look for each stretch of waiting.
        self._look = now + left
        return self._is_starved or left <= _REST * self._seconds

    @property
    def words(self) -> str:
        """The limit in words."""
        more = f" and {self._loading:.2g} s more to start" if self._loading else ""
        more += f", nor in {MAX_TIMES} times as long on a busy machine" if self._is_starved else ""
        return f"{self._answer:g} s{more}"

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
        for thread, (run, waited) in times_of_threads(process).items():
            found[f"{process}/{thread}"] = Times(run, waited)
    return found
