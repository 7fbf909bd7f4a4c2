"""``crosslit show``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import puzzle_argument
from crosslit.cli.query import Query, advise_explain, query_options

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle


@example_command("crosslit show '1,2|2,1' --solution", "crosslit show 10/01 --image board.svg")
@puzzle_argument
@click.option("--solution", "wanted", flag_value="solution", help="Also draw the first solution.")
@click.option(
    "--differences",
    "wanted",
    flag_value="differences",
    help="Draw two solutions, and mark the cells in which they differ.",
)
@click.option(
    "--image",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the picture to a file, .svg or .png, instead. (.png needs Pillow)",
)
@query_options()
def command(query: Query, wanted: str | None, image: str | None) -> int:
    """Draw PUZZLE: a nonogram with its clues, a Lights Out board with its lit cells.

    Exit status: 0 drawn, 2 bad usage or input, 3 no solution, or too few, or none in time, 130 interrupted.
    """
    from crosslit.formats.picture import Picture
    from crosslit.judging.verdict import puzzle_json
    from crosslit.kinds import kind_of

    # Checked before anything is solved.
    if image is not None and not image.lower().endswith((".svg", ".png")):
        raise click.BadParameter("the name of a picture ends in .svg or .png.", param_hint="--image")
    puzzle = query.read()
    lines: Sequence[str] | None = None
    if wanted is not None:
        lines, interrupted = _solved(query, puzzle, 1 + (wanted == "differences"))
        if lines is None:
            return exit_status(interrupted=interrupted, undecided=True)
    if image is not None:
        Picture(puzzle, lines).save(image)
        if not query.as_json:
            return 0
    nullity = kind_of(puzzle).nullity(puzzle)
    if query.as_json:
        known = {"cells": "/".join(lines)} if lines else {}
        output.write_json({"puzzle": puzzle_json(puzzle, nullity), **known})
    else:
        output.write(puzzle.title(nullity))
        output.write_picture(puzzle, lines)
    return 0


def _solved(query: Query, puzzle: Puzzle, number: int) -> tuple[list[str] | None, bool]:
    """Return the cells of a solution or the common cells of two, None without any; and whether it was interrupted."""
    from crosslit.formats.drawing import difference
    from crosslit.questions.solve import some_solutions

    with query.runs("a solution", in_process=True) as (runner, _):
        found, run = some_solutions(runner, puzzle, number)
    if len(found) == number:
        return difference(found[0], found[-1]), runner.interrupted
    if not runner.interrupted:
        what = "second solution" if found else "solution"
        if run.status == "complete":
            output.complain(f"there is no {what} to draw (claimed by {run.backend})")
            if not found:
                advise_explain(puzzle)
        else:
            output.complain(f"{run.backend}: no {what} to draw was found: {run.error or run.status}")
    return None, runner.interrupted
