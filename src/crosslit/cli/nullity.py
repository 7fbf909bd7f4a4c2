"""``crosslit nullity``."""

from __future__ import annotations

import click

from crosslit.cli.options import json_option
from crosslit.puzzles.lights_out import WRAPS

_SIZE = click.IntRange(1, 200_000)
MOST_WORK = 200_000_000


@click.command(short_help="Print how many solutions boards have: 2^nullity.")
@click.argument("rows", type=_SIZE)
@click.argument("columns", type=_SIZE)
@click.option("--press", default="plus", show_default=True, help="What a press toggles: a name or a picture.")
@click.option("--wrap", type=click.Choice(WRAPS), default="none", show_default=True, help="Which edges are joined.")
@json_option
def command(rows: int, columns: int, press: str, wrap: str, as_json: bool) -> None:
    """Print the nullity of Lights Out boards of ROWS x COLUMNS.

    A board of that size has 2^nullity solutions, or none. For plus and neighbours without joined edges nothing as large
    as the board is built; other boards are eliminated, up to about 600 x 600.
    """
    from typing import cast

    from crosslit.cli import output
    from crosslit.formats.board import pattern
    from crosslit.gf2 import nullity, why_no_chase
    from crosslit.grid import Grid
    from crosslit.puzzles import LightsOut
    from crosslit.puzzles.lights_out import Wrap

    joined = cast("Wrap", wrap)
    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern(press, "--press"), joined)
    if (why := why_no_chase(rules)) and rows * columns * min(rows, columns) > MOST_WORK:
        raise click.UsageError(f"{rows} x {columns} is too large for elimination, and {why}")
    value = nullity(rows, columns, rules.pattern, joined)
    if as_json:
        record = {"rows": rows, "columns": columns, "settings": list(rules.settings), "nullity": value}
        output.write_json(record)
    else:
        output.write(str(value))
