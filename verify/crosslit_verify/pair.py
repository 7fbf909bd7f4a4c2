"""Two solvers under test that get the same puzzles, such as two versions of one engine."""

from __future__ import annotations

from collections.abc import Callable

from crosslit_backends.programs.answers import Abstention, Answer, Claims, Reply, SolverFailure

from crosslit.kinds import Puzzle
from crosslit_verify.clock import Deadline
from crosslit_verify.judging import broken, claim, format_reply
from crosslit_verify.subject import Subject

_MAX_CHARACTERS = 120  # of each answer in a message


class Pair(Subject):
    """A solver and another one to compare it with: a difference is a failure, and equal replies are that of the first.

    Solutions may differ if both solvers promise only one. An abstention differs from nothing.
    """

    def __init__(self, first: Subject, second: Subject) -> None:
        self._first, self._second = first, second
        self.claims, self.timeout = first.claims, first.timeout
        known = [solver.description or solver.name for solver in (first, second)]
        self._names = known if len({*known, ""}) == 3 else ["the first", "the second"]
        self.description = ", against ".join(self._names)

    def ask(self, puzzle: Puzzle, meanwhile: Callable[[], None] = lambda: None) -> Reply:
        """Return the difference of the two replies to a puzzle, or else the first one."""
        self._first.timeout = self._second.timeout = self.timeout
        replies = self._first.ask(puzzle, meanwhile), self._second.ask(puzzle)
        if any(isinstance(reply, Abstention) for reply in replies):
            return replies[0]
        if _aspect(self.claims, puzzle, replies[0]) == _aspect(self.claims, puzzle, replies[1]):
            return replies[0]
        shown = (format_reply(reply, _MAX_CHARACTERS) for reply in replies)
        words = "; ".join(f"{name}: {text}" for name, text in zip(self._names, shown, strict=True))
        return SolverFailure("differs", words)

    def close(self) -> SolverFailure | None:
        """End both, and return the first failure."""
        first, second = self._first.close(), self._second.close()
        return first or second

    def end_by(self, deadline: Deadline) -> None:
        """Set a deadline of both."""
        self._first.end_by(deadline)
        self._second.end_by(deadline)


def _aspect(claims: Claims, puzzle: Puzzle, reply: Reply) -> object:
    """Return the part of a reply that must be equal: its failure, that it is wrong, or its claim."""
    if not isinstance(reply, Answer):
        return isinstance(reply, SolverFailure) and reply.problem
    return "wrong" if any(broken(puzzle, grid) for grid in reply.solutions) else (claim(claims, reply),)
