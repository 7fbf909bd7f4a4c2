"""The kinds of puzzles by name: those of Crosslit, and those of other distributions."""

from __future__ import annotations

import functools
import pkgutil
import re

from crosslit.base.errors import InputError
from crosslit.base.numbers import join_names
from crosslit.contract import registered
from crosslit.contract.kind import Kind
from crosslit.contract.puzzle import Puzzle

ENTRY_POINTS = "crosslit.kinds"
"""The group of entry points whose values are objects of the class `Kind`."""

OWN = ("lights-out", "nonogram")
"""The first two kinds of Crosslit, whose puzzles are written without the name of their kind."""

_PLACES = {
    "coloured-nonogram": "nonogram.kind:COLOURED",
    "lights-out": "lights_out.kind:KIND",
    "modular-lights-out": "lights_out.kind:MODULAR",
    "nonogram": "nonogram.kind:KIND",
}
NAMED = tuple(name for name in _PLACES if name not in OWN)
"""The other kinds of Crosslit. Each kind is imported when needed."""

_registered: dict[str, Kind] = {}
_HEAD = re.compile(r"\s*([a-z][a-z0-9-]*):")


def register_kind(kind: Kind) -> Kind:
    """Register a kind in this process; other processes find it by its entry point.

    Raises:
        TypeError: if it is not a `Kind`.
        ValueError: if there is another kind of that name.
    """
    if not isinstance(kind, Kind):
        raise TypeError(f"{kind!r:.40} is not a Kind")
    # The same kind may be registered twice, by its module and by its entry point.
    if kind.name in OWN + NAMED or _registered.setdefault(kind.name, kind) is not kind:
        raise ValueError(f"there is a kind {kind.name} already: {find_kind(kind.name).puzzle.__qualname__}")
    return kind


def find_kind(name: str) -> Kind:
    """Return a kind by its name; Crosslit's own are found without loading a plugin.

    Raises:
        KeyError: if there is no such kind.
    """
    return _own(name) if name in OWN + NAMED else all_kinds()[name]


def kind_of(puzzle: Puzzle) -> Kind:
    """Return the kind of a puzzle."""
    return find_kind(puzzle.kind)


def all_kinds() -> dict[str, Kind]:
    """Return every kind by name; the first call loads those of other distributions."""
    _load()
    return {name: _own(name) for name in OWN + NAMED} | _registered


@functools.cache
def _own(name: str) -> Kind:
    kind: Kind = pkgutil.resolve_name(f"crosslit.kinds.{_PLACES[name]}")
    return kind


@functools.cache
def _load() -> None:
    list(registered.load(ENTRY_POINTS, register_kind))


def labels_with(capability: str) -> str:
    """Return the labels of Crosslit's kinds that have a capability of `Kind`, joined."""
    return join_names([kind.puzzle.label for kind in map(find_kind, OWN + NAMED) if getattr(kind, capability)])


def kind_of_text(text: str) -> Kind | None:
    """Return the kind whose name this text starts with, or None.

    Raises:
        InputError: if the kind has an entry point of its name, which cannot be loaded.
    """
    head = _HEAD.match(text)
    if head is None or head[1] in OWN:
        return None
    found = find_kind(head[1]) if head[1] in NAMED else all_kinds().get(head[1])
    if found is None:
        for point, problem in registered.FAILURES.get(ENTRY_POINTS, {}).items():
            if point.name == head[1]:
                raise InputError(f"kind {head[1]!r}", problem)
    return found
