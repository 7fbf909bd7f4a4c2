"""How long an answer is waited for: time that a solver spends waiting for a processor is not held against it.

Linux counts that time for each thread. Elsewhere only the clock on the wall is known.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from crosslit.sandbox.linux import descendants
from crosslit.verification.deadline import Deadline

MAX_TIMES = 8
"""Times its limit that a solver gets at most where other processes keep the processors busy."""

_FIRST_LOOK = 0.05  # seconds before a first look: most answers are there by then, and a look costs more than they do
_REST = 0.01  # share of the limit that is not worth another wait


class Times(NamedTuple):
    """Seconds that a thread has run, and that it has waited for a processor."""

    run: float
    waited: float


class Patience:
    """The time limit of one answer.

    A solver has used its limit when it has run or slept for so long. Where several of its threads wait at a time,
    their waits cannot be told from those for each other; so it has also used its limit when all its threads together
    have run for as long on every processor.

    Args:
        pid: of the solver's first process.
        seconds: the limit.
        deadline: of the whole verification.
    """

    def __init__(self, pid: int, seconds: float, deadline: Deadline) -> None:
        self._pid, self._seconds, self._deadline = pid, seconds, deadline
        self._began = time.monotonic()
        self._look = self._began + min(_FIRST_LOOK, seconds / 8)
        self._before: dict[str, Times] | None = None
        self.starved = False

    @property
    def wait(self) -> float:
        """Seconds to wait before asking whether it is over."""
        return min(self._look - time.monotonic(), self._deadline.left)

    @property
    def is_over(self) -> bool:
        """Whether the limit is used; ``starved`` says that it is not, but that it was exceeded `MAX_TIMES` times."""
        now = time.monotonic()
        if now < self._look:
            return False
        if self._before is None:
            self._before = times(self._pid)
            self._look = self._began + self._seconds
            return False
        wall = now - self._began
        left = self._seconds - self._used(wall)
        self.starved = left > _REST * self._seconds and wall >= MAX_TIMES * self._seconds
        self._look = now + left
        return self.starved or left <= _REST * self._seconds

    def _used(self, wall: float) -> float:
        assert self._before is not None
        run = waited = 0.0
        for thread, after in times(self._pid).items():
            before = self._before.get(thread, Times(0, 0))
            run += after.run - before.run
            waited += after.waited - before.waited
        return max(wall - waited, run / (os.cpu_count() or 1))


def times(pid: int) -> dict[str, Times]:
    """The times of every thread of a process and its descendants; none where the system does not tell."""
    found: dict[str, Times] = {}
    for process in (pid, *descendants(pid)):
        for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
            try:
                run, waited = path.read_text().split()[:2]
            except (OSError, ValueError):  # it has ended
                continue
            found[str(path)] = Times(int(run) / 1e9, int(waited) / 1e9)
    return found
