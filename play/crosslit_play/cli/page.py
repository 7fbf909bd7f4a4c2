"""``crosslit page``."""

from __future__ import annotations

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import format_option, json_option, limits, puzzles_argument


@example_command("crosslit page examples/heart.non", "crosslit page examples/heart.non 10/01 -o puzzles.html")
@puzzles_argument
@click.option(
    "-o",
    "--output",
    "chosen",
    metavar="FILE",
    help="The file to write.  [default: named after the first PUZZLE, .html]",
)
@limits(10.0, 4096)
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzles: tuple[str, ...],
    chosen: str | None,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Write one self-contained HTML file with the PUZZLEs: to play with hints, to watch solvers, to draw nonograms.

    The file needs no network. If solutions are not found in time, the page says so.

    Exit status: 0 written, 1 something is wrong with a solver, 2 bad usage or input, 3 written, but a search ran out of
    time, 130 interrupted (nothing is written).
    """
    from crosslit.cli import output
    from crosslit.cli.exit_status import INTERRUPTED
    from crosslit.cli.inquiry import conclude, isolated_runs
    from crosslit.formats import read
    from crosslit.runs.run import Limits
    from crosslit_play.document import html
    from crosslit_play.record import gather_all

    problems = [read(puzzle, format_name) for puzzle in puzzles]
    path = chosen if chosen is not None else _default_name(puzzles[0])
    with isolated_runs(Limits(None, timeout, memory_mb), len(problems), "what a page needs") as (runner, _):
        gathered = gather_all(problems, runner)
    if runner.interrupted:
        ctx.exit(INTERRUPTED)
    written = html([found.record for found in gathered]).encode()
    output.write_file(path, [written])
    if chosen is None and not as_json:
        output.write(output.one_line(path))
    if as_json:
        for found in gathered:
            output.write_json({"file": path, "bytes": len(written), **found.json()})
    for found in gathered:
        if not found.decided:
            run = found.runs[0]
            output.complain(f"{found.name}: {run.backend}: {run.error or run.status}; the page says so")
    findings = [finding for found in gathered for finding in found.findings]
    conclude(ctx, runner, findings, all(found.decided for found in gathered))


def _default_name(source: str) -> str:
    """Return a name for the page after the file of a puzzle, in the working directory, avoiding existing files."""
    from pathlib import Path

    from crosslit.errors import InputError
    from crosslit.formats import file_of

    file = Path(file_of(source))
    name = f"{file.stem}.html" if "|" not in source and file.is_file() else "puzzle.html"
    if Path(name).exists():
        # A name that the user did not type must not overwrite a file.
        raise InputError(name, "exists: name the page with -o FILE")
    return name
