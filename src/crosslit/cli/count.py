"""``crosslit count``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import SPEC, format_option, json_option, limit_options, puzzles_argument

if TYPE_CHECKING:
    from crosslit.judging.counts import CountResult


_MAX_CHARACTERS = 60  # maximum characters of a name


@example_command("crosslit count '1,1,1|1,1,1'", "crosslit count examples/heart.non --check")
@puzzles_argument
@click.option(
    "--backend",
    "spec",
    type=SPEC,
    metavar="SPEC",
    help="The backend.  [default: polynomial or gauss, frontier for a nonogram]",
)
@click.option(
    "--check", is_flag=True, help="Also count or enumerate with an independent backend, and print the evidence."
)
@limit_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzles: tuple[str, ...],
    spec: str | None,
    check: bool,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Print how many solutions each PUZZLE has, without enumerating them.

    A Lights Out board has 2^nullity or none. A nonogram is counted by dynamic programming over its cells, within the
    limits of time and memory; beyond them its count is undecided. Without --check the number is the claim of one
    backend. Exit status: 0 counted, 1 something is wrong, 2 bad usage or input, 3 undecided or not cross-checked by
    --check, 130 interrupted.
    """
    from crosslit.cli import output
    from crosslit.cli.exit_status import FINDING, INTERRUPTED, UNDECIDED
    from crosslit.cli.inquiry import isolated_runs
    from crosslit.formats import read_all
    from crosslit.questions.count import count
    from crosslit.runs.run import Limits

    named = [(problem.name or source, problem) for source in puzzles for problem in read_all(source, format_name)]
    counted: list[CountResult] = []
    with isolated_runs(Limits(None, timeout, memory_mb), len(named)) as (runner, progress):
        runner.on_step = lambda done, of: progress.started(f"{done} of {of} open cells")
        for name, problem in named:
            counted.append(count(problem, spec, check=check, runner=runner))
            progress.ended()
            progress.hide()
            if as_json:
                output.write_json(counted[-1].json())
            else:
                _write(counted[-1], check, f"{_shown(name)}: " if len(named) > 1 else "")
            if runner.interrupted:
                ctx.exit(INTERRUPTED)
    # A contradiction is reported even if another puzzle is undecided.
    if not all(count.consistent for count in counted):
        ctx.exit(FINDING)
    if any(count.number is None or (check and _is_unchecked(count)) for count in counted):
        ctx.exit(UNDECIDED)


def _shown(name: str) -> str:
    """Return a short name for a puzzle: one given on the command line may be long."""
    from crosslit.cli import output
    from crosslit.numbers import shorten

    return output.one_line(shorten(name, _MAX_CHARACTERS))


def _is_unchecked(counted: CountResult) -> bool:
    return counted.evidence == "claimed"


def _write(counted: CountResult, check: bool, head: str) -> None:
    from crosslit.cli import output
    from crosslit.judging.counts import DIGITS
    from crosslit.numbers import number_words
    from crosslit.questions.count import ENUMERABLE

    for finding in counted.findings:
        output.complain(f"{head}{finding.backend}: {finding.problem}: {finding.detail}")
    if counted.number is None:
        output.write(f"{head}undecided")
    else:
        words = f" (evidence: {counted.evidence}, by {', '.join(counted.by)})" if check else ""
        output.write(f"{head}{number_words(counted.number, DIGITS)}{words}")
    is_unchecked = check and _is_unchecked(counted)
    if is_unchecked:
        listed = f"only up to {ENUMERABLE:,} solutions are listed and checked"
        output.complain(f"{head}not cross-checked: no independent backend counted them, and {listed}")
    if counted.number is None or is_unchecked:
        for run in counted.runs:
            if run.status not in ("complete", "error"):  # an error is a finding, printed above
                output.complain(f"{head}{run.backend}: {run.error or run.status}")
