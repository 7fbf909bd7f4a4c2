"""A Dask scheduler and workers, each in a separate process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import PLANTED

ROOT = Path(__file__).parents[1]


def until(true: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} seconds for {what}"
        time.sleep(0.02)


class Cluster:
    """A scheduler, and workers without a nanny, so that killed ones stay dead."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(PLANTED), str(ROOT), os.environ.get("PYTHONPATH")])),
        }
        port = self._port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        until(lambda: self._answers(port), "the scheduler")

    @staticmethod
    def _port() -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])

    @staticmethod
    def _answers(port: int) -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    def _start(self, what: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
        log = (self.folder / f"{what}{len(self.processes)}.log").open("wb")
        with log:
            started = subprocess.Popen(
                command, cwd=self.folder, env={**self.environment, **environment}, stdout=log, stderr=log
            )
        self.processes.append(started)
        return started

    def worker(self, **environment: str) -> subprocess.Popen[bytes]:
        where = ["--host", "127.0.0.1", "--local-directory", str(self.folder)]
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        return self._start("worker", self.address, *where, *options, **environment)

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        """The living processes."""
        return [process for process in self.processes if process is not self.scheduler and process.poll() is None]

    def have(self, workers: int) -> None:
        for process in self.workers[workers:]:
            process.kill()
            process.wait()
        for _ in range(workers - len(self.workers)):
            self.worker()

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


Have = Callable[[int], Cluster]


@pytest.fixture(scope="module")
def have(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Have]:
    """A scheduler with this number of workers. Processes killed by an earlier test are restarted, the others reused."""
    with ExitStack() as stack:
        made: list[Cluster] = []

        def have(workers: int) -> Cluster:
            if not made or made[-1].scheduler.poll() is not None:
                made.append(Cluster(tmp_path_factory.mktemp("dask")))
                stack.callback(made[-1].close)
            made[-1].have(workers)
            return made[-1]

        yield have
