"""The merging of several files of results of one campaign, for example from the shards of a cluster job."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslit.errors import InputError
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.store.store import Store
from crosslit_bench.store.writer_lock import writer_lock

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
