"""``crosslit bench run``, ``resume``, ``status`` and ``merge``, with their output."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosslit.cli.exit_status import FINDING, INTERRUPTED
from crosslit.cli.output import one_line, write, write_json, write_table
from crosslit.errors import InputError
from crosslit.numbers import format_count
from crosslit_bench.store.schema import is_store
from crosslit_bench.store.store import Store

if TYPE_CHECKING:
    from crosslit_bench.execution.campaign import CampaignRun, ExecutionOptions
    from crosslit_bench.execution.local import ExecutionResult
    from crosslit_bench.results.status import CampaignStatus

_MAX_SHOWN = 10  # printed wrong answers and errors; the report lists all


def run_file(
    file: str, path: str | None, options: ExecutionOptions, shard: tuple[int, int] | None, as_json: bool
) -> int:
    """Run a campaign; return the exit status."""
    from crosslit_bench.cli.bench_progress import Panel
    from crosslit_bench.execution.campaign import run_campaign
    from crosslit_bench.plan.file import read

    if is_store(Path(file)):
        raise InputError(file, f"is a file of results; `crosslit bench resume {shlex.quote(file)}` continues it")
    spec = replace(read(Path(file)), shard=shard)
    target = Path(path) if path is not None else default_store(spec.name, shard)
    with Panel(options.parallel, as_json) as panel:
        run = run_campaign(spec, target, options, panel)
    return _present(run, as_json)


def resume_store(source: str, options: ExecutionOptions, as_json: bool) -> int:
    """Continue a campaign; return the exit status."""
    from crosslit_bench.cli.bench_progress import Panel
    from crosslit_bench.execution.campaign import resume_campaign

    with Panel(options.parallel, as_json) as panel:
        run = resume_campaign(store_path(source), options, panel)
    return _present(run, as_json)


def _present(run: CampaignRun, as_json: bool) -> int:
    """Print the runs that were made and the status of the campaign; return the exit status."""
    status, execution = run.status, run.made
    if as_json:
        write_json({**status.json(), **execution.json(), "remade": run.replaced, "interrupted": run.interrupted})
    else:
        _write_rejected(execution)
        _write_status(status)
        write(_outcome(status, execution, run.interrupted))
    if run.interrupted:
        return INTERRUPTED
    # A run that could not be stored, or was lost, must not look like success to a script.
    return FINDING if status.wrong or status.errors or execution.unkept or execution.lost else 0


def show_status(source: str, as_json: bool) -> int:
    """Print the progress of a campaign; return the exit status."""
    from crosslit_bench.results.status import campaign_status

    with Store(store_path(source)) as store:
        status = campaign_status(store)
    if as_json:
        write_json(status.json())
    else:
        _write_status(status)
        write(_progress_line(status))
    return FINDING if status.wrong or status.errors else 0


def merge_stores(target: str, sources: Sequence[str], as_json: bool) -> int:
    """Merge files of results; return the exit status."""
    from crosslit_bench.results.status import campaign_status
    from crosslit_bench.store.merge import merge

    path = store_path(target)
    taken = merge(path, [store_path(source) for source in sources])
    with Store(path) as store:
        status = campaign_status(store)
    if as_json:
        counts = [{"store": str(count.path), "new": count.new, "twice": count.twice} for count in taken]
        write_json({**status.json(), "merged": counts})
    else:
        for count in taken:
            twice = f", {count.twice} already there" if count.twice else ""
            write(f"{one_line(str(count.path))}: {format_count(count.new, 'new run')}{twice}")
        _warn_of_machines(status)
        write(f"{one_line(target)}: {_progress_line(status)}")
    return FINDING if status.wrong or status.errors else 0


def store_path(source: str) -> Path:
    """Return the path of a file of results; for a campaign's TOML file, the one of its name in the working directory.

    Raises:
        InputError: if a TOML file cannot be read.
    """
    path = Path(source)
    if path.suffix.lower() == ".toml" and path.is_file() and not is_store(path):
        return default_store(path.stem)
    return path


def check_output(path: str) -> None:
    """Refuse to write a page or a table over a file of results.

    Raises:
        InputError: naming the file.
    """
    if Path(path).is_file() and is_store(Path(path)):
        raise InputError(path, "is a file of results, which is not overwritten")


def default_store(name: str, shard: tuple[int, int] | None = None) -> Path:
    """Return the default path for the results of a campaign.

    Examples:
        >>> default_store("parity-wall", (2, 8)).name
        'parity-wall.2-of-8.sqlite'
    """
    part = f".{shard[0]}-of-{shard[1]}" if shard else ""
    return Path(f"{name}{part}.sqlite")


def _write_rejected(execution: ExecutionResult) -> None:
    """Print the finished runs that cannot be stored, with the reasons."""
    for rejected in execution.unkept[:_MAX_SHOWN]:
        planned = rejected.planned
        where = f"{planned.contestant} on {planned.puzzle.name or planned.puzzle.id[:12]}"
        write(f"not stored: {one_line(where)}: {one_line(rejected.reason)}")
    if len(execution.unkept) > _MAX_SHOWN:
        write(f"not stored: {len(execution.unkept) - _MAX_SHOWN} more")


def _write_status(status: CampaignStatus) -> None:
    """Print the findings and the table of contestants."""
    for label, found in (("wrong", status.wrong), ("error", status.errors)):
        for instance, finding in found[:_MAX_SHOWN]:
            puzzle = instance.puzzle
            where = one_line(puzzle.name or f"{puzzle.kind} {puzzle.id[:12]}")
            problem = finding.problem if label == "wrong" else "failed"
            write(f"{label}: {finding.backend}: {problem} on {where}: {one_line(finding.detail)}")
        if len(found) > _MAX_SHOWN:
            write(f"{label}: {len(found) - _MAX_SHOWN} more")
    _warn_of_machines(status)
    write_table(status.table())


def _warn_of_machines(status: CampaignStatus) -> None:
    """Print a warning if different kinds of machines made the runs."""
    if status.machines:
        kinds = "; ".join(status.machines[:_MAX_SHOWN])
        write(f"warning: different kinds of machines made the runs, and the report separates their times: {kinds}")


def _outcome(status: CampaignStatus, execution: ExecutionResult, interrupted: bool) -> str:
    """Return the summary of the runs, with the next command."""
    path = shlex.quote(one_line(str(status.path)))
    again = f"`crosslit bench resume {path}`"
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
    parts = [f"{status.made} of {format_count(status.planned, 'run')} made"]
    if status.about.shard:
        parts[0] += f" (shard {status.about.shard[0]} of {status.about.shard[1]})"
    parts += [f"{count} {word}" for word, count in status.statuses.items()]
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
