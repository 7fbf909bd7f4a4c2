"""``crosslit nullity``."""

from __future__ import annotations

import click

from crosslit.cli.options import json_option

_SIZE = click.IntRange(1, 200_000)


@click.command(short_help="Print how many solutions boards have: 2^nullity.")
@click.argument("rows", type=_SIZE)
@click.argument("columns", type=_SIZE)
@json_option
def command(rows: int, columns: int, as_json: bool) -> None:
    """Print the nullity of Lights Out boards of ROWS x COLUMNS.

    A board of that size has 2^nullity solutions, or none. Nothing as large as the board is built.
    """
    from crosslit.cli import output
    from crosslit.gf2 import nullity

    value = nullity(rows, columns)
    if as_json:
        output.write_json({"rows": rows, "columns": columns, "nullity": value})
    else:
        output.write(str(value))
