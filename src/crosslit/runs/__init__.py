"""Runs: one backend on one puzzle, in this process or isolated under limits; and tasks on other processes and machines.

The `runner` of the parent process sends a `job` to a fork `server`, which forks the run (`child`) under the `sandbox`.
Frames carry its answers back (`wire`), and a `report` checks them. `workers` carry out tasks on this machine, and
`dask` on a cluster. This package must not judge an answer, or unpickle anything that a run wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosslit.runs.workers import Executor, Service


def open_executor(
    service: Service, jobs: int = 1, dask: str | None = None, stop: Callable[[], bool] = lambda: False
) -> Executor:
    """Return an executor on a Dask cluster, by its address, or with a number of processes here."""
    if dask is None:
        from crosslit.runs.workers import Processes

        return Processes(service, jobs, stop)
    from crosslit.runs.dask import Cluster

    return Cluster(dask, service, jobs, stop)
