"""``crosslit bench run``, ``status`` and ``merge``, with their group, their progress and their output."""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from crosslit.base.errors import InputError
from crosslit.base.numbers import format_count
from crosslit.cli import output
from crosslit.cli.exit_status import FINDING, INTERRUPTED
from crosslit.cli.group import ExampleCommand, ExampleGroup
from crosslit.cli.options import combined, dask_option, jobs_option, json_option
from crosslit.cli.output import one_line, write, write_json, write_table
from crosslit_bench.execution.progress import CampaignProgress

if TYPE_CHECKING:
    from crosslit.contract.run import Run
    from crosslit_bench.execution.campaign import CampaignRun, ExecutionOptions
    from crosslit_bench.execution.local import ExecutionResult
    from crosslit_bench.plan.campaign import PlannedRun
    from crosslit_bench.results.status import CampaignStatus
    from crosslit_bench.store.store import Store


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


class Panel(CampaignProgress):
    """A line about the progress, and a context manager that erases it; if silent, nothing goes to standard output."""

    def __init__(self, parallel: int, is_silent: bool) -> None:
        self._parallel, self._is_silent = parallel, is_silent
        self._line = output.Progress(1)
        self._total = 0
        self._statuses: Counter[str] = Counter()
        self._seconds = 0.0  # wall time of all finished runs

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.hide()

    def step(self, text: str) -> None:
        """Show a text."""
        if self._line.is_due:
            self._line.says(text)

    def begin(self, store: Store, due: Sequence[PlannedRun], replaced: int) -> None:
        """Show the progress of the runs."""
        if replaced and not self._is_silent:
            many = replaced != 1
            output.write(
                f"repeating {format_count(replaced, 'stored run')} that {'are' if many else 'is'} out of date, because"
                f" {'their' if many else 'its'} software has changed since"
            )
        there = store.keys()
        usual = (run for run in due if run.key not in there and ":kernel=no" not in run.spec)
        from crosslit.registry.listing import kernel_note

        if note := kernel_note({re.split("[/:]", run.spec)[0]: run.version for run in usual}):
            output.complain(note)
        self._total, keys = len(due), {planned.key for planned in due}
        # A resumed campaign counts its earlier runs, so that the estimate continues.
        for key, status, wall in store.select("SELECT key, status, wall FROM runs"):
            if key in keys:
                self._count(status, wall)
        self._line.says("warming up")

    def ended(self, planned: PlannedRun, run: Run) -> None:  # noqa: ARG002
        """Count a run."""
        self._count(run.status, run.timing.wall)
        self.step(progress_line(self._total, self._statuses, self._seconds / self._parallel))

    def _count(self, status: str, wall: float) -> None:
        self._statuses[status] += 1
        self._seconds += wall

    def end(self) -> None:
        """Show that the answers are compared."""
        self._line.says("comparing the answers")


def progress_line(total: int, statuses: Mapping[str, int], seconds: float) -> str:
    """Return the numbers of finished, failed and late runs, which took a number of seconds, and the remaining time.

    >>> progress_line(5, {"complete": 1, "timeout": 1}, 40.0)
    '2 of 5 runs, 1 timeout, about 0:01:00 left'
    """
    done, failed, late = sum(statuses.values()), statuses.get("error"), statuses.get("timeout")
    parts = [f"{done} of {total} runs"]
    parts += [f"{failed} failed"] if failed else []
    parts += [format_count(late, "timeout")] if late else []
    if 0 < done < total:
        # Runs are in random order, so the remaining ones take as long on average.
        parts.append(f"about {timedelta(seconds=round(seconds / done * (total - done)))} left")
    return ", ".join(parts)


_MAX_SHOWN = 10  # printed wrong answers and errors; the report lists all


def _shard(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", value, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise click.BadParameter(f"expected I/N such as 2/8, from 1/N to N/N, found {value[:30]!r}.", ctx, param)
    return int(found[1]), int(found[2])


@subcommand(
    "run",
    "Make the runs of a campaign.",
    "crosslit bench run examples/campaign.toml",
    "crosslit bench run examples/campaign.toml --shard 1/2",
)
@click.argument("file", metavar="FILE.toml")
@click.option("--store", metavar="PATH", help="The file of results.  [default: FILE.sqlite, in the working directory]")
@execution_options
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="Make only the I-th of N parts, for example in a cluster job; `bench merge` joins their results.",
)
@json_option
def run_file(
    file: str, store: str | None, options: ExecutionOptions, shard: tuple[int, int] | None, as_json: bool
) -> int:
    """Run the campaign in FILE.toml: make every run that its file of results does not contain yet.

    Each run is an isolated process under limits. Before anything is measured, each backend and encoding makes one run
    on a tiny puzzle, which is not stored. If the command is started again, it makes only the runs that are still
    missing, those added to FILE.toml, and those whose backend, plugin or solver has changed. Given a file of results,
    it makes the runs that are missing there.
    """
    from crosslit_bench.execution.campaign import resume_campaign, run_campaign
    from crosslit_bench.plan.file import read
    from crosslit_bench.store.schema import default_store, is_store

    if is_store(Path(file)):
        if store is not None or shard is not None:
            raise InputError(file, "is a file of results, which goes without --store and --shard")
        with Panel(options.parallel, as_json) as panel:
            return _present(resume_campaign(Path(file), options, panel), as_json)
    spec = replace(read(Path(file)), shard=shard)
    target = Path(store) if store is not None else default_store(spec.name, shard)
    with Panel(options.parallel, as_json) as panel:
        run = run_campaign(spec, target, options, panel)
    return _present(run, as_json)


def _present(run: CampaignRun, as_json: bool) -> int:
    """Print the runs that were made and the status of the campaign; return the exit status."""
    status, execution = run.status, run.made
    if as_json:
        write_json({**status.json(), **execution.json(), "remade": run.replaced, "interrupted": run.interrupted})
    else:
        write_first([f"not stored: {one_line(str(run))}" for run in execution.unkept], "not stored: ")
        _write_status(status)
        write(_outcome(status, execution, run.interrupted))
    if run.interrupted:
        return INTERRUPTED
    # A run that could not be stored, or was lost, must not look like success to a script.
    return FINDING if status.wrong or status.errors or execution.unkept or execution.lost else 0


@subcommand("status", "Show the progress of a campaign.", "crosslit bench status campaign.sqlite")
@store_argument
@json_option
def show_status(store: str, as_json: bool) -> int:
    """Print the number of runs made in STORE, how they ended, and the wrong answers."""
    from crosslit_bench.results.status import campaign_status

    with open_store(store) as opened:
        status = campaign_status(opened)
    if as_json:
        write_json(status.json())
    else:
        _write_status(status)
        write(_progress_line(status))
    return FINDING if status.wrong or status.errors else 0


@subcommand(
    "merge",
    "Put the results of several files into one.",
    "crosslit bench merge all.sqlite campaign.1-of-2.sqlite campaign.2-of-2.sqlite",
)
@click.argument("target", metavar="TARGET")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@json_option
def merge_stores(target: str, sources: Sequence[str], as_json: bool) -> int:
    """Put the results of every SOURCE into TARGET, which is created if it does not exist: all of them, or none.

    They must belong to one campaign, as shards or earlier merges. Of duplicate runs, the first one counts.
    """
    from crosslit_bench.results.status import campaign_status
    from crosslit_bench.store.merge import merge
    from crosslit_bench.store.schema import store_path

    path = store_path(target)
    taken = merge(path, [store_path(source) for source in sources])
    with open_store(target) as store:
        status = campaign_status(store)
    if as_json:
        counts = [{"store": str(count.path), "new": count.new, "twice": count.twice} for count in taken]
        write_json({**status.json(), "merged": counts})
    else:
        for count in taken:
            twice = f", {count.twice} already there" if count.twice else ""
            write(f"{one_line(str(count.path))}: {format_count(count.new, 'new run')}{twice}")
        _warn_of_times(status)
        write(f"{one_line(target)}: {_progress_line(status)}")
    return FINDING if status.wrong or status.errors else 0


def open_store(path: str | Path) -> Store:
    """Open a file of results, whose code the help of the commands does not load."""
    from crosslit_bench.store.schema import store_path
    from crosslit_bench.store.store import Store

    return Store(store_path(path))


def check_output(path: str) -> None:
    """Refuse to write a page or a table over a file of results, by an InputError."""
    from crosslit_bench.store.schema import is_store

    if Path(path).is_file() and is_store(Path(path)):
        raise InputError(path, "is a file of results, which is not overwritten")


def write_first(lines: Sequence[str], heading: str) -> None:
    """Print the first lines, and after a heading the number of the others."""
    for line in lines[:_MAX_SHOWN]:
        write(line)
    if len(lines) > _MAX_SHOWN:
        write(f"{heading}{len(lines) - _MAX_SHOWN} more")


def _write_status(status: CampaignStatus) -> None:
    """Print the findings and the table of contestants."""
    for label, found in (("wrong", status.wrong), ("error", status.errors)):
        lines = []
        for instance, finding in found:
            where = instance.puzzle.name or f"{instance.puzzle.kind} {instance.puzzle.id[:12]}"
            problem = finding.problem if label == "wrong" else "failed"
            lines.append(f"{label}: {finding.backend}: {problem} on {one_line(f'{where}: {finding.detail}')}")
        write_first(lines, f"{label}: ")
    _warn_of_times(status)
    write_table(status.table())
    for score in status.scores:
        # a program with `claims = "one"` solves nothing in these tasks, which the table alone does not explain
        if not score.solved and "one found" in score.statuses:
            needs = "unique needs two" if status.about.asked == "unique" else "all needs all"
            write(f"{score.contestant.label} gives one solution; the task {needs}, the task first one")


def _warn_of_times(status: CampaignStatus) -> None:
    """Print warnings if different kinds of machines made the runs, or other load disturbed them."""
    from crosslit_bench.results.frame import disturbed_words

    if status.machines:
        kinds = "; ".join(status.machines[:_MAX_SHOWN])
        write(f"warning: different kinds of machines made the runs, and the report separates their times: {kinds}")
    if disturbed := disturbed_words(status.disturbed, status.made):
        write(f"warning: {disturbed}")


def _outcome(status: CampaignStatus, execution: ExecutionResult, interrupted: bool) -> str:
    """Return the summary of the runs, with the next command."""
    path = shlex.quote(one_line(str(status.path)))
    again = f"`crosslit bench run {path}`"
    parts = [f"{execution.kept} new"]
    if execution.unkept:
        parts.append(f"{format_count(len(execution.unkept), 'run')} could not be stored")
    if execution.lost:
        many = len(execution.lost) != 1
        parts.append(f"{format_count(len(execution.lost), 'run')} lost, {again} repeats {'them' if many else 'it'}")
    parts.append(format_count(len(status.wrong), "wrong answer"))
    if interrupted:
        of = format_count(status.planned, "run")
        return f"interrupted: {status.made} of {of} made, {'; '.join(parts)}; {again} continues"
    report = shlex.quote(one_line(f"{status.path.stem}.html"))
    hint = f"`crosslit bench report {path} -o {report}` makes the report"
    return f"{format_count(status.made, 'run')}, {'; '.join(parts)}; results in {path}; {hint}"


def _progress_line(status: CampaignStatus) -> str:
    from crosslit.contract.run import status_words

    parts = [f"{status.made} of {format_count(status.planned, 'run')} made"]
    if status.about.shard:
        parts[0] += f" (shard {status.about.shard[0]} of {status.about.shard[1]})"
    parts += [f"{count} {status_words(word, status.about.limits)}" for word, count in status.statuses.items()]
    parts.append(format_count(len(status.wrong), "wrong answer"))
    if status.outside:
        parts.append(f"{format_count(status.outside, 'run')} of an earlier plan, which do not count")
    if status.limits_by:
        parts.append(f"limits enforced by {one_line(' or '.join(status.limits_by))}")
    who = status.writer
    parts.append(
        f"process {who.pid} on {one_line(who.host)} is writing to it" if who else "no process is writing to it"
    )
    return "; ".join([", ".join(parts[:-1]), parts[-1]])
