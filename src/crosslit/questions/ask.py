"""Any question, including those of plugins: the runs of some backends, and the conclusion from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crosslit import registry
from crosslit.contract import QuestionName, find_question
from crosslit.errors import SpecError
from crosslit.formats import as_puzzle
from crosslit.kinds import Puzzle
from crosslit.questions.isolation import isolated
from crosslit.registry.defaults import default
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner


def ask(
    puzzle: Puzzle | str,
    question: QuestionName,
    backends: str | Iterable[str] | None = None,
    *,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> Any:
    """Ask backends a question about a puzzle, each in a separate process, and return the result of its judge.

    With a runner, its limits hold. A SpecError says that no backend supports the puzzle.

    Examples:
        >>> from crosslit.formats import read
        >>> ask(read("1,1|1,1"), "count").number
        2
    """
    puzzle = as_puzzle(puzzle)
    wanted = find_question(question)
    chosen = registry.select(backends or default(puzzle, question), puzzle, question)
    if not any(choice.refusal is None for choice in chosen):
        reason = "".join(f": {choice.refusal}" for choice in chosen[:1])
        among = f" among {backends}" if backends else ""
        raise SpecError(f"no backend{among} can {wanted.words} of this puzzle{reason}")
    request = Solve(question=question)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        jobs = [Job(choice=choice, puzzle=puzzle, request=request) for choice in chosen]
        return wanted.judged(puzzle, [run for _, run in runner.runs(jobs)], runner.limits)
