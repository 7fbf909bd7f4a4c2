"""The runs of a campaign on the workers of a Dask cluster.

A task is a function from a planned run to the finished run, as it is stored. Dask repeats the tasks of a worker that
is lost. This is the only module that knows Dask.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import socket
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from crosslit.base.errors import InputError, SpecError, Unavailable, install_hint
from crosslit.contract.run import Run
from crosslit.runs.runner import Runner
from crosslit_bench.machine import circumstances
from crosslit_bench.plan import PlannedRun, job_of, key_of
from crosslit_bench.run import Flush, warm_up
from crosslit_bench.spec import CampaignSpec
from crosslit_bench.store import RunRow

_WAIT_SECONDS = 30  # for the scheduler and for the first worker


def remote_runs(
    spec: CampaignSpec, runs: Sequence[PlannedRun], flush: Flush, *, address: str
) -> Generator[RunRow, None, None]:
    """Yield planned runs that the workers of a cluster make, each as it ends; ``flush`` is called after each.

    The address is that of the scheduler. An InputError says that it or all workers are not there, or go; a SpecError,
    that a worker has other software than the plan.
    """
    try:
        import distributed
    except ImportError:
        raise Unavailable(f"--dask needs Dask, which is not installed: {install_hint('dask')}") from None
    dask: Any = distributed  # it has no types
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what happens is said below
    if spec.limits.cores:
        raise InputError("limits.cores", "works only without --dask")
    try:
        client = dask.Client(address, timeout=_WAIT_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(address, f"no Dask scheduler answers: {str(error).splitlines()[0]:.100}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_WAIT_SECONDS)
        except TimeoutError:
            raise InputError(address, f"there is no worker after {_WAIT_SECONDS} seconds") from None
        make = functools.partial(make_run, dataclasses.replace(spec, puzzles=()))
        planned = {run.key: run for run in runs}
        futures = [client.submit(make, run, key=key) for key, run in planned.items()]
        for future in dask.as_completed(futures):
            run = planned[future.key]
            try:
                row = future.result()
            except dask.KilledWorker:
                row = RunRow.of(run, Run(run.spec, status="lost", repetition=run.repetition), circumstances(1), None)
            except CancelledError:
                raise InputError(address, "the Dask scheduler is gone; the same command continues") from None
            yield row
            flush()
            future.release()  # its memory on the worker


_workers = threading.local()  # a worker process may have several threads


def make_run(spec: CampaignSpec, run: PlannedRun) -> RunRow:
    """Return a planned run that is made in this process of a worker; a SpecError if its software is not the plan's."""
    from distributed import get_worker

    spec.define_solvers()
    if key_of(run, spec) != run.key:
        raise SpecError(f"worker {socket.gethostname()}: {run.contestant} or Crosslit is not that of the plan")
    if (runner := getattr(_workers, "runner", None)) is None or runner.limits != spec.run_limits:
        if runner is not None:
            runner.__exit__()  # which ends its servers
        _workers.runner, _workers.starts = Runner(spec.run_limits), {}
    tiny = run.contestant.partition(":")[0], run.puzzle.kind
    if tiny not in _workers.starts:
        _workers.starts[tiny] = warm_up(_workers.runner, spec, [run]).get(tiny)
    where = circumstances(get_worker().state.nthreads)
    return RunRow.of(run, _workers.runner.run(job_of(run, spec)), where, _workers.starts[tiny])
