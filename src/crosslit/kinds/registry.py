"""The kinds of puzzles by name: those of Crosslit, and those of other distributions."""

from __future__ import annotations

import functools
import pkgutil
import re

from crosslit.base.errors import InputError
from crosslit.contract import registered
from crosslit.contract.puzzle import Puzzle

ENTRY_POINTS = "crosslit.kinds"
"""The group of entry points whose values are kinds: subclasses of `Puzzle`."""

OWN = ("lights-out", "nonogram")
"""The first two kinds of Crosslit, whose puzzles are written without the name of their kind."""

_PLACES = {
    "coloured-nonogram": "nonogram.colours:ColouredNonogram",
    "lights-out": "lights_out.board:LightsOut",
    "modular-lights-out": "lights_out.modular:ModularLightsOut",
    "nonogram": "nonogram.puzzle:Nonogram",
}
NAMED = tuple(name for name in _PLACES if name not in OWN)
"""The other kinds of Crosslit. Each kind is imported when needed."""

Kind = type[Puzzle]
_registered: dict[str, Kind] = {}
_HEAD = re.compile(r"\s*([a-z][a-z0-9-]*):")


def register_kind(kind: Kind) -> Kind:
    """Register a kind in this process; other processes find it by its entry point."""
    if not (isinstance(kind, type) and issubclass(kind, Puzzle)):
        raise TypeError(f"{kind!r:.40} is not a kind, a subclass of crosslit.kinds.Puzzle")
    # The same kind may be registered twice, by its module and by its entry point.
    if kind.kind in OWN + NAMED or _registered.setdefault(kind.kind, kind) is not kind:
        raise ValueError(f"there is a kind {kind.kind} already: {find_kind(kind.kind).__qualname__}")
    return kind


def find_kind(name: str) -> Kind:
    """Return a kind by its name, or raise a KeyError; Crosslit's own are found without loading a plugin."""
    return _own(name) if name in OWN + NAMED else all_kinds()[name]


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


def kind_of_text(text: str) -> Kind | None:
    """Return the kind whose name this text starts with, or None; an InputError says that it cannot be loaded."""
    head = _HEAD.match(text)
    if head is None or head[1] in OWN:
        return None
    found = find_kind(head[1]) if head[1] in NAMED else all_kinds().get(head[1])
    if found is None:
        for point, problem in registered.FAILURES.get(ENTRY_POINTS, {}).items():
            if point.name == head[1]:
                raise InputError(f"kind {head[1]!r}", problem)
    return found
