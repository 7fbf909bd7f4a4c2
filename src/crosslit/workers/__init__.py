"""Workers: tasks carried out by processes on this machine, or on the machines of a Dask cluster.

A service is opened once in each worker process, and then gets task after task. This package must not know any service.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosslit.workers.executor import Executor, Service


def open_executor(
    service: Service, jobs: int = 1, dask: str | None = None, stop: Callable[[], bool] = lambda: False
) -> Executor:
    """Return an executor on a Dask cluster, by its address, or with a number of processes here."""
    if dask is None:
        from crosslit.workers.executor import Processes

        return Processes(service, jobs, stop)
    from crosslit.workers.dask import Cluster

    return Cluster(dask, service, jobs, stop)
