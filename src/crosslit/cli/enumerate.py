"""``crosslit enumerate``."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import SPEC, Number, json_option, limits, puzzle_argument, solver_option
from crosslit.runs.run import MAX_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosslit.cli.output import Progress
    from crosslit.questions.enumerate import Lister, ListingFormat, SolutionFile


@example_command(
    "crosslit enumerate '1,1,1|1,1,1'", "crosslit enumerate examples/board-5x5.txt --check --output solutions.txt"
)
@puzzle_argument
@click.option(
    "--backend",
    "spec",
    type=SPEC,
    metavar="SPEC",
    help="The backend.  [default: polynomial or gauss, hybrid:engine=cadical195 for a nonogram]",
)
@solver_option
@click.option("--limit", type=Number(1), metavar="N", help="Stop when the list has N solutions.  [default: all]")
@click.option("--output", "-o", metavar="FILE", help="Write the solutions to a new file.  [default: standard output]")
@click.option("--resume", is_flag=True, help="Continue the list in --output, if there is one.")
@click.option(
    "--format",
    "layout_name",
    type=click.Choice(["text", "jsonl"]),
    help="The format of solutions.  [default: by the file's extension, else text; with --json jsonl]",
)
@click.option("--check", is_flag=True, help="Find the solutions again with an independent backend, and compare.")
@click.option(
    "--check-backend", "check_spec", type=SPEC, metavar="SPEC", help="The independent backend; implies --check."
)
@limits(MAX_SECONDS, 4096)
@json_option
@click.option("--input-format", "format_name", metavar="NAME", help="Read the puzzle in this format.  [default: guess]")
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    spec: str | None,
    solvers: tuple[str, ...],
    limit: int | None,
    output: str | None,
    resume: bool,
    layout_name: str | None,
    check: bool,
    check_spec: str | None,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """List all solutions of PUZZLE as they are found, each exactly once and checked by the rules.

    Standard output has one solution per line and nothing else. The last line on standard error says whether the list is
    complete, and on what evidence. However the command ends, the file has only whole solutions, and --resume continues
    it. Formats: text (the one-line form), jsonl. Exit status: 0 complete, 1 something is wrong, 2 bad usage or input, 3
    incomplete, 130 interrupted, 141 output closed.
    """
    from contextlib import nullcontext

    from crosslit import registry
    from crosslit.cli.exit_status import FINDING, INTERRUPTED, PIPE_CLOSED, UNDECIDED
    from crosslit.cli.output import PipeClosed, Progress, write_json
    from crosslit.cli.output_listing import record, tell_end
    from crosslit.formats import read
    from crosslit.questions.enumerate import Lister, ListingFormat, SolutionFile, format_of
    from crosslit.registry.commands import define_all
    from crosslit.registry.defaults import default, independent_backend
    from crosslit.runs.run import Limits
    from crosslit.runs.runner import Runner

    if resume and output is None:
        raise click.UsageError("--resume needs --output, the list to continue")
    name = layout_name or (format_of(output) if output else "jsonl" if as_json else "text")
    if output is None and as_json and name != "jsonl":
        raise click.UsageError("--json prints solutions as jsonl, unless they go to --output")
    define_all(solvers, [puzzle], f"{spec or ''},{check_spec or ''}")
    problem = read(puzzle, format_name)
    choice = registry.select_one(spec or default(problem, "list"), problem)
    other = None
    if check or check_spec:
        other = registry.select_one(check_spec, problem) if check_spec else independent_backend(choice, problem)
    layout = ListingFormat(problem, name)
    run_limits = Limits(limit, timeout, memory_mb)
    closed = False
    listed = SolutionFile(output, layout, resume) if output else nullcontext()
    with listed as file, Runner(run_limits, fork_first=True) as runner:
        lister = Lister(problem, choice, runner, _deliverer(layout, file), other)
        outcome = lister.outcome
        # no line of progress among solutions on the same terminal
        with Progress(0) as progress:
            if file is not None or not (sys.stdout and sys.stdout.isatty()):
                lister.on_batch = _rate(lister, progress)
            try:
                _list(lister, file)
            except PipeClosed:
                outcome.reason = outcome.reason or "the output was closed"
                closed = True
        interrupted = runner.interrupted
    # With a closed output the JSON has no reader; standard error still says how far the list came.
    if not as_json or closed:
        tell_end(outcome)
    else:
        write_json(record(outcome, run_limits))
    # The order says which end counts most: nobody reads the output, an error, an interrupt.
    if closed:
        ctx.exit(PIPE_CLOSED)
    if outcome.findings:
        ctx.exit(FINDING)
    if interrupted:
        ctx.exit(INTERRUPTED)
    ctx.exit(0 if outcome.complete else UNDECIDED)


def _deliverer(layout: ListingFormat, file: SolutionFile | None) -> Callable[[bytes], None]:
    """Return the consumer of solutions: the file, or standard output."""
    from crosslit.cli.output import PipeClosed
    from crosslit.cli.output_listing import write_bytes

    if file is not None:

        def append(packed: bytes) -> None:
            try:
                file.append(packed)
            except BrokenPipeError:
                raise PipeClosed("the output was closed") from None

        return append
    return lambda packed: write_bytes(layout.render(packed))


def _rate(lister: Lister, progress: Progress) -> Callable[[], None]:
    """Return a function that shows the number of solutions found, per second, and found again."""
    began, outcome = time.monotonic(), lister.outcome

    def show() -> None:
        if progress.is_due:
            # Earlier solutions were read from the file and not found in this time.
            rate = (outcome.found - outcome.known) / max(1e-9, time.monotonic() - began)
            again = f"; {lister.checked:,} found again" if lister.checked else ""
            progress.says(f"{outcome.found:,} found, {rate:,.0f} a second{again}")

    return show


def _list(lister: Lister, file: SolutionFile | None) -> None:
    from crosslit.errors import InputError
    from crosslit.questions.enumerate import NotAList

    if file is None:
        lister.run(lambda: ())
        return
    try:
        lister.run(file.records, file.begin)
    except NotAList as error:
        raise InputError(file.path, f"expected a list of different solutions of this puzzle; {error}") from None
