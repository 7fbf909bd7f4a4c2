"""The time budget of a verification: its end, and the limits of a search and of an answer."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager

from crosslit_verify.deadline import Deadline, OutOfTime
from crosslit_verify.reference import Oracle
from crosslit_verify.reproducing import CONFIRMATION_SHARE, SLOWER
from crosslit_verify.subject import Subject, hurried

BRIEF_SECONDS = 1.0
"""Minimum seconds for an answer, once there is an example of a hang."""


class Budget:
    """The seconds that a verification may take, shrinking included.

    Args:
        subject: the solver under test, which raises `OutOfTime` once the time is over.
        oracle: the source of references, which raises `Unanswered` then.
        seconds: wall time; None for no limit.
    """

    def __init__(self, subject: Subject, oracle: Oracle, seconds: float | None) -> None:
        self._subject, self._oracle, self._seconds = subject, oracle, seconds
        self.deadline = Deadline()
        self.began = 0.0
        self.slowest = 0.0  # seconds of an answer

    def begin(self) -> None:
        """Start the clock."""
        self.began = time.monotonic()
        self.deadline = Deadline(self._seconds)
        self._subject.end_by(self.deadline)
        # One object for all three, so that an extension counts for every wait.
        self._oracle.deadline = self.deadline

    @property
    def is_spent(self) -> bool:
        """True if the time is over."""
        return self.deadline.is_over

    @property
    def words(self) -> str:
        """The reason for stopping when the budget is spent."""
        return f"stopped after {self._seconds:g} s"

    def for_search(self, max_seconds: float) -> float:
        """Return the time limit of a search: at most the given seconds, but a few seconds even at the very end."""
        self.deadline.extend()
        return min(max_seconds, self.deadline.left)

    def brief(self) -> AbstractContextManager[None]:
        """Shorten the wait for answers: a second example of a hang is not worth the whole time limit."""
        return hurried(self._subject, max(BRIEF_SECONDS, SLOWER * self.slowest))

    def confirmation(self) -> AbstractContextManager[None]:
        """Allow an answer its whole time limit, or as much of it as the budget allows.

        Raises:
            OutOfTime: if that is too short to show anything.
        """
        # A share of the time left, so that some remains to report the failure.
        seconds = CONFIRMATION_SHARE * self.deadline.left
        if seconds < BRIEF_SECONDS:
            raise OutOfTime
        return hurried(self._subject, seconds)
