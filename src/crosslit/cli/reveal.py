"""``crosslit reveal``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import SPEC, format_option, json_option, limit_options, puzzle_argument
from crosslit.numbers import format_count

if TYPE_CHECKING:
    from crosslit.grid import Grid
    from crosslit.judging.minimal_subset import RevealResult
    from crosslit.kinds import Puzzle


@example_command("crosslit reveal '1,1,1|1,1,1'")
@puzzle_argument
@click.option(
    "--target",
    metavar="GRID",
    help="The solution to make unique: rows of 0 and 1, in a file or separated by /.  [default: the first]",
)
@click.option("--backend", "spec", type=SPEC, metavar="SPEC", help="The backend.  [default: one that suits the puzzle]")
@limit_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    target: str | None,
    spec: str | None,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Find the fewest cells of a solution of PUZZLE to reveal, so that no other solution has the same values there.

    For Lights Out their number is the nullity. If the search runs out of time, the output is the best set found and a
    lower bound of its size.

    Exit status: 0 the fewest, or no solution, 1 something is wrong, 2 bad usage or input, 3 not proved the fewest, 130
    interrupted.
    """
    from crosslit.cli import output, picture
    from crosslit.cli.inquiry import conclude, isolated_runs
    from crosslit.formats import read
    from crosslit.questions.minimal_subset import reveal
    from crosslit.runs.run import Limits

    problem = read(puzzle, format_name)
    grid = None if target is None else _grid(target, problem)
    with isolated_runs(Limits(None, timeout, memory_mb), what="what to reveal") as (runner, _):
        found = reveal(problem, grid, spec, runner=runner)
    if as_json:
        output.write_json(found.json())
    else:
        if found.answer.chosen is not None and found.answer.chosen.count():
            picture.write_picture(problem, found.lines)
        output.write(_words(found))
    conclude(ctx, runner, found.answer.findings, found.answer.decided, found.answer.runs)


def _grid(source: str, puzzle: Puzzle) -> Grid:
    from crosslit.errors import InputError
    from crosslit.formats import read
    from crosslit.grid import Grid

    if puzzle.layout.states > 2:
        try:
            return puzzle.layout.parse(source)
        except ValueError as error:
            raise InputError("target", str(error)) from None
    # Read as a board, whose format is the one of rows of 0 and 1, with the same messages.
    board = read(source, "board")
    if set(board.text) - set("01/"):  # settings or missing cells
        raise InputError(source, "expected rows of 0 and 1")
    return Grid.from_text(board.text)


def _words(found: RevealResult) -> str:
    answer = found.answer
    support = f" (evidence: {answer.evidence}, by {', '.join(answer.by)})"
    if answer.chosen is None:
        return f"no solution{support}" if answer.decided else f"undecided (at least {answer.bound} cells)"
    count = answer.chosen.count()
    cells = f"{format_count(count, 'cell')} to reveal"
    if not count:
        return f"nothing to reveal: this solution is the only one{support}"
    return (
        f"{cells}, the fewest{support}" if answer.decided else f"{cells}; at least {answer.bound} are needed{support}"
    )
