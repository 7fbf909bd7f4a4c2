"""``crosslit backbone``."""

from __future__ import annotations

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import SPEC, format_option, json_option, limit_options, puzzle_argument


@example_command("crosslit backbone examples/heart.non", "crosslit backbone '1,1,1|1,1,1'")
@puzzle_argument
@click.option(
    "--backends", type=SPEC, metavar="SPECS", help="Backends to cross-check.  [default: one that suits the puzzle]"
)
@limit_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    backends: str | None,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Show the cells of PUZZLE that are equal in all solutions, and those that vary (?), without finding all solutions.

    Exit status: 0 proved, or no solution, 1 something is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.cli import output, picture
    from crosslit.cli.inquiry import conclude, isolated_runs
    from crosslit.formats import read
    from crosslit.questions.ask import backbone
    from crosslit.runs.run import Limits

    problem = read(puzzle, format_name)
    with isolated_runs(Limits(None, timeout, memory_mb), what="the backbone") as (runner, _):
        found = backbone(problem, backends, runner=runner)
    if as_json:
        output.write_json(found.json())
    else:
        if found.solutions and found.proved:
            picture.write_picture(problem, found.lines)
        varying = found.varying.count()
        if found.proved and not found.solutions:
            words = "no solution"
        elif found.proved:
            equal = "1 cell is" if found.fixed == 1 else f"{found.fixed} cells are"
            words = f"{equal} equal in all solutions, {varying} vary"
        else:
            words = f"undecided ({varying} cells vary, {found.fixed} may)" if found.solutions else "undecided"
        support = f" (evidence: {found.evidence}, by {', '.join(found.by)})" if found.proved else ""
        output.write(words + support)
    conclude(ctx, runner, found.findings, found.proved, found.runs)
