"""Any question, one that a plugin brings too: the runs of some backends, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crosslit import registry
from crosslit.contract import QuestionName, find_question
from crosslit.errors import SpecError
from crosslit.formats import as_puzzle
from crosslit.puzzles import Puzzle
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
) -> Any:
    """Ask backends a question about a puzzle, each in a process of its own, and return what its judge returns.

    Args:
        puzzle: that it is about, or its one-line form.
        question: the name of one.
        backends: specs, groups and wildcards; by default one backend.
        timeout: of each run, in seconds of wall time.
        memory_mb: of each run, in 2^20 bytes.

    Raises:
        ContractError: if there is no such question.
        SpecError: if a spec cannot be read, or nothing suits the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    Examples:
        >>> from crosslit.formats import read
        >>> ask(read("1,1|1,1"), "count").number
        2
    """
    puzzle = as_puzzle(puzzle)
    with Runner(Limits(None, timeout, memory_mb)) as runner:
        found = ask_by(runner, puzzle, question, backends)
    if runner.interrupted:
        raise KeyboardInterrupt
    return found


def ask_by(runner: Runner, puzzle: Puzzle, question: QuestionName, backends: str | Iterable[str] | None = None) -> Any:
    """Ask as `ask` does, by a runner with its limits; an interrupt is left to the caller."""
    asked = find_question(question)
    chosen = registry.select(backends or default(puzzle, question), puzzle, question)
    if not any(choice.refusal is None for choice in chosen):
        reason = "".join(f": {choice.refusal}" for choice in chosen[:1])
        raise SpecError(f"no backend among {backends} answers the question of {asked.words} on this puzzle{reason}")
    runs = [
        run
        for _, run in runner.runs(
            [Job(choice=choice, puzzle=puzzle, request=Solve(question=question)) for choice in chosen]
        )
    ]
    return asked.judged(puzzle, runs, runner.limits)
