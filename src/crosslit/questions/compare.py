"""Several backends on one puzzle, cross-checked: solutions with certificates, or the fewest presses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from crosslit import registry
from crosslit.base.errors import InputError, SpecError
from crosslit.contract import (
    FEWEST,
    QUESTIONS,
    SOLUTIONS,
    Certificate,
    Certified,
    CheckResult,
    QuestionName,
    why_dependent,
)
from crosslit.contract.run import Limits, Run, RunStatus
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.certificates import MAX_SOLUTIONS
from crosslit.judging.solutions import judge, judge_fewest
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Comparison, Finding
from crosslit.kinds import Puzzle
from crosslit.questions.formula import attributed
from crosslit.questions.solve import GROWTH
from crosslit.registry.defaults import default
from crosslit.runs.job import Certify, CheckCertificate, Job, Solve
from crosslit.runs.runner import Runner, isolated

_MAX_NULLITY = 26  # of a board whose solutions are listed without a limit: a minute


def require_listable(puzzle: Puzzle) -> None:
    """Raise an `InputError` if a list of all solutions would not end, because their number is known to be huge."""
    if (nullity := puzzle.nullity() or 0) > _MAX_NULLITY:
        problem = f"there are 2^{nullity} solutions or none, too many to list; `crosslit count --check` counts them"
        raise InputError(puzzle.name or puzzle.label, f"{problem}, --limit lists some")


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
    request, order = Solve(question=question), ((number, choice) for number in range(repeat) for choice in chosen)
    return [Job(choice=choice, puzzle=puzzle, request=request, repetition=number) for number, choice in order]


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
) -> Comparison:
    """Run backends on a puzzle, each in a separate process, and return their cross-checked claims.

    Args:
        puzzle: the puzzle, or its one-line form.
        backends: specs, groups and wildcards.
        fewest: compare the fewest presses that they find, instead of solutions.
        limit: number of solutions at which a run stops; None for all. Not for the fewest presses.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        repeat: number of runs of each backend.
        side_by_side: number of concurrent runs.
        certify: also make and check a certificate. Not for the fewest presses.
        full: give every backend the whole limit; otherwise the default ones are stopped some time after two that are
            independent have decided, unless there is a ``timeout`` or they are repeated.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Raises:
        SpecError: if a spec cannot be parsed, or no backend supports the puzzle.
        InputError: if there are too many solutions to find all of them.

    Examples:
        >>> comparison = compare("1111/1111/1111/1111", "native,glucose4", limit=None)
        >>> comparison.consistent, comparison.verdict.solutions, comparison.verdict.evidence
        (True, 16, 'agreed')
        >>> compare("1111/1111/1111/1111", "fewest,rc2", fewest=True).presses.best
        4
    """
    puzzle = as_puzzle(puzzle)
    planned = jobs(puzzle, backends, repeat, (FEWEST if fewest else SOLUTIONS).name)
    if limit is None and not fewest:
        require_listable(puzzle)
    limits = Limits(None if fewest else limit, timeout, memory_mb)
    with isolated(runner, limits, side_by_side) as runner:
        full = is_full(backends, repeat, full or timeout != Limits.timeout)
        return cross_check(puzzle, planned, runner, certify=certify, full=full)


def is_full(specs: str | Iterable[str], repeat: int, asked: bool) -> bool:
    """Return whether every backend gets its whole limit: on request, and unless these are one run of the defaults."""
    return asked or specs != "default" or repeat > 1


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
    question, limits = planned[0].question or SOLUTIONS.name, planned[0].limits or runner.limits
    # Runs in parallel end in any order; the report should not depend on it.
    order = {(job.spec, job.repetition): index for index, job in enumerate(planned)}
    runs: list[Run] = []
    with runner.guard():  # including the judging: an interrupt must not lose results
        for _, run in runner.runs(planned) if full else _until_decided(planned, runner):
            on_end(run)
            runs.append(run)
        runs.sort(key=lambda run: order[run.backend, run.repetition])
        comparison = (judge_fewest if question == FEWEST.name else judge)(puzzle, runs, limits)
        if certify and question != FEWEST.name:
            # Judged before, because only backends that this judgement does not discredit are asked.
            certified, findings, reasons = seek(comparison, planned, runner)
            refused = {finding.backend for finding in findings if finding.problem == "refused-certificate"}
            comparison = judge(puzzle, runs, limits, certified, refused)
            comparison.findings += findings
            comparison.uncertified = reasons
        comparison.findings = attributed(puzzle, comparison.findings, runs)
        return comparison


_MORE = 5.0  # seconds of processor time of each row, and times that of the rows on which a verdict rests
NEEDS = "there is no reliable complete run"
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
            is_own = "command" in job.backend.groups
            shortened = replace(runner.limits, cpu_timeout=None if is_own or share >= runner.limits.timeout else share)
            yield replace(job, limits=shortened)

    while waiting:
        late = []
        for job, run in runner.runs(limited()):
            if run.is_cpu_timeout:
                late.append((job, run))
            else:
                ended.append(run)
                yield job, run
        if runner.interrupted or (_time_of_verdict(ended, runner.limits) or math.inf) <= seconds:
            for _, run in late:
                run.error = STOPPED
            yield from late
            return
        waiting, seconds = [job for job, _ in late], seconds * GROWTH


def _time_of_verdict(runs: Sequence[Run], limits: Limits) -> float | None:
    """Return the processor time after which rows are stopped; None unless two independent runs decide alike."""

    def claim(run: Run) -> str:
        is_several = limits.solutions is not None and len(run.grids) > 1
        return "several" if is_several else run.digest if run.status == "complete" else ""

    pairs = [
        max(one.timing.cpu, other.timing.cpu)
        for one, other in combinations(filter(claim, runs), 2)
        if claim(one) == claim(other) and not why_dependent(one.trusted_base, other.trusted_base)
    ]
    return max(_MORE, _MORE * min(pairs)) if pairs else None


def seek(
    comparison: Comparison, planned: Sequence[Job], runner: Runner
) -> tuple[Certified | None, list[Finding], dict[str, str]]:
    """Ask the backends of complete, undiscredited runs for certificates, the fastest first, until one is accepted.

    A certificate whose check trusts an encoder is used only if there is no better one. Returned are the accepted
    certificate, if any; the errors in rejected ones; and by backend the reason why none was accepted (the key is empty
    if no run could be asked).
    """
    choices = {job.choice.spec: job.choice for job in planned if job.choice is not None}
    runs, stopped = candidates(comparison, "complete"), candidates(comparison, "limit")
    if not comparison.verdict.complete:  # some can derive the number of all solutions
        runs += [run for run in stopped if choices[run.backend].backend.certifies_at_limit]
    stops = f"a run stopped at {comparison.limits.solutions} solutions; a proof needs all of them (--all)"
    reasons: dict[str, str] = {} if runs else {"": stops if stopped else NEEDS}
    findings: list[Finding] = []
    weaker: Certified | None = None
    for run in runs:
        name, choice = run.backend, choices[run.backend]
        if not choice.backend.answers("certify"):
            reasons[name] = "it makes no certificates"
            continue
        if runner.interrupted:
            break
        attempt = runner.run(Job(choice=choice, puzzle=comparison.puzzle, request=Certify(run.grids)))
        if attempt.status == "error":
            findings.append(Finding(name, "error", f"while it made a certificate: {attempt.error}"))
        if attempt.status != "complete":
            reasons[name] = attempt.ending(comparison.limits)
            continue
        # In another run than the one that made it: a bug that damages the maker's process cannot damage the check.
        check = check_apart(comparison.puzzle, attempt.text, runner)
        # A check that ran out of time or memory says nothing against the certificate, so it is no finding.
        if check.status in ("gave-up", "error"):
            detail = f"{check.error}; {name} and the certificate checker contradict each other"
            findings.append(Finding(name, "refused-certificate", detail))
        if check.status != "complete":
            reasons[name] = f"the check: {check.ending(comparison.limits)}"
            continue
        certified = Certified(Certificate.from_json(attempt.text), name, CheckResult.from_json(check.text))
        if not certified.checked.trusts_encoder:
            return certified, findings, reasons
        # Go on: the next backend may give a certificate that trusts no encoder.
        weaker = weaker or certified
    return weaker, findings, reasons


def check_apart(puzzle: Puzzle, text: str, runner: Runner) -> Run:
    """Check a certificate in a separate process: ``complete`` with a `CheckResult` as text, ``gave-up`` if rejected."""
    return runner.run(Job(choice=None, puzzle=puzzle, request=CheckCertificate(text)))


def candidates(comparison: Comparison, status: RunStatus) -> list[Run]:
    """Return one run of each undiscredited backend that ended with a status, the fastest first."""
    blames = DISCREDITS - {DISAGREEMENT}  # which a certificate may settle
    blamed = {finding.backend for finding in comparison.findings if finding.problem in blames}
    found: dict[str, Run] = {}
    for run in sorted(comparison.runs, key=lambda run: run.timing.total):
        if run.status == status and run.backend not in blamed:
            found.setdefault(run.backend, run)
    return list(found.values())


def certify_number(puzzle: Puzzle, number: int, runner: Runner) -> Comparison:
    """Return a comparison with a certificate that a puzzle has a number of solutions, if one can be made.

    A board's certificate comes from its elimination, which needs two solutions. Any other puzzle gets a SAT solver's
    proof that there are no more than those found.
    """
    own = registry.select_one(default(puzzle), puzzle)
    if own.backend.certifies_at_limit:
        specs, solutions = [own.spec], 2
    else:
        specs, solutions = [default(puzzle, "list"), "glucose4"], min(number, MAX_SOLUTIONS) + 1
    limits = replace(runner.limits, solutions=solutions)
    return cross_check(puzzle, [replace(job, limits=limits) for job in jobs(puzzle, specs)], runner, certify=True)
