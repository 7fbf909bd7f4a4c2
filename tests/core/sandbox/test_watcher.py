"""The watcher of a process: no started process remains, whichever is killed."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosslit.runs import linux
from crosslit.runs.linux import end_watched, start_watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody inherits orphans elsewhere")

# a process with a watcher, which starts another in a new session, and then hangs
HANGS = """
import os, subprocess, sys, time
from crosslit.runs import linux
linux._IDLE = 0.05
linux.fork_watcher(int(sys.argv[1]))
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
os.write(int(sys.argv[1]), f"{os.getpid()} {child.pid}".encode())
time.sleep(1000)
"""


class Watched:
    """The process above, and its descendants."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        with theirs:
            self.watcher, self.mark = start_watched(["-c", HANGS, theirs.fileno()], theirs.fileno())
        self.pid, self.child = map(int, self.control.recv(100).split())


@pytest.fixture
def watched() -> Iterator[Watched]:
    watched = Watched()
    with watched.control:
        yield watched
    end_watched(watched.watcher, watched.mark)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_a_killed_process_started_has_ended_when_its_socket_says_so(watched: Watched) -> None:
    os.kill(watched.pid, signal.SIGKILL)
    assert watched.control.recv(1) == b""
    assert not lives(watched.child)
    assert watched.watcher.wait() == 0


def test_a_process_that_hangs_is_ended_when_its_other_end_is_gone(watched: Watched) -> None:
    watched.control.close()
    assert watched.watcher.wait(20) == 0
    assert not lives(watched.pid)
    assert not lives(watched.child)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_nothing_stays_where_the_watcher_itself_is_hit(watched: Watched, number: signal.Signals) -> None:
    os.kill(watched.watcher.pid, number)
    end_watched(watched.watcher, watched.mark, grace_seconds=2)  # of which a busy machine may need much
    assert watched.watcher.returncode == -signal.SIGKILL
    assert not lives(watched.child)
    assert not lives(watched.pid)


def test_a_process_is_found_when_proc_shows_its_environment_late(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/proc` shows none while a process changes to another program."""
    seen, late = linux._environment, iter([b""] * 3)
    monkeypatch.setattr(linux, "_environment", lambda pid: next(late, seen(pid)) if pid == watched.child else seen(pid))
    os.kill(watched.watcher.pid, signal.SIGKILL)
    end_watched(watched.watcher, watched.mark, grace_seconds=2)
    assert not lives(watched.child)
    assert not lives(watched.pid)
