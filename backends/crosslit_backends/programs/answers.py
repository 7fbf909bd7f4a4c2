"""Replies of a program to one puzzle: an answer that can be judged, an abstention, or a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from crosslit.grid import Grid

Claims = Literal["one", "all", "unique", "fewest"]
FEWEST: Literal["fewest"] = "fewest"
CLAIMS: tuple[Claims, ...] = get_args(Claims)
"""The promises of a solver: one solution; all; one, and whether it is unique; one with the fewest presses."""

MAX_SOLUTIONS = 10_000
"""Maximum solutions of a reference. One more grid of an answer is read: it is wrong, or a repetition."""

Problem = Literal["crash", "hang", "memory", "malformed-output", "orphaned-process"]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)


Abstained = Literal["unknown", "unsupported"]
ABSTENTIONS: tuple[Abstained, ...] = get_args(Abstained)
"""Replies without a claim: the solver gave up, or does not support such a puzzle."""


@dataclass(frozen=True)
class Answer:
    """An answer to one puzzle as the solver gave it, not yet compared with the puzzle.

    A grid may have another shape than the puzzle; `Puzzle.violations` raises ValueError then.

    Args:
        solutions: the solutions in the order given, with repetitions.
        unsolvable: whether it claims that there is no solution; true exactly if ``solutions`` is empty.
        unique: whether it claims that the solution is unique; None if it does not say.
        seconds: wall time from the question to the answer.
        more: number of further grids that were not read, beyond `MAX_SOLUTIONS` + 1.
    """

    solutions: tuple[Grid, ...]
    unsolvable: bool
    unique: bool | None = None
    seconds: float = 0.0
    more: int = 0


@dataclass(frozen=True)
class SolverFailure:
    """A reply that cannot be judged.

    Args:
        problem: ``crash`` (it ended without an answer), ``hang`` (no answer in time), ``memory`` (it exceeded its
            limit), ``malformed-output`` (its output is not an answer), ``orphaned-process`` (it left processes
            running).
        detail: one line: exit status or signal, the output (shortened), the last line of standard error.
        seconds: wall time from the question to the failure.
    """

    problem: Problem
    detail: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Abstention:
    """A reply without a claim about the puzzle.

    Args:
        word: ``unknown`` (the solver gave up) or ``unsupported`` (it does not support such a puzzle).
        seconds: wall time from the question to the reply.
    """

    word: Abstained
    seconds: float = 0.0


Reply = Answer | Abstention | SolverFailure
