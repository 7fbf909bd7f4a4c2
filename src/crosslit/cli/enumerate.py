"""``crosslit enumerate``."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.numbers import exact, format_count
from crosslit.cli import output
from crosslit.cli.exit_status import PIPE_CLOSED, exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import (
    SPEC,
    backend_option,
    cores_option,
    limit_option,
    output_option,
    puzzle_argument,
    solver_option,
    to_option,
)
from crosslit.cli.output import PipeClosed
from crosslit.cli.query import Query, query_options
from crosslit.contract.run import MAX_SECONDS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crosslit.questions.enumerate import Enumeration, ListCheck, Lister, ListingFormat, SolutionFile

_FORMATS = ("text", "jsonl")


@example_command(
    "crosslit enumerate '1,1,1|1,1,1' --check --output solutions.txt",
    "crosslit enumerate '1,1,1|1,1,1' --check-list solutions.txt",
)
@puzzle_argument
@backend_option(help="The backend.  [default: polynomial or gauss, hybrid:engine=cadical195 for a nonogram]")
@solver_option
@limit_option(help="Find at most N solutions.  [default: all]")
@output_option(help="Write the solutions to FILE.  [default: standard output]")
@click.option(
    "--check-list",
    "against",
    type=click.Path(dir_okay=False),
    metavar="LIST",
    help="Judge your own list: print the solutions that it lacks, and say which of its lines are wrong or repeated; "
    "implies --check.",
)
@click.option("--resume", is_flag=True, help="Continue the list in --output, if there is one.")
@to_option(
    type=click.Choice(_FORMATS),
    help="Format of the output, text or jsonl.  [default: by FILE's extension, else text; with --json jsonl]",
)
@click.option("--check", is_flag=True, help="Ask an independent backend too, for all solutions or their number.")
@click.option(
    "--check-backend", "check_spec", type=SPEC, metavar="SPEC", help="The independent backend; implies --check."
)
@cores_option("those that are free")
@query_options(MAX_SECONDS)
def command(
    query: Query,
    spec: str | None,
    limit: int | None,
    path: str | None,
    against: str | None,
    resume: bool,
    write_as: str | None,
    check: bool,
    check_spec: str | None,
    cores: int | None,
) -> int:
    """List all solutions of PUZZLE as they are found, each exactly once and checked by the rules.

    Standard output has one solution per line and nothing else. The last line on standard error says whether the list is
    complete, and on what evidence. However the command ends, the file has only whole solutions, and --resume continues
    it. Formats: text (the one-line form), jsonl. With --check-list, only solutions that LIST lacks are listed. Exit
    status: 0 complete, 1 something is wrong, or LIST is, 2 bad usage or input, 3 incomplete, or not cross-checked by
    --check, 130 interrupted, 141 output closed.
    """
    from contextlib import nullcontext

    from crosslit import registry
    from crosslit.questions.enumerate import ListCheck, Lister, ListingFormat, SolutionFile, format_of
    from crosslit.registry.defaults import checkers, default
    from crosslit.runs.runner import Runner
    from crosslit.runs.sandbox import free_cores

    if resume and (path is None or against):
        raise click.UsageError("--resume needs --output, the list to continue, and no --check-list")
    if query.format_name in _FORMATS:  # the former name of --to
        query, write_as = replace(query, format_name=None), query.format_name
    name = write_as or (format_of(path) if path else "jsonl" if query.as_json else "text")
    if path is None and query.as_json and name != "jsonl":
        raise click.UsageError("--json prints solutions as jsonl, unless they go to --output")
    puzzle = query.read()
    choice = registry.select_one(spec or default(puzzle, "list"), puzzle)
    checks = checkers(choice, puzzle, check_spec) if check or check_spec or against else None
    layout = ListingFormat(puzzle, name)
    closed = False
    listed = SolutionFile(path, layout, resume) if path else nullcontext()
    limits = query.limits(None if against else limit)
    with listed as file, Runner(limits, fork_first=True, once=True, cores=cores or free_cores()) as runner:
        lister = Lister(puzzle, choice, runner, _deliverer(layout, file), checks, more=limit if against else None)
        outcome = lister.outcome
        given = ListCheck(outcome) if against else None
        # no line of progress among solutions on the same terminal
        with output.Progress(0) as progress:
            if file is not None or not (sys.stdout and sys.stdout.isatty()):
                lister.on_batch = _rate(lister, progress)
            try:
                _list(lister, file, partial(given.read, against) if given and against else None)
            except PipeClosed:
                outcome.reason = outcome.reason or "the output was closed"
                closed = True
    # With a closed output the JSON has no reader; standard error still says how far the list came.
    if not query.as_json or closed:
        _tell_end(outcome, given, against)
    else:
        output.write_json(_record(outcome, runner.limits) | ({"check_list": given.json()} if given else {}))
    # The order says which end counts most: nobody reads the output, an error, an interrupt.
    if closed:
        return PIPE_CLOSED
    if outcome.findings or (given and not given.is_right):
        return exit_status(wrong=True)
    unchecked = checks is not None and outcome.evidence == "claimed"
    return exit_status(interrupted=runner.interrupted, undecided=unchecked or not outcome.complete)


def _deliverer(layout: ListingFormat, file: SolutionFile | None) -> Callable[[bytes], None]:
    """Return the consumer of solutions: the file, or standard output."""
    if file is not None:

        def append(packed: bytes) -> None:
            try:
                file.append(packed)
            except BrokenPipeError:
                raise PipeClosed("the output was closed") from None

        return append

    def write(packed: bytes) -> None:
        for piece in layout.pieces(packed):
            output.write_bytes(piece)

    return write


def _rate(lister: Lister, progress: output.Progress) -> Callable[[], None]:
    """Return a function that shows the number of solutions found, per second, and found again."""
    began, outcome = time.monotonic(), lister.outcome

    def show() -> None:
        if progress.is_due:
            # Earlier solutions were read from the file and not found in this time.
            rate = (outcome.found - outcome.known) / max(1e-9, time.monotonic() - began)
            again = f"; {lister.checked:,} found again" if lister.checked else ""
            progress.says(f"{outcome.found:,} found, {rate:,.0f} a second{again}")

    return show


def _list(lister: Lister, file: SolutionFile | None, given: Callable[[], Iterator[bytes]] | None) -> None:
    from crosslit.base.errors import InputError
    from crosslit.questions.enumerate import NotAList

    if file is None or given:
        lister.run(given or tuple, file.begin if file else lambda: None)
        return
    try:
        lister.run(file.records, file.begin)
    except NotAList as error:
        raise InputError(file.path, f"expected a list of different solutions of this puzzle; {error}") from None


def _tell_end(outcome: Enumeration, given: ListCheck | None, path: str | None) -> None:
    """Print on standard error the faults of a given list, whether the list is complete, and the evidence."""
    from crosslit.judging.verdict import evidence_words

    for finding in outcome.findings:
        witness = f" (witness {finding.witness})" if finding.witness and len(finding.witness) <= 120 else ""
        output.complain(f"{finding}{witness}")
    for line, problem in sorted(given.faults) if given else ():
        output.complain(f"{path}:{line}: {problem}")
    number = outcome.found
    counted = "no solution" if number == 0 else "1 solution" if number == 1 else f"{number} solutions"
    if given:
        lines = f"{format_count(given.wrong, 'wrong line')}, {given.repeated} repeated"
        counted += f": {outcome.known} in {path}, {given.missing} missing; {lines}"
    elif outcome.known:
        counted += f", {outcome.known} of them known before"
    if outcome.complete:
        note = f"; {outcome.reason}" if outcome.reason else ""
        output.complain(f"{counted}, complete {evidence_words(outcome)}{note}")
    else:
        # "no solution" would be a claim
        output.complain(f"{counted if number or given else 'none listed'}, incomplete ({outcome.reason})")


def _record(outcome: Enumeration, limits: Limits) -> dict[str, Any]:
    from crosslit.judging.verdict import puzzle_json
    from crosslit.kinds import kind_of

    runs = []
    for run, given in outcome.runs:
        about = run.json()
        del about["digest"], about["repetition"]
        runs.append({**about, "solutions": given})
    return {
        "limits": limits.json(),
        "puzzle": puzzle_json(outcome.puzzle, kind_of(outcome.puzzle).nullity(outcome.puzzle)),
        "solutions": exact(outcome.found),
        "known": exact(outcome.known),
        "complete": outcome.complete,
        "evidence": outcome.evidence,
        "by": list(outcome.by),
        "reason": outcome.reason or None,
        "consistent": outcome.consistent,
        "findings": [finding.json() for finding in outcome.findings],
        "runs": runs,
    }
