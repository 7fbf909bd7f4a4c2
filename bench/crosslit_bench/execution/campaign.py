"""A campaign from its description to its results: the function behind `Campaign.run` and `crosslit bench run`."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crosslit.errors import InputError, SpecError
from crosslit.numbers import one_line
from crosslit.sandbox.posix import require_isolation
from crosslit_bench.execution.local import ExecutionResult, Executor, LocalExecutor, check_versions, make
from crosslit_bench.execution.progress import Progress
from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.plan.file import define_solvers
from crosslit_bench.plan.plan import plan
from crosslit_bench.plan.software import software_of
from crosslit_bench.plan.sources import all_instances
from crosslit_bench.results.status import CampaignStatus, campaign_status
from crosslit_bench.store.store import Store
from crosslit_bench.store.writer_lock import check_free, writer_lock


@dataclass(frozen=True, kw_only=True)
class ExecutionOptions:
    """The options for the execution of runs."""

    jobs: int = 1  # number of parallel runs; more than one makes timings unreliable
    dask: str | None = None  # address of a cluster; None for this machine
    outputs: str | None = None  # folder for the raw output of commands; None to discard it

    def executor(self, spec: CampaignSpec) -> Executor:
        """Return the executor for a campaign."""
        if self.dask is not None:
            if self.outputs is not None:
                raise SpecError("--keep-output works only on this machine, not with --dask")
            if spec.limits.cores is not None:
                raise SpecError("limits.cores works only on this machine, not with --dask")
            from crosslit_bench.execution.dask import DaskExecutor

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
        from crosslit.workers.dask import local_workers

        return local_workers(self.dask) or self.jobs


@dataclass(frozen=True, kw_only=True)
class CampaignRun:
    """A campaign whose missing runs were made."""

    status: CampaignStatus  # its progress
    made: ExecutionResult  # the runs that were made now
    replaced: int  # number of these that replace stored ones, because their software has changed since
    interrupted: bool  # True after Ctrl-C, if runs are missing


def run_campaign(
    spec: CampaignSpec, path: Path, options: ExecutionOptions | None = None, progress: Progress | None = None
) -> CampaignRun:
    """Make the runs of a campaign that its file of results lacks, and return its status."""
    require_isolation()
    options, progress = options or ExecutionOptions(), progress or Progress()
    check_target(path, spec.name)  # before the puzzles are made, which may take minutes
    define_solvers(spec)
    instances = list(_instances(spec, progress))
    progress.step("planning")
    planned = plan(spec, instances)
    spec = dataclasses.replace(spec, software=software_of(run.version for run in planned))
    # The executor comes first: if it fails, no file must be created.
    with options.executor(spec) as executor, Store(path, create=True, write=True) as store, writer_lock(store):
        store.prepare(spec, instances, planned)
        return _make_runs(store, executor, progress)


def resume_campaign(
    path: Path, options: ExecutionOptions | None = None, progress: Progress | None = None
) -> CampaignRun:
    """Make the runs that are missing from a file of results, and return the status."""
    options, progress = options or ExecutionOptions(), progress or Progress()
    with Store(path, write=True) as store:
        define_solvers(store.about)
        with writer_lock(store):
            there = store.keys()
            progress.step("planning")
            # Only the missing runs: those in the file stay valid, whatever is installed here now.
            check_versions(store, [run for run in store.due() if run.key not in there])
            with options.executor(store.about) as executor:
                return _make_runs(store, executor, progress)


def _make_runs(store: Store, executor: Executor, progress: Progress) -> CampaignRun:
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


def _instances(spec: CampaignSpec, progress: Progress) -> Iterator[Instance]:
    for number, instance in enumerate(all_instances(spec), 1):
        progress.step(f"puzzles: {number} ready")
        yield instance


def check_target(path: Path, name: str) -> None:
    """Check that the results of a campaign can be stored at a path, before its puzzles are generated."""
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
