"""``crosslit check-backend``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.group import example_command
from crosslit.cli.options import json_option, kind_option, solver_option, timeout_option
from crosslit.cli.output import exit_status

if TYPE_CHECKING:
    from crosslit_verify.contract_checks import CheckOutcome, Configuration, Size


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
@kind_option(help="Only puzzles of this kind.")
@timeout_option(default=10, help="Limit on the wall time of each run, from encoding to decoding.")
@json_option
def command(spec: str, size: Size, kind: str | None, timeout: float, as_json: bool) -> int:
    """Check a backend, SPEC, against its contract, on small puzzles whose solutions are known by brute force.

    The backend may belong to this project or to any other. Each run is isolated, so that it may hang, crash or print. A
    failed check shows the first puzzle on which it fails, with the backend's answer and the true one.
    Exit status: 0 everything passed, 1 something failed, 2 bad usage or spec, 3 no answers to check, 130 interrupted.
    """
    from crosslit.contract.run import Limits
    from crosslit.kinds import all_kinds
    from crosslit.runs.runner import Runner
    from crosslit_verify import contract_checks as checks

    chosen = checks.configurations(spec, list(all_kinds()) if kind is None else [kind])
    failed, unchecked, limited = False, False, Limits(None, timeout, 1024)
    with (
        output.Progress(len(chosen) * len(checks.CHECKS)) as progress,
        Runner(limited, side_by_side=2) as runner,  # two at a time, because times are not measured here
        runner.guard(),
    ):
        for configuration in chosen:
            results: list[CheckOutcome] = []
            outcomes = checks.check(configuration, runner.runs, size, limited)
            for name, _, _ in checks.CHECKS:
                progress.started(f"{configuration.choice.spec}: {name}")
                results.append(next(outcomes))
                if runner.interrupted:
                    return exit_status(interrupted=True)
                progress.ended()
            failed = failed or any(result.status == "failed" for result in results)
            unchecked = unchecked or not checks.has_judged(results)
            _write(configuration, results, as_json)
    return exit_status(wrong=failed, undecided=unchecked)


def _write(configuration: Configuration, results: list[CheckOutcome], as_json: bool) -> None:
    from crosslit_verify.contract_checks import has_judged

    choice, statuses = configuration.choice, [result.status for result in results]
    encoding = choice.encoding.name if choice.encoding else None
    if as_json:
        checks = [{**vars(result), "puzzle": result.puzzle and {"text": result.puzzle}} for result in results]
        about = {"backend": choice.spec, "version": choice.version, "encoding": encoding, "kind": configuration.kind}
        output.write_json({**about, "passed": has_judged(results) and "failed" not in statuses, "checks": checks})
        return
    words = f"{choice.spec} ({choice.version}{f', encoding {encoding}' if encoding else ''})"
    output.write(output.one_line(f"{words} on {configuration.kind} puzzles"))
    for result in results:
        output.write(output.one_line(f"  {result.status:<7}  {result.check}{result.detail and f': {result.detail}'}"))
        for word in ("puzzle", "gave", "right"):
            if text := getattr(result, word):
                output.write(f"           {word:<6}  {text}")
    output.write(", ".join(f"{statuses.count(word)} {word}" for word in ("passed", "failed", "skipped")) + "\n")
