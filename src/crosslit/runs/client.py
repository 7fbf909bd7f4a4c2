"""The parent process's side of fork servers: started on first use, reached over a socket, closed at the end."""

from __future__ import annotations

import contextlib
import pickle
import socket
import subprocess
import tempfile

from crosslit.base.errors import CrosslitError
from crosslit.runs.report import Frames
from crosslit.runs.wire import HEADER, KILL, READY, START, Order
from crosslit.sandbox.linux import end_watched, start_watched
from crosslit.sandbox.supervisor import ForkedProgram

# Large engines take seconds to import from a cold disk.
START_SECONDS = 60.0  # for a server to load its modules
CHUNK = 1 << 20
_CLOSE_SECONDS = 5.0  # for a server to end by itself


class ForkServer:
    """The connection of the parent process to one fork server, which has loaded some modules.

    With ``forked`` it is forked, if possible, from this process, which has loaded most of the modules.
    """

    def __init__(self, modules: tuple[str, ...], forked: bool = False) -> None:
        self.control, theirs = socket.socketpair()
        # A file and not a pipe: nobody reads it while the server works, and a full pipe would block the server.
        self._errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115  (closed with the server)
        self._mark = ""
        self._process: subprocess.Popen[bytes] | ForkedProgram
        with theirs:
            if forked and ForkedProgram.is_possible():
                self._process = _fork(theirs.fileno(), self._errors.fileno(), modules)
            else:
                words = "-m", "crosslit.runs.fork_server", theirs.fileno(), ",".join(modules)
                self._process, self._mark = start_watched(words, theirs.fileno(), self._errors)
        self.messages = Frames()
        self._await_ready()

    def _await_ready(self) -> None:
        self.control.settimeout(START_SECONDS)
        received: list[tuple[bytes, bytes]] = []
        try:
            # A socket delivers any part of a message, so read until one is complete.
            while not received and (data := self.control.recv(CHUNK)):
                received = self.messages.feed(data)
        except TimeoutError:
            pass
        # Ctrl-C while an engine loads must not leave the server behind.
        except BaseException:
            self.close()
            raise
        if [letter for letter, _ in received] != [READY]:
            self._end()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            self._errors.close()
            raise CrosslitError(f"the worker process did not start: {lines[-1] if lines else 'no reason given'}")
        self.control.settimeout(None)

    def start(self, order: Order, descriptor: int) -> None:
        """Send an order, with the descriptor of the pipe for its frames; an OSError if the server has ended."""
        body = pickle.dumps(order)
        # The descriptor travels with the header, which is short enough to be sent at once; the body may need several
        # writes.
        socket.send_fds(self.control, [HEADER.pack(START, len(body))], [descriptor])
        self.control.sendall(body)

    def interrupt(self, number: int) -> None:
        """Make the server kill a run."""
        body = str(number).encode()
        with contextlib.suppress(OSError):
            self.control.sendall(HEADER.pack(KILL, len(body)) + body)

    def close(self, seconds: float = 0.0) -> None:
        """Kill the server with all its runs, unless it ends by itself within some seconds."""
        self._end(seconds)
        self._errors.close()

    def _end(self, seconds: float = 0.0) -> None:
        # The server takes the end of the stream as the request to end.
        self.control.close()
        end_watched(self._process, self._mark, seconds)


def _fork(descriptor: int, errors: int, modules: tuple[str, ...]) -> ForkedProgram:
    from crosslit.runs import fork_server

    return ForkedProgram(lambda: fork_server.serve(descriptor, modules, forked=True), descriptor, errors)


class ForkServers:
    """The fork servers of one process, each for a set of modules, started on first use.

    With ``fork_first`` the first one is forked from this process, if possible. Later servers would inherit too much
    state, and when a forked one is killed, all children of this process are ended. Modules that few puzzles need then
    wait for an order with them, so that the first server can serve more backends: another takes 0.2 s to start.
    """

    def __init__(self, fork_first: bool = False) -> None:
        self._servers: dict[tuple[str, ...], ForkServer] = {}
        self._forks, self._defers_seldom = fork_first, fork_first

    def loaded(self, always: tuple[str, ...], seldom: tuple[str, ...] = ()) -> ForkServer:
        """Return the server for these modules; a CrosslitError says why it does not start."""
        # What a run loads itself counts as its time, and every run loads it again.
        modules = always if self._defers_seldom else always + seldom
        if modules not in self._servers:
            # Cleared even if the start fails, so that only the very first server is ever forked.
            forked, self._forks = self._forks, False
            self._servers[modules] = ForkServer(modules, forked)
        return self._servers[modules]

    def drop(self, server: ForkServer) -> None:
        """End a server with all its runs."""
        server.close()
        self._servers = {modules: other for modules, other in self._servers.items() if other is not server}

    def close(self) -> None:
        """End all servers, letting each clean up."""
        for server in self._servers.values():
            server.close(_CLOSE_SECONDS)
        self._servers.clear()
