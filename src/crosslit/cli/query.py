"""Shared parts of the commands that ask about puzzles: their options, their runs, and their exit status."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.options import Decorator, format_option, json_option, limits
from crosslit.contract.run import Limits
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    from crosslit.contract.run import Run
    from crosslit.judging.verdict import Finding
    from crosslit.runs.job import Job
    from crosslit.runs.runner import Runner

_MAX_REASONS = 5  # maximum number printed


@dataclass(frozen=True)
class Query:
    """The values of the arguments and options that commands about puzzles share."""

    sources: tuple[str, ...]
    format_name: str | None
    timeout: float
    memory_mb: int
    as_json: bool

    def read(self, source: str | None = None) -> Puzzle:
        """Read the puzzle of one source, by default the first."""
        return output.read_puzzle(self.sources[0] if source is None else source, self.format_name)

    def read_all(self) -> list[tuple[str, Puzzle]]:
        """Read all puzzles, each with the argument that names it."""
        named = ((source, output.read_puzzles(source, self.format_name)) for source in self.sources)
        return [(source, puzzle) for source, puzzles in named for puzzle in puzzles]

    def limits(self, solutions: int | None = None) -> Limits:
        """Return the limits of each run."""
        return Limits(solutions, self.timeout, self.memory_mb)

    @contextmanager
    def runs(
        self, what: str = "", total: int = 1, solutions: int | None = None, **options: Any
    ) -> Iterator[tuple[Runner, output.Progress]]:
        """Open a runner, with further options, and a line of progress; an interrupt is recorded, results are kept."""
        from crosslit.runs.runner import open_runner

        def started(job: Job) -> None:
            progress.started(f"{job.spec} on {what and f'{what} of '}{job.puzzle.name or job.puzzle.kind}")

        runner = open_runner(self.limits(solutions), on_start=started, **options)
        with output.Progress(total) as progress, runner, runner.guard():
            yield runner, progress


def query_options(seconds: float = 60) -> Decorator:
    """Return a decorator for limits, --json and --format, which the command gets, with its puzzles, as a `Query`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(
            *,
            puzzle: str = "",
            puzzles: tuple[str, ...] = (),
            format_name: str | None,
            timeout: float,
            memory_mb: int,
            as_json: bool,
            **options: Any,
        ) -> Any:
            return command(Query(puzzles or (puzzle,), format_name, timeout, memory_mb, as_json), **options)

        return limits(seconds, Limits.memory_mb)(json_option(format_option(wrapped)))

    return decorate


def conclude(runner: Runner, findings: Iterable[Finding], decided: bool, runs: Iterable[Run] = ()) -> int:
    """Print errors, or why nothing was decided, and return the exit status."""
    from crosslit.judging.verdict import DISCREDITS

    findings = list(findings)
    for finding in findings:
        output.complain(str(finding))
    wrong = any(finding.problem in DISCREDITS for finding in findings)
    if not (runner.interrupted or wrong or decided):
        for run in runs:
            if run.status != "complete":
                output.complain(f"{run.backend}: {run.error or run.status}")
    return exit_status(interrupted=runner.interrupted, wrong=wrong, undecided=not decided)


def advise_explain(puzzle: Puzzle) -> None:
    """Print why there is no solution if the clues show it, and the command that explains more."""
    reasons = list(puzzle.contradictions())
    if reasons:
        more = f"; {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""
        output.complain("; ".join(reasons[:_MAX_REASONS]) + more)
    output.complain("`crosslit explain PUZZLE` says why a puzzle has no solution")
