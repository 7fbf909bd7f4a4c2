"""A program forked from this process: it shares nothing with it that a run could use or disturb."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crosslit.runs import linux
from crosslit.runs.linux import ForkedProgram
from tests.core.runs.test_runner import Started, processes

# Only Linux shows the number of threads of a process, which is needed before forking.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every server is a second interpreter")


@pytest.fixture(autouse=True)
def heir() -> Iterator[None]:
    """This process inherits no orphans after a test."""
    yield
    linux._libc().prctl(linux._PR_SET_CHILD_SUBREAPER, 0)


def seen(look: Callable[[], object]) -> tuple[object, str, int]:
    """Return the view, the standard error and the exit code of a forked program."""
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as errors, ours:
        with theirs:
            program = ForkedProgram(
                lambda: theirs.sendall(json.dumps(look()).encode()), theirs.fileno(), errors.fileno()
            )
        data = b"".join(iter(lambda: ours.recv(1 << 16), b""))
        code = program.wait()
        errors.seek(0)
        return json.loads(data or "null"), errors.read().decode(), code


def open_files() -> list[str]:
    """The files of the descriptors of this process, in their order."""
    numbers = sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())
    links = [Path(f"/proc/self/fd/{number}") for number in numbers]
    return [str(link.readlink()) for link in links if link.is_symlink()]  # not that of the listing


def test_it_has_three_streams_and_one_file() -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    names, _, _ = seen(open_files)
    os.close(read)
    os.close(write)
    assert isinstance(names, list)
    assert names[:2] == [os.devnull, os.devnull]
    assert names[2].endswith("(deleted)")
    assert [name.partition(":")[0] for name in names[3:]] == ["socket"]


def test_what_waits_in_a_buffer_is_written_once() -> None:
    script = """
import sys, tempfile, socket
from crosslit.runs import linux
from crosslit.runs.linux import ForkedProgram
sys.stdout.write("once")
with tempfile.TemporaryFile() as errors, socket.socket() as kept:
    ForkedProgram(lambda: (print("nowhere"), sys.stdout.flush()), kept.fileno(), errors.fileno()).wait()
    print(errors.seek(0, 2))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once0\n", "")


def test_it_leads_a_session_and_hears_no_handler_of_this_process() -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        state, _, _ = seen(lambda: [os.getsid(0) == os.getpid(), signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL])
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert state == [True, True]


def test_no_signal_stays_blocked() -> None:
    blocked, _, _ = seen(lambda: len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
    assert blocked == len(signal.pthread_sigmask(signal.SIG_BLOCK, ())) == 0


def test_it_imports_nothing_from_the_folder_of_the_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    path, _, _ = seen(lambda: sys.path)
    assert path == sys.path[1:]


def test_an_error_is_printed_on_standard_error() -> None:
    told, errors, code = seen(lambda: 1 // 0)
    assert (told, code) == (None, 1)
    assert errors.splitlines()[-1].startswith("ZeroDivisionError")


def test_no_process_with_threads_is_forked() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not ForkedProgram.is_possible()
    finally:
        ended.set()
        thread.join()


@pytest.fixture
def hanging(planted_environment: dict[str, str]) -> Started:
    """A command, the server and its watcher, and a run."""
    started = Started(planted_environment, "solve", "10/01", "--backend", "deaf-hang", "--timeout", "20")
    started.wait_until_hanging(4)
    commands = {Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes(started.mark)}
    assert len(commands) == 1, "all are forks of the command"
    return started


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_command_that_has_forked_its_server(hanging: Started, number: signal.Signals) -> None:
    hanging.process.send_signal(number)
    hanging.process.communicate(timeout=10)
    assert hanging.nothing_left()


def test_an_interrupt_at_the_terminal_reaches_only_the_command(hanging: Started) -> None:
    os.killpg(hanging.process.pid, signal.SIGINT)
    _, errors = hanging.process.communicate(timeout=10)
    assert hanging.process.returncode == 130
    assert "Traceback" not in errors
    assert hanging.nothing_left()
