"""The commands of ``crosslit bench`` on campaigns and files of results, with their output."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosslit.cli.exit_status import FINDING, INTERRUPTED
from crosslit.cli.output import Table, one_line, write, write_file, write_json, write_text
from crosslit.errors import InputError, SpecError
from crosslit.numbers import format_count
from crosslit_bench.store.about import About
from crosslit_bench.store.schema import is_store
from crosslit_bench.store.store import Store

if TYPE_CHECKING:
    from crosslit_bench.cli.output_bench import Panel
    from crosslit_bench.execution.local import ExecutionResult
    from crosslit_bench.plan.campaign import Campaign, Instance
    from crosslit_bench.results.status import CampaignStatus
    from crosslit_bench.store.outcome import Executor

_MAX_SHOWN = 10  # printed wrong answers and errors; the report lists all


@dataclass(frozen=True)
class ExecutionOptions:
    """The options for the execution of runs.

    Args:
        jobs: number of parallel runs.
        dask: address of a cluster; None for this machine.
        workers: number of workers that ``local`` starts; None for as many as jobs.
        outputs: folder for the raw output of commands; None to discard it.
    """

    jobs: int
    dask: str | None
    workers: int | None = None
    outputs: str | None = None

    def executor(self, about: About) -> Executor:
        """Return the executor for a campaign."""
        if self.dask is not None:
            if self.outputs is not None:
                raise SpecError("--keep-output works only on this machine, not with --dask")
            if about.limits.cores is not None:
                raise SpecError("limits.cores works only on this machine, not with --dask")
            from crosslit_bench.execution.dask import DaskExecutor

            return DaskExecutor(self.dask, about.question, about.limits, about.solvers, about.folder, self.parallel)
        from crosslit_bench.execution.local import LocalExecutor

        outputs = None
        if self.outputs is not None:
            outputs = Path(self.outputs).absolute()
            try:
                outputs.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=outputs).close()
            except OSError as error:
                raise InputError(self.outputs, f"cannot be a folder for output: {error.strerror}") from None
        return LocalExecutor(about.limits, about.question, self.jobs, outputs)

    @property
    def parallel(self) -> int:
        """The number of parallel runs; with a cluster, only an estimate."""
        return self.workers if self.workers is not None else self.jobs

    @property
    def words(self) -> list[str]:
        """The options on the command line, without defaults."""
        words = ["--jobs", str(self.jobs)] if self.jobs != 1 else []
        words += ["--dask", one_line(self.dask)] if self.dask is not None else []
        words += ["--workers", str(self.workers)] if self.workers is not None else []
        return words + (["--keep-output", one_line(self.outputs)] if self.outputs is not None else [])


def run(file: str, goal: str | None, options: ExecutionOptions, shard: tuple[int, int] | None, as_json: bool) -> int:
    """Run a campaign; return the exit status."""
    from crosslit_bench.cli.output_bench import Panel
    from crosslit_bench.plan.file import define_solvers, read
    from crosslit_bench.plan.plan import plan
    from crosslit_bench.results.staleness import superseded
    from crosslit_bench.store.writer_lock import writer_lock

    if is_store(Path(file)):
        raise InputError(file, f"is a file of results; `crosslit bench resume {shlex.quote(file)}` continues it")
    campaign = read(Path(file))
    path = Path(goal) if goal is not None else default_store(campaign.name, shard)
    # Before the puzzles are made, which may take minutes.
    _check_goal(path, campaign.name)
    define_solvers(campaign)
    with Panel() as panel:
        instances = list(_instances(campaign, panel))
        panel.says("planning")
        planned = plan(campaign, instances)
        about = About.of(campaign, _words(file, goal, options, shard), shard, planned)
        # the executor comes first: if it fails, no file must be created
        with options.executor(about) as executor, Store(path, create=True, write=True) as store, writer_lock(store):
            store.prepare(about, instances, planned)
            return _go(store, executor, options.parallel, panel, as_json, superseded(store))


def resume(source: str, options: ExecutionOptions, as_json: bool) -> int:
    """Continue a campaign; return the exit status."""
    from crosslit_bench.cli.output_bench import Panel
    from crosslit_bench.execution.local import check_versions
    from crosslit_bench.plan.file import define_solvers
    from crosslit_bench.store.writer_lock import writer_lock

    with Panel() as panel, Store(store_path(source), write=True) as store:
        define_solvers(store.about)
        with writer_lock(store):
            there = store.keys()
            panel.says("planning")
            # Only the missing runs: those in the file stay valid, whatever is installed here now.
            check_versions(store, [one for one in store.due() if one.key not in there])
            with options.executor(store.about) as executor:
                return _go(store, executor, options.parallel, panel, as_json)


def status(source: str, as_json: bool) -> int:
    """Print the progress of a campaign; return the exit status."""
    from crosslit_bench.results.status import campaign_status

    with Store(store_path(source)) as store:
        known = campaign_status(store)
    if as_json:
        write_json(known.json())
    else:
        _write(known)
        write(_how_far(known))
    return FINDING if known.wrong or known.errors else 0


def merge(target: str, sources: Sequence[str], as_json: bool) -> int:
    """Merge files of results; return the exit status."""
    from crosslit_bench.results.status import campaign_status
    from crosslit_bench.store.merge import merge as put_together

    path = store_path(target)
    taken = put_together(path, [store_path(source) for source in sources])
    with Store(path) as store:
        known = campaign_status(store)
    if as_json:
        counts = [{"store": str(one.path), "new": one.new, "twice": one.twice} for one in taken]
        write_json({**known.json(), "merged": counts})
    else:
        for one in taken:
            twice = f", {one.twice} already there" if one.twice else ""
            write(f"{one_line(str(one.path))}: {format_count(one.new, 'new run')}{twice}")
        _warn_of_machines(known)
        write(f"{one_line(target)}: {_how_far(known)}")
    return FINDING if known.wrong or known.errors else 0


def export(source: str, goal: str | None, form: str | None, anonymous: bool = False) -> int:
    """Export all results; return the exit status."""
    from crosslit_bench.results.anonymity import AnonymousStore
    from crosslit_bench.results.export import written

    if form is None:
        form = "jsonl" if goal is not None and Path(goal).suffix.lower() in (".jsonl", ".ndjson") else "csv"
    with (AnonymousStore if anonymous else Store)(store_path(source)) as store:
        lines = written(store, "jsonl" if form == "jsonl" else "csv")
        if goal is not None:
            check_output(goal)
            write_file(goal, (line.encode() for line in lines))
        else:
            for line in lines:
                write_text(line)
    return 0


def store_path(source: str) -> Path:
    """Return the path of a file of results; for a campaign's TOML file, the one of its name in the working directory.

    Raises:
        InputError: if a TOML file cannot be read.
    """
    path = Path(source)
    if path.suffix.lower() == ".toml" and path.is_file() and not is_store(path):
        return default_store(path.stem)
    return path


def check_output(goal: str) -> None:
    """Refuse to write a page or a table over a file of results.

    Raises:
        InputError: naming the file.
    """
    if Path(goal).is_file() and is_store(Path(goal)):
        raise InputError(goal, "is a file of results, which is not overwritten")


def default_store(name: str, shard: tuple[int, int] | None = None) -> Path:
    """Return the default path for the results of a campaign.

    Examples:
        >>> default_store("parity-wall", (2, 8)).name
        'parity-wall.2-of-8.sqlite'
    """
    part = f".{shard[0]}-of-{shard[1]}" if shard else ""
    return Path(f"{name}{part}.sqlite")


def _words(file: str, goal: str | None, options: ExecutionOptions, shard: tuple[int, int] | None) -> list[str]:
    """Return the words of the command, for its repetition."""
    words = ["crosslit", "bench", "run", one_line(file)]
    words += ["--store", one_line(goal)] if goal is not None else []
    return words + options.words + (["--shard", f"{shard[0]}/{shard[1]}"] if shard else [])


def _instances(campaign: Campaign, panel: Panel) -> Iterator[Instance]:
    from crosslit_bench.plan.sources import all_instances

    for made, instance in enumerate(all_instances(campaign), 1):
        panel.says(f"puzzles: {made} ready")
        yield instance


def _check_goal(path: Path, name: str) -> None:
    """Check that results can be stored at a path, before the puzzles are generated.

    Raises:
        InputError: if they cannot be stored there.
    """
    from crosslit_bench.store.writer_lock import check_free

    if not path.exists() or not path.stat().st_size:
        if not path.parent.is_dir():
            raise InputError(str(path), "there is no such folder")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InputError(str(path), "cannot be written")
        return
    with Store(path) as store:
        check_free(store)
        if store.note("campaign") is not None and store.about.name != name:
            other = one_line(store.about.name)
            raise InputError(
                str(path), f"contains the campaign {other}, not {one_line(name)}: choose another file with --store"
            )


def _go(store: Store, executor: Executor, jobs: int, panel: Panel, as_json: bool, remade: int = 0) -> int:
    """Make the missing runs and print the result; ``remade`` of them replace stored runs that are out of date."""
    from crosslit_bench.execution.local import make
    from crosslit_bench.results.status import campaign_status

    if remade and not as_json:
        because = (
            "because their software has changed since" if remade != 1 else "because its software has changed since"
        )
        out_of_date = "that are out of date" if remade != 1 else "that is out of date"
        write(f"repeating {format_count(remade, 'stored run')} {out_of_date}, {because}")
    due = store.due()
    with panel.following(store, due, executor, jobs) as saw:
        made = make(store, executor, due, saw)
    known = campaign_status(store)
    panel.hide()
    # An interrupt after the last run has changed nothing.
    interrupted = executor.interrupted and known.missing > 0
    if as_json:
        write_json({**known.json(), "running": False, **made.json(), "remade": remade, "interrupted": interrupted})
    else:
        _write_unkept(made)
        _write(known)
        write(_outcome(known, made, interrupted))
    if interrupted:
        return INTERRUPTED
    # A run that could not be stored, or was lost, must not look like success to a script.
    return FINDING if known.wrong or known.errors or made.unkept or made.lost else 0


def _write_unkept(made: ExecutionResult) -> None:
    """Print the finished runs that cannot be stored, with the reasons."""
    for one in made.unkept[:_MAX_SHOWN]:
        what = f"{one.planned.contestant} on {one.planned.puzzle.name or one.planned.puzzle.id[:12]}"
        write(f"not stored: {one_line(what)}: {one_line(one.reason)}")
    if len(made.unkept) > _MAX_SHOWN:
        write(f"not stored: {len(made.unkept) - _MAX_SHOWN} more")


def _write(known: CampaignStatus) -> None:
    """Print the findings and the table of contestants."""
    for label, found in (("wrong", known.wrong), ("error", known.errors)):
        for instance, finding in found[:_MAX_SHOWN]:
            puzzle = instance.puzzle
            where = one_line(puzzle.name or f"{puzzle.kind} {puzzle.id[:12]}")
            problem = finding.problem if label == "wrong" else "failed"
            write(f"{label}: {finding.backend}: {problem} on {where}: {one_line(finding.detail)}")
        if len(found) > _MAX_SHOWN:
            write(f"{label}: {len(found) - _MAX_SHOWN} more")
    _warn_of_machines(known)
    heads = known.columns[: -len(known.numbers)]
    table = Table(*known.columns, right=known.numbers, names=heads)
    for score in known.scores:
        table.add_row(*known.cells(score), style="red" if score.contestant.disqualified else "")
    table.write()


def _warn_of_machines(known: CampaignStatus) -> None:
    """Print a warning if different kinds of machines made the runs."""
    if known.machines:
        kinds = "; ".join(known.machines[:_MAX_SHOWN])
        write(f"warning: different kinds of machines made the runs, and the report separates their times: {kinds}")


def _outcome(known: CampaignStatus, made: ExecutionResult, interrupted: bool) -> str:
    """Return the summary of the runs, with the next command."""
    path = shlex.quote(one_line(str(known.path)))
    again = f"`crosslit bench resume {path}`"
    said = [f"{made.kept} new"]
    if made.unkept:
        said.append(f"{format_count(len(made.unkept), 'run')} could not be stored")
    if made.lost:
        many = len(made.lost) != 1
        said.append(f"{format_count(len(made.lost), 'run')} lost, {again} repeats {'them' if many else 'it'}")
    if known.outdated:
        said.append(f"{format_count(known.outdated, 'run')} out of date, which `crosslit bench run` repeats")
    said.append(format_count(len(known.wrong), "wrong answer"))
    if interrupted:
        of = format_count(known.planned, "run")
        return f"interrupted: {known.made} of {of} made, {'; '.join(said)}; {again} continues"
    report = shlex.quote(one_line(f"{known.path.stem}.html"))
    hint = f"`crosslit bench report {path} -o {report}` makes the report"
    return f"{format_count(known.made, 'run')}, {'; '.join(said)}; results in {path}; {hint}"


def _how_far(known: CampaignStatus) -> str:
    parts = [f"{known.made} of {format_count(known.planned, 'run')} made"]
    if known.about.shard:
        parts[0] += f" (shard {known.about.shard[0]} of {known.about.shard[1]})"
    parts += [f"{count} {word}" for word, count in known.statuses.items()]
    parts.append(format_count(len(known.wrong), "wrong answer"))
    if known.outdated:
        parts.append(f"{known.outdated} out of date, which `crosslit bench run` repeats")
    if known.outside:
        parts.append(f"{format_count(known.outside, 'run')} of an earlier plan, which do not count")
    if known.limits_by:
        parts.append(f"limits enforced by {one_line(' or '.join(known.limits_by))}")
    who = known.writer
    parts.append(
        f"process {who.pid} on {one_line(who.host)} is writing to it" if who else "no process is writing to it"
    )
    return "; ".join([", ".join(parts[:-1]), parts[-1]])
