"""The runs of a campaign: those that its store lacks are made, here or on a cluster, and stored as they end.

The runner makes every run in an isolated process under the limits. This module must not judge an answer.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from crosslit.base.errors import InputError
from crosslit.base.text import format_count
from crosslit.contract.run import ENDED
from crosslit.kinds import find_kind
from crosslit.registry import COMMAND
from crosslit.runs.job import Job
from crosslit.runs.runner import Runner
from crosslit_bench.machine import circumstances, delegated
from crosslit_bench.plan import PlannedRun, job_of, plan, share
from crosslit_bench.spec import CampaignSpec
from crosslit_bench.store import RunRow, Store, writer_lock

# A transaction waits for the disk, which takes longer than a short run; a kill loses runs of only so much time.
_MAX_BATCH, _MAX_BATCH_SECONDS = 100, 0.1
_WARM_UP_SECONDS = 10.0  # limit of a warm-up run, unless the campaign's is lower


Flush = Callable[[], None]
"""A function that stores the runs that were yielded."""
MakesRuns = Callable[[CampaignSpec, Sequence[PlannedRun], Flush], Generator[RunRow, None, None]]


@dataclass(frozen=True)
class CampaignRun:
    """What was done to make the missing runs of a campaign."""

    new: int  # number of runs that were stored
    lost: int  # number of runs whose process or worker was lost; they are made when the campaign is run again
    interrupted: bool  # True after Ctrl-C, if runs are missing


def run_campaign(
    spec: CampaignSpec,
    path: Path,
    make: MakesRuns,
    *,
    shard: tuple[int, int] | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> CampaignRun:
    """Make the runs of a campaign that its store lacks, by a function such as `local_runs`.

    The store is created if it does not exist. ``shard`` is the part of the plan to make, as (number, of); ``say`` is
    called with a line about the progress.
    """
    waiting: list[RunRow] = []
    statuses: Counter[str] = Counter()
    new, is_interrupted = 0, False

    def flush() -> None:
        nonlocal new
        new += store.add(waiting) if waiting else 0
        waiting.clear()

    with contextlib.ExitStack() as stack:
        stack.enter_context(writer_lock(path))  # before puzzles are generated, which may take minutes
        _require_campaign(path, spec.name)
        say("generating the puzzles")
        instances = list(spec.instances())
        say("planning")
        planned = plan(spec, instances)
        store = stack.enter_context(Store(path, create=True))
        store.prepare(spec, instances, planned, shard)
        keys = store.keys()
        missing = [run for run in share(planned.runs, shard) if run.key not in keys]
        runs = make(spec, missing, flush)
        say("warming up")
        began = time.monotonic()
        try:
            with contextlib.closing(runs):
                for row in runs:
                    statuses[row.columns["status"]] += 1
                    if row.columns["status"] != "lost":  # it says nothing about the backend, and is made again
                        waiting.append(row)
                    seconds = sum(other.columns["wall"] for other in waiting)
                    if len(waiting) >= _MAX_BATCH or seconds >= _MAX_BATCH_SECONDS:
                        flush()
                    say(progress_line(statuses, len(missing), time.monotonic() - began))
        except KeyboardInterrupt:
            is_interrupted = True
        finally:
            flush()
    return CampaignRun(new, statuses["lost"], is_interrupted and new < len(missing))


def _require_campaign(path: Path, name: str) -> None:
    """Refuse a store of another campaign."""
    if path.exists() and path.stat().st_size:
        with Store(path) as store:
            if (known := store.spec.name) != name:
                problem = f"contains the campaign {known!r:.60}, not {name!r:.60}: choose another file with -o"
                raise InputError(str(path), problem)


def progress_line(statuses: Counter[str], total: int, seconds: float) -> str:
    """Return the numbers of finished, failed and late runs, which took some seconds, and the remaining time.

    Examples:
        >>> progress_line(Counter(complete=1, timeout=1), 5, 40.0)
        '2 of 5 runs, 1 timeout, about 0:01:00 left'
    """
    done, failed, late = statuses.total(), statuses["error"], statuses["timeout"]
    parts = [f"{done} of {total} runs"]
    parts += [f"{failed} failed"] if failed else []
    parts += [format_count(late, "timeout")] if late else []
    # runs are in random order, so the remaining ones take as long on average
    parts += [f"about {timedelta(seconds=round(seconds / done * (total - done)))} left"] if 0 < done < total else []
    return ", ".join(parts)


def local_runs(
    spec: CampaignSpec, runs: Sequence[PlannedRun], flush: Flush, *, jobs: int = 1
) -> Generator[RunRow, None, None]:
    """Yield planned runs that are made on this machine, each as it ends; Ctrl-C raises KeyboardInterrupt at the end.

    ``flush`` is called when no run has ended for a while. More than one parallel run makes times unreliable.
    """
    if not runs:
        return
    groups = delegated()
    begun: dict[int, dict[str, object]] = {}  # the circumstances when a job started, by its `id`
    planned: dict[int, tuple[PlannedRun, Job]] = {}  # with the job, whose `id` another object could get otherwise

    def note(job: Job) -> None:
        begun[id(job)] = circumstances(jobs, groups)

    def each_job() -> Iterator[Job]:
        for run in runs:
            job = job_of(run, spec)
            planned[id(job)] = run, job
            yield job

    with contextlib.ExitStack() as stack:
        if groups:
            stack.callback(groups.close)
        runner = Runner(spec.run_limits, jobs, note, group_of=groups.path if groups else None)
        stack.enter_context(runner.guard())
        stack.enter_context(runner)
        starts = warm_up(runner, spec, runs)
        runner.on_idle = flush
        for job, run in runner.runs(each_job()):
            planned_run, _ = planned.pop(id(job))
            where = begun.pop(id(job), None) or circumstances(jobs, groups)  # an unsupported puzzle never starts
            if run.status != "interrupted":
                yield RunRow.of(planned_run, run, where, starts.get(_tiny(planned_run)))
        if runner.interrupted:
            raise KeyboardInterrupt


def warm_up(runner: Runner, spec: CampaignSpec, runs: Sequence[PlannedRun]) -> dict[tuple[str, str], float]:
    """Make a run on a tiny puzzle for each backend and encoding, which loads their files from disk.

    Return its seconds, by contestant without options and kind of puzzle, of each program that is started for every
    run: these are part of its times.
    """
    starts = {}
    limits = dataclasses.replace(spec.run_limits, timeout=min(_WARM_UP_SECONDS, spec.run_limits.timeout))
    for key, run in {_tiny(run): run for run in reversed(runs)}.items():
        tiny = dataclasses.replace(run, puzzle=find_kind(run.puzzle.kind).samples()[-1])
        job = dataclasses.replace(job_of(tiny, spec), limits=limits)
        ended = runner.run(job)
        if job.choice and COMMAND in job.choice.backend.groups and ended.status in ENDED:
            starts[key] = runner.run(job).timing.total  # now that its file is in memory
    return starts


def _tiny(run: PlannedRun) -> tuple[str, str]:
    return run.contestant.partition(":")[0], run.puzzle.kind
