"""``crosslit compare``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.records import csv_text
from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import (
    Number,
    backends_option,
    cores_option,
    jobs_option,
    limit_option,
    puzzles_argument,
    solver_option,
)
from crosslit.cli.query import Query, query_options

if TYPE_CHECKING:
    from crosslit.contract import Certificate
    from crosslit.judging.verdict import Comparison
    from crosslit.kinds import Puzzle


@example_command(
    "crosslit compare 10/11 '1,2|2,1' --backends native,glucose4 --repeat 5",
    "crosslit compare 10/11 --certificate certificate.json",
)
@puzzles_argument
@backends_option(
    default="default",
    show_default=True,
    help="Backends: ENGINE[/ENCODING][:KEY=VALUE], groups (native, sat, cpsat, command, all, default), wildcards.",
)
@solver_option
@limit_option(default=2, show_default=True, help="Find at most N solutions in each run.")
@click.option("--all", "everything", is_flag=True, help="Find all solutions, ignoring --limit.")
@click.option("--fewest", is_flag=True, help="Lights Out: find the fewest presses, and compare optima and bounds.")
@click.option(
    "--repeat", type=Number(1), default=1, metavar="N", help="Run everything N times; show median and spread."
)
@jobs_option
@cores_option("1")
@click.option(
    "--certify", is_flag=True, help="Make a certificate of the verdict, which anyone can check, and check it."
)
@click.option(
    "--certificate",
    "certificate_path",
    metavar="FILE",
    help="With one PUZZLE: write the accepted certificate, for `crosslit check-certificate`. Implies --certify.",
)
@click.option(
    "--proof",
    "proof_path",
    metavar="FILE",
    help="With one PUZZLE: write an accepted SAT proof as FILE.cnf and FILE.drat, for other checkers. "
    "Implies --certify.",
)
@click.option("--csv", "csv_file", metavar="FILE", help="Also write the runs to FILE, as CSV.")
@query_options()
def command(
    query: Query,
    specs: str,
    limit: int,
    everything: bool,
    fewest: bool,
    repeat: int,
    jobs: int,
    cores: int | None,
    certify: bool,
    certificate_path: str | None,
    proof_path: str | None,
    csv_file: str | None,
) -> int:
    """Run backends on each PUZZLE, check every solution, and cross-check all claims.

    If a file has several puzzles, all of them are used; FILE:7 selects the seventh.

    Each backend runs in an isolated process under limits. By default a run stops at two solutions, enough to decide
    whether a puzzle is unique. With --fewest, the backends that support it are asked for the fewest presses instead.
    Exit status: 0 consistent and decided, 1 something is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.questions.compare import compare
    from crosslit.questions.compare import jobs as plan
    from crosslit.registry.listing import kernel_note

    # The default limit must not count as a contradiction, hence the source of the value.
    source = click.get_current_context().get_parameter_source("limit")
    if fewest and (everything or source is click.core.ParameterSource.COMMANDLINE):
        raise click.UsageError("--fewest asks for one solution, the best: it goes with neither --all nor --limit")
    writes = certificate_path is not None or proof_path is not None
    certify = certify or writes
    if fewest and certify:
        raise click.UsageError("certificates are about all solutions, not about the fewest presses")
    question = (FEWEST if fewest else SOLUTIONS).name
    puzzles = [puzzle for _, puzzle in query.read_all()]
    # All puzzles are read and all specs checked before the first run, so a mistake costs no waiting.
    planned = [job.choice for puzzle in puzzles for job in plan(puzzle, specs, repeat, question)]
    usual = (choice for choice in planned if choice and not choice.refusal and choice.options.get("kernel") != "no")
    if note := kernel_note({choice.backend.name: choice.version for choice in usual}):
        output.complain(note)
    if writes and len(puzzles) != 1:
        raise click.UsageError("--certificate and --proof are for one PUZZLE")
    comparisons: list[Comparison] = []
    solutions = None if everything or fewest else limit
    with query.runs(total=len(planned), solutions=solutions, side_by_side=jobs, fork_first=True, cores=cores or 1) as (
        runner,
        progress,
    ):
        for puzzle in puzzles:
            comparison = compare(
                puzzle,
                specs,
                fewest=fewest,
                repeat=repeat,
                certify=certify,
                runner=runner,
                on_end=lambda _: progress.ended(),
            )
            comparisons.append(comparison)
            progress.hide()
            if query.as_json:
                output.write_json(comparison.json())
            else:
                _write(comparison)
            if runner.interrupted:
                return exit_status(interrupted=True)
    if csv_file is not None:
        rows = csv_text(list(chain.from_iterable(map(_csv_rows, comparisons))))
        output.write_file(csv_file, [rows.encode(errors="replace")])
    unwritten = not _write_certificate(comparisons[0], certificate_path, proof_path)
    wrong = not all(comparison.consistent for comparison in comparisons)
    undecided = unwritten or any(comparison.verdict.status == "undecided" for comparison in comparisons)
    return exit_status(wrong=wrong, undecided=undecided)


def _csv_rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield the runs with their puzzle and verdict; columns are called as in `crosslit bench export`."""
    from crosslit.judging.verdict import RUN_COLUMNS, run_records

    puzzle, verdict = comparison.puzzle, comparison.verdict
    shared: dict[str, Any] = {"puzzle": puzzle.id, "puzzle_name": puzzle.name, "kind": puzzle.kind}
    shared |= {"rows": puzzle.rows, "columns": puzzle.columns}
    judged = {"nullity": comparison.nullity, "verdict": verdict.status, "evidence": verdict.evidence}
    for record in run_records(comparison):
        found = (item.problem for item in comparison.findings if item.backend == record["backend"])
        run = {"spec" if name == "backend" else name: record.get(name) for name in RUN_COLUMNS}
        yield {**shared, **run, **judged, "problems": " ".join(dict.fromkeys(found))}


def _write(comparison: Comparison) -> None:
    """Print title, table, findings and verdict."""
    from crosslit.questions.report import Report

    report = Report(comparison)
    output.write(report.title)
    output.write_table(report.table())
    for line in report.lines(output.picture_style()):
        output.write(line)
    output.write("")


def _write_certificate(comparison: Comparison, path: str | None, proof: str | None) -> bool:
    """Write the accepted certificate, and its formula and proof, each if requested; if one is not, say why.

    Returns:
        Whether everything could be written.
    """
    certified = comparison.verdict.certificate
    if certified is None:
        missing = [name for name in (path, proof) if name is not None]
        if missing:
            output.complain(f"{' and '.join(missing)} not written: no certificate was accepted")
        return not missing
    if path is not None:
        output.write_file(path, [certified.certificate.text().encode(), b"\n"])
    return proof is None or _write_proof(comparison.puzzle, certified.certificate, proof)


def _write_proof(puzzle: Puzzle, certificate: Certificate, path: str) -> bool:
    from crosslit.judging.certificates import FORMAT, proof_files

    if certificate.format != FORMAT:
        what = f"the certificate is {certificate.format}, no SAT proof; --backends glucose4 gives one"
        output.complain(f"{path}.cnf not written: {what}")
        return False
    formula, lemmas = proof_files(puzzle, certificate)
    # Together: a formula without its proof, or with that of another run, would be useless.
    output.write_files({f"{path}.cnf": formula.encode(), f"{path}.drat": lemmas.encode()})
    return True
