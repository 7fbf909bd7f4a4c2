"""``crosslit trace``."""

from __future__ import annotations

import click

from crosslit.cli.options import format_option, json_option, puzzle_argument


@click.command(short_help="Tell the steps of a native solver.")
@puzzle_argument
@click.option("--backend", "spec", metavar="SPEC", help="Follow this one.  [default: a native solver that suits]")
@click.option("--steps", "most", type=click.IntRange(1), metavar="N", help="Stop after so many.")
@json_option
@format_option
def command(puzzle: str, spec: str | None, most: int | None, as_json: bool, format_name: str | None) -> None:
    """Tell every step of a solver towards all solutions of PUZZLE, in order; rows, columns and places count from 1.

    It runs in this process, without limits: Ctrl-C ends it, and so does `| head`.

    Exit status: 0 told, 2 bad usage or input, 3 the solver gave up or --steps was reached, 130 interrupted.
    """
    from crosslit.cli import output
    from crosslit.cli.exit_status import UNDECIDED
    from crosslit.errors import GaveUp
    from crosslit.formats import read
    from crosslit.questions.trace import Step, follow, words

    def tell(step: Step) -> None:
        if as_json:
            output.write_json(step)
        else:
            output.write(words(step))

    context = click.get_current_context()
    problem = read(puzzle, format_name)
    try:
        whole = follow(problem, spec, tell, most)
    except GaveUp as error:
        output.complain(str(error))
        whole = False
    context.exit(0 if whole else UNDECIDED)
