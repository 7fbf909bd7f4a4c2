"""``crosslit solve``."""

from __future__ import annotations

import click

from crosslit.cli.options import format_option, json_option, limit_options, puzzle_argument


@click.command(short_help="Print one solution, checked by the rules.")
@puzzle_argument
@click.option("--backend", "spec", metavar="SPEC", help="What to run.  [default: polynomial, or line for a nonogram]")
@limit_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    spec: str | None,
    timeout: float,
    memory_mb: int,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Print one solution of PUZZLE, checked by the rules, or say that there is none.

    For Lights Out the picture shows the cells to press as (). Exit status: 0 solved or without solution, 1 the backend
    is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit import registry
    from crosslit.api import default_backend
    from crosslit.cli import FINDING, INTERRUPTED, UNDECIDED, output
    from crosslit.comparison import compare_jobs
    from crosslit.drawing import draw
    from crosslit.findings import DISCREDITS
    from crosslit.formats import read
    from crosslit.isolation import Job, Runner
    from crosslit.records import Limits, puzzle_json

    problem = read(puzzle, format_name)
    choice = registry.select_one(spec or default_backend(problem), problem)

    def started(job: Job) -> None:
        progress.started(f"{job.choice.spec} on {problem.name or problem.kind}")

    with output.Progress(1) as progress, Runner(Limits(1, timeout, memory_mb), on_start=started) as runner:
        comparison = compare_jobs(problem, [Job(choice, problem)], runner)
    run = comparison.runs[0]
    solution = comparison.solutions[0] if comparison.solutions else None
    if any(finding.problem in DISCREDITS for finding in comparison.findings):
        status = "wrong"
    elif solution is not None:
        status = "solved"
    else:
        status = "unsolvable" if run.status == "complete" else "undecided"
    if as_json:
        record = {
            "puzzle": puzzle_json(problem, comparison.nullity),
            "status": status,
            "solution": solution.text() if solution else None,
            "findings": [finding.json() for finding in comparison.findings],
            "run": run.json(),
        }
        output.write_json(record)
    elif status == "solved":
        output.write(draw(problem, solution, output.picture_style()))
    elif status == "unsolvable":
        output.write(f"no solution (claimed by {run.backend})")
    elif status == "undecided":
        output.complain(f"{run.backend}: {run.error or run.status}")
    for finding in [] if as_json else comparison.findings:
        output.complain(f"{finding.backend}: {finding.problem}: {finding.detail}")
    if runner.interrupted:
        ctx.exit(INTERRUPTED)
    ctx.exit({"wrong": FINDING, "undecided": UNDECIDED}.get(status, 0))
