"""What came back from a solver under test: an answer that can be judged, or a mishap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from crosslit.grid import Grid

Claims = Literal["one", "all", "unique", "fewest"]
FEWEST: Literal["fewest"] = "fewest"
CLAIMS: tuple[Claims, ...] = get_args(Claims)
"""What a solver may promise: one solution; all of them; one, and whether it is the only one; one of fewest presses."""

MAX_SOLUTIONS = 10_000
"""Solutions that a truth may hold. One grid more of an answer is read: then one of these is wrong, or there twice."""

Problem = Literal["crash", "hang", "memory", "rubbish", "left-behind"]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)


@dataclass(frozen=True)
class Answer:
    """What a solver said of one puzzle, as it said it: nothing here has been compared with the puzzle.

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
class Mishap:
    """No answer that can be judged.

    Args:
        problem: ``crash`` (it ended without an answer), ``hang`` (no answer in time), ``memory`` (more than its limit),
            ``rubbish`` (what it wrote is no answer), ``left-behind`` (it left processes running).
        detail: one line: exit status or signal, what was written (shortened), the last line on standard error.
        seconds: of wall time from the question to the mishap.
    """

    problem: Problem
    detail: str
    seconds: float = 0.0
