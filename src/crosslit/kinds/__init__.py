"""Kinds of puzzles: a folder for each kind of Crosslit, the kinds by name, and the rules for many grids at once.

A kind is a class that derives from `Puzzle`, registered under the entry point group ``crosslit.kinds``: its puzzles,
their rules, and whatever else Crosslit can do with them. Everything else is checked against the rules. The modules of
puzzles and rules must not solve, or share code with a solver or an encoder.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
from collections.abc import Iterator

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.base.grid import Layout as Layout
from crosslit.contract import registered
from crosslit.contract.puzzle import Puzzle as Puzzle
from crosslit.kinds.lights_out.board import LightsOut as LightsOut
from crosslit.kinds.lights_out.board import ModularLightsOut as ModularLightsOut
from crosslit.kinds.nonogram.colours import ColouredNonogram as ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Nonogram as Nonogram

ENTRY_POINTS = "crosslit.kinds"
"""The group of entry points whose values are kinds: subclasses of `Puzzle`."""

Kind = type[Puzzle]
_own = {kind.kind: kind for kind in (LightsOut, Nonogram, ColouredNonogram, ModularLightsOut)}
_registered: dict[str, Kind] = {}

OWN, NAMED = (*_own,)[:2], (*_own,)[2:]
"""The kinds of Crosslit: those whose puzzles are written without the name of their kind, and the others."""

MAX_CELLS = 12
"""Maximum number of Boolean cells, or bits of a solution: trying all grids of that many takes a moment."""

_FEW = 500, 16  # grids: checking them one by one takes as long as loading numpy, and as setting up a batch with it
_ARRAY = 1 << 19  # bytes of grids converted to an array at a time


def register_kind(kind: Kind) -> Kind:
    """Register a kind in this process; other processes find it by its entry point."""
    if not (isinstance(kind, type) and issubclass(kind, Puzzle)):
        raise TypeError(f"{kind!r:.40} is not a kind, a subclass of crosslit.kinds.Puzzle")
    # The same kind may be registered twice, by its module and by its entry point.
    if kind.kind in _own or _registered.setdefault(kind.kind, kind) is not kind:
        raise ValueError(f"there is a kind {kind.kind} already: {find_kind(kind.kind).__qualname__}")
    return kind


def find_kind(name: str) -> Kind:
    """Return a kind by its name, or raise a KeyError; Crosslit's own are found without loading a plugin."""
    return _own.get(name) or all_kinds()[name]


def all_kinds() -> dict[str, Kind]:
    """Return every kind by name; the first call loads those of other distributions."""
    _load()
    return _own | _registered


@functools.cache
def _load() -> None:
    list(registered.load(ENTRY_POINTS, register_kind))


def kind_of_text(text: str) -> Kind | None:
    """Return the kind whose name this text starts with, or None; an InputError says that it cannot be loaded."""
    head = re.match(r"\s*([a-z][a-z0-9-]*):", text)
    if head is None or head[1] in OWN:
        return None
    with contextlib.suppress(KeyError):
        return find_kind(head[1])
    for point, problem in registered.FAILURES.get(ENTRY_POINTS, {}).items():
        if point.name == head[1]:
            raise InputError(f"kind {head[1]!r}", problem)
    return None


@functools.lru_cache(maxsize=1024)
def solutions_by_rules(puzzle: Puzzle) -> frozenset[Grid]:
    """Return all solutions by brute force: every grid goes through the rule checker."""
    return frozenset(Puzzle.all_solutions(puzzle))


def first_wrong(puzzle: Puzzle, packed: bytes) -> tuple[int, str] | None:
    """Return the index of the first grid of a batch that breaks the rules, and the reason; None if none does."""
    return next(wrong_grids(puzzle, packed), None)


def wrong_grids(puzzle: Puzzle, packed: bytes) -> Iterator[tuple[int, str]]:
    """Yield the index of each grid of a batch that breaks the rules, and the reason.

    `Puzzle.all_right` checks a whole batch, for Crosslit's kinds in under a microsecond per grid, where `violations`
    takes ten to a hundred. Only a batch that it rejects is checked grid by grid.
    """
    layout = puzzle.layout
    size = layout.size
    if len(packed) % size:
        raise ValueError(f"{len(packed)} bytes are not a whole number of grids of {size} bytes")
    is_batch = len(packed) > size * _FEW["numpy" in sys.modules]
    step = -(-_ARRAY // size) * size  # whole grids, at least one
    for first in range(0, len(packed), step):
        chunk = packed[first : first + step]
        if not (is_batch and all_right(puzzle, chunk)):
            reasons = enumerate(_reason(puzzle, layout, part) for part in layout.parts(chunk))
            yield from ((first // size + number, reason) for number, reason in reasons if reason)


def all_right(puzzle: Puzzle, packed: bytes) -> bool:
    """Return whether these are packed solutions."""
    try:
        puzzle.layout.require(packed)
    except ValueError:
        return False
    return puzzle.all_right(packed)


def _reason(puzzle: Puzzle, layout: Layout, packed: bytes) -> str:
    """Return how a grid breaks the rules; empty if it does not."""
    try:
        (grid,) = layout.grids(packed)
    except ValueError as error:  # a bit after the last cell, or a value that a cell cannot have
        return str(error)
    return next(puzzle.violations(grid), "")
