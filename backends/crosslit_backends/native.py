"""Base classes of backends: names, groups and versions of native ones and of packaged engines."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

from crosslit._version import __version__
from crosslit.contract import Option, Unavailable
from crosslit.errors import install_hint
from crosslit.kinds import Puzzle


class Plain:
    """A backend without options that supports every puzzle of its kinds; only the limits of a run stop it."""

    options: ClassVar[Mapping[str, Option]] = {}
    preload: ClassVar[tuple[str, ...]] = ()

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Return None: only the limits of a run stop it; a backend with bounds overrides this."""
        return None


class Native(Plain):
    """A solver that reads the puzzle itself and is part of Crosslit."""

    targets: ClassVar[frozenset[str]] = frozenset()
    groups: ClassVar[frozenset[str]] = frozenset({"native", "default"})

    def version(self) -> str:
        """Return the version of Crosslit."""
        return __version__


class Engine(Plain):
    """An engine from a package, which solves the formulas of encodings."""

    kinds: ClassVar[frozenset[str]] = frozenset()  # every kind that has an encoding for it
    package: ClassVar[str]
    install: ClassVar[str] = ""
    """The package to install with pip if no extra includes it."""
    extra: ClassVar[str] = ""
    """The extra of Crosslit that includes the package."""

    def version(self) -> str:
        """Return the name and version of the engine's package."""
        try:
            return f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            hint = install_hint(self.extra) if self.extra else f"pip install {self.install}"
            raise Unavailable(f"{self.package} is not installed: {hint}") from None


def values(length: int, filled: int, empty: int) -> str:
    """Return the known cells of a line for a trace: ``1`` for filled, ``0`` for empty, ``?`` for unknown.

    Examples:
        >>> values(4, 0b0001, 0b1000)
        '1??0'
    """
    return "".join("1" if filled >> cell & 1 else "0" if empty >> cell & 1 else "?" for cell in range(length))
