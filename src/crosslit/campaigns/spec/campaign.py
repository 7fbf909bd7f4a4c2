"""What a campaign compares: puzzles, contestants, a question and limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from crosslit import contract
from crosslit.contract import QuestionName
from crosslit.puzzles import Puzzle
from crosslit.runs.run import Limits

Asked = Literal["first", "unique", "all", "fewest"]
"""The question of a campaign: one solution; whether there is another; all solutions; the fewest presses."""
ASKED: tuple[Asked, ...] = get_args(Asked)
SOLUTIONS: Mapping[Asked, int | None] = {"first": 1, "unique": 2, "all": None, "fewest": None}
"""How many solutions a run stops at; None means all."""

PAR = 10.0
"""The usual k of a second PAR-k."""


def question_of(asked: Asked) -> QuestionName:
    """Return the question that the runs of a campaign ask a backend."""
    return contract.FEWEST.name if asked == contract.FEWEST.name else contract.SOLUTIONS.name


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A puzzle of a campaign.

    Args:
        puzzle: what is to be solved.
        family: what it is one of, in the words of the campaign: growth with size is told by family.
        size: what time is drawn against, for example n of an n x n board.
        facts: what else is known of how it was made: ``density``, ``seed``, ``number``, ``file``; JSON values.
    """

    puzzle: Puzzle
    family: str
    size: float
    facts: Mapping[str, Any] = field(default_factory=dict)


Source = Callable[[], Iterator[Instance]]
"""A table ``[[puzzles]]`` of the file: yields its puzzles, always the same; making one may take a while, and a table
without such puzzles is an `InputError`."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """A comparison, but for its puzzles and contestants.

    Args:
        name: a short one, that of its file.
        title: for people.
        about: its purpose, in a paragraph; may be empty.
        asked: the question.
        limits: of each run.
        repetitions: of every run.
        seeds: where any are given, a backend that has an option ``seed`` runs with each of them.
        seed: of the order of the runs.
        solvers: commands that are backends, by name.
        folder: where the commands, and paths of puzzles, begin.
        text: of the file.
        floor: seconds below which the analysis of growth takes times for "at most so long"; None lets it choose.
        without_growth: families whose sizes are no series, so that growth with size is not fitted.
        par: k of the PAR-k that the report shows in addition to PAR-2.
    """

    name: str
    title: str
    about: str
    asked: Asked
    limits: Limits
    repetitions: int = 1
    seeds: tuple[int, ...] = ()
    seed: int = 0
    solvers: Mapping[str, str] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)
    text: str = ""
    floor: float | None = None
    without_growth: tuple[str, ...] = ()
    par: float = PAR

    @cached_property
    def question(self) -> QuestionName:
        """The question that its runs ask a backend."""
        return question_of(self.asked)


@dataclass(frozen=True, kw_only=True)
class Campaign(Description):
    """A comparison that is to be made.

    Args:
        contestants: specs of backends, by the name of the group that the report calls them; "" where they have none.
        sources: of puzzles, in order.
    """

    contestants: Mapping[str, tuple[str, ...]]
    sources: tuple[Source, ...]
