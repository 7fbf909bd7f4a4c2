"""Results of one campaign from several files, put into one: those of the shards of a cluster job, for example."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslit.campaigns.results.about import About
from crosslit.campaigns.results.store import Store
from crosslit.campaigns.results.writer_lock import writer_lock
from crosslit.campaigns.spec.plan import PlannedRun
from crosslit.errors import InputError

_SAME = ("asked", "limits", "repetitions", "seeds", "seed", "groups", "solvers", "title", "about", "text")
_CALLED = {"asked": "task", "groups": "groups of backends", "text": "text"}


@dataclass(frozen=True)
class MergeCount:
    """What a merge took from one file.

    Args:
        path: of the file.
        new: how many of its runs were not there before.
        twice: how many were there already, and so were left as they are.
    """

    path: Path
    new: int
    twice: int


def merge(target: Path, sources: Sequence[Path]) -> list[MergeCount]:
    """Put the results of several files into one, which may be there already: all of them, or nothing.

    Every file holds the whole plan, so they are of one campaign if their plans are equal. Of a run that is in several
    the first counts, and one that is in the target already before all others. Results of earlier plans stay behind.

    Args:
        target: the file; made if it is not there. Where it is among the sources too, it counts once.
        sources: files of results; the target of an earlier merge may be one.

    Raises:
        InputError: if one cannot be read, or is of another campaign; or if the target cannot be written.
    """
    if not sources:
        raise InputError(str(target), "nothing to merge into it")
    others = [path for path in dict.fromkeys(sources) if not _same(path, target)]
    with contextlib.ExitStack() as stack:
        stores = [stack.enter_context(Store(path)) for path in others]
        if target.exists():
            goal = stack.enter_context(Store(target, write=True))
            _check([goal, *stores])
            stack.enter_context(writer_lock(goal))
        elif not stores:
            raise InputError(str(target), "no such file of results")
        else:
            _check(stores)
            goal = stack.enter_context(_made(target, stores))
        counts = goal.import_runs(stores)
        shards = {store.about.shard for store in (*stores, *([goal] if target.exists() else []))}
        if len(shards) > 1:
            goal.update_metadata(_of_no_shard(goal.about))
    return [MergeCount(path, *count) for path, count in zip(others, counts, strict=True)]


def _same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


@contextlib.contextmanager
def _made(target: Path, stores: Sequence[Store]) -> Iterator[Store]:
    """A new store of the campaign of some others, that gets its name when it is filled."""
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".crosslit-")
    except OSError as error:
        raise InputError(str(target), error.strerror or "cannot be made") from None
    os.close(descriptor)
    made = Path(name)
    try:
        with Store(made, create=True, write=True) as goal:
            goal.path = target  # the name to complain about
            first = stores[0]
            goal.prepare(first.about, first.instances(), first.plan())
            yield goal
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o666 & ~mask)
        made.replace(target)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def _of_no_shard(about: About) -> About:
    words = list(about.command)
    if "--shard" in words:
        at = words.index("--shard")
        del words[at : at + 2]
    return dataclasses.replace(about, shard=None, command=tuple(words))


def _check(stores: Sequence[Store]) -> None:
    """See that all are of the campaign of the first.

    Raises:
        InputError: naming the file that is not.
    """
    first = stores[0]
    about, plan = first.about, {one.key: one for one in first.plan()}
    for store in stores[1:]:
        other = store.about
        for name in _SAME:
            if getattr(other, name) != getattr(about, name):
                what = f"other {_CALLED.get(name, name)} than in {first.path}"
                raise InputError(str(store.path), f"is of another campaign: {what}")
        planned = {one.key: one for one in store.plan()}
        if planned.keys() != plan.keys():
            raise InputError(str(store.path), _difference(first, plan, store, planned))


def _difference(first: Store, plan: dict[str, PlannedRun], store: Store, planned: dict[str, PlannedRun]) -> str:
    """Why two plans of one text differ."""
    if store.made_by != first.made_by:
        return f"was planned by Crosslit {store.made_by}, and {first.path} by {first.made_by}"
    versions = {one.contestant: one.version for one in plan.values()}
    for one in planned.values():
        known = versions.get(one.contestant, one.version)
        if known != one.version:
            mine, theirs = one.version or "(not available)", known or "(not available)"
            return f"has runs of {one.contestant} {mine}, and {first.path} of {theirs}"
    contents = {one.contestant: one.content for one in plan.values()}
    for one in planned.values():
        if contents.get(one.contestant, one.content) != one.content:
            return f"has runs of {one.contestant} with other files than {first.path}"
    return f"its runs are not those of {first.path}: other puzzles, or other backends, were there when it was planned"
