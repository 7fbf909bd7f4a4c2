"""Objects that modules register by name: Crosslit's own, and then those of the entry points of other distributions."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_HOMES = {
    "crosslit.backends": "crosslit_backends",
    "crosslit.commands": "crosslit_backends",
    "crosslit.encoders": "crosslit_encoders",
    "crosslit.formats": "crosslit.formats",
}
"""The package that registers Crosslit's own objects of a group, in its `REGISTERED`."""

FAILURES: dict[str, list[tuple[str, str]]] = {}
"""For each group that has been loaded, the names of the plugins left out, and the reasons."""


class Point(NamedTuple):
    """An object that is registered by name."""

    name: str
    value: str  # its place, MODULE or MODULE:NAME
    dist: Distribution | None = None  # that of a plugin; None for Crosslit's own

    @property
    def module(self) -> str:
        """The name of its module."""
        return self.value.partition(":")[0]

    def load(self) -> Any:
        """Import and return it."""
        return pkgutil.resolve_name(self.value)


def own(group: str) -> list[Point]:
    """Return Crosslit's own objects of a group."""
    if group not in _HOMES:
        return []
    return [Point(*item) for item in importlib.import_module(_HOMES[group]).REGISTERED[group].items()]


def load(
    group: str,
    accept: Callable[[Any], Any] = lambda loaded: loaded,
    order: Callable[[Point], Any] = lambda point: point.name,
) -> Iterator[tuple[Point, Any]]:
    """Yield the registered objects of a group with what ``accept`` returns for them, Crosslit's own first.

    A plugin that fails to load, or whose object makes ``accept`` raise an error, is left out, with the reason in
    `FAILURES`. So Crosslit's own names win where ``accept`` refuses a name that it has met.
    """
    for points in (own, _others):  # the metadata of other distributions is read only if it is needed
        for point in sorted(points(group), key=order):
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


def report(group: str, point: Point, problem: str, name: str = "") -> None:
    """Store why a plugin, or the item of this name in it, is left out."""
    owner = point.dist.name if point.dist else "crosslit"
    failure = name or point.name, f"{point.value} of {owner}{problem}"
    if failure not in FAILURES.setdefault(group, []):  # a group may be loaded again
        FAILURES[group].append(failure)


def reasons(group: str) -> str:
    """Return why plugins of a group were left out, to follow a message about a missing one."""
    return "".join(f"; {reason}" for _, reason in FAILURES.get(group, ()))


def _others(group: str) -> list[Point]:
    # The path is part of the cache's key: a plugin that is found later through a new folder is not missed.
    found = _all(tuple(sys.path)).select(group=group)
    return [Point(point.name, point.value, point.dist) for point in found if _name(point.dist) != "crosslit"]


@functools.cache  # reading a name parses the metadata; all entry points of a distribution share the object
def _name(found: Distribution | None) -> str:
    return found.name if found else ""


@functools.cache
def _all(_path: tuple[str, ...]) -> Any:
    from importlib import metadata  # loads the e-mail parser, which many commands do not need

    return metadata.entry_points()
