"""The questions, each an object with everything that differs between them.

A backend answers a question by a method of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from crosslit.base.layout import Layout
from crosslit.contract.puzzle import Puzzle
from crosslit.contract.task import QuestionName


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
        answer: ``grids``, which a backend yields one by one, or a ``number``, which it returns: a whole number, at most
            2 to the number of bits of a solution.
        layout: returns the form of the grids.
        needs: the capability of a `Kind` without which its puzzles do not have this question; "" for none.
    """

    name: QuestionName
    words: str
    answer: Literal["grids", "number"] = "grids"
    layout: Callable[[Puzzle], Layout] = _solution
    needs: str = ""


SOLUTIONS = Question(name="solutions", words="find all solutions")
FEWEST = Question(name="fewest", words="find the fewest presses", needs="cost")
COUNT = Question(name="count", words="count solutions", answer="number")
BACKBONE = Question(name="backbone", words="find the backbone")
REVEAL = Question(
    name="reveal",
    words="find the fewest cells to reveal",
    layout=_cells,
)
MUS = Question(
    name="mus",
    words="find minimal unsatisfiable subsets",
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
