"""``crosslit nullity``."""

from __future__ import annotations

import click

from crosslit.cli.options import json_option, rules_options

_SIZE = click.IntRange(1, 200_000)
MAX_WORK = 200_000_000


@click.command()
@click.argument("rows", type=_SIZE)
@click.argument("columns", type=_SIZE)
@rules_options
@json_option
def command(rows: int, columns: int, press: str, wrap: str, as_json: bool) -> None:
    """Print the nullity of Lights Out boards of ROWS x COLUMNS.

    A board of that size has 2^nullity solutions, or none. For plus and neighbours without joined edges nothing as large
    as the board is built; other boards are eliminated, up to about 600 x 600.
    """
    from crosslit.cli import output
    from crosslit.cli.options import rules
    from crosslit.gf2 import elimination_work, nullity, why_no_chase

    board = rules(press, wrap)
    if (why := why_no_chase(board)) and elimination_work(rows, columns, board) > MAX_WORK:
        raise click.UsageError(f"{rows} x {columns} is too large for elimination, and {why}")
    value = nullity(rows, columns, board.pattern, board.wrap)
    if as_json:
        record = {"rows": rows, "columns": columns, "settings": list(board.settings), "nullity": value}
        output.write_json(record)
    else:
        output.write(str(value))
