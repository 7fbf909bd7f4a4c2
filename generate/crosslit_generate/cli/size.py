"""``crosslit size``, its parts as hidden commands, and the options for the rules of boards."""

from __future__ import annotations

from typing import Any

import click

from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import Number, Size, combined, json_option
from crosslit.kinds.lights_out.puzzle import PATTERNS, WRAPS, LightsOut

MAX_ELIMINATED = 10_000_000  # cells: larger systems do not fit in memory
_MAX_SIDE = 1000  # of boards whose God's number is computed


rules_options = combined(
    click.option(
        "--press",
        default="plus",
        show_default=True,
        help=f"The cells that a press toggles: {', '.join(PATTERNS)}, or a picture.",
    ),
    click.option(
        "--wrap", type=click.Choice(WRAPS), default="none", show_default=True, help="The edges that are joined."
    ),
)


def rules(press: str, wrap: Any) -> LightsOut:
    """Return a board of one cell with the rules that the options give."""
    from crosslit.kinds.lights_out import format as board

    return board.rules(press, wrap, "--press")


@example_command("crosslit size 5", "crosslit size 4x6 --wrap torus")
@click.argument("size", type=Size(), metavar="ROWSxCOLUMNS")
@rules_options
@json_option
def command(size: tuple[int, int], press: str, wrap: str, as_json: bool) -> None:
    """Print what all Lights Out boards of a size have in common: nullity, rank and God's number.

    A board has 2^nullity solutions or none, and 2^rank boards are solvable. God's number is the fewest presses that
    suffice for any solvable board; it is exact, and unknown if it would take more than about a minute. With --json,
    `board` is one of the hardest. 5 is short for 5x5.
    """
    board, (rows, columns) = rules(press, wrap), size
    nullity = _nullity(rows, columns, board)
    rank = rows * columns - nullity
    if not as_json:  # at once: God's number may take a minute
        output.write(", ".join(("Lights Out", f"{rows} x {columns}", *board.settings)))
        output.write(f"nullity {nullity}: a board has 2^{nullity} solutions or none")
        output.write(f"rank {rank}: 2^{rank} of 2^{rows * columns} boards are solvable")
    try:
        found = _gods_number(rows, columns, board)
        text = f"{found['gods_number']}: no solvable board needs more presses"
    except ValueError as error:
        found, text = {"gods_number": None, "board": None}, f"unknown: {error}"
    if as_json:
        settings = list(board.settings)
        record = {"rows": rows, "columns": columns, "settings": settings, "nullity": nullity, "rank": rank}
        output.write_json({**record, **found})
    else:
        output.write(f"God's number {text}")


@example_command("crosslit size 5")
@click.argument("rows", type=Number(1))
@click.argument("columns", type=Number(1), required=False)
@rules_options
@json_option
@click.pass_context
def part(ctx: click.Context, rows: int, columns: int | None, press: str, wrap: str, as_json: bool) -> None:
    """Print the number of `crosslit size` that has the name of this command."""
    board, columns = rules(press, wrap), columns or rows
    if ctx.info_name == "nullity":
        found = {"nullity": _nullity(rows, columns, board)}
    else:
        try:
            number, worst = _gods_number(rows, columns, board).values()
            found = {"presses": number, "board": worst}
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if as_json:
        output.write_json({"rows": rows, "columns": columns, "settings": list(board.settings), **found})
    else:
        output.write(str(next(iter(found.values()))))


def _nullity(rows: int, columns: int, board: LightsOut) -> int:
    from crosslit.kinds.lights_out.invariant_factors import KNOWN
    from crosslit_generate.lights_out import nullity

    if board.pattern not in KNOWN and rows * columns > MAX_ELIMINATED:
        raise click.UsageError(f"{rows} x {columns} is too large for elimination, which this pattern needs")
    return nullity(rows, columns, board.pattern, board.wrap)


def _gods_number(rows: int, columns: int, board: LightsOut) -> dict[str, Any]:
    from crosslit_generate.lights_out import gods_number

    if max(rows, columns) > _MAX_SIDE:
        raise ValueError(f"only boards up to {_MAX_SIDE} x {_MAX_SIDE} are searched")
    number, worst = gods_number(rows, columns, board.pattern, board.wrap)
    return {"gods_number": number, "board": worst.text}
