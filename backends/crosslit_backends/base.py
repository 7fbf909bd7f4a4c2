"""Base classes of backends: names, groups and versions of native ones and of packaged engines."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

from crosslit.base.errors import install_hint
from crosslit.base.version import __version__
from crosslit.contract import Backend, Unavailable

_version = functools.cache(version)  # reads files; asked for every backend and puzzle of a comparison


class Native(Backend):
    """A solver that reads the puzzle itself and is part of Crosslit."""

    groups = frozenset({"native", "default"})

    def version(self) -> str:
        """Return the version of Crosslit."""
        return __version__


class Engine(Backend):
    """An engine from a package, which solves the formulas of encodings."""

    package: ClassVar[str]
    install: ClassVar[str] = ""
    """The package to install with pip if no extra includes it."""
    extra: ClassVar[str] = ""
    """The extra of Crosslit that includes the package."""

    def version(self) -> str:
        """Return the name and version of the engine's package."""
        try:
            return f"{self.package} {_version(self.package)}"
        except PackageNotFoundError:
            hint = install_hint(self.extra) if self.extra else f"pip install {self.install}"
            raise Unavailable(f"{self.package} is not installed: {hint}") from None
