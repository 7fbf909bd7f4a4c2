"""Replies of a program to one puzzle: an answer that can be judged, an abstention, or a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from crosslit.grid import Grid

Claims = Literal["one", "all", "unique", "fewest"]
FEWEST: Literal["fewest"] = "fewest"
CLAIMS: tuple[Claims, ...] = get_args(Claims)
"""What a solver may promise: one solution; all of them; one, and whether it is the only one; one of fewest presses."""

MAX_SOLUTIONS = 10_000
"""Solutions that a reference may hold. One more grid of an answer is read: it is wrong, or a repetition."""

Problem = Literal["crash", "hang", "memory", "malformed-output", "orphaned-process"]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)


Abstained = Literal["unknown", "unsupported"]
ABSTENTIONS: tuple[Abstained, ...] = get_args(Abstained)
"""Replies that claim nothing: the solver gave up, or does not take such a puzzle."""


@dataclass(frozen=True)
class Answer:
    """An answer to one puzzle as the solver gave it, not yet compared with the puzzle.

    A grid may have another shape than the puzzle; `Puzzle.violations` raises ValueError then.

    Args:
        solutions: in the order given, repetitions kept.
        unsolvable: whether it said that there is no solution; then ``solutions`` is empty, and else it is not.
        unique: whether it said that there is just one solution; None if it did not say.
        seconds: of wall time from the question to the answer.
        more: how many further grids it gave, which were not read: those beyond `MAX_SOLUTIONS` and one.
    """

    solutions: tuple[Grid, ...]
    unsolvable: bool
    unique: bool | None = None
    seconds: float = 0.0
    more: int = 0


@dataclass(frozen=True)
class SolverFailure:
    """No answer that can be judged.

    Args:
        problem: ``crash`` (it ended without an answer), ``hang`` (no answer in time), ``memory`` (more than its limit),
            ``malformed-output`` (what it wrote is no answer), ``orphaned-process`` (it left processes running).
        detail: one line: exit status or signal, what was written (shortened), the last line on standard error.
        seconds: of wall time from the question to the failure.
    """

    problem: Problem
    detail: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Abstention:
    """A reply that claims nothing about the puzzle.

    Args:
        word: ``unknown`` (the solver gave up) or ``unsupported`` (it does not take such a puzzle).
        seconds: of wall time from the question to the reply.
    """

    word: Abstained
    seconds: float = 0.0


Reply = Answer | Abstention | SolverFailure
