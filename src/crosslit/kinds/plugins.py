"""Entry points of installed distributions, scanned once."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group.

    Examples:
        >>> "gauss" in entry_points("crosslit.backends").names
        True
    """
    # The path is part of the cache's key: a plugin that is found later through a new folder is not missed.
    found: EntryPoints = _all(tuple(sys.path)).select(group=group)
    return found


@functools.cache
def _all(_path: tuple[str, ...]) -> Any:
    from importlib import metadata  # loads the e-mail parser, which many commands do not need

    return metadata.entry_points()
