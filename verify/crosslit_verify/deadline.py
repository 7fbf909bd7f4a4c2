"""The deadline of a verification, which bounds every wait: for answers, references and processes."""

from __future__ import annotations

import time
from math import inf

LAST_SECONDS = 0.5
"""Seconds after the end in which a failure found at the very end may be shrunk."""

CLOSING_SECONDS = 2.25
"""Seconds after the end in which the solver may exit; then it is killed."""

_MIN_SECONDS = 0.25  # for a wait that cannot be skipped, such as for the end of a killed process


class OutOfTime(Exception):
    """The end of the verification's time, which is no fault of the solver."""


class Deadline:
    """The deadline of a verification, on the clock `time.monotonic`.

    Args:
        seconds: seconds from now; None for no deadline.

    Examples:
        >>> Deadline(None).left, Deadline(None).cap(2.0)
        (inf, 2.0)
        >>> Deadline(0).is_over
        True
    """

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
        """Raise an error after the end.

        Raises:
            OutOfTime: after it.
        """
        if self.left <= 0:
            raise OutOfTime

    def extend(self) -> None:
        """Allow questions until `LAST_SECONDS` after the end, if the end is near."""
        if self.left < LAST_SECONDS:
            self._until = self._end + LAST_SECONDS

    def cap(self, seconds: float) -> float:
        """Return the seconds to wait for the end of a process: those given, or fewer near the end."""
        # Not 0, since a killed process needs a moment to end, and one that is not awaited would be left behind.
        return max(_MIN_SECONDS, min(seconds, self._end + CLOSING_SECONDS - time.monotonic()))
