"""The time of a verification: when it ends, and how long a search or an answer may take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from crosslit.verification.reproducing import SLOWER
from crosslit.verification.subject import Subject

LAST_SECONDS = 0.5
"""Seconds for shrinking, where a failure is found at the very end."""

BRIEF_SECONDS = 1.0
"""Seconds for an answer, at least, once there is an example of a hang."""


class Budget:
    """The seconds that a verification may take, shrinking included.

    Args:
        subject: raises `OutOfTime` after the end.
        seconds: of wall time; None for no end.
    """

    def __init__(self, subject: Subject, seconds: float | None) -> None:
        self._subject, self._seconds = subject, seconds
        self._deadline: float | None = None
        self.began = 0.0
        self.slowest = 0.0  # seconds of an answer

    def begin(self) -> None:
        """Start the clock."""
        self.began = time.monotonic()
        self._deadline = None if self._seconds is None else self.began + self._seconds
        self._subject.end_by(self._deadline)

    @property
    def is_spent(self) -> bool:
        """Whether the time is over."""
        return self._deadline is not None and time.monotonic() >= self._deadline

    @property
    def words(self) -> str:
        """The reason of an end when it is spent."""
        return f"{self._seconds:g} s were asked for"

    def for_search(self, most: float) -> float:
        """Return the seconds for a search: few where a failure is found at the very end, but some."""
        if self._deadline is None:
            return most
        left = max(LAST_SECONDS, self._deadline - time.monotonic())
        self._subject.end_by(time.monotonic() + left)
        return min(most, left)

    @contextlib.contextmanager
    def brief(self, is_brief: bool) -> Iterator[None]:
        """Wait less for answers: there is an example of a hang, and another one is not worth the whole time."""
        timeout = getattr(self._subject, "timeout", None)
        if timeout is None or not is_brief:
            yield
            return
        self._subject.timeout = min(timeout, max(BRIEF_SECONDS, SLOWER * self.slowest))  # type: ignore[attr-defined]
        try:
            yield
        finally:
            self._subject.timeout = timeout  # type: ignore[attr-defined]
