"""Any question, including those of plugins: the runs of some backends, and the conclusion from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.contract import BACKBONE, QUESTIONS, QuestionName
from crosslit.contract.run import Limits
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging import conclude
from crosslit.questions.self_check import require_sound
from crosslit.registry.defaults import default
from crosslit.runs.in_process import isolated
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner

if TYPE_CHECKING:
    from crosslit.judging.answers import BackboneResult


def ask(
    puzzle: PuzzleLike,
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
    wanted = QUESTIONS[question]
    chosen = registry.select(backends or default(puzzle, question), puzzle, question)
    if not any(choice.refusal is None for choice in chosen):
        reason = "".join(f": {choice.refusal}" for choice in chosen[:1])
        among = f" among {backends}" if backends else ""
        raise SpecError(f"no backend{among} can {wanted.words} of this puzzle{reason}")
    request = Solve(question=question)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        jobs = [Job(choice=choice, puzzle=puzzle, request=request) for choice in chosen]
        result = conclude(wanted, puzzle, [run for _, run in runner.runs(jobs)], runner.limits)
    require_sound(puzzle, getattr(result, "findings", ()))
    return result


def backbone(
    puzzle: PuzzleLike,
    backends: str | None = None,
    *,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> BackboneResult:
    """Return the cells that are equal in all solutions, without finding all of them.

    Args:
        puzzle: the puzzle, or its one-line form.
        backends: one spec or several, separated by commas, to be cross-checked; by default one backend.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `BackboneResult`: ``lines`` shows the cells, ``proved`` and ``evidence`` say how certain they are.

    Raises:
        InputError: if the one-line form cannot be read.
        SpecError: if a spec cannot be parsed, or no backend supports the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        reveal: the fewest cells to reveal so that one solution is left.
        draw: a picture of the cells.

    Examples:
        >>> from crosslit.formats import read
        >>> found = backbone(read("1,1,2|1,2,1"))
        >>> found.lines, found.proved
        (['?0?', '010', '?1?'], True)
    """
    found: BackboneResult = ask(puzzle, BACKBONE.name, backends, timeout=timeout, memory_mb=memory_mb, runner=runner)
    return found
