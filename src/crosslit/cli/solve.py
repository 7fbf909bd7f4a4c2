"""``crosslit solve``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import backend_option, cores_option, puzzle_argument, solver_option
from crosslit.cli.query import Query, advise_explain, query_options

if TYPE_CHECKING:
    from crosslit.judging.verdict import Comparison


@example_command("crosslit solve '1,2|2,1'", "crosslit solve 10/11 --fewest")
@puzzle_argument
@backend_option(help="The backend.  [default: polynomial or gauss, hybrid for a nonogram, fewest with --fewest]")
@solver_option
@click.option("--fewest", is_flag=True, help="For Lights Out, find a solution with the fewest presses.")
@cores_option("those that are free")
@query_options()
def command(query: Query, spec: str | None, fewest: bool, cores: int | None) -> int:
    """Print one solution of PUZZLE, checked by the rules, or say that there is none.

    For Lights Out the picture shows the cells to press as (). With --fewest the solution has the fewest presses; if
    that cannot be proved in time, the best solution found is printed (undecided). Exit status: 0 solved, or no
    solution, 1 the backend is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit import registry
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.questions.compare import compare
    from crosslit.registry.defaults import default
    from crosslit.runs.sandbox import free_cores

    puzzle = query.read()
    question = (FEWEST if fewest else SOLUTIONS).name
    choice = registry.select_one(spec or default(puzzle, question), puzzle, question)
    cores = cores or free_cores()
    with query.runs(solutions=None if fewest else 1, fork_first=True, once=True, cores=cores, in_process=True) as (
        runner,
        _,
    ):
        comparison = compare(puzzle, choice.spec, fewest=fewest, runner=runner)
    status = _status(comparison)
    if query.as_json:
        output.write_json(_record(comparison, status), next(iter(comparison.solutions), None))
    else:
        _write(comparison, status)
    return exit_status(interrupted=runner.interrupted, wrong=status == "wrong", undecided=status == "undecided")


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
        "solution": "" if comparison.solutions else None,  # which `output.write_json` fills in
        **({"presses": presses.json()} if presses is not None else {}),
        "findings": [finding.json() for finding in comparison.findings],
        "run": comparison.runs[0].json(fewest=presses is not None),
    }


def _write(comparison: Comparison, status: str) -> None:
    run, presses = comparison.runs[0], comparison.presses
    if status in ("solved", "undecided") and comparison.solutions:
        output.write_solution(comparison.puzzle, comparison.solutions[0])
    if status == "unsolvable":
        output.write(f"no solution (claimed by {run.backend})")
        advise_explain(comparison.puzzle)
    elif status != "wrong" and presses is not None:
        from crosslit.questions.report import presses_words  # needed for the fewest presses only

        output.write(presses_words(presses, comparison.verdict))
    if status == "undecided":
        output.complain(f"{run.backend}: {run.error or run.status}")
    for finding in comparison.findings:
        output.complain(str(finding))
