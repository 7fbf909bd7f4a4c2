"""Minimal subsets: cells to reveal and minimal unsatisfiable subsets of constraints."""

from __future__ import annotations

from dataclasses import replace

from crosslit import registry
from crosslit.contract import QuestionName
from crosslit.errors import InputError
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.grid import Grid
from crosslit.judging.minimal_subset import MinimalSubset, RevealResult, judge_minimal_subset
from crosslit.judging.verdict import run_findings
from crosslit.kinds import Puzzle
from crosslit.questions.ask import isolated
from crosslit.questions.self_check import require_sound
from crosslit.questions.solve import some_solutions
from crosslit.registry.defaults import default, least_like
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner


def ask_smallest(
    runner: Runner, puzzle: Puzzle, question: QuestionName, backend: str | None = None, target: Grid | None = None
) -> MinimalSubset:
    """Return an answer of one backend to ``reveal`` or ``mus``, confirmed by another one if there is one."""
    choice = registry.select_one(backend or default(puzzle, question), puzzle, question)
    request = Solve(question=question, target=target)
    runs = [runner.run(Job(choice=choice, puzzle=puzzle, request=request))]
    found = judge_minimal_subset(puzzle, runs, runner.limits)
    # Only SAT solvers answer these questions about nonograms, so a fully independent check does not always exist.
    second = least_like(choice, puzzle, question)
    if found.chosen is not None and not runner.interrupted and second is not None:
        # The second one only confirms these candidates, which takes a few queries instead of a new search.
        runs.append(runner.run(Job(choice=second, puzzle=puzzle, request=replace(request, candidates=found.chosen))))
        found = judge_minimal_subset(puzzle, runs, runner.limits)
    require_sound(puzzle, found.findings)
    return found


def reveal(
    puzzle: PuzzleLike,
    target: Grid | str | None = None,
    backend: str | None = None,
    *,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> RevealResult:
    """Return the fewest cells to reveal so that one solution is left; for Lights Out as many as the nullity.

    Args:
        puzzle: the puzzle, or its one-line form.
        target: the solution to make unique, or its text; by default the first solution found.
        backend: one spec; by default a native solver for Lights Out, a SAT solver for nonograms.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `RevealResult`: ``lines`` shows the cells, ``answer.decided`` says whether it is proved that fewer do not
            suffice.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        InputError: if the target is not a solution.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        backbone: the cells that are equal in all solutions.
        explain: two solutions, and the cells in which they differ.

    Examples:
        >>> from crosslit.formats import read
        >>> found = reveal(read("1,1,1|1,1,1"))
        >>> found.answer.chosen.count(), found.answer.decided
        (2, True)
    """
    puzzle = as_puzzle(puzzle)
    target = puzzle.layout.parse(target) if isinstance(target, str) else target
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        return _reveal(runner, puzzle, target, backend)


def _reveal(runner: Runner, puzzle: Puzzle, target: Grid | None, backend: str | None) -> RevealResult:
    if target is None:
        found, run = some_solutions(runner, puzzle, 1)
        target = found[0] if found else None
        if target is None:
            answer = MinimalSubset(None, 0, run.status == "complete", findings=tuple(run_findings(run)), runs=(run,))
            return RevealResult(puzzle, None, answer)
    elif not puzzle.layout.admits(target):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError("target", f"expected a grid of {shape}, found {target.rows} x {target.columns}")
    # A grid that breaks the rules cannot be made the only solution.
    elif (violation := next(puzzle.violations(target), None)) is not None:
        raise InputError("target", f"expected a solution: {violation}")
    return RevealResult(puzzle, target, ask_smallest(runner, puzzle, "reveal", backend, target))
