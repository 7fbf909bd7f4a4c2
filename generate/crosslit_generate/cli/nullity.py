"""``crosslit nullity``, and the options for the rules of boards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import Number, json_option
from crosslit.kinds.lights_out.puzzle import PATTERNS, WRAPS, LightsOut

_SIZE = Number(1)
MAX_ELIMINATED = 10_000_000  # cells: larger systems do not fit in memory


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the rules of boards given only by their size."""
    command = click.option(
        "--wrap", type=click.Choice(WRAPS), default="none", show_default=True, help="The edges that are joined."
    )(command)
    return click.option(
        "--press",
        default="plus",
        show_default=True,
        help=f"The cells that a press toggles: {', '.join(PATTERNS)}, or a picture.",
    )(command)


def rules(press: str, wrap: Any) -> LightsOut:
    """Return a board of one cell with the rules that the options give."""
    from crosslit.kinds.lights_out import format as board

    return board.rules(press, wrap, "--press")


@example_command("crosslit nullity 5", "crosslit nullity 24 24 --wrap torus")
@click.argument("rows", type=_SIZE)
@click.argument("columns", type=_SIZE, required=False)
@rules_options
@json_option
def command(rows: int, columns: int | None, press: str, wrap: str, as_json: bool) -> None:
    """Print the nullity of Lights Out boards of ROWS x COLUMNS, or ROWS x ROWS.

    A board of that size has 2^nullity solutions, or none. For the usual patterns no matrix of the board's size is
    built; boards of other patterns are eliminated, which takes seconds at 200 x 200.
    """
    from crosslit.kinds.lights_out.invariant_factors import KNOWN
    from crosslit_generate.lights_out import nullity

    board = rules(press, wrap)
    columns = rows if columns is None else columns
    if board.pattern not in KNOWN and rows * columns > MAX_ELIMINATED:
        raise click.UsageError(f"{rows} x {columns} is too large for elimination, which this pattern needs")
    value = nullity(rows, columns, board.pattern, board.wrap)
    if as_json:
        record = {"rows": rows, "columns": columns, "settings": list(board.settings), "nullity": value}
        output.write_json(record)
    else:
        output.write(str(value))
