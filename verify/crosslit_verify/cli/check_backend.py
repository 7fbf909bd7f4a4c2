"""``crosslit check-backend``."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.group import example_command
from crosslit.cli.options import KindName, json_option, limits, solver_option

if TYPE_CHECKING:
    from crosslit.contract.run import Run
    from crosslit.runs.job import Job
    from crosslit.runs.runner import Runner
    from crosslit_verify.contract_checks.checks import Configuration, Execute, Size
    from crosslit_verify.contract_checks.subject import CheckOutcome


@example_command("crosslit check-backend hybrid", "crosslit check-backend glucose4 --kind nonogram --level quick")
@click.argument("spec")
@solver_option
@click.option(
    "--level",
    "size",
    type=click.Choice(["quick", "usual", "full"]),
    default="usual",
    show_default=True,
    help="Number of puzzles; full includes all of 3 x 3.",
)
@click.option("--kind", type=KindName(), help="Only puzzles of this kind.")
@limits(10, 1024)
@json_option
def command(spec: str, size: Size, kind: str | None, timeout: float, memory_mb: int, as_json: bool) -> int:
    """Check a backend, SPEC, against its contract, on small puzzles whose solutions are known by brute force.

    The backend may belong to this project or to any other. Each run is isolated, so that it may hang, crash or print. A
    failed check shows the first puzzle on which it fails, with the backend's answer and the true one.
    Exit status: 0 everything passed, 1 something failed, 2 bad usage or spec, 130 interrupted.
    """
    from crosslit.contract.run import Limits
    from crosslit.kinds import all_kinds
    from crosslit.runs.runner import Runner
    from crosslit_verify.contract_checks import checks

    chosen = checks.configurations(spec, list(all_kinds()) if kind is None else [kind])
    failed = False
    with (
        output.Progress(len(chosen) * len(checks.CHECKS)) as progress,
        # Two at a time, because times are not measured here.
        Runner(Limits(None, timeout, memory_mb), side_by_side=2) as runner,
        runner.guard(),
    ):
        for configuration in chosen:
            names = iter([name for name, _, _ in checks.CHECKS])
            progress.started(f"{configuration.choice.spec}: {next(names)}")
            results = []
            for result in checks.check(configuration, _isolated(runner), size):
                if runner.interrupted:
                    return exit_status(interrupted=True)
                progress.ended()
                progress.started(f"{configuration.choice.spec}: {next(names, 'done')}")
                results.append(result)
            failed = failed or any(result.status == "failed" for result in results)
            if as_json:
                output.write_json(_record(configuration, results))
            else:
                _write(configuration, results)
    return exit_status(wrong=failed)


def _isolated(runner: Runner) -> Execute:
    """Return a function that runs the backend for a check, each time in an isolated process."""

    def execute(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        limits = replace(runner.limits, solutions=limit)
        limited = [replace(job, limits=limits) for job in jobs]
        # By identity, because equal jobs may occur.
        originals = {id(changed): job for changed, job in zip(limited, jobs, strict=True)}
        with closing(runner.runs(limited)) as runs:
            for job, run in runs:
                yield originals[id(job)], run

    return execute


def _record(configuration: Configuration, results: list[CheckOutcome]) -> dict[str, object]:
    from crosslit.base.records import to_json

    choice = configuration.choice
    return {
        "backend": choice.spec,
        "version": choice.version,
        "encoding": choice.encoding.name if choice.encoding else None,
        "kind": configuration.kind,
        "passed": all(result.status != "failed" for result in results),
        "checks": [to_json(result) | {"puzzle": result.puzzle and {"text": result.puzzle}} for result in results],
    }


def _write(configuration: Configuration, results: list[CheckOutcome]) -> None:
    from crosslit_verify.contract_checks.subject import STATUSES

    choice = configuration.choice
    encoding = f", encoding {choice.encoding.name}" if choice.encoding else ""
    output.write(output.one_line(f"{choice.spec} ({choice.version}{encoding}) on {configuration.kind} puzzles"))
    for result in results:
        line = f"  {result.status:<7}  {result.check}"
        line += f": {output.one_line(result.detail)}" if result.detail else ""
        output.write(line)
        for word, text in (("puzzle", result.puzzle), ("gave", result.gave), ("right", result.right)):
            if text is not None:
                output.write(f"           {word:<6}  {text}")
    counts = [f"{sum(result.status == status for result in results)} {status}" for status in STATUSES]
    output.write(f"{', '.join(counts)}\n")
