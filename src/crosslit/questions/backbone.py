"""What all solutions of a puzzle have in common, and how few cells tell one of them apart; by runs under limits."""

from __future__ import annotations

from crosslit import registry
from crosslit.errors import SpecError
from crosslit.judging.backbone import Backbone, judge_backbone
from crosslit.puzzles import Puzzle
from crosslit.registry.defaults import default
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner


def backbone(
    puzzle: Puzzle, backends: str | None = None, *, timeout: float = Limits.seconds, memory_mb: int = Limits.memory_mb
) -> Backbone:
    """The cells that are equal in all solutions, without finding all of them.

    Args:
        puzzle: whose solutions.
        backends: one spec or several, separated by commas, that are cross-checked; by default one.
        timeout: of each run, in seconds of wall time.
        memory_mb: of each run, in 2^20 bytes.

    Raises:
        SpecError: if a spec cannot be read, or nothing suits the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    Examples:
        >>> from crosslit.formats import read
        >>> found = backbone(read("1,1,2|1,2,1"))
        >>> found.lines, found.proved
        (['?0?', '010', '?1?'], True)
    """
    with Runner(Limits(None, timeout, memory_mb)) as runner:
        found = ask_backbone(runner, puzzle, backends)
    if runner.interrupted:
        raise KeyboardInterrupt
    return found


def ask_backbone(runner: Runner, puzzle: Puzzle, backends: str | None = None) -> Backbone:
    """As `backbone`, by a runner with its limits."""
    chosen = registry.select(backends or default(puzzle, "backbone"), puzzle, "backbone")
    if not any(choice.refusal is None for choice in chosen):
        reason = "".join(f": {choice.refusal}" for choice in chosen[:1])
        raise SpecError(f"no backend among {backends} tells the backbone of this puzzle{reason}")
    request = Solve(question="backbone")
    jobs = [Job(choice=choice, puzzle=puzzle, request=request) for choice in chosen]
    runs = [run for _, run in runner.runs(jobs)]
    return judge_backbone(puzzle, runs)
