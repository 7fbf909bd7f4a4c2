"""``crosslit bench``: campaigns, and what they found."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from crosslit.cli.options import json_option

STORE = "A STORE is the file of results; the campaign's .toml means the one in the working directory of its name."


def _shard(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", value, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise click.BadParameter(f"expected I/N such as 2/8, from 1/N to N/N, found {value[:30]!r}.", ctx, param)
    return int(found[1]), int(found[2])


def _carried(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of who makes the runs."""
    command = click.option(
        "--dask",
        metavar="ADDRESS",
        help="Have the runs made by the workers of a Dask cluster, tcp://HOST:PORT; `local` starts one here.",
    )(command)
    return click.option(
        "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Runs at a time; disturbs timings."
    )(command)


@click.group(short_help="Campaigns: many backends on many puzzles, resumable, with a report.")
def command() -> None:
    """Campaigns: many backends on many puzzles, under equal conditions, kept in one file, and told in a report.

    A campaign is described in a TOML file. Its results are kept in a file of SQLite as they come: what was interrupted,
    or killed, goes on where it was.

    Exit status: 0 all planned runs made and no answer wrong (a timeout is a result), 1 a wrong answer, or a run that
    failed, was lost or cannot be kept, 2 bad usage or input, 130 interrupted.
    """


@command.command("run", short_help="Make the runs of a campaign.")
@click.argument("file", metavar="FILE.toml")
@click.option("--store", metavar="PATH", help="The file of results.  [default: FILE.sqlite, in the working directory]")
@_carried
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="Make the I-th of N parts alone, say in a job of a cluster; `bench merge` puts their results together.",
)
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    file: str,
    store: str | None,
    jobs: int,
    dask: str | None,
    shard: tuple[int, int] | None,
    as_json: bool,
) -> None:
    """Make the runs of the campaign in FILE.toml that are not in its file of results yet.

    Each run is in a process of its own under limits. Before anything is measured, each backend and encoding makes one
    run on a tiny puzzle, which is not kept. Run again, it makes what is missing; after FILE.toml was changed, what is
    new in it; after a backend, plugin or solver was changed, its runs again.
    """
    from crosslit.cli import benching

    ctx.exit(benching.run(file, store, benching.ExecutionOptions(jobs, dask), shard, as_json))


@command.command("resume", short_help="Go on with a campaign that was interrupted.")
@click.argument("store", metavar="STORE")
@_carried
@json_option
@click.pass_context
def resume(ctx: click.Context, store: str, jobs: int, dask: str | None, as_json: bool) -> None:
    """Make the runs that are missing in STORE, which knows all of the campaign that is needed."""
    from crosslit.cli import benching

    ctx.exit(benching.resume(store, benching.ExecutionOptions(jobs, dask), as_json))


@command.command("status", short_help="How far a campaign is.")
@click.argument("store", metavar="STORE")
@json_option
@click.pass_context
def status(ctx: click.Context, store: str, as_json: bool) -> None:
    """Say how many runs of the campaign in STORE were made, how they ended, what was wrong, and what is out of date."""
    from crosslit.cli import benching

    ctx.exit(benching.status(store, as_json))


@command.command("merge", short_help="Put the results of several files into one.")
@click.argument("target", metavar="TARGET")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@json_option
@click.pass_context
def merge(ctx: click.Context, target: str, sources: tuple[str, ...], as_json: bool) -> None:
    """Put the results of every SOURCE into TARGET, which is made if it is not there: all, or nothing.

    They must be of one campaign: shards of it, or earlier merges. Of a run that is there twice the first counts.
    """
    from crosslit.cli import benching

    ctx.exit(benching.merge(target, sources, as_json))


@command.command("export", short_help="Results as CSV or JSON lines.")
@click.argument("store", metavar="STORE")
@click.option("-o", "--output", "path", metavar="FILE", help="Write there instead of to standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl"]),
    help="What to write.  [default: by FILE's extension, else csv]",
)
@click.pass_context
def export(ctx: click.Context, store: str, path: str | None, form: str | None) -> None:
    """Write one line for each run in STORE, with all that is known of it, its puzzle and whether its answer is right.

    Times are in seconds, memory in MB of 2^20 bytes. In CSV, text that a spreadsheet would take for a formula has a '
    before it.
    """
    from crosslit.cli import benching

    ctx.exit(benching.export(store, path, form))


@command.command("report", short_help="One page that tells what a campaign found.")
@click.argument("store", metavar="STORE")
@click.option(
    "-o", "--output", "path", required=True, metavar="FILE.html", help="The page: one file that needs no other."
)
@click.option("--figures", metavar="DIR", help="Write the figures there too, as SVG and PDF.")
@click.option(
    "--measure",
    type=click.Choice(["total", "cpu", "wall", "solve"]),
    default="total",
    show_default=True,
    help="Which time: the phases of a run together, on processors, of its process, of the search alone.",
)
@json_option
@click.pass_context
def report(ctx: click.Context, store: str, path: str, figures: str | None, measure: str, as_json: bool) -> None:
    """Write a page about the results in STORE: who solved what, how fast, and who was wrong."""
    from crosslit.cli import bench_report, benching

    ctx.exit(bench_report.report(benching.store_path(store), path, figures, measure, as_json))
