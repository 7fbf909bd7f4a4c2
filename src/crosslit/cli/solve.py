"""``crosslit solve``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import SPEC, format_option, json_option, limit_options, puzzle_argument, solver_option

if TYPE_CHECKING:
    from crosslit.judging.verdict import Comparison


@example_command("crosslit solve examples/heart.non", "crosslit solve 10/11 --fewest")
@puzzle_argument
@click.option(
    "--backend",
    "spec",
    type=SPEC,
    metavar="SPEC",
    help="The backend.  [default: polynomial or gauss, hybrid for a nonogram, fewest with --fewest]",
)
@solver_option
@click.option("--fewest", is_flag=True, help="For Lights Out, find a solution with the fewest presses.")
@limit_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    spec: str | None,
    solvers: tuple[str, ...],
    fewest: bool,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Print one solution of PUZZLE, checked by the rules, or say that there is none.

    For Lights Out the picture shows the cells to press as (). With --fewest the solution has the fewest presses; if
    that cannot be proved in time, the best solution found is printed (undecided). Exit status: 0 solved, or no
    solution, 1 the backend is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit import registry
    from crosslit.cli import output
    from crosslit.cli.exit_status import FINDING, INTERRUPTED, UNDECIDED
    from crosslit.cli.inquiry import isolated_runs
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.formats import read
    from crosslit.questions.compare import compare
    from crosslit.registry.commands import define_all
    from crosslit.registry.defaults import default
    from crosslit.runs.run import Limits

    define_all(solvers, [puzzle], spec or "")
    problem = read(puzzle, format_name)
    question = (FEWEST if fewest else SOLUTIONS).name
    choice = registry.select_one(spec or default(problem, question), problem, question)
    with isolated_runs(Limits(None if fewest else 1, timeout, memory_mb), fork_first=True) as (runner, _):
        comparison = compare(problem, choice.spec, fewest=fewest, runner=runner)
    status = _status(comparison)
    if as_json:
        output.write_json(_record(comparison, status))
    else:
        _write(comparison, status)
    if runner.interrupted:
        ctx.exit(INTERRUPTED)
    ctx.exit({"wrong": FINDING, "undecided": UNDECIDED}.get(status, 0))


def _status(comparison: Comparison) -> str:
    from crosslit.judging.verdict import DISCREDITS

    if any(finding.problem in DISCREDITS for finding in comparison.findings):
        return "wrong"
    if comparison.presses is not None and not comparison.presses.proved:
        return "undecided"
    if comparison.solutions:
        return "solved"
    # Only the end of a complete search is a claim; a run that was stopped leaves the question open.
    return "unsolvable" if comparison.runs[0].status == "complete" else "undecided"


def _record(comparison: Comparison, status: str) -> dict[str, object]:
    from crosslit.judging.verdict import puzzle_json

    presses = comparison.presses
    return {
        "puzzle": puzzle_json(comparison.puzzle, comparison.nullity),
        "status": status,
        "solution": comparison.solutions[0].text() if comparison.solutions else None,
        **({"presses": presses.json()} if presses is not None else {}),
        "findings": [finding.json() for finding in comparison.findings],
        "run": comparison.runs[0].json(fewest=presses is not None),
    }


def _write(comparison: Comparison, status: str) -> None:
    from crosslit.cli import output
    from crosslit.cli.inquiry import advise_explain

    run, presses = comparison.runs[0], comparison.presses
    if status in ("solved", "undecided") and comparison.solutions:
        output.write_solution(comparison.puzzle, comparison.solutions[0])
    if status == "unsolvable":
        output.write(f"no solution (claimed by {run.backend})")
        advise_explain(comparison.puzzle)
    elif status != "wrong" and presses is not None:
        from crosslit.drawing.comparison import presses_words  # needed for the fewest presses only

        output.write(presses_words(presses, comparison.verdict))
    if status == "undecided":
        output.complain(f"{run.backend}: {run.error or run.status}")
    for finding in comparison.findings:
        output.complain(f"{finding.backend}: {finding.problem}: {finding.detail}")
