"""``crosslit trace``."""

from __future__ import annotations

import click

from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import Number, backend_option, format_option, json_option, puzzle_argument, solver_option


@example_command("crosslit trace examples/heart.non --steps 20")
@puzzle_argument
@backend_option("The solver.  [default: a native solver that suits]")
@solver_option
@click.option("--steps", "most", type=Number(1), metavar="N", help="Stop after N steps.")
@json_option
@format_option
def command(puzzle: str, spec: str | None, most: int | None, as_json: bool, format_name: str | None) -> int:
    """Print every step of a solver towards all solutions of PUZZLE, in order; rows, columns and places count from 1.

    The solver runs in this process without limits; Ctrl-C and `| head` end it.

    Exit status: 0 complete, 2 bad usage or input, 3 the solver gave up or --steps was reached, 130 interrupted.
    """
    from crosslit.errors import GaveUp
    from crosslit.formats import read
    from crosslit_play.trace import Step, follow, words

    def tell(step: Step) -> None:
        if as_json:
            output.write_json(step)
        else:
            output.write(words(step))

    try:
        whole = follow(read(puzzle, format_name), spec, tell, most)
    except GaveUp as error:
        output.complain(str(error))
        whole = False
    return exit_status(undecided=not whole)
