"""What every backend must have before it is asked anything, and what stands for one that does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar

from crosslit.contract import Option, Options
from crosslit.errors import Unavailable
from crosslit.puzzles import Puzzle

# what it must have, and of which type: a list where a tuple is due would fail far from here
_PROMISED: Mapping[str, Any] = {
    "name": str,
    "summary": str,
    "kinds": Set,
    "accepts": Set,
    "groups": Set,
    "trusts": Set,
    "options": Mapping,
    "modules": tuple,
    "version": Callable,
    "refuses": Callable,
}


def lacks(backend: object) -> str:
    """Return what an object lacks of a backend, in words; empty if it lacks nothing.

    Examples:
        >>> lacks(object())
        'name, summary, kinds, accepts, groups, trusts, options, modules, version, refuses'
    """
    found = []
    for name, kind in _PROMISED.items():
        try:
            value = getattr(backend, name)
        except Exception:
            found.append(name)
            continue
        words = isinstance(value, Set | tuple) and not all(isinstance(word, str) for word in value)
        if words or not isinstance(value, kind):
            found.append(f"{name} (it has {value!r:.40})")
    return ", ".join(found)


@dataclass(frozen=True)
class Broken:
    """Stands for an entry point that could not be loaded, so that it is listed with the reason."""

    name: str
    reason: str

    summary: ClassVar[str] = "could not be loaded"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out", "nonogram"})
    accepts: ClassVar[frozenset[str]] = frozenset()
    groups: ClassVar[frozenset[str]] = frozenset()
    trusts: ClassVar[frozenset[str]] = frozenset()
    options: ClassVar[Mapping[str, Option]] = {}
    modules: ClassVar[tuple[str, ...]] = ()

    def version(self) -> str:
        """Raise `Unavailable` with the reason."""
        raise Unavailable(self.reason)

    def refuses(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Return the reason."""
        return self.reason
