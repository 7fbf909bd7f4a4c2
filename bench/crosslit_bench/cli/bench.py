"""``crosslit bench``: campaigns and their results."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from crosslit.cli.help import ExampleCommand, ExampleGroup
from crosslit.cli.options import Number, json_option

if TYPE_CHECKING:
    from crosslit_bench.execution.campaign import ExecutionOptions

STORE = "A STORE is a file of results; a campaign's .toml stands for the file of its name in the working directory."


def _shard(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", value, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise click.BadParameter(f"expected I/N such as 2/8, from 1/N to N/N, found {value[:30]!r}.", ctx, param)
    return int(found[1]), int(found[2])


def _execution_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the execution of runs, which the command gets as one object."""

    @functools.wraps(command)
    def wrapped(*, jobs: int, dask: str | None, workers: int | None, keep_output: str | None, **others: Any) -> Any:
        from crosslit_bench.execution.campaign import ExecutionOptions

        if workers is not None and dask != "local":
            raise click.UsageError("--workers is for --dask local, which starts them.")
        return command(options=ExecutionOptions(jobs=jobs, dask=dask, workers=workers, outputs=keep_output), **others)

    for option in (
        click.option(
            "--keep-output",
            metavar="DIR",
            help="Store the output of commands there, as KEY.stdout and KEY.stderr of at most 1 MB for each run.",
        ),
        click.option("--workers", type=Number(1), metavar="N", help="With --dask local: number of workers to start."),
        click.option(
            "--dask",
            metavar="ADDRESS",
            help="Make the runs on the workers of a Dask cluster, tcp://HOST:PORT; `local` starts one on this machine.",
        ),
        click.option(
            "--jobs",
            type=Number(1),
            default=1,
            metavar="N",
            help="Number of parallel runs; more than one makes timings unreliable.",
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


_store = click.argument("store", metavar="STORE")
_output = click.option("-o", "--output", "path", metavar="FILE", help="Write to FILE instead of standard output.")
_measure_option = click.option(
    "--measure",
    type=click.Choice(["total", "cpu", "wall", "solve"]),
    help="The time to compare: all phases of a run, CPU time, wall time of its process, or only the search."
    "  [default: total; cpu if the campaign limits CPU time]",
)


@click.group(
    cls=ExampleGroup,
    examples=["crosslit bench run campaign.toml", "crosslit bench report campaign.sqlite -o report.html"],
)
def command() -> None:
    """Run campaigns: many backends on many puzzles under equal conditions, stored in one file and analysed in a report.

    A TOML file describes a campaign. Each result is stored in an SQLite file as soon as its run ends, so a campaign
    that was interrupted or killed continues where it stopped.

    Exit status: 0 all planned runs made and no answer wrong (a timeout is a result), 1 a wrong answer, or a run that
    failed, was lost or cannot be stored, 2 bad usage or input, 130 interrupted.
    """


def _command(short_help: str, *examples: str) -> Callable[[Callable[..., int]], click.Command]:
    """Return a decorator that adds a command to the group."""
    return command.command(cls=ExampleCommand, examples=examples, short_help=short_help)


@_command(
    "Make the runs of a campaign.", "crosslit bench run campaign.toml", "crosslit bench run campaign.toml --shard 2/8"
)
@click.argument("file", metavar="FILE.toml")
@click.option("--store", metavar="PATH", help="The file of results.  [default: FILE.sqlite, in the working directory]")
@_execution_options
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="Make only the I-th of N parts, for example in a cluster job; `bench merge` joins their results.",
)
@json_option
def run(
    file: str,
    store: str | None,
    options: ExecutionOptions,
    shard: tuple[int, int] | None,
    as_json: bool,
) -> int:
    """Run the campaign in FILE.toml: make every run that its file of results does not contain yet.

    Each run is an isolated process under limits. Before anything is measured, each backend and encoding makes one run
    on a tiny puzzle, which is not stored. If the command is started again, it makes only the runs that are still
    missing, those added to FILE.toml, and those whose backend, plugin or solver has changed.
    """
    from crosslit_bench.cli import bench_run

    return bench_run.run_file(file, store, options, shard, as_json)


@_command("Continue a campaign that was interrupted.", "crosslit bench resume campaign.sqlite")
@_store
@_execution_options
@json_option
def resume(store: str, options: ExecutionOptions, as_json: bool) -> int:
    """Make the runs that are missing from STORE; the campaign's TOML file is not needed."""
    from crosslit_bench.cli import bench_run

    return bench_run.resume_store(store, options, as_json)


@_command("Show the progress of a campaign.", "crosslit bench status campaign.sqlite")
@_store
@json_option
def status(store: str, as_json: bool) -> int:
    """Print the number of runs made in STORE, how they ended, and the wrong answers."""
    from crosslit_bench.cli import bench_run

    return bench_run.show_status(store, as_json)


@_command("Put the results of several files into one.", "crosslit bench merge all.sqlite shard-1.sqlite shard-2.sqlite")
@click.argument("target", metavar="TARGET")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@json_option
def merge(target: str, sources: tuple[str, ...], as_json: bool) -> int:
    """Put the results of every SOURCE into TARGET, which is created if it does not exist: all of them, or none.

    They must belong to one campaign, as shards or earlier merges. Of duplicate runs, the first one counts.
    """
    from crosslit_bench.cli import bench_run

    return bench_run.merge_stores(target, sources, as_json)


@_command("Judge all stored solutions again.", "crosslit bench check campaign.sqlite")
@_store
@json_option
def check(store: str, as_json: bool) -> int:
    """Judge every solution in STORE by the rules of its puzzle, and every claim by the runs of others.

    Solutions of runs that are no longer in the plan are judged too.

    Exit status: 0 all is right, 1 a wrong or damaged solution or a wrong claim, 2 bad usage or input.
    """
    from crosslit_bench.cli import bench_report, bench_run

    return bench_report.check(bench_run.store_path(store), as_json)


@_command("Write results as CSV or JSON lines.", "crosslit bench export campaign.sqlite -o runs.csv")
@_store
@_output
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl"]),
    help="The format.  [default: by FILE's extension, else csv]",
)
@click.option(
    "--anonymous", is_flag=True, help="Omit paths and the names of hosts and users, for a double-blind review."
)
def export(store: str, path: str | None, form: str | None, anonymous: bool) -> int:
    """Write one line for each run in STORE, with its data, its puzzle and whether its answer is right.

    Times are in seconds, memory in MB of 2^20 bytes. In CSV, a ' precedes text that a spreadsheet would take for a
    formula.
    """
    from crosslit_bench.cli import bench_report, bench_run

    return bench_report.export(bench_run.store_path(store), path, form, anonymous)


@_command(
    "Print the shell commands that repeat a campaign.", "crosslit bench reproduce campaign.sqlite -o reproduce.sh"
)
@_store
@_output
def reproduce(store: str, path: str | None) -> int:
    """Print shell commands that repeat the campaign in STORE when they are pasted into a shell in an empty folder.

    They install the same commit of Crosslit and the same versions of the engines, write the campaign with its puzzles
    and their verdicts in STORE, make all runs, and check these verdicts.
    """
    from crosslit_bench.cli import bench_report, bench_run

    return bench_report.reproduce(bench_run.store_path(store), path)


@_command("Compare two files of results.", "crosslit bench diff old.sqlite new.sqlite")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@_measure_option
@click.option(
    "--slower",
    type=Number(0, what="a number of percent", fraction=True),
    default=10,
    show_default=True,
    metavar="PERCENT",
    help="Tolerated slowdown of a backend, in percent.",
)
@json_option
def diff(old: str, new: str, measure: str | None, slower: float, as_json: bool) -> int:
    """Compare the results in NEW with those in OLD: verdicts and wrong answers first, then times and set-ups.

    Puzzles are matched by content, backends by name. A backend counts as slower if the signed-rank test on the puzzles
    in both files gives p < 0.01, adjusted for the number of backends, and either the slowdown exceeds the tolerance or
    fewer puzzles are solved. Times that differ by less than 1 ms or 5% tie.

    Exit status: 0 nothing is worse, 1 a contradicted verdict, a new wrong answer or a slower backend, 2 bad usage or
    input.
    """
    from crosslit_bench.cli import bench_report, bench_run

    paths = bench_run.store_path(old), bench_run.store_path(new)
    return bench_report.diff(*paths, measure, slower / 100, as_json)


@_command("Write the report of a campaign.", "crosslit bench report campaign.sqlite -o report.html --figures figures")
@_store
@click.option("-o", "--output", "path", metavar="FILE.html", help="The page, one self-contained file.")
@click.option("--figures", metavar="DIR", help="Write the figures there, as SVG and PDF.")
@click.option("--csv", "csv", metavar="DIR", help="Write the tables of the analysis there, one file each.")
@click.option("--latex", metavar="FILE.tex", help="Write the tables for LaTeX, without the one of the puzzles.")
@_measure_option
@json_option
def report(
    store: str,
    path: str | None,
    figures: str | None,
    csv: str | None,
    latex: str | None,
    measure: str | None,
    as_json: bool,
) -> int:
    """Analyse the results in STORE: solved puzzles, times and wrong answers, as a page, figures or tables.

    With --json, the analysis is printed too: ranking, virtual best solver, pairs, fits and all puzzles.
    """
    from crosslit_bench.cli import bench_report, bench_run

    files = bench_report.ReportFiles(page=path, figures=figures, csv=csv, latex=latex)
    if not as_json and all(output is None for output in (path, figures, csv, latex)):
        raise click.UsageError("Missing option '-o' / '--output', '--figures', '--csv', '--latex' or '--json'.")
    return bench_report.report(bench_run.store_path(store), files, measure, as_json)
