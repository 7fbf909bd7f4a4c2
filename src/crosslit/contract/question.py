"""The questions, each an object with everything that differs between them.

A backend answers a question by a method of its name.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from crosslit.answer import Layout
from crosslit.contract.task import QuestionName
from crosslit.kinds import Puzzle, find_kind, kind_of
from crosslit.kinds.registry import NAMED, OWN
from crosslit.numbers import join_names


def _solution(puzzle: Puzzle) -> Layout:
    return puzzle.layout


def _cells(puzzle: Puzzle) -> Layout:
    return Layout(puzzle.rows, puzzle.columns)


def _constraints(puzzle: Puzzle) -> Layout:
    return Layout(*puzzle.constraints_shape)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that can be asked about a puzzle.

    Args:
        name: name of the question, and of the method of a backend that answers it.
        words: the phrase that follows "a backend can".
        judge: a function of a puzzle, runs and their limits, or ``MODULE:FUNCTION``, which checks the answers of the
            runs and returns the conclusion: an object with ``findings``, ``runs`` and ``json()``.
        answer: ``grids``, which a backend yields one by one, or a ``number``, which it returns: a whole number, at most
            2 to the number of bits of a solution.
        layout: returns the form of the grids.
        needs: the capability of a `Kind` without which its puzzles do not have this question; "" for none.
    """

    name: QuestionName
    words: str
    judge: str | Callable[..., Any]
    answer: Literal["grids", "number"] = "grids"
    layout: Callable[[Puzzle], Layout] = _solution
    needs: str = ""

    def unsuited(self, puzzle: Puzzle) -> str:
        """Return why a puzzle does not have this question; empty if it has."""
        if not self.needs or getattr(kind_of(puzzle), self.needs):
            return ""
        of = join_names([kind.puzzle.label for kind in map(find_kind, OWN + NAMED) if getattr(kind, self.needs)])
        return f"the question `{self.name}` applies only to {of}"

    def judged(self, puzzle: Puzzle, *runs_and_limits: Any) -> Any:
        """Return the conclusion from some runs; see ``judge``."""
        judge = pkgutil.resolve_name(self.judge) if isinstance(self.judge, str) else self.judge
        return judge(puzzle, *runs_and_limits)


SOLUTIONS = Question(name="solutions", words="find all solutions", judge="crosslit.judging.solutions:judge")
FEWEST = Question(
    name="fewest", words="find the fewest presses", judge="crosslit.judging.fewest:judge_fewest", needs="cost"
)
COUNT = Question(name="count", words="count solutions", judge="crosslit.judging.counts:judge_count", answer="number")
BACKBONE = Question(name="backbone", words="find the backbone", judge="crosslit.judging.backbone:judge_backbone")
REVEAL = Question(
    name="reveal",
    words="find the fewest cells to reveal",
    judge="crosslit.judging.minimal_subset:judge_minimal_subset",
    layout=_cells,
)
MUS = Question(
    name="mus",
    words="find minimal unsatisfiable subsets",
    judge="crosslit.judging.minimal_subset:judge_minimal_subset",
    layout=_constraints,
)

QUESTIONS: Mapping[QuestionName, Question] = {
    question.name: question for question in (SOLUTIONS, FEWEST, COUNT, BACKBONE, REVEAL, MUS)
}
"""The questions by name."""


def answer_layout(question: QuestionName, puzzle: Puzzle) -> Layout:
    """Return the form of the grids that answer a question: that of a solution, or a bit for each cell or constraint.

    The constraints of a nonogram are one row with a cell for each row of the puzzle and then each column. Those of a
    board are its lights.

    Examples:
        >>> from crosslit.formats import read
        >>> answer_layout("mus", read("1,1|2"))[:2], answer_layout("mus", read("10/01"))[:2]
        ((1, 3), (2, 2))
    """
    return QUESTIONS[question].layout(puzzle)
