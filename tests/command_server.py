"""The command line in processes forked from one that has loaded it, because an interpreter starts slowly.

A forked process has its own arguments, environment, folder, streams, signals and exit status, like one that a user
starts. The servers that fork its runs are forked from it in turn. Tests of the start and end of an interpreter, and of
killed processes, use ``subprocess`` itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import os
import pickle
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.abc import SourceLoader
from pathlib import Path
from typing import IO, Any

from crosslit.runs import server as fork_server
from crosslit.runs.processes import ForkedProgram

_MAX_BYTES = 1 << 17  # of a request
# variables that an interpreter reads at its start: handled by `_become`, or without effect on results (Dask sets it)
_HANDLED = {"PYTHONPATH", "PYTHONIOENCODING", "PYTHONHASHSEED"}
_COMMAND_LINE = ("crosslit.cli",)
_EVERYTHING = (
    *("crosslit.cli", "crosslit.questions", "crosslit.formats", "crosslit_encoders", "crosslit_backends"),
    *("numpy", "ortools.sat.python.cp_model", "pysat.examples.rc2"),
)
_WITH_MANY_RUNS = {"bench", "check-backend"}  # commands: the less is loaded, the faster each run is forked


class CommandServers:
    """The processes from which commands are forked: one has loaded everything, one the command line and no engine."""

    def __init__(self) -> None:
        self._small, self._large = CommandServer(_COMMAND_LINE), CommandServer(_EVERYTHING)

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command, see `CommandServer.run`."""
        server = self._small if _WITH_MANY_RUNS.intersection(arguments[:1]) else self._large
        return server.run(*arguments, **options)

    def close(self) -> None:
        """End them."""
        self._small.close()
        self._large.close()


class CommandServer:
    """A process with some modules loaded, started on first use, which forks one process for each command.

    Args:
        modules: modules to load, including their submodules.
    """

    def __init__(self, modules: tuple[str, ...]) -> None:
        self._modules = modules
        self._process: subprocess.Popen[bytes] | None = None
        self._control, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._environment = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}

    def run(
        self,
        *arguments: str,
        env: dict[str, str] | None = None,
        input: str = "",  # noqa: A002  (as subprocess.run names it)
        stdin: IO[Any] | None = None,
        encoding: str = "utf-8",
        timeout: float = 120,
        **options: Any,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, as ``subprocess.run(..., capture_output=True, text=True)`` does."""
        environment = dict(os.environ if env is None else env)
        control = self._started()
        changed = {name for name, _ in environment.items() ^ self._environment.items() if name.startswith("PYTHON")}
        assert changed <= _HANDLED, f"{changed} are read by an interpreter that starts"
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            streams[0].write(input.encode(encoding))
            streams[0].seek(0)
            request = pickle.dumps((arguments, environment, str(options.pop("cwd", Path.cwd()))))
            assert not options, f"options that this does not know: {', '.join(options)}"
            descriptors = [(stdin or streams[0]).fileno(), streams[1].fileno(), streams[2].fileno()]
            control.settimeout(None)
            socket.send_fds(control, [request], descriptors)
            pid = int(control.recv(_MAX_BYTES))
            control.settimeout(timeout)
            try:
                status = int(control.recv(_MAX_BYTES))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                control.recv(_MAX_BYTES)
                raise
            texts = []
            for stream in streams[1:]:
                stream.seek(0)
                texts.append(stream.read().decode(encoding))
        return subprocess.CompletedProcess(["crosslit", *arguments], status, *texts)

    def _started(self) -> socket.socket:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__, ",".join(self._modules), str(self._theirs.fileno())],
                pass_fds=[self._theirs.fileno()],
                env=self._environment,
                start_new_session=True,
            )
            self._theirs.close()
        return self._control

    def close(self) -> None:
        """End the process."""
        self._control.close()
        self._theirs.close()
        if self._process is not None:
            self._process.wait()


def _serve(control: socket.socket, modules: list[str]) -> None:
    """Fork a process for each request; returns in that process."""
    path = sys.path[1:]  # without the folder of this file
    for name in modules:
        loaded = importlib.import_module(name)
        if name.startswith("crosslit"):
            for module in pkgutil.walk_packages(loaded.__path__, f"{name}."):
                is_source = isinstance(getattr(importlib.util.find_spec(module.name), "loader", None), SourceLoader)
                # Not a library that no interpreter loads, nor the kernel, which the environment may switch off.
                if is_source and not module.name.endswith(".loaded_kernel"):
                    importlib.import_module(module.name)
    fork_server.start_watched = _fork_server
    gc.collect()
    gc.freeze()
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, _MAX_BYTES, 3)
        if not request:
            os._exit(0)
        if (pid := os.fork()) == 0:
            control.close()
            _become(*pickle.loads(request), path, descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(str(pid).encode())
        control.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _become(
    arguments: tuple[str, ...], environment: dict[str, str], folder: str, path: list[str], descriptors: list[int]
) -> None:
    """Turn this process into ``python -m crosslit`` with these arguments."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    added = environment.get("PYTHONPATH", "")
    sys.path[:] = [folder, *(added.split(os.pathsep) if added else []), *path]
    importlib.invalidate_caches()
    tempfile.tempdir = None  # as TMPDIR says
    encoding, _, errors = environment.get("PYTHONIOENCODING", "utf-8").partition(":")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        raw: Any = open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115
        how = "backslashreplace" if number == 2 else errors or "strict"
        stream = io.TextIOWrapper(raw, encoding, how, line_buffering=number == 2)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _fork_server(words: Sequence[object], control: int, errors: IO[bytes], _python: str) -> tuple[ForkedProgram, str]:
    """Fork the process that forks runs, where `crosslit.runs.server` would start it."""
    mark = f"CROSSLIT_MARK_{os.urandom(8).hex()}"

    def serve() -> None:
        os.environ[mark] = ""
        fork_server.serve(control, tuple(filter(None, str(words[-1]).split(","))))

    return ForkedProgram(serve, control, errors.fileno()), mark


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv.pop())), sys.argv.pop().split(","))
    from crosslit.cli import main

    main()
