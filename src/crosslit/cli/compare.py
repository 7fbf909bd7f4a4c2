"""The commands that cross-check several backends: compare and enumerate."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from crosslit.base.records import csv_text
from crosslit.base.text import format_count, shorten
from crosslit.cli import options, output
from crosslit.cli.group import example_command
from crosslit.cli.options import Query
from crosslit.cli.output import PIPE_CLOSED, PipeClosed, exit_status
from crosslit.contract.run import MAX_SECONDS

if TYPE_CHECKING:
    from crosslit.judging.verdict import Comparison
    from crosslit.kinds import Puzzle
    from crosslit.questions.enumerate import Enumeration, Lister


@example_command(
    "crosslit compare 10/11 '1,2|2,1' --backends native,glucose4 --repeat 5",
    "crosslit compare 10/11 --certificate certificate.json",
)
@options.puzzles_argument
@options.backends_option(
    default="default",
    show_default=True,
    help="Backends: ENGINE[/ENCODING][:KEY=VALUE], groups (native, sat, cpsat, command, all, default), wildcards.",
)
@options.solver_option
@options.limit_option(default=2, show_default=True, help="Find at most N solutions in each run.")
@click.option("--all", "everything", is_flag=True, help="Find all solutions, ignoring --limit.")
@click.option("--fewest", is_flag=True, help="Lights Out: find the fewest presses, and compare optima and bounds.")
@click.option("--repeat", type=options.COUNT, default=1, metavar="N", help="Run all N times; show median and spread.")
@click.option("--full", is_flag=True, help="Wait for slow default backends, even when the verdict stands.")
@options.jobs_option
@click.option(
    "--certify", is_flag=True, help="Make a certificate of the verdict, which anyone can check, and check it."
)
@options.certificate_option(
    help="With one PUZZLE: write the accepted certificate, for `crosslit check-certificate`; if FILE ends in .drat, "
    "an accepted SAT proof, beside its formula in .cnf, for other checkers. Implies --certify.",
)
@click.option("--csv", "csv_file", type=options.NewFile(), metavar="FILE", help="Also write the runs to FILE, as CSV.")
@options.memory_option()
@options.query_options()
def compare_command(
    query: Query,
    specs: str,
    limit: int,
    everything: bool,
    fewest: bool,
    repeat: int,
    full: bool,
    jobs: int,
    certify: bool,
    certificate_path: str | None,
    csv_file: str | None,
) -> int:
    """Run backends on each PUZZLE, check every solution, and cross-check all claims.

    If a file has several puzzles, all of them are used; FILE:7 selects the seventh.

    Each backend runs in an isolated process under limits. By default a run stops at two solutions, enough to decide
    whether a puzzle is unique; when two independent backends have decided, slower default ones are stopped. With
    --fewest, the backends that support it are asked for the fewest presses instead. Exit status: 0 consistent and
    decided, 1 something is wrong, 2 bad usage or input, 3 undecided or no certificate, 130 interrupted.
    """
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.questions.compare import cross_check, is_full, require_listable
    from crosslit.questions.compare import jobs as plan
    from crosslit.questions.report import Report
    from crosslit.registry import kernel_note

    # The default limit must not count as a contradiction, hence the source of the value.
    source, given = click.get_current_context().get_parameter_source, click.core.ParameterSource.COMMANDLINE
    certify = certify or certificate_path is not None
    if fewest and (everything or certify or source("limit") is given):
        raise click.UsageError("--fewest asks for the best solution only: --all, --limit and certificates are for all")
    full = is_full(specs, repeat, full or source("timeout") is given)
    question = (FEWEST if fewest else SOLUTIONS).name
    puzzles = query.read_all(single=certificate_path and "--certificate")
    # All puzzles are read and all specs checked before the first run, so a mistake costs no waiting.
    planned = [(puzzle, plan(puzzle, specs, repeat, question)) for _, puzzle in puzzles]
    choices = [job.choice for _, planned_jobs in planned for job in planned_jobs]
    usual = (choice for choice in choices if choice and not choice.refusal and choice.options.get("kernel") != "no")
    if note := kernel_note({choice.backend.name: choice.version for choice in usual}):
        output.complain(note)
    for _, puzzle in puzzles if everything else ():
        require_listable(puzzle)
    comparisons: list[Comparison] = []
    solutions = None if everything or fewest else limit
    with query.runs(total=len(choices), solutions=solutions, side_by_side=jobs, fork_first=True, cores=1) as (
        runner,
        progress,
    ):
        for puzzle, planned_jobs in planned:
            comparison = cross_check(
                puzzle, planned_jobs, runner, certify=certify, full=full, on_end=lambda _: progress.ended()
            )
            comparisons.append(comparison)
            if query.as_json:
                output.write_json(comparison.json())
            else:
                report = Report(comparison)
                output.write(report.title)
                output.write_table(report.table())
                output.write("\n".join([*report.lines(), ""]))
            if runner.interrupted:
                break
    if csv_file is not None:
        rows = csv_text([row for comparison in comparisons for row in comparison.records()])
        output.write_file(csv_file, [rows.encode(errors="replace")], announce=True)
    unwritten = certificate_path is not None and not write_certificate(comparisons[0], certificate_path)
    wrong = not all(comparison.consistent for comparison in comparisons)
    undecided = unwritten or any(comparison.verdict.status == "undecided" for comparison in comparisons)
    return exit_status(interrupted=runner.interrupted, wrong=wrong, undecided=undecided)


def write_certificate(comparison: Comparison, path: str) -> bool:
    """Write the accepted certificate, or its formula and proof, and return True; if that is impossible, say why."""
    from crosslit.judging.certificates import FORMAT, proof_files

    certified = comparison.verdict.certificate
    if certified is None:
        output.complain(f"{path} not written: no certificate was accepted")
        return False
    certificate = certified.certificate
    if not path.lower().endswith(".drat"):
        output.write_file(path, [certificate.text.encode(), b"\n"], announce=True)
    elif certificate.format == FORMAT:
        formula, lemmas = proof_files(comparison.puzzle, certificate)
        output.write_file(f"{path[: -len('.drat')]}.cnf", [formula.encode()], announce=True)
        output.write_file(path, [lemmas.encode()], announce=True)
    else:
        what = f"the certificate is {certificate.format}, no SAT proof; --backends glucose4 gives one"
        output.complain(f"{path} not written: {what}")
        return False
    return True


@example_command(
    "crosslit enumerate '1,1,1|1,1,1' --check --output solutions.txt",
    "crosslit enumerate '1,1,1|1,1,1' --check-list solutions.txt",
)
@options.puzzle_argument
@options.backend_option(help="The backend.  [default: polynomial or gauss, line for a nonogram]")
@options.solver_option
@options.limit_option(help="Find at most N solutions.  [default: all]")
@options.output_option(help="Write the solutions to FILE.  [default: standard output]")
@click.option(
    "--check-list",
    "list_path",
    type=click.Path(dir_okay=False),
    metavar="LIST",
    help="Judge your own list, lines such as 10/01, JSON, literals or pictures: print the solutions that it lacks, "
    "and say which of its lines are wrong or repeated; implies --check.",
)
@click.option("--check", is_flag=True, help="Ask an independent backend too, for all solutions or their number.")
@options.certificate_option(help="Write a certificate of a complete list to FILE, for `crosslit check-certificate`.")
@options.query_options(MAX_SECONDS)
def enumerate_command(
    query: Query,
    spec: str | None,
    limit: int | None,
    path: str | None,
    list_path: str | None,
    check: bool,
    certificate_path: str | None,
) -> int:
    """List all solutions of PUZZLE as they are found, each exactly once and checked by the rules.

    Standard output has one solution per line and nothing else; with --json a line is {"solution": "10/01"}, and the
    last one of each puzzle says whether its list is complete, and on what evidence; otherwise standard error says it.
    With --check-list, only solutions that LIST lacks are listed, which also continues an interrupted list. If a file
    has several puzzles, the solutions of each follow those of the one before. Exit status: 0 complete, 1 something is
    wrong, or LIST is, 2 bad usage or input, 3 incomplete, not cross-checked by --check, or no certificate, 130
    interrupted, 141 output closed.
    """
    from crosslit import registry
    from crosslit.questions.compare import require_listable
    from crosslit.questions.enumerate import Enumeration, Lister
    from crosslit.questions.list_check import ListCheck
    from crosslit.registry.defaults import checks_of, default
    from crosslit.runs.resources import free_cores
    from crosslit.runs.runner import Runner

    of_one = {"--output": path, "--check-list": list_path, "--certificate": certificate_path}
    puzzles = query.read_all(single=next((option for option, value in of_one.items() if value is not None), None))
    path = None if path == "-" else path
    limits, listers = query.limits(limit), []
    with Runner(limits, fork_first=True, once=len(puzzles) == 1, cores=free_cores()) as runner:
        # All specs are checked before the first run, so a mistake costs no waiting.
        for _, puzzle in puzzles:
            if limit is None:
                require_listable(puzzle)
            choice = registry.select_one(spec or default(puzzle, "list"), puzzle)
            checks = checks_of(choice, puzzle) if check or list_path is not None else None
            outcome = ListCheck(puzzle) if list_path is not None else Enumeration(puzzle)
            listers.append(Lister(outcome, choice, runner, lambda _: None, checks))
        statuses = []
        for lister in listers:
            statuses.append(_enumerate(query, lister, path, list_path, len(puzzles) > 1))
            if runner.interrupted or statuses[-1] == PIPE_CLOSED:
                return statuses[-1]
    outcome = listers[0].outcome
    if certificate_path is not None and outcome.complete and not outcome.findings:
        statuses.append(exit_status(undecided=not certify(query, outcome.puzzle, outcome.found, certificate_path)))
    return exit_status(wrong=exit_status(wrong=True) in statuses, undecided=any(statuses))


def _enumerate(query: Query, lister: Lister, path: str | None, list_path: str | None, named: bool) -> int:
    """List the solutions of one puzzle, and return the exit status."""
    from contextlib import nullcontext

    from crosslit.questions.enumerate import Enumeration
    from crosslit.questions.list_check import ListCheck, read_list
    from crosslit.questions.lists import SolutionFile, lines_of

    outcome, runner, closed = lister.outcome, lister.runner, False
    layout = lister.puzzle.layout
    given = outcome if isinstance(outcome, ListCheck) else None

    def write(packed: bytes) -> None:
        lines = lines_of(packed, layout)
        if query.as_json:
            lines = b"".join(b'{"solution": "%s"}\n' % line for line in lines.split())
        output.write_bytes(lines)

    def show_rate() -> None:
        if progress.is_due:
            rate = (outcome.found - outcome.known) / max(1e-9, time.monotonic() - began)
            again = f"; {lister.checked:,} found again" if lister.checked else ""
            progress.says(f"{outcome.found:,} found, {rate:,.0f} a second{again}")

    with SolutionFile(path, layout) if path else nullcontext() as file, output.Progress() as progress:
        lister.deliver, lister.on_batch = file.append if file else write, show_rate
        listed = read_list(list_path, given) if given is not None and list_path is not None else ()
        began = time.monotonic()
        try:
            lister.run(listed)
        except (PipeClosed, BrokenPipeError):
            closed = True
    # With a closed output the JSON has no reader; standard error still says that the list is incomplete.
    if not query.as_json or closed:
        tell_end(outcome, list_path, named, closed)
    else:
        checked = {"check_list": given.json()} if given is not None else {}
        output.write_json(Enumeration.json(outcome) | checked)
    # The order says which end counts most: nobody reads the output, an error, an interrupt.
    if closed:
        return PIPE_CLOSED
    if outcome.findings or (given is not None and given.has_faults):
        return exit_status(wrong=True)
    unchecked = lister.checks is not None and outcome.evidence == "claimed"
    return exit_status(interrupted=runner.interrupted, undecided=unchecked or not outcome.complete)


def certify(query: Query, puzzle: Puzzle, number: int, path: str) -> bool:
    """Write a certificate that a puzzle has a number of solutions, and return True; if that is impossible, say why."""
    from crosslit.judging.certificates import MAX_SOLUTIONS
    from crosslit.questions.compare import certify_number

    if puzzle.nullity() is None and number > MAX_SOLUTIONS:
        output.complain(f"{path} not written: a certificate knows at most {MAX_SOLUTIONS:,} solutions, not {number:,}")
        return False
    with query.runs("a certificate", solutions=None) as (runner, _):
        comparison = certify_number(puzzle, number, runner)
    for reason in dict.fromkeys((comparison.uncertified or {}).values() if not comparison.verdict.certificate else ()):
        output.complain(f"not certified: {reason}")
    accepted = comparison.verdict.certificate
    if accepted is not None and accepted.checked.count != number:
        output.complain(f"{path} not written: the certificate is for {accepted.checked.count:,} solutions")
        return False
    return write_certificate(comparison, path)


def tell_end(outcome: Enumeration, path: str | None, named: bool = False, closed: bool = False) -> None:
    """Print on standard error the faults of a given list, whether the list is complete, and the evidence."""
    from crosslit.judging.verdict import evidence_words
    from crosslit.questions.list_check import ListCheck
    from crosslit.questions.report import MAX_WITNESS

    given = outcome if isinstance(outcome, ListCheck) else None
    for finding in outcome.findings:
        witness = f" (witness {shorten(finding.witness, MAX_WITNESS)})" if finding.witness else ""
        output.complain(f"{finding}{witness}")
    for line, problem in sorted(given.faults) if given is not None else ():
        output.complain(f"{path}:{line}: {problem}")
    number, puzzle = outcome.found, outcome.puzzle
    head = f"{output.name_of(puzzle, puzzle.text)}: " if named else ""
    counted = "no solution" if number == 0 else "1 solution" if number == 1 else f"{number} solutions"
    if given is not None:
        lines = f"{format_count(given.wrong, 'wrong line')}, {given.repeated} repeated"
        missing = f"{given.missing} missing" if given.missing or outcome.complete else "none found missing so far"
        counted += f": {outcome.known} in {path}, {missing}; {lines}"
    if closed:  # how many solutions were read is not known
        output.complain(f"{head}incomplete: the output was closed")
    elif outcome.complete:
        note = f"; {outcome.reason}" if outcome.reason else ""
        output.complain(f"{head}{counted}, complete {evidence_words(outcome)}{note}")
    else:
        # "no solution" would be a claim
        listed = counted if number or given is not None else "none listed"
        output.complain(f"{head}{listed}, incomplete ({outcome.reason})")
