"""Several backends on one puzzle, cross-checked: solutions with certificates, or the answers to another question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.contract import FEWEST, QUESTIONS, SOLUTIONS, QuestionName, are_independent
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.certificates import MAX_SOLUTIONS
from crosslit.judging.solutions import CheckedRuns, judge, judge_fewest
from crosslit.judging.verdict import Comparison
from crosslit.kinds import Puzzle
from crosslit.questions.blame import attributed
from crosslit.questions.certify import seek
from crosslit.questions.enumerate import require_listable
from crosslit.questions.turns import GROWTH
from crosslit.registry.defaults import default, faster_spec
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated


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
    timeout: float = Limits.timeout,
    memory_mb: int = Limits.memory_mb,
    repeat: int = 1,
    side_by_side: int = 1,
    certify: bool = False,
    full: bool = False,
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
        full: give every backend the whole limit; otherwise the default ones are stopped some time after two that are
            independent have decided, unless there is a ``timeout`` or they are repeated.
        certify: also make and check a certificate; see `crosslit.judging.certificates`. Not for the fewest presses.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.
        on_end: called with each run when it ends.

    Returns:
        A `Comparison`: ``verdict``, ``findings``, ``runs`` and ``solutions``; it prints as a table.

    Raises:
        SpecError: if a spec cannot be parsed, or no backend supports the puzzle.
        InputError: if there are too many solutions to find all of them.
        ValueError: if a limit or a number is not positive.

    Examples:
        >>> from crosslit.formats import load
        >>> comparison = compare(load("1111/1111/1111/1111"), "native,glucose4", limit=None)
        >>> comparison.consistent, comparison.verdict.solutions, comparison.verdict.evidence
        (True, 16, 'agreed')
        >>> compare(load("1111/1111/1111/1111"), "fewest,rc2", fewest=True).presses.best
        4
    """
    puzzle = as_puzzle(puzzle)
    planned = jobs(puzzle, backends, repeat, (FEWEST if fewest else SOLUTIONS).name)
    if limit is None and not fewest:
        require_listable(puzzle)
    limits = Limits(None if fewest else limit, timeout, memory_mb)
    with isolated(runner, limits, side_by_side) as runner:
        full = full or backends != "default" or repeat > 1 or timeout != Limits.timeout
        return cross_check(puzzle, planned, runner, certify=certify, full=full, on_end=on_end)


def cross_check(
    puzzle: Puzzle,
    planned: Sequence[Job],
    runner: Runner,
    *,
    certify: bool = False,
    full: bool = True,
    on_end: Callable[[Run], None] = lambda _: None,
) -> Comparison:
    """Carry out the runs of `jobs` about one puzzle, and judge them; see `compare`."""
    question = planned[0].question or SOLUTIONS.name
    # Runs in parallel end in any order; the report should not depend on it.
    order = {(job.spec, job.repetition): index for index, job in enumerate(planned)}
    runs: list[Run] = []
    checks = CheckedRuns(puzzle)
    with runner.guard():  # including the judging: an interrupt must not lose results
        for job, run in runner.runs(planned) if full else _until_decided(planned, runner):
            late = job.choice if run.status == "timeout" else None
            if late and not run.error and (faster := faster_spec(late, puzzle, question)):
                run.error = f"{faster} decides it in seconds"
            on_end(run)
            runs.append(run)
        runs.sort(key=lambda run: order[run.backend, run.repetition])
        choices = [job.choice for job in planned]
        if question == FEWEST.name:
            comparison = judge_fewest(puzzle, runs, runner.limits)
            comparison.findings = attributed(puzzle, comparison.findings, choices)
            return comparison
        comparison = judge(puzzle, runs, runner.limits, checks=checks)
        if certify:
            # Judged before, because only backends that this judgement does not discredit are asked.
            certified, findings, reasons = seek(comparison, planned, runner)
            refused = {finding.backend for finding in findings if finding.problem == "refused-certificate"}
            comparison = judge(puzzle, runs, runner.limits, certified, refused, checks)
            comparison.findings += findings
            comparison.uncertified = reasons
        comparison.findings = attributed(puzzle, comparison.findings, choices)
        return comparison


_MORE = 5.0  # seconds of processor time of each row, and times that of the rows on which a verdict rests
STOPPED = "stopped: the verdict stands (--full waits)"


def _until_decided(planned: Sequence[Job], runner: Runner) -> Iterator[tuple[Job, Run]]:
    """Yield the runs; one that takes longer than those on which the verdict rests is stopped, and says so.

    So that no slow row is waited for before the next has decided, all get a short limit of processor time first, and
    then those that reached it a longer one, until the verdict stands.
    """
    seconds, waiting, ended = _MORE, list(planned), list[Run]()

    def limited() -> Iterator[Job]:
        for job in waiting:
            share = min(seconds, _time_of_verdict(ended, runner.limits) or seconds)
            # A solver of the user is not stopped.
            is_own = job.choice is not None and "command" in job.choice.backend.groups
            shortened = replace(runner.limits, cpu_timeout=None if is_own or share >= runner.limits.timeout else share)
            yield replace(job, limits=shortened)

    while waiting:
        late = []
        for job, run in runner.runs(limited()):
            if run.status == "timeout" and run.error:  # by the limit of processor time
                late.append((job, run))
            else:
                ended.append(run)
                yield job, run
        enough = _time_of_verdict(ended, runner.limits)
        waiting = [] if runner.interrupted else [job for job, _ in late if enough is None or enough > seconds]
        for job, run in late:
            if job not in waiting:
                run.error = STOPPED
                yield job, run
        seconds *= GROWTH


def _time_of_verdict(runs: Sequence[Run], limits: Limits) -> float | None:
    """Return the processor time after which rows are stopped; None unless two independent runs decide alike."""

    def claim(run: Run) -> str:
        is_several = limits.solutions is not None and len(run.grids) > 1
        return "several" if is_several else run.digest if run.status == "complete" else ""

    claims = [(run, said) for run in runs if (said := claim(run))]
    pairs = [
        max(one.timing.cpu, other.timing.cpu)
        for (one, said), (other, agreed) in combinations(claims, 2)
        if said == agreed and are_independent(one.trusted_base, other.trusted_base)
    ]
    return max(_MORE, _MORE * min(pairs)) if pairs else None


def certified(puzzle: Puzzle, number: int, runner: Runner) -> Comparison:
    """Return a comparison with a certificate that a puzzle has a number of solutions, if one can be made.

    A board's certificate comes from its elimination, which needs two solutions. Any other puzzle gets a SAT solver's
    proof that there are no more than those found.
    """
    own = registry.select_one(default(puzzle), puzzle)
    if own.backend.certifies_at_limit:
        specs, solutions = [own.spec], 2
    else:
        specs, solutions = [default(puzzle, "list"), "glucose4"], min(number, MAX_SOLUTIONS) + 1
    runner.limits = replace(runner.limits, solutions=solutions)
    return cross_check(puzzle, jobs(puzzle, specs), runner, certify=True)
