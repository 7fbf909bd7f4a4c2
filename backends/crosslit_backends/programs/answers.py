"""Replies of a program to one puzzle: an answer that can be judged, an abstention, or a failure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from crosslit.grid import Grid

Claims = Literal["one", "all", "unique", "fewest"]
FEWEST: Literal["fewest"] = "fewest"
CLAIMS: tuple[Claims, ...] = get_args(Claims)
"""The promises of a solver: one solution; all; one, and whether it is unique; one with the fewest presses."""

MAX_SOLUTIONS = 10_000
"""Maximum solutions of a reference. One more grid of an answer is read: it is wrong, or a repetition."""

Problem = Literal["crash", "hang", "memory", "malformed-output", "orphaned-process", "differs"]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)

Abstained = Literal["unknown", "unsupported"]
ABSTENTIONS: tuple[Abstained, ...] = get_args(Abstained)
"""Replies without a claim: the solver gave up, or does not support such a puzzle."""


@dataclass(frozen=True, kw_only=True)
class _ProcessReply:
    """A reply with the output of a process that was started for one puzzle."""

    output: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True)
class Answer(_ProcessReply):
    """An answer to one puzzle as the solver gave it, not yet compared with the puzzle.

    A grid may have another shape than the puzzle; `Puzzle.violations` raises ValueError then.
    """

    solutions: tuple[Grid, ...]  # in the order given, with repetitions
    unsolvable: bool  # it claims that there is no solution; true exactly if `solutions` is empty
    unique: bool | None = None  # it claims that the solution is unique, or not; None if it does not say
    more: int = 0  # number of further grids that were not read, beyond `MAX_SOLUTIONS` + 1


@dataclass(frozen=True)
class SolverFailure(_ProcessReply):
    """A reply that cannot be judged.

    The solver ended without an answer (``crash``), gave none in time (``hang``), exceeded its limit of ``memory``,
    wrote something else (``malformed-output``), left processes running (``orphaned-process``), or another version of it
    gives another answer (``differs``).
    """

    problem: Problem
    detail: str  # one line: exit status or signal, the output (shortened), the last line of standard error


@dataclass(frozen=True)
class Abstention(_ProcessReply):
    """A reply without a claim: ``unknown`` (the solver gave up) or ``unsupported`` (it does not take such a puzzle)."""

    word: Abstained


Reply = Answer | Abstention | SolverFailure
