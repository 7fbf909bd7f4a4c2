"""Cross-checks: pure functions from finished runs to findings and a verdict, and the checkers of certificates.

A checked solution refutes every run that claims to be complete without it. This package must not run anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosslit.contract import Question
    from crosslit.contract.puzzle import Puzzle


def conclude(question: Question, puzzle: Puzzle, *runs_and_limits: Any, **more: Any) -> Any:
    """Return the conclusion from some runs that answer a question about a puzzle, and their limits.

    It is an object with ``findings``, ``runs`` and ``json()``. More arguments are those of the judge.
    """
    judge: Callable[..., Any]
    if question.name == "fewest":
        from crosslit.judging.solutions import judge_fewest as judge
    else:
        from crosslit.judging.solutions import judge
    return judge(puzzle, *runs_and_limits, **more)
