"""``crosslit compare``."""

from __future__ import annotations

import click

from crosslit.cli.help import example_command
from crosslit.cli.options import (
    SPEC,
    Number,
    format_option,
    json_option,
    limit_options,
    puzzles_argument,
    solver_option,
)


@example_command(
    "crosslit compare examples/heart.non", "crosslit compare 10/11 '1,2|2,1' --backends native,glucose4 --repeat 5"
)
@puzzles_argument
@click.option(
    "--backends",
    "specs",
    default="default",
    show_default=True,
    type=SPEC,
    metavar="SPEC,...",
    help="Backends: ENGINE[/ENCODING][:KEY=VALUE], groups (native, sat, cpsat, command, all, default), wildcards.",
)
@solver_option
@click.option(
    "--limit", type=Number(1), default=2, show_default=True, metavar="K", help="Stop a run after K solutions."
)
@click.option("--all", "everything", is_flag=True, help="Find all solutions, ignoring --limit.")
@click.option("--fewest", is_flag=True, help="Lights Out: find the fewest presses, and compare optima and bounds.")
@limit_options
@click.option(
    "--repeat", type=Number(1), default=1, metavar="N", help="Run everything N times; show median and spread."
)
@click.option(
    "--jobs",
    "side_by_side",
    type=Number(1),
    default=1,
    metavar="N",
    help="Number of parallel runs; more than one makes timings unreliable.",
)
@click.option("--grids", is_flag=True, help="With --json: include the solutions of each run.")
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
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzles: tuple[str, ...],
    specs: str,
    solvers: tuple[str, ...],
    limit: int,
    everything: bool,
    fewest: bool,
    timeout: float,
    memory_mb: int,
    repeat: int,
    side_by_side: int,
    grids: bool,
    certify: bool,
    certificate_path: str | None,
    proof_path: str | None,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Run backends on each PUZZLE, check every solution, and cross-check all claims.

    If a file has several puzzles, all of them are used; FILE:7 selects the seventh.

    Each backend runs in an isolated process under limits. By default a run stops at two solutions, enough to decide
    whether a puzzle is unique. With --fewest, the backends that support it are asked for the fewest presses instead.
    Exit status: 0 consistent and decided, 1 something is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.cli import comparing, output
    from crosslit.cli.exit_status import FINDING, INTERRUPTED, UNDECIDED
    from crosslit.cli.inquiry import isolated_runs
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.formats import read_all
    from crosslit.questions.compare import compare, jobs
    from crosslit.registry.commands import define_all
    from crosslit.runs.run import Limits

    # The default limit must not count as a contradiction, hence the source of the value.
    if fewest and (everything or ctx.get_parameter_source("limit") is click.core.ParameterSource.COMMANDLINE):
        raise click.UsageError("--fewest asks for one solution, the best: it goes with neither --all nor --limit")
    certify = certify or certificate_path is not None or proof_path is not None
    if fewest and certify:
        raise click.UsageError("certificates are about all solutions, not about the fewest presses")
    define_all(solvers, puzzles, specs)
    question = (FEWEST if fewest else SOLUTIONS).name
    named = [puzzle for source in puzzles for puzzle in read_all(source, format_name)]
    # All puzzles are read and all specs checked before the first run, so a mistake costs no waiting.
    total = sum(len(jobs(puzzle, specs, repeat, question)) for puzzle in named)
    if (certificate_path is not None or proof_path is not None) and len(named) != 1:
        raise click.UsageError("--certificate and --proof are for one PUZZLE")
    limits = Limits(None if everything or fewest else limit, timeout, memory_mb)
    comparisons = []
    with isolated_runs(limits, total, side_by_side=side_by_side) as (runner, progress):
        for puzzle in named:
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
            if as_json:
                output.write_json(comparison.json(grids))
            else:
                comparing.write_comparison(comparison)
            if runner.interrupted:
                ctx.exit(INTERRUPTED)
    unwritten = not comparing.write_certificate(comparisons[0], certificate_path, proof_path)
    if not all(comparison.consistent for comparison in comparisons):
        ctx.exit(FINDING)
    if unwritten or any(comparison.verdict.status == "undecided" for comparison in comparisons):
        ctx.exit(UNDECIDED)
