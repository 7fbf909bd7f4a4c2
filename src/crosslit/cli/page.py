"""``crosslit page``."""

from __future__ import annotations

import click

from crosslit.cli.options import format_option, json_option, limits, puzzles_argument


@click.command()
@puzzles_argument
@click.option("-o", "--output", "path", required=True, type=click.Path(), metavar="FILE", help="The file to write.")
@limits(10.0, 4096)
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzles: tuple[str, ...],
    path: str,
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
    from crosslit.cli.inquiry import conclude, inquire
    from crosslit.formats import read
    from crosslit.pages import gather, html
    from crosslit.pages.record import check_size

    problems = [read(puzzle, format_name) for puzzle in puzzles]
    for problem in problems:
        check_size(problem)
    gathered = []
    for problem in problems:
        with inquire(problem, "what a page needs", timeout, memory_mb) as runner:
            gathered.append(gather(runner, problem))
        if runner.interrupted:
            ctx.exit(INTERRUPTED)
    written = html([found.record for found in gathered]).encode()
    output.write_file(path, [written])
    if as_json:
        for found in gathered:
            output.write_json({"file": path, "bytes": len(written), **found.json()})
    for found in gathered:
        if not found.decided:
            run = found.runs[0]
            output.complain(f"{found.name}: {run.backend}: {run.error or run.status}; the page says so")
    findings = [finding for found in gathered for finding in found.findings]
    conclude(ctx, runner, findings, all(found.decided for found in gathered))
