"""``crosslit page``."""

from __future__ import annotations

from pathlib import Path

import click

from crosslit.base.errors import InputError
from crosslit.base.files import file_of, is_file
from crosslit.base.text import format_count
from crosslit.cli import output
from crosslit.cli.group import example_command
from crosslit.cli.options import Query, conclude, output_option, puzzles_argument, query_options, why_stopped
from crosslit.cli.output import INTERRUPTED


@example_command("crosslit page examples/heart.non", "crosslit page pack.puzzles --for-players -o pupils.html")
@puzzles_argument
@output_option(help="Write the page to FILE.  [default: named after the first PUZZLE, .html]")
@click.option("--for-players", is_flag=True, help="Leave out titles, solutions, and the steps of solvers.")
@query_options(10)
def command(query: Query, path: str | None, for_players: bool) -> int:
    """Write one self-contained HTML file with the PUZZLEs: to play with hints, and to watch solvers.

    The file needs no network. If solutions are not found in time, the page says so. It takes all puzzles of a file;
    printed, each is on its own sheet.

    Exit status: 0 written, 1 something is wrong with a solver, 2 bad usage or input, 3 written, but a search ran out of
    time, 130 interrupted (nothing is written).
    """
    from crosslit_play.document import gather_all, html

    chosen = path if path is not None else _default_name(query.sources[0])
    output.check_page(chosen)
    puzzles = [puzzle for _, puzzle in query.read_all()]
    with query.runs("what a page needs", len(puzzles), in_process=True) as (runner, progress):
        gathered = list(progress.each(gather_all(puzzles, runner, for_players)))
    if runner.interrupted:
        return INTERRUPTED
    written = html([found.record for found in gathered]).encode()
    output.write_file(chosen, [written])
    if not query.as_json:
        output.write(output.one_line(f"{chosen}: {format_count(len(puzzles), 'puzzle')}"))
    for puzzle, found in zip(puzzles, gathered, strict=True):
        if query.as_json:
            record, about = found.record, {"file": chosen, "bytes": len(written)}
            about |= {"name": puzzle.name or None, "solutions": len(record["solutions"])}
            steps = sum(len(story["steps"]) for story in record["stories"])
            output.write_json({**about, "complete": record["complete"], "steps": steps})
        if run := found.stopped:
            output.complain(f"{puzzle.name or puzzle.kind}: {why_stopped(run, runner.limits)}; the page says so")
    is_known = all(found.stopped is None for found in gathered)
    return conclude(runner, [finding for found in gathered for finding in found.findings], is_known)


def _default_name(source: str) -> str:
    """Return a name for the page after the file of a puzzle, in the working directory: it must not exist."""
    name = f"{Path(file_of(source)).stem}.html" if is_file(file_of(source)) else "puzzle.html"
    if Path(name).exists():
        raise InputError(name, "exists: name the page with -o FILE")
    return name
