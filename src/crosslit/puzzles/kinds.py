"""The kinds of puzzles, by name: those of Crosslit, and those that other distributions bring."""

from __future__ import annotations

import functools
import re
from importlib.metadata import entry_points

from crosslit.puzzles.lights_out import LightsOut
from crosslit.puzzles.nonogram import Nonogram
from crosslit.puzzles.puzzle import Puzzle

ENTRY_POINTS = "crosslit.kinds"
"""The group of entry points whose values are classes of puzzles."""

KINDS: dict[str, type[Puzzle]] = {LightsOut.kind: LightsOut, Nonogram.kind: Nonogram}
"""The kinds that Crosslit brings, and those that were registered in this process."""

_OWN = frozenset(KINDS)
_HEAD = re.compile(r"\s*([a-z][a-z0-9-]*):")


def register_kind(kind: type[Puzzle]) -> type[Puzzle]:
    """Let a class of puzzles be a kind in this process; other processes learn of it by its entry point.

    Raises:
        ValueError: if there is another kind of that name.
    """
    if KINDS.setdefault(kind.kind, kind) is not kind:
        raise ValueError(f"there is a kind {kind.kind} already: {KINDS[kind.kind].__qualname__}")
    return kind


def all_kinds() -> dict[str, type[Puzzle]]:
    """Return every kind by name; those of other distributions are loaded at the first call.

    Examples:
        >>> list(all_kinds())[:2]
        ['lights-out', 'nonogram']
    """
    _load()
    return KINDS


@functools.cache
def _load() -> None:
    for point in entry_points(group=ENTRY_POINTS):
        register_kind(point.load())


def kind_of(text: str) -> type[Puzzle] | None:
    """Return the kind, of another distribution, whose puzzles' one-line form begins as this text; None for none."""
    head = _HEAD.match(text)
    if head is None or head[1] in _OWN:
        return None
    return all_kinds().get(head[1])
