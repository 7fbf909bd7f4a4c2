"""Plugins: the objects that installed distributions register as entry points, Crosslit's own first."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, EntryPoints

FAILURES: dict[str, list[tuple[str, str]]] = {}
"""For each group that has been loaded, the names of the plugins left out, and the reasons."""


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group."""
    # The path is part of the cache's key: a plugin that is found later through a new folder is not missed.
    found: EntryPoints = _all(tuple(sys.path)).select(group=group)
    return found


def load(
    group: str,
    accept: Callable[[Any], Any] = lambda loaded: loaded,
    order: Callable[[EntryPoint], Any] = lambda point: point.name,
) -> Iterator[tuple[EntryPoint, Any]]:
    """Yield the entry points of a group with what ``accept`` returns for their objects, Crosslit's own first.

    A plugin that fails to load, or whose object makes ``accept`` raise an error, is left out, with the reason in
    `FAILURES`. So Crosslit's own names win where ``accept`` refuses a name that it has met.
    """
    for point in sorted(entry_points(group), key=lambda point: (not is_own(point), order(point))):
        try:
            # Standard output belongs to the command: a line there would precede its JSON.
            with redirect_stdout(sys.stderr):
                loaded = accept(point.load())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also the SystemExit of a script that was registered by mistake
            # Python 3.11 wraps an interrupt that comes while a class is made, as in the import of numpy.
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            report(group, point, f" cannot be loaded: {str(error) or type(error).__name__}")
            continue
        yield point, loaded


def report(group: str, point: EntryPoint, problem: str, name: str = "") -> None:
    """Store why a plugin, or the item of this name in it, is left out."""
    owner = _distribution(point.dist) or "an unknown distribution"
    failure = name or point.name, f"{point.value} of {owner}{problem}"
    if failure not in FAILURES.setdefault(group, []):  # a group may be loaded again
        FAILURES[group].append(failure)


def reasons(group: str) -> str:
    """Return why plugins of a group were left out, to follow a message about a missing one."""
    return "".join(f"; {reason}" for _, reason in FAILURES.get(group, ()))


def is_own(point: EntryPoint) -> bool:
    """Return whether an entry point is Crosslit's own."""
    return _distribution(point.dist) == "crosslit"


@functools.cache  # reading a name parses the metadata; all entry points of a distribution share the object
def _distribution(found: Distribution | None) -> str:
    return found.name if found else ""


@functools.cache
def _all(_path: tuple[str, ...]) -> Any:
    from importlib import metadata  # loads the e-mail parser, which many commands do not need

    return metadata.entry_points()
