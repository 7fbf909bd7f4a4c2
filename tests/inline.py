"""The command line in this process: no interpreter starts and nothing is forked, so that a command takes milliseconds.

Runs are carried out here too, by the code of their own process, without its limits; their times and memory are
constants, and versions are left out. So equal commands print equal texts, on every machine.
"""

from __future__ import annotations

import io
import json
import mmap
import os
import re
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, suppress
from dataclasses import replace
from unittest.mock import patch

from crosslit import registry
from crosslit.base.posix import fcntl
from crosslit.base.version import __version__
from crosslit.cli import group
from crosslit.contract import PHASES, no_time, registered
from crosslit.runs.child import run
from crosslit.runs.messages import End, Order, Page, send
from crosslit.runs.server import ForkServer

_MEASURED = {"code": 0, "killed": "", "cpu": 0.004, "forked": 100.0, "exited": 100.005, "delayed": 0.0, "handed": 0.0}
_MEASURED |= {"left": 0, "memory": 1 << 20, "output": "", "error": ""}
# versions, kernels, times and rates, which differ from machine to machine, and the usage before an error of click
_MASKS = (
    (re.compile(rf"{re.escape(__version__)}(, kernel: [^,\n\"]*)?"), "VERSION"),
    (re.compile(r"\b(python-sat|ortools) [0-9][0-9a-z.]*"), r"\1 VERSION"),
    (re.compile(r"[0-9.,]+ a second"), "N a second"),
    (re.compile(r"\b[0-9]+\.[0-9]{5,}(e-[0-9]+)?\b"), "N"),
    (re.compile(r"^! Usage: .*\n! Try .*\n! \n", re.MULTILINE), ""),
    (re.compile(r"^.* disturbed by other load.*\n", re.MULTILINE), ""),
)


class InlineServer(ForkServer):
    """A fork server that forks nothing: it has carried out an order when `start` returns."""

    def __init__(self, *_: object) -> None:
        self.control, self._theirs = socket.socketpair()
        self.key, self.is_idle = ("", ()), True

    def start(self, order: Order, file: int, pipe: int) -> None:
        """Carry out an order, whose answers have to fit into the pipe, and report its end."""
        self.is_idle = False
        with suppress(AttributeError, OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
        page = Page.of_file(file)
        run(order, page, file, pipe)
        end = End.unpack(os.pread(file, page.end, mmap.PAGESIZE))
        payload = replace(end, began=100.001, ended=100.004).pack()
        page.end = os.pwrite(file, payload, mmap.PAGESIZE)
        page.seconds[:] = [{**no_time(), "encode": 0.001, "solve": 0.002}[phase] for phase in PHASES]
        page.handed = 0.0
        send(self._theirs, json.dumps(_MEASURED).encode())

    def close(self, seconds: float = 0.0) -> str:
        """Close both ends."""
        self.control.close()
        self._theirs.close()
        return ""


@contextmanager
def _installed(path: str) -> Iterator[None]:
    """Install the distributions in a folder, if one is given."""
    if not path:
        yield
        return
    with patch.object(sys, "path", [path, *sys.path]), patch.object(registered, "FAILURES", {}):
        _forget()
        try:
            yield
        finally:
            _forget()
    _forget()


def _forget() -> None:
    registry.all_backends.cache_clear()
    registry.all_encodings.cache_clear()


@contextmanager
def _as_found() -> Iterator[None]:
    """Put the handlers of signals and the backends back that a command has replaced or added."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers, hook = [signal.getsignal(number) for number in numbers], sys.unraisablehook
    show, defined = warnings.showwarning, {*registered.defined}
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
        sys.unraisablehook, warnings.showwarning = hook, show
        for name in {*registered.defined} - defined:
            registry.forget(name)


def run_inline(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    input: str = "",  # noqa: A002  (as subprocess.run names it)
    cwd: str | os.PathLike[str] = ".",
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as ``subprocess.run(..., capture_output=True, text=True)`` does."""
    env = os.environ if env is None else env
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    streams = [io.TextIOWrapper(io.BytesIO(input.encode()), "utf-8")]
    streams += [io.TextIOWrapper(io.BytesIO(), encoding, "backslashreplace", write_through=True) for _ in range(2)]
    names, changed = ("stdin", "stdout", "stderr"), {"COLUMNS": "120", **env}
    with ExitStack() as stack:
        stack.enter_context(_as_found())
        added = env.get("PYTHONPATH", "")
        stack.enter_context(_installed(added if added != os.environ.get("PYTHONPATH") else ""))
        stack.enter_context(chdir(cwd))
        stack.enter_context(patch.dict(os.environ, changed))
        stack.enter_context(patch.object(sys, "argv", ["crosslit", *arguments]))
        for name, stream in zip(names, streams, strict=True):
            stack.enter_context(patch.object(sys, name, stream))
        stack.enter_context(patch("crosslit.runs.runner.ForkServer", InlineServer))
        stack.enter_context(patch("crosslit.runs.resources.free_cores", lambda: 1))
        status = group.run()
    for stream in streams[1:]:
        stream.flush()
    texts = [stream.buffer.getvalue().decode(encoding) for stream in streams[1:]]
    with suppress(ValueError):
        status = int(status or 0)
    return subprocess.CompletedProcess(["crosslit", *arguments], status, *texts)


def masked(text: str) -> str:
    """Return a text without what differs from machine to machine."""
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text
