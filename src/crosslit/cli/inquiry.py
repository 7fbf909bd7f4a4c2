"""Shared parts of the commands that ask about a puzzle: their runs, and their exit status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    from crosslit.cli.output import Progress
    from crosslit.judging.verdict import Finding
    from crosslit.runs.job import Job
    from crosslit.runs.run import Limits, Run
    from crosslit.runs.runner import Runner

_MAX_REASONS = 5  # maximum number printed


@contextmanager
def isolated_runs(limits: Limits, total: int = 1, what: str = "", **options: Any) -> Iterator[tuple[Runner, Progress]]:
    """Open a runner under these limits, with a line of progress; an interrupt is recorded, and results are kept.

    Args:
        limits: the limits of each run.
        total: number of steps.
        what: the part of the puzzle that is asked for, in words.
        options: arguments of the runner.
    """
    from crosslit.cli.output import Progress
    from crosslit.runs.runner import Runner

    def started(job: Job) -> None:
        progress.started(f"{job.spec} on {what and f'{what} of '}{job.puzzle.name or job.puzzle.kind}")

    with Progress(total) as progress, Runner(limits, on_start=started, **options) as runner, runner.guard():
        yield runner, progress


def conclude(
    ctx: click.Context, runner: Runner, findings: Iterable[Finding], decided: bool, runs: Iterable[Run] = ()
) -> None:
    """Print errors, or why nothing was decided, and exit with the matching status."""
    from crosslit.cli import output
    from crosslit.cli.exit_status import FINDING, INTERRUPTED, UNDECIDED
    from crosslit.judging.verdict import DISCREDITS

    findings = list(findings)
    for finding in findings:
        output.complain(f"{finding.backend}: {finding.problem}: {finding.detail}")
    if runner.interrupted:
        ctx.exit(INTERRUPTED)
    if any(finding.problem in DISCREDITS for finding in findings):
        ctx.exit(FINDING)
    if not decided:
        for run in runs:
            if run.status != "complete":
                output.complain(f"{run.backend}: {run.error or run.status}")
        ctx.exit(UNDECIDED)


def advise_explain(puzzle: Puzzle) -> None:
    """Print why there is no solution if the clues show it, and the command that explains more."""
    from crosslit.cli import output

    reasons = list(puzzle.contradictions())
    if reasons:
        more = f"; {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""
        output.complain("; ".join(reasons[:_MAX_REASONS]) + more)
    output.complain("`crosslit explain PUZZLE` says why a puzzle has no solution")
