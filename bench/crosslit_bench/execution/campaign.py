"""A campaign from its description to its results, on this machine or on the workers of a Dask cluster.

It is behind `Campaign.run` and `crosslit bench run`. On a worker, `crosslit.runs.runner.Runner` makes the runs under
their limits, as everywhere.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from crosslit.base.errors import InputError, SpecError
from crosslit.base.numbers import one_line
from crosslit.base.posix import require_isolation
from crosslit.contract.run import Run
from crosslit.registry import Choice
from crosslit.runs import open_executor
from crosslit.runs.runner import Runner
from crosslit_bench.execution.local import ExecutionResult, LocalExecutor, RunExecutor, check_versions, make, tiny_jobs
from crosslit_bench.execution.progress import CampaignProgress
from crosslit_bench.plan.campaign import CampaignSpec, PlannedRun, chosen, find_change, plan
from crosslit_bench.plan.file import define_solvers
from crosslit_bench.plan.software import software_of
from crosslit_bench.plan.sources import all_instances
from crosslit_bench.results.status import CampaignStatus, campaign_status
from crosslit_bench.store.merge import NOTE, refuse_others, writer_lock
from crosslit_bench.store.outcome import Outcome, StoredAnswer, circumstances, storable
from crosslit_bench.store.store import Store


@dataclass(frozen=True, kw_only=True)
class ExecutionOptions:
    """The options for the execution of runs."""

    jobs: int = 1  # number of parallel runs; more than one makes timings unreliable
    dask: str | None = None  # address of a cluster; None for this machine
    outputs: str | None = None  # folder for the raw output of commands; None to discard it

    def executor(self, spec: CampaignSpec) -> RunExecutor:
        """Return the executor for a campaign."""
        if self.dask is not None:
            if self.outputs is not None:
                raise SpecError("--keep-output works only on this machine, not with --dask")
            if spec.limits.cores is not None:
                raise SpecError("limits.cores works only on this machine, not with --dask")
            return DaskExecutor(self.dask, spec, self.parallel)
        outputs = None
        if self.outputs is not None:
            outputs = Path(self.outputs).absolute()
            try:
                outputs.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=outputs).close()
            except OSError as error:
                raise InputError(self.outputs, f"cannot be a folder for output: {error.strerror}") from None
        return LocalExecutor(spec, self.jobs, outputs)

    @property
    def parallel(self) -> int:
        """The number of parallel runs; with a cluster, only an estimate."""
        if self.dask is None:
            return self.jobs
        from crosslit.runs.dask import local_workers

        return local_workers(self.dask) or self.jobs


@dataclass(frozen=True, kw_only=True)
class CampaignRun:
    """A campaign whose missing runs were made."""

    status: CampaignStatus  # its progress
    made: ExecutionResult  # the runs that were made now
    replaced: int  # number of these that replace stored ones, because their software has changed since
    interrupted: bool  # True after Ctrl-C, if runs are missing


def run_campaign(
    spec: CampaignSpec, path: Path, options: ExecutionOptions | None = None, progress: CampaignProgress | None = None
) -> CampaignRun:
    """Make the runs of a campaign that its file of results lacks, and return its status."""
    require_isolation()
    options, progress = options or ExecutionOptions(), progress or CampaignProgress()
    check_target(path, spec.name)  # before the puzzles are made, which may take minutes
    define_solvers(spec)
    instances = []
    for instance in all_instances(spec):
        instances.append(instance)
        progress.step(f"puzzles: {len(instances)} ready")
    progress.step("planning")
    planned = plan(spec, instances)
    spec = dataclasses.replace(spec, software=software_of(run.version for run in planned))
    # The executor comes first: if it fails, no file must be created.
    with options.executor(spec) as executor, Store(path, create=True, write=True) as store, writer_lock(store):
        store.prepare(spec, instances, planned)
        return _make_runs(store, executor, progress)


def resume_campaign(
    path: Path, options: ExecutionOptions | None = None, progress: CampaignProgress | None = None
) -> CampaignRun:
    """Make the runs that are missing from a file of results, and return the status."""
    options, progress = options or ExecutionOptions(), progress or CampaignProgress()
    with Store(path, write=True) as store:
        define_solvers(store.about)
        with writer_lock(store):
            there = store.keys()
            progress.step("planning")
            # Only the missing runs: those in the file stay valid, whatever is installed here now.
            check_versions(store, [run for run in store.due() if run.key not in there])
            with options.executor(store.about) as executor:
                return _make_runs(store, executor, progress)


def _make_runs(store: Store, executor: RunExecutor, progress: CampaignProgress) -> CampaignRun:
    due, there = store.due(), store.keys()
    wanted = {(run.puzzle.id, run.contestant, run.seed, run.repetition) for run in due if run.key not in there}
    replaced = sum(run in wanted for run in store.outside())
    progress.begin(store, due, replaced)
    try:
        made = make(store, executor, due, progress.ended)
    finally:
        progress.end()
    status = dataclasses.replace(campaign_status(store), writer=None)
    # An interrupt after the last run has changed nothing.
    interrupted = executor.interrupted and status.missing > 0
    return CampaignRun(status=status, made=made, replaced=replaced, interrupted=interrupted)


def check_target(path: Path, name: str) -> None:
    """Check that the results of a campaign can be stored at a path, before its puzzles are generated."""
    if not path.exists() or not path.stat().st_size:
        if not path.parent.is_dir():
            raise InputError(str(path), "there is no such folder")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InputError(str(path), "cannot be written")
        return
    with Store(path) as store:
        refuse_others(store.note(NOTE), store)
        if store.note("campaign") is not None and store.about.name != name:
            other = one_line(store.about.name)
            raise InputError(
                str(path), f"contains the campaign {other}, not {one_line(name)}: choose another file with --store"
            )


EXECUTOR = "dask"
Made = tuple[Outcome, StoredAnswer | None]
"""An outcome without its solutions, and these: a million small objects take far longer to pickle than a block."""


@contextlib.contextmanager
def campaign_runs(campaign: CampaignSpec, side_by_side: int) -> Iterator[Callable[[PlannedRun], Made]]:
    """Open a worker of a campaign, as a service of `crosslit.runs`."""
    warmed: set[tuple[str, str]] = set()
    with Runner(campaign.limits) as runner:

        def make(planned: PlannedRun) -> Made:
            choice = _checked(planned, campaign)
            warm = choice.backend.name, choice.encoding.name if choice.encoding else ""
            if warm not in warmed:  # an unmeasured tiny run loads the backend's files from disk
                warmed.add(warm)
                for job in tiny_jobs([planned], campaign):
                    runner.run(job)
            where = circumstances(side_by_side, EXECUTOR)
            run, answer = storable(runner.run(planned.job(campaign.question)))
            run = dataclasses.replace(run, grids=[])
            return Outcome(key=planned.key, run=run, circumstances=where), answer

        yield make


def _checked(planned: PlannedRun, campaign: CampaignSpec) -> Choice:
    """Return the backend of a planned run; a SpecError if the software here differs from that of the plan."""
    try:
        choice = chosen(planned.spec, planned.puzzle, campaign.question)
    except SpecError as error:
        raise SpecError(f"cannot make a planned run: {error}") from None
    # The worker computes the key itself, from its own files: equal keys mean equal software.
    if why := find_change(planned, campaign, choice):
        raise SpecError(f"cannot make a planned run: {why}")
    return choice


class DaskExecutor(RunExecutor):
    """An executor on a Dask cluster, by the address of its scheduler; ``local`` starts one here with ``jobs`` workers.

    A run that loses two workers has the status ``lost``. The campaign ends if the versions of a worker differ from the
    plan.
    """

    def __init__(self, address: str, campaign: CampaignSpec, jobs: int = 1) -> None:
        super().__init__(Runner(campaign.limits, jobs))  # makes no runs here, only handles Ctrl-C
        service = functools.partial(campaign_runs, dataclasses.replace(campaign, sources=(), text="", software=None))
        self._cluster = open_executor(service, jobs, address, lambda: self.interrupted)
        self._cluster.on_idle = lambda: self.on_idle()

    def __enter__(self) -> Self:
        """Connect to the scheduler."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._runner.guard())  # until results are stored: an interrupt must not lose one
            stack.enter_context(self._cluster)
            self._stack = stack.pop_all()
        return self

    def outcomes(self, planned: Sequence[PlannedRun]) -> Generator[tuple[PlannedRun, Outcome], None, None]:
        """Yield the runs with their outcomes, each as soon as it ends."""
        with contextlib.closing(self._cluster.results(planned)) as results:
            for run, made, lost in results:
                if made is None:
                    why = f"{lost[1]} while it made this run, as one before it: {lost[0]}"
                    failed = Run(run.spec, status="lost", repetition=run.repetition, error=why)
                    outcome = Outcome(key=run.key, run=failed, circumstances=circumstances(1, EXECUTOR))
                else:
                    outcome, answer = made
                    if answer is not None:
                        outcome.run.grids = answer.grids(run.puzzle)
                yield run, dataclasses.replace(outcome, attempts=1 + bool(lost), lost="".join(lost[:1]))
