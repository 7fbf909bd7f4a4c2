"""The end of a verification, which bounds every wait: for answers, references, starts, and ends of processes."""

from __future__ import annotations

import time
from math import inf

LAST_SECONDS = 0.5
"""Seconds after the end for shrinking what was found at the very end."""

CLOSING_SECONDS = 2.25
"""Seconds after the end in which the solver may end by itself; then it is killed."""

_MIN_SECONDS = 0.25  # for what must be waited for, such as the end of a process that was killed


class OutOfTime(Exception):
    """The time of the whole verification is over; no fault of the solver."""


class Deadline:
    """The end of a verification, on the clock `time.monotonic`.

    Args:
        seconds: from now on; None for no end.

    Examples:
        >>> Deadline(None).left, Deadline(None).cap(2.0)
        (inf, 2.0)
        >>> Deadline(0).is_over
        True
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._end = inf if seconds is None else time.monotonic() + seconds
        self._until = self._end

    @property
    def left(self) -> float:
        """Seconds for questions and references; negative when they are over."""
        return self._until - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Return True if the time is over, extended or not."""
        return time.monotonic() >= self._end

    def check(self) -> None:
        """Do nothing before the end.

        Raises:
            OutOfTime: after it.
        """
        if self.left <= 0:
            raise OutOfTime

    def extend(self) -> None:
        """Allow questions for `LAST_SECONDS` after the end, if that is near."""
        if self.left < LAST_SECONDS:
            self._until = self._end + LAST_SECONDS

    def cap(self, seconds: float) -> float:
        """Return the seconds to wait for the end of a process: as given, or fewer."""
        return max(_MIN_SECONDS, min(seconds, self._end + CLOSING_SECONDS - time.monotonic()))
