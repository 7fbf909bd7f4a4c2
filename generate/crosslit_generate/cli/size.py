"""``crosslit size``, and the options for the rules of boards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from crosslit.cli import output
from crosslit.cli.group import example_command
from crosslit.cli.options import Decorator, Size, combined, json_option
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import PATTERNS, WRAPS

MAX_ELIMINATED = 10_000_000  # cells: larger systems do not fit in memory


def rules_options(patterns: Iterable[str] = PATTERNS, wraps: Sequence[str] = WRAPS) -> Decorator:
    """Return a decorator for the options of the rules, with the patterns and the joined edges that a kind has."""
    return combined(
        click.option(
            "--press",
            default="plus",
            show_default=True,
            help=f"The cells that a press toggles: {', '.join(patterns)}, or a picture.",
        ),
        click.option(
            "--wrap", type=click.Choice(wraps), default="none", show_default=True, help="The edges that are joined."
        ),
    )


def rules(press: str, wrap: Any) -> LightsOut:
    """Return a board of one cell with the rules that the options give."""
    from crosslit.kinds.lights_out import text

    return text.rules(press, wrap, "--press")


@example_command("crosslit size 5", "crosslit size 4x6 --wrap torus")
@click.argument("size", type=Size(), metavar="ROWSxCOLUMNS")
@rules_options()
@json_option
def command(size: tuple[int, int], press: str, wrap: str, as_json: bool) -> None:
    """Print what all Lights Out boards of a size have in common: nullity and rank.

    A board has 2^nullity solutions or none, and 2^rank boards are solvable. 5 is short for 5x5.
    """
    board, (rows, columns) = rules(press, wrap), size
    nullity = _nullity(rows, columns, board)
    rank = rows * columns - nullity
    if as_json:
        record = {"rows": rows, "columns": columns, "settings": list(board.settings), "nullity": nullity, "rank": rank}
        output.write_json(record)
    else:
        output.write(", ".join(("Lights Out", f"{rows} x {columns}", *board.settings)))
        output.write(f"nullity {nullity}: a board has 2^{nullity} solutions or none")
        output.write(f"rank {rank}: 2^{rank} of 2^{rows * columns} boards are solvable")


def _nullity(rows: int, columns: int, board: LightsOut) -> int:
    from crosslit.algebra.nullity import KNOWN
    from crosslit_generate.lights_out import nullity

    if board.pattern not in KNOWN and rows * columns > MAX_ELIMINATED:
        raise click.UsageError(f"{rows} x {columns} is too large for elimination, which this pattern needs")
    return nullity(rows, columns, board.pattern, board.wrap)
