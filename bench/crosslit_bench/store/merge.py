"""The merging of several files of results of one campaign, and the lock that lets only one process write to a file."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit.base.errors import InputError
from crosslit_bench.plan.campaign import PlannedRun
from crosslit_bench.store.rows import text, whole
from crosslit_bench.store.store import Store

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
        refuse_others(noted, store)
        return mine

    # Read and written in one transaction, so that two processes cannot both find the note free.
    store.change_note(NOTE, claim)
    try:
        yield
    finally:
        with contextlib.suppress(InputError):  # harmless: the lock of an ended process is ignored
            store.change_note(NOTE, lambda noted: None if noted == mine else noted)


def refuse_others(noted: Any, store: Store) -> None:
    """Raise an `InputError` if another process is writing to a store, by the note of its writer."""
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


_SAME = ("asked", "limits", "repetitions", "seeds", "seed", "contestants", "solvers", "title", "about", "text")
_CALLED = {"asked": "task", "contestants": "backends", "text": "text"}


@dataclass(frozen=True)
class MergeCount:
    """The numbers of runs that a merge took from a file."""

    path: Path
    new: int
    twice: int  # number of runs that were skipped, because the target had them


def merge(target: Path, sources: Sequence[Path]) -> list[MergeCount]:
    """Merge the results of several files into one, which may exist; on an error, nothing is changed.

    Every file contains the whole plan, so files with equal plans belong to the same campaign. If a run is in several
    files, the target's version counts, or else the first one. Results of earlier plans are not merged.
    """
    if not sources:
        raise InputError(str(target), "nothing to merge into it")
    others = [path for path in dict.fromkeys(sources) if not _same(path, target)]
    with contextlib.ExitStack() as stack:
        stores = [stack.enter_context(Store(path)) for path in others]
        if target.exists():
            merged = stack.enter_context(Store(target, write=True))
            _check([merged, *stores])
            stack.enter_context(writer_lock(merged))
        elif not stores:
            raise InputError(str(target), "no such file of results")
        else:
            _check(stores)
            merged = stack.enter_context(_made(target, stores))
        # One transaction for all files, so that an error in the last one leaves the target unchanged.
        counts = merged.import_runs(stores)
        shards = {store.about.shard for store in (*stores, *([merged] if target.exists() else []))}
        if len(shards) > 1:
            merged.update_metadata(dataclasses.replace(merged.about, shard=None))
    return [MergeCount(path, *count) for path, count in zip(others, counts, strict=True)]


def _same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


@contextlib.contextmanager
def _made(target: Path, stores: Sequence[Store]) -> Iterator[Store]:
    """Yield a new store for the campaign of some others, which gets its final name at the end."""
    try:
        # Below the same folder, because only within one file system a rename is atomic.
        folder = tempfile.TemporaryDirectory(dir=target.parent, prefix=".crosslit-")
    except OSError as error:
        raise InputError(str(target), error.strerror or "cannot be made") from None
    with folder:
        made = Path(folder.name, target.name)
        with Store(made, create=True, write=True) as merged:
            merged.path = target  # for error messages
            first = stores[0]
            merged.prepare(first.about, first.instances(), first.plan())
            yield merged
        made.replace(target)


def _check(stores: Sequence[Store]) -> None:
    """Check that all stores belong to the campaign of the first one."""
    first = stores[0]
    about, plan = first.about, {run.key: run for run in first.plan()}
    for store in stores[1:]:
        other = store.about
        for name in _SAME:
            if getattr(other, name) != getattr(about, name):
                why = f"different {_CALLED.get(name, name)} than in {first.path}"
                raise InputError(str(store.path), f"belongs to another campaign: {why}")
        planned = {run.key: run for run in store.plan()}
        # Keys are hashes of everything that can change a result, so equal keys are enough.
        if planned.keys() != plan.keys():
            raise InputError(str(store.path), _difference(first, plan, store, planned))


def _difference(first: Store, plan: dict[str, PlannedRun], store: Store, planned: dict[str, PlannedRun]) -> str:
    """Return why two plans of the same campaign file differ."""
    if store.made_by != first.made_by:
        return f"was planned by Crosslit {store.made_by}, {first.path} by {first.made_by}"
    known = {run.contestant: run for run in plan.values()}
    for run in planned.values():
        other = known.get(run.contestant, run)
        if other.version != run.version:
            mine, theirs = run.version or "(not available)", other.version or "(not available)"
            return f"has runs of {run.contestant} {mine}, {first.path} of {theirs}"
        if other.content != run.content:
            return f"has runs of {run.contestant} with different files than {first.path}"
    return f"has other runs than {first.path}: puzzles or backends differed when it was planned"
