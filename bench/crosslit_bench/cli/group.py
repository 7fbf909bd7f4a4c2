"""The group of the commands ``crosslit bench``, and their shared options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import click

from crosslit.cli.help import ExampleCommand, ExampleGroup
from crosslit.cli.options import combined, dask_option, jobs_option


def execution_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the execution of runs, which the command gets as one object."""

    @functools.wraps(command)
    def wrapped(*, jobs: int, dask: str | None, keep_output: str | None, **others: Any) -> Any:
        from crosslit_bench.execution.campaign import ExecutionOptions

        return command(options=ExecutionOptions(jobs=jobs, dask=dask, outputs=keep_output), **others)

    return combined(
        jobs_option,
        dask_option,
        click.option(
            "--keep-output",
            metavar="DIR",
            help="Store the output of commands there, as KEY.stdout and KEY.stderr of at most 1 MB for each run.",
        ),
    )(wrapped)


store_argument = click.argument("store", metavar="STORE")
measure_option = click.option(
    "--measure",
    type=click.Choice(["total", "cpu", "wall", "solve"]),
    help="The time to compare: all phases of a run, CPU time, wall time of its process, or only the search."
    "  [default: total; cpu if the campaign limits CPU time]",
)


@click.group(
    cls=ExampleGroup,
    examples=["crosslit bench run examples/campaign.toml", "crosslit bench report campaign.sqlite -o report.html"],
)
def command() -> None:
    """Run campaigns: many backends on many puzzles under equal conditions, stored in one file and analysed in a report.

    A TOML file describes a campaign. Each result is stored in an SQLite file as soon as its run ends, so a campaign
    that was interrupted or killed continues where it stopped.

    Exit status: 0 all planned runs made and no answer wrong (a timeout is a result), 1 a wrong answer, or a run that
    failed, was lost or cannot be stored, 2 bad usage or input, 130 interrupted.
    """


def subcommand(name: str, short_help: str, *examples: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds a command to the group; the function returns the exit status."""

    def add(function: Callable[..., int]) -> Callable[..., int]:
        command.command(name, cls=ExampleCommand, examples=examples, short_help=short_help)(function)
        original: Callable[..., int] = inspect.unwrap(function)  # without what `execution_options` adds
        return original

    return add
