"""The lock that lets only one process write to a store: a note in the file."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit.errors import InputError
from crosslit_bench.store.store import Store
from crosslit_bench.store.validation import text, whole

NOTE = "filler"
_MAX_PID = 2**31 - 1
_MACHINE = "pid:[4026531836]"  # PROC_PID_INIT_INO of Linux
# time without a change of the file, in addition to the limit of two runs, after which a writer on another machine is
# considered dead
_SILENCE_SECONDS = 600.0


@dataclass(frozen=True)
class Writer:
    """A process that writes to a store."""

    host: str  # name of its machine, and of its container if it has other process ids
    pid: int  # its process id
    began: str  # when it started, to distinguish it from a later process with the same id; empty if unknown


def this_process() -> Writer:
    """Return the current process."""
    return Writer(_host(), os.getpid(), _began(os.getpid()))


def _host() -> str:
    """Return the name of this machine, and the namespace of its process ids unless it is that of the whole machine."""
    with contextlib.suppress(OSError):
        if (space := os.readlink("/proc/self/ns/pid")) != _MACHINE:  # noqa: PTH115
            return f"{socket.gethostname()} {space}"
    return socket.gethostname()


def current_writer(store: Store) -> Writer | None:
    """Return the process writing to a store; None if there is none, or it has died."""
    return _alive(store.note(NOTE), store)


@contextlib.contextmanager
def writer_lock(store: Store) -> Iterator[None]:
    """Hold the lock on a store.

    The lock of a dead process is taken over. A process on another machine counts as dead if the file has not changed
    for ten minutes more than two runs can take.
    """
    mine = dataclasses.asdict(this_process())

    def claim(noted: Any) -> Any:
        _refuse(noted, store)
        return mine

    # Read and written in one transaction, so that two processes cannot both find the note free.
    store.change_note(NOTE, claim)
    try:
        yield
    finally:
        with contextlib.suppress(InputError):  # harmless: the lock of an ended process is ignored
            store.change_note(NOTE, lambda noted: None if noted == mine else noted)


def check_free(store: Store) -> None:
    """Check that no other process is writing to a store, to fail before any work is done."""
    _refuse(store.note(NOTE), store)


def _refuse(noted: Any, store: Store) -> None:
    other = _alive(noted, store)
    if other is not None and other != this_process():
        where = "" if other.host == _host() else f" on {other.host}"
        raise InputError(str(store.path), f"process {other.pid}{where} is writing to it")


def _alive(noted: Any, store: Store) -> Writer | None:
    if not noted:
        return None
    try:
        other = Writer(text(noted["host"]), whole(noted["pid"], 1, _MAX_PID), text(noted["began"]))
    except (LookupError, TypeError, ValueError):
        raise InputError(str(store.path), "cannot be read: the note of its writer is damaged") from None
    # The start time too: after a restart of the machine, another process may have the number.
    if other.host == _host():
        return other if _exists(other.pid) and _began(other.pid) == other.began else None
    patience = _SILENCE_SECONDS
    with contextlib.suppress(InputError):  # it may have died before it stored the campaign
        patience += 2 * store.about.limits.seconds
    # A process on another machine cannot be asked, but a writer that lives stores a run now and then.
    return other if time.time() - store.path.stat().st_mtime < patience else None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _began(pid: int) -> str:
    """Return the start of a process in clock ticks since boot, with the id of the boot; empty if unknown."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        if words[0] == "Z":
            return "dead, and not yet waited for"
        return f"{words[19]} {Path('/proc/sys/kernel/random/boot_id').read_text(encoding='utf-8').strip()}"
    except (OSError, IndexError):
        return ""
