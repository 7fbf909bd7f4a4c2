"""``crosslit gods-number``."""

from __future__ import annotations

import click

from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import Number, json_option
from crosslit_generate.cli.nullity import rules, rules_options

_SIZE = Number(1, 1000)


@example_command("crosslit gods-number 5", "crosslit gods-number 4 6 --wrap torus")
@click.argument("rows", type=_SIZE)
@click.argument("columns", type=_SIZE, required=False)
@rules_options
@json_option
def command(rows: int, columns: int | None, press: str, wrap: str, as_json: bool) -> None:
    """Print God's number of Lights Out boards: the fewest presses that suffice for any solvable one of ROWS x COLUMNS.

    Without COLUMNS, boards are square. With --json, also print a board that needs that number. The number is exact;
    sizes that would take more than about a minute are refused.
    """
    from crosslit_generate.lights_out import gods_number

    board = rules(press, wrap)
    columns = rows if columns is None else columns
    try:
        number, worst = gods_number(rows, columns, board.pattern, board.wrap)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        settings = list(board.settings)
        record = {"rows": rows, "columns": columns, "settings": settings, "presses": number, "board": worst.text}
        output.write_json(record)
    else:
        output.write(str(number))
