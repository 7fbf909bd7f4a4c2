"""``crosslit show``."""

from __future__ import annotations

import click

from crosslit.cli.options import format_option, json_option, puzzle_argument


@click.command(short_help="Draw a puzzle.")
@puzzle_argument
@json_option
@format_option
def command(puzzle: str, as_json: bool, format_name: str | None) -> None:
    """Draw PUZZLE: a nonogram with its clues, a Lights Out board with its lit cells."""
    from crosslit import gf2
    from crosslit.cli import output
    from crosslit.drawing import draw
    from crosslit.formats import read
    from crosslit.puzzles import LightsOut
    from crosslit.records import puzzle_json

    problem = read(puzzle, format_name)
    nullity = gf2.board_nullity(problem) if isinstance(problem, LightsOut) else None
    if as_json:
        output.write_json(puzzle_json(problem, nullity))
    else:
        output.write(output.title(problem, nullity))
        output.write(draw(problem, style=output.picture_style()))
