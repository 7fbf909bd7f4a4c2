"""``crosslit count``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.base.numbers import number_words, shorten
from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import backend_option, puzzles_argument, solver_option
from crosslit.cli.query import Query, query_options

if TYPE_CHECKING:
    from crosslit.judging.answers import CountResult


_MAX_CHARACTERS = 60  # maximum characters of a name


@example_command("crosslit count '1,1,1|1,1,1'", "crosslit count 10/11 00/00 --check")
@puzzles_argument
@backend_option(help="The backend.  [default: polynomial or gauss, frontier for a nonogram]")
@solver_option
@click.option("--check", is_flag=True, help="Ask an independent backend too, and print the evidence.")
@query_options()
def command(query: Query, spec: str | None, check: bool) -> int:
    """Print how many solutions each PUZZLE has, without enumerating them.

    A Lights Out board has 2^nullity or none. A nonogram is counted by dynamic programming over its cells, within the
    limits of time and memory; beyond them its count is undecided. Without --check the number is the claim of one
    backend. Exit status: 0 counted, 1 something is wrong, 2 bad usage or input, 3 undecided or not cross-checked by
    --check, 130 interrupted.
    """
    from crosslit.questions.count import count

    named = query.read_all()
    counted: list[CountResult] = []
    with query.runs(total=len(named)) as (runner, progress):
        runner.on_step = lambda done, of: progress.started(f"{done} of {of} open cells")
        for source, puzzle in named:
            counted.append(count(puzzle, spec, check=check, runner=runner))
            progress.ended()
            progress.hide()
            if query.as_json:
                output.write_json(counted[-1].json())
            else:
                # a puzzle in place of a name may be long
                name = output.one_line(shorten(puzzle.name or source, _MAX_CHARACTERS))
                _write(counted[-1], check, f"{name}: " if len(named) > 1 else "")
            if runner.interrupted:
                break
    # A contradiction is reported even if another puzzle is undecided.
    wrong = not all(count.consistent for count in counted)
    undecided = any(count.number is None or count.unchecked for count in counted)
    return exit_status(interrupted=runner.interrupted, wrong=wrong, undecided=undecided)


def _write(counted: CountResult, check: bool, head: str) -> None:
    from crosslit.judging.answers import DIGITS
    from crosslit.judging.verdict import evidence_words

    for finding in counted.findings:
        output.complain(f"{head}{finding}")
    if counted.number is None:
        output.write(f"{head}undecided")
    else:
        words = f" {evidence_words(counted)}" if check else ""
        output.write(f"{head}{number_words(counted.number, DIGITS)}{words}")
    if counted.unchecked:
        output.complain(f"{head}not cross-checked: {counted.unchecked}")
    if counted.number is None or counted.unchecked:
        for run in counted.runs:
            if run.status not in ("complete", "error"):  # an error is a finding, printed above
                output.complain(f"{head}{run.backend}: {run.error or run.status}")
