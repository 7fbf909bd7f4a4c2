"""What the commands that ask about a puzzle share: their runs, and how they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from crosslit.puzzles import Puzzle

if TYPE_CHECKING:
    from crosslit.judging.verdict import Finding
    from crosslit.runs.run import Run
    from crosslit.runs.runner import Runner

_MAX_REASONS = 5  # that are printed


@contextmanager
def inquire(puzzle: Puzzle, what: str, timeout: float, memory_mb: int) -> Iterator[Runner]:
    """A runner under these limits, with a line of progress; an interrupt is noted, and what was found is kept."""
    from crosslit.cli import output
    from crosslit.runs.job import Job
    from crosslit.runs.run import Limits
    from crosslit.runs.runner import Runner

    def started(job: Job) -> None:
        progress.started(f"{job.spec} on {what} of {puzzle.name or puzzle.kind}")

    with (
        output.Progress(1) as progress,
        Runner(Limits(None, timeout, memory_mb), on_start=started) as runner,
        runner.guard(),
    ):
        yield runner


def conclude(
    ctx: click.Context, runner: Runner, findings: Iterable[Finding], decided: bool, runs: Iterable[Run] = ()
) -> None:
    """Say what is wrong, or why nothing was decided, and end with the exit status for it."""
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
    """Say why there is no solution where the clues show it, and which command says more."""
    from crosslit.cli import output

    reasons = list(puzzle.contradictions())
    if reasons:
        more = f"; {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""
        output.complain("; ".join(reasons[:_MAX_REASONS]) + more)
    output.complain("`crosslit explain PUZZLE` says why a puzzle has no solution")
