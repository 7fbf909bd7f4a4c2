"""Names of a package that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def importer(namespace: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package.

    Args:
        namespace: its ``globals()``, which keep what is imported.
        homes: the module of each name.
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        namespace[name] = value
        return value

    return load
