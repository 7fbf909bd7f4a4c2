"""Options that commands share, with messages that describe the expected value.

A `Query` has those of the commands about puzzles; it reads the puzzles and opens the runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import InputError
from crosslit.cli import output
from crosslit.cli.output import exit_status
from crosslit.contract import registered
from crosslit.contract.registered import forms
from crosslit.contract.run import MAX_SECONDS, Limits
from crosslit.kinds import ENTRY_POINTS, NAMED, OWN, Puzzle, all_kinds

if TYPE_CHECKING:
    from crosslit.contract.run import Run
    from crosslit.judging.verdict import Finding
    from crosslit.runs.job import Job
    from crosslit.runs.runner import Runner


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class FloatRange(click.FloatRange):
    """A number within bounds, at most `MAX_SECONDS`; click accepts the text nan, which is in no order with them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail if the value is not a number or out of bounds."""
        number = super().convert(value, param, ctx)
        return number if number <= MAX_SECONDS else self.fail(f"{value} is not in the range x<=1e7.", param, ctx)


class NewFile(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """A file to write, or ``-`` for standard output; refused before anything is solved if its folder is missing."""

    name = "file"

    def convert(self, value: str, _param: click.Parameter | None, _ctx: click.Context | None) -> str:
        """Return the path; raise an `InputError` if its folder is missing."""
        if not (value and Path(value).parent.is_dir()):
            raise InputError(value, "No such file or directory")
        return value


COUNT, SECONDS = click.IntRange(1), FloatRange(0, min_open=True)


def complete_specs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
    """Return completions for the last of the specs of backends, separated by commas: names and groups."""
    from crosslit.registry import all_backends, all_groups

    before, comma, last = incomplete.rpartition(",")
    known = all_backends()
    return [f"{before}{comma}{name}" for name in sorted({*known, *all_groups(known)}) if name.startswith(last)]


class KindName(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """A kind of puzzle: the help lists those of Crosslit, and every registered one is accepted."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name of a kind; if there is none, fail with a list of all names."""
        if value not in self.choices:
            # Other kinds come from plugins, which are loaded only for a name that Crosslit itself does not have.
            self.choices = tuple(all_kinds())
        if value not in self.choices:
            names = ", ".join(map(repr, self.choices))
            self.fail(f"{value!r} is not one of {names}{registered.reasons(ENTRY_POINTS)}", param, ctx)
        return value


# The shell completes the names of files.
puzzle_argument = click.argument("puzzle", type=click.Path())
puzzles_argument = click.argument("puzzles", type=click.Path(), nargs=-1, required=True, metavar="PUZZLE...")
# Options of several commands: a command adds the help, its default, or more. Each has one meaning, which the table in
# docs/reference/command-line.md says.
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line instead of text.")
jobs_option = click.option(
    "--jobs",
    type=COUNT,
    default=1,
    show_default=True,
    metavar="N",
    help="Number of parallel runs; more than one makes timings unreliable.",
)
output_option = functools.partial(
    click.option,
    "-o",
    "--output",
    "path",
    type=NewFile(),
    metavar="FILE",
    help="Write to FILE, not to standard output.",
)
to_option = functools.partial(click.option, "--to", "write_as", metavar="FORMAT")
backend_option = functools.partial(click.option, "--backend", "spec", shell_complete=complete_specs, metavar="SPEC")
backends_option = functools.partial(
    click.option, "--backends", "specs", shell_complete=complete_specs, metavar="SPEC,..."
)
certificate_option = functools.partial(
    click.option, "--certificate", "certificate_path", type=NewFile(), metavar="FILE"
)
limit_option = functools.partial(click.option, "--limit", type=COUNT, metavar="N")
kind_option = functools.partial(click.option, "--kind", type=KindName([*OWN, *NAMED]))
seed_option = functools.partial(
    click.option, "--seed", metavar="SEED", show_default=True, help="Equal seeds give equal puzzles."
)
timeout_option = functools.partial(click.option, "--timeout", type=SECONDS, show_default=True, metavar="SECONDS")


def solver_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --solver: before the command is called, its solvers are defined."""

    @functools.wraps(command)
    def wrapped(*context: Any, solvers: tuple[str, ...], **options: Any) -> Any:
        from crosslit.registry import define_options

        given = (options.get(name) for name in ("spec", "specs", "against"))
        # `backends` lists all
        define_options(solvers, None if "names" in options else ",".join(filter(None, given)))
        return command(*context, **options)

    words = "Use your solver as a backend: NAME='COMMAND {cnf}', or with {file} for the puzzle; "
    words += "`crosslit backends --help` has the other forms."
    return click.option("--solver", "solvers", multiple=True, metavar="NAME=COMMAND", help=words)(wrapped)


def encoding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --encoding and --target."""
    text = "One of `crosslit encode --list`.  [default: the target's default]"
    targets = click.Choice(["cnf", "cnf-xor", *forms()])
    target = click.option("--target", type=targets, help="The form of the file.  [default: the one of NAME, else cnf]")
    return click.option("--encoding", "name", metavar="NAME", help=text)(target(command))


memory_option = functools.partial(
    click.option,
    "--memory",
    "memory_mb",
    type=COUNT,
    default=Limits.memory_mb,
    show_default=True,
    metavar="MB",
    help="Memory limit of each run.",
)


@dataclass(frozen=True)
class Query:
    """The values of the arguments and options that commands about puzzles share."""

    sources: tuple[str, ...]
    timeout: float
    as_json: bool
    memory_mb: int = Limits.memory_mb

    def read(self) -> Puzzle:
        """Read the only puzzle."""
        return output.read_puzzle(self.sources[0])

    def read_all(self, single: str | None = None) -> list[tuple[str, Puzzle]]:
        """Read all puzzles, each with the argument that names it; with an option for a single one, only one."""
        found = [(source, puzzle) for source in self.sources for puzzle in output.read_puzzles(source)]
        if single and len(found) > 1:
            raise click.UsageError(f"{single} is for one PUZZLE, found {len(found)}: FILE:7 is the seventh of a file")
        return found

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
    """Return a decorator for --timeout and --json, which the command gets, with its puzzles, as a `Query`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(timeout: float, as_json: bool, memory_mb: int = Limits.memory_mb, **options: Any) -> Any:
            sources = options.pop("puzzles") if "puzzles" in options else (options.pop("puzzle"),)
            return command(Query(sources, timeout, as_json, memory_mb), **options)

        timeout = timeout_option(
            default=seconds,
            show_default="no limit" if seconds == MAX_SECONDS else True,
            help="Limit on the wall time of each run, from encoding to decoding.",
        )
        return timeout(json_option(wrapped))

    return decorate


def why_stopped(run: Run, limits: Limits) -> str:
    """Return why a run is not complete, with the option that sets a limit which it reached."""
    option = " (--timeout)" if run.status == "timeout" and not run.error else ""
    return f"{run.backend}: {run.ending(limits)}{option}"


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
                output.complain(why_stopped(run, runner.limits))
    return exit_status(interrupted=runner.interrupted, wrong=wrong, undecided=not decided)


def advise_explain(puzzle: Puzzle) -> None:
    """Print why there is no solution if the clues show it, and the command that explains more."""
    if reasons := list(puzzle.contradictions()):
        more = [f"{len(reasons) - 5} more"] if len(reasons) > 5 else []
        output.complain("; ".join(reasons[:5] + more))
    output.complain("`crosslit explain PUZZLE` says why a puzzle has no solution")
