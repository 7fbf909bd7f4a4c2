"""What the native solvers have in common: they read the puzzle themselves and come with Crosslit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from crosslit._version import __version__
from crosslit.contract import Option
from crosslit.puzzles import Puzzle


class Native:
    """The plain answers of a solver without encoding, options, or anything to install."""

    targets: ClassVar[frozenset[str]] = frozenset()
    groups: ClassVar[frozenset[str]] = frozenset({"native", "default"})
    options: ClassVar[Mapping[str, Option]] = {}
    preload: ClassVar[tuple[str, ...]] = ()

    def version(self) -> str:
        """That of Crosslit."""
        return __version__

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002  (part of the contract)
        """Nothing, unless a solver has a bound of its own."""
        return None


def values(length: int, filled: int, empty: int) -> str:
    """What is known of a line, to be told: ``1`` and ``0`` for its filled and empty cells, ``?`` for the others.

    Examples:
        >>> values(4, 0b0001, 0b1000)
        '1??0'
    """
    return "".join("1" if filled >> cell & 1 else "0" if empty >> cell & 1 else "?" for cell in range(length))
