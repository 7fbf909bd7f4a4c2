"""``crosslit reveal``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.base.numbers import format_count
from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import backend_option, puzzle_argument, solver_option
from crosslit.cli.query import Query, conclude, query_options

if TYPE_CHECKING:
    from crosslit.base.grid import Grid
    from crosslit.judging.answers import MinimalSubset
    from crosslit.kinds import Puzzle


@example_command("crosslit reveal '1,1,1|1,1,1'")
@puzzle_argument
@click.option(
    "--grid",
    "target",
    metavar="GRID",
    help="The solution to make unique: rows of 0 and 1, in a file or separated by /.  [default: the first]",
)
@backend_option(help="The backend.  [default: one that suits the puzzle]")
@solver_option
@query_options()
def command(query: Query, target: str | None, spec: str | None) -> int:
    """Find the fewest cells of a solution of PUZZLE to reveal, so that no other solution has the same values there.

    For Lights Out their number is the nullity. If the search runs out of time, the output is the best set found and a
    lower bound of its size.

    Exit status: 0 the fewest, or no solution, 1 something is wrong, 2 bad usage or input, 3 not proved the fewest, 130
    interrupted.
    """
    from crosslit.questions.explain import reveal

    puzzle = query.read()
    grid = None if target is None else _grid(target, puzzle)
    with query.runs("what to reveal") as (runner, _):
        found = reveal(puzzle, grid, spec, runner=runner)
    answer = found.answer
    if query.as_json:
        output.write_json(found.json())
    else:
        if answer.chosen is not None and answer.chosen.count():
            output.write_picture(puzzle, found.lines)
        output.write(_words(answer))
    return conclude(runner, answer.findings, answer.decided, answer.runs)


def _grid(source: str, puzzle: Puzzle) -> Grid:
    from crosslit.base.errors import InputError
    from crosslit.base.grid import Grid
    from crosslit.formats import read

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


def _words(answer: MinimalSubset) -> str:
    from crosslit.judging.verdict import evidence_words

    if answer.chosen is None and not answer.decided:
        return f"undecided (at least {answer.bound} cells)"
    support, count = evidence_words(answer), answer.chosen.count() if answer.chosen else 0
    if answer.chosen is None:
        return f"no solution {support}"
    if not count:
        return f"nothing to reveal: this solution is the only one {support}"
    cells = f"{format_count(count, 'cell')} to reveal"
    return (
        f"{cells}, the fewest {support}" if answer.decided else f"{cells}; at least {answer.bound} are needed {support}"
    )
