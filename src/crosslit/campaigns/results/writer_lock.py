"""Who fills a store: one process at a time, which says so in the file."""

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

from crosslit.campaigns.results.store import Store
from crosslit.campaigns.results.validation import text, whole
from crosslit.errors import InputError

NOTE = "filler"
_MAX_PID = 2**31 - 1
_SILENCE_SECONDS = (
    600.0  # seconds, beside the limit of two runs, after which a process on another machine is taken for dead
)


@dataclass(frozen=True)
class Writer:
    """A process that fills a store.

    Args:
        host: the machine's name.
        pid: its number there.
        began: what tells it from a later process of that number; empty where the system does not.
    """

    host: str
    pid: int
    began: str


def this_process() -> Writer:
    """The one that asks."""
    return Writer(socket.gethostname(), os.getpid(), _began(os.getpid()))


def current_writer(store: Store) -> Writer | None:
    """Who fills a store now; None if nobody does, or whoever did has died."""
    noted = store.note(NOTE)
    return _alive(noted, store) if noted else None


@contextlib.contextmanager
def writer_lock(store: Store) -> Iterator[None]:
    """Be the one who fills a store.

    A process that died without a word is replaced. Of one on another machine only the file tells: it is taken for dead
    when the file has not changed for longer than two runs can take.

    Raises:
        InputError: if another process does; or if the file cannot be written.
    """
    mine = dataclasses.asdict(this_process())

    def claim(noted: Any) -> Any:
        _refuse(noted, store)
        return mine

    store.change_note(NOTE, claim)
    try:
        yield
    finally:
        with contextlib.suppress(InputError):  # the note of a process that has ended is worth nothing
            store.change_note(NOTE, lambda noted: None if noted == mine else noted)


def check_free(store: Store) -> None:
    """See that no other process fills a store, before a while is spent on what would be put into it."""
    _refuse(store.note(NOTE), store)


def _refuse(noted: Any, store: Store) -> None:
    other = _alive(noted, store) if noted else None
    if other is not None and other != this_process():
        where = "" if other.host == socket.gethostname() else f" on {other.host}"
        raise InputError(str(store.path), f"process {other.pid}{where} is filling it")


def _alive(noted: Any, store: Store) -> Writer | None:
    try:
        other = Writer(text(noted["host"]), whole(noted["pid"], 1, _MAX_PID), text(noted["began"]))
    except (LookupError, TypeError, ValueError):
        raise InputError(str(store.path), "cannot be read: it does not say who fills it") from None
    if other.host == socket.gethostname():
        return other if _exists(other.pid) and _began(other.pid) == other.began else None
    patience = _SILENCE_SECONDS
    with contextlib.suppress(InputError):  # it may have died before it noted a campaign
        patience += 2 * store.about.limits.seconds
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
    """When a process began, in the system's own ticks since it was started itself."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if words[0] == "Z":
            return "dead, and not yet waited for"
        return f"{words[19]} {Path('/proc/sys/kernel/random/boot_id').read_text().strip()}"
    except (OSError, IndexError):
        return ""
