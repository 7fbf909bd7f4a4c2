"""Comparisons: several backends on one puzzle, each in a separate process, cross-checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from crosslit import registry
from crosslit.contract import FEWEST, QUESTIONS, SOLUTIONS, QuestionName
from crosslit.errors import SpecError
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging import conclude
from crosslit.judging.solutions import judge
from crosslit.judging.verdict import Comparison
from crosslit.kinds import Puzzle
from crosslit.questions.ask import isolated
from crosslit.questions.certify import seek
from crosslit.questions.self_check import require_sound
from crosslit.registry.encodings import faster_spec
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits, Run
from crosslit.runs.runner import Runner


def jobs(
    puzzle: Puzzle, specs: str | Iterable[str], repeat: int = 1, question: QuestionName = "solutions"
) -> list[Job]:
    """Return the runs of a comparison: all backends, then all again, so that repetitions see the same machine load."""
    if repeat < 1:
        raise ValueError(f"runs are repeated at least once, not {repeat} times")
    chosen = registry.select(specs, puzzle, question)
    if not chosen:
        what = f"this {puzzle.kind} puzzle of {puzzle.rows} x {puzzle.columns}"
        raise SpecError(f"no backend among {specs} can {QUESTIONS[question].words} of {what}")
    request = Solve(question=question)
    return [
        Job(choice=choice, puzzle=puzzle, request=request, repetition=repetition)
        for repetition in range(repeat)
        for choice in chosen
    ]


def compare(
    puzzle: PuzzleLike,
    backends: str | Iterable[str] = "default",
    *,
    fewest: bool = False,
    limit: int | None = 2,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    repeat: int = 1,
    side_by_side: int = 1,
    certify: bool = False,
    runner: Runner | None = None,
    on_end: Callable[[Run], None] = lambda _: None,
) -> Comparison:
    """Run backends on a puzzle, each in a separate process, and cross-check their claims.

    Args:
        puzzle: the puzzle, or its one-line form.
        backends: specs, groups and wildcards.
        fewest: compare the fewest presses that they find, instead of solutions.
        limit: number of solutions at which a run stops; None for all. Not for the fewest presses.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        repeat: number of runs of each backend.
        side_by_side: number of concurrent runs.
        certify: also make and check a certificate; see `crosslit.certificates`. Not for the fewest presses.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.
        on_end: called with each run when it ends.

    Returns:
        A `Comparison`: ``verdict``, ``findings``, ``runs`` and ``solutions``; it prints as a table.

    Raises:
        InputError: if the one-line form cannot be read.
        SpecError: if a spec cannot be parsed, or no backend supports the puzzle.
        ValueError: if a limit or a number is not positive.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        solve: one solution, in this process and without limits.
        Campaign: many backends on many puzzles.
        verify: tests a solver of yours.

    Examples:
        >>> from crosslit.formats import load
        >>> comparison = compare(load("1111/1111/1111/1111"), "native,glucose4", limit=None)
        >>> comparison.consistent, comparison.verdict.solutions, comparison.verdict.evidence
        (True, 16, 'agreed')
        >>> compare(load("1111/1111/1111/1111"), "fewest,rc2", fewest=True).presses.best
        4
    """
    from crosslit.drawing.display import NotebookBar

    puzzle = as_puzzle(puzzle)
    question = FEWEST if fewest else SOLUTIONS
    planned = jobs(puzzle, backends, repeat, question.name)
    # Runs in parallel end in any order; the report should not depend on it.
    order = {(job.spec, job.repetition): index for index, job in enumerate(planned)}
    limits = Limits(None if fewest else limit, timeout, memory_mb)
    runs = []
    with (
        NotebookBar(len(planned)) as bar,
        isolated(runner, limits, side_by_side) as runner,
        runner.guard(),  # including the judging: an interrupt must not lose results
    ):
        for job, run in runner.runs(planned):
            late = job.choice if run.status == "timeout" else None
            if late and (faster := faster_spec(late, puzzle, question.name)):
                run.error = f"{faster} decides it in seconds"
            on_end(run)
            bar.step(f"runs; {run.label} ended")
            runs.append(run)
        runs.sort(key=lambda run: order[run.backend, run.repetition])
        comparison: Comparison = conclude(question, puzzle, runs, runner.limits)
        require_sound(puzzle, comparison.findings)
        if not certify or fewest:
            return comparison
        # Judged once before, because only backends that this judgement does not discredit are asked.
        certified, findings, reasons = seek(comparison, planned, runner)
        refused = {finding.backend for finding in findings if finding.problem == "refused-certificate"}
        comparison = judge(puzzle, runs, runner.limits, certified, refused)
        comparison.findings += findings
        require_sound(puzzle, comparison.findings)
        comparison.uncertified = reasons
        return comparison
