"""Stored runs that are out of date, because their backend, encoding or Crosslit has changed since."""

from __future__ import annotations

from crosslit import registry
from crosslit._version import __version__
from crosslit.contract import Backend
from crosslit.errors import SpecError
from crosslit.registry import inquiry
from crosslit.registry.commands import OWN
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.provenance.contents import content_of, programs
from crosslit_bench.store.about import About
from crosslit_bench.store.rows import plain
from crosslit_bench.store.store import Store


def superseded(store: Store) -> int:
    """Return the number of stored runs outside the plan that a missing run of the plan replaces."""
    there = store.keys()
    wanted = {_place(one) for one in store.due() if one.key not in there}
    return sum(run in wanted for run in store.outside())


def _place(planned: PlannedRun) -> tuple[str, str, int | None, int]:
    return planned.puzzle.id, planned.contestant, planned.seed, planned.repetition


def outdated(store: Store, planned: list[PlannedRun]) -> int:
    """Return the number of planned runs that would get another key if they were planned now with this installation.

    No program is started. Runs of a backend that is not installed here count as up to date.

    Args:
        store: the file of results.
        planned: runs of its plan.
    """
    about, older = store.about, store.made_by != __version__
    known: dict[tuple[str, str], bool] = {}
    for one in planned:
        what = one.contestant, one.puzzle.kind
        # Asking a backend may start a process, so the answer is kept for each contestant and kind.
        if what not in known:
            # A run without a hash of its files cannot be compared, so it counts as up to date.
            known[what] = bool(one.content) and (older or _has_changed(one, about))
    return sum(known[one.contestant, one.puzzle.kind] for one in planned)


def _has_changed(planned: PlannedRun, about: About) -> bool:
    name, _, called = planned.contestant.partition(":")[0].partition("/")
    backend = _command(name, about) if name in about.solvers else registry.all_backends().get(name)
    if backend is None:
        return False
    encodings = [
        encoding
        for (kind, target, other), encoding in registry.all_encodings().items()
        if (kind, other) == (planned.puzzle.kind, called) and target in backend.targets
    ]
    if called and not encodings:
        return False
    started = programs(backend)
    if started == ():
        return False  # its program is not installed here
    if started is None:
        answer = inquiry.version(backend)
        if answer.problem:
            return False  # it is not available here
        if plain(answer.text) != planned.version:
            return True
    return content_of(backend, encodings[0] if encodings else None) != planned.content


def _command(name: str, about: About) -> Backend | None:
    """Return the backend for a command, without starting it."""
    maker, _ = registry.find_maker(about.solvers[name])
    try:
        return maker(name, about.solvers[name], str(about.folder), OWN) if maker else None
    except SpecError:
        return None
