"""``crosslit show``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import format_option, json_option, limit_options, puzzle_argument

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle


@example_command("crosslit show examples/heart.non --solution", "crosslit show 10/01 --image board.svg")
@puzzle_argument
@click.option("--solution", "wanted", flag_value="solution", help="Also draw the first solution.")
@click.option(
    "--differences",
    "wanted",
    flag_value="differences",
    help="Draw two solutions, and mark the cells in which they differ.",
)
@click.option("--cells", metavar="ROWS", help="Draw known cells: rows of 1, 0 and ?, separated by /.")
@click.option(
    "--image",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the picture to a file, .svg or .png, instead. (.png needs Pillow)",
)
@limit_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    wanted: str | None,
    cells: str | None,
    image: str | None,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Draw PUZZLE: a nonogram with its clues, a Lights Out board with its lit cells.

    Exit status: 0 drawn, 2 bad usage or input, 3 no solution, or too few, or none in time, 130 interrupted.
    """
    from crosslit.cli import output, picture
    from crosslit.cli.exit_status import INTERRUPTED, UNDECIDED
    from crosslit.drawing.picture import Picture
    from crosslit.formats import read
    from crosslit.judging.verdict import puzzle_json
    from crosslit.kinds import kind_of

    # Checked before anything is solved.
    if image is not None and not image.lower().endswith((".svg", ".png")):
        raise click.BadParameter("the name of a picture ends in .svg or .png.", ctx, param_hint="--image")
    if cells is not None and wanted is not None:
        raise click.UsageError("--cells draws the given cells, --solution and --differences those found: choose one.")
    problem = read(puzzle, format_name)
    lines: Sequence[str] | None = None if cells is None else _known(problem, cells)
    if wanted is not None:
        lines, interrupted = _solved(problem, wanted == "differences", timeout, memory_mb)
        if interrupted:
            ctx.exit(INTERRUPTED)
        if lines is None:
            ctx.exit(UNDECIDED)
    if image is not None:
        Picture(problem, lines).save(image)
        if not as_json:
            return
    nullity = kind_of(problem).nullity(problem)
    if as_json:
        output.write_json({**puzzle_json(problem, nullity), **({"cells": "/".join(lines)} if lines else {})})
    else:
        output.write(problem.title(nullity))
        picture.write_picture(problem, lines)


def _known(puzzle: Puzzle, text: str) -> list[str]:
    """Return the rows of known cells, checked.

    Raises:
        InputError: if they are not rows of values and ? in the shape of the puzzle.
    """
    from crosslit.answer import DIGITS
    from crosslit.errors import InputError

    lines = text.split("/")
    fits = len(lines) == puzzle.rows and all(len(line) == puzzle.columns for line in lines)
    values = DIGITS[: puzzle.layout.states]
    if not fits or set(text) - {*values, "?", "/"}:
        cells = f"{puzzle.rows} rows of {puzzle.columns} cells {', '.join(reversed(values))} or ?"
        raise InputError("--cells", f"expected {cells}, separated by /")
    return [line.replace("?", " ") for line in lines]


def _solved(puzzle: Puzzle, two: bool, timeout: float, memory_mb: int) -> tuple[list[str] | None, bool]:
    """Return the cells of a solution or the common cells of two, None without any; and whether it was interrupted."""
    from crosslit.cli import output
    from crosslit.cli.inquiry import advise_explain, isolated_runs
    from crosslit.drawing import difference
    from crosslit.questions.solve import some_solutions
    from crosslit.runs.run import Limits

    with isolated_runs(Limits(None, timeout, memory_mb), what="a solution") as (runner, _):
        found, run = some_solutions(runner, puzzle, 2 if two else 1)
    if len(found) == 1 + two:
        return difference(found[0], found[-1]), False
    if not runner.interrupted:
        what = "second solution" if two and found else "solution"
        if run.status == "complete":
            output.complain(f"there is no {what} to draw (claimed by {run.backend})")
            if not found:
                advise_explain(puzzle)
        else:
            output.complain(f"{run.backend}: no {what} to draw was found: {run.error or run.status}")
    return None, runner.interrupted
