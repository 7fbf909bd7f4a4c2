"""Backends, encodings and other objects by name: Crosslit's own, those of entry points, and those that users define.

A `Choice` is a backend with its encoding and options, and all that a run of it rests on.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from crosslit.base.errors import Unavailable
from crosslit.base.text import shorten
from crosslit.contract import Backend, Encoding, Options

if TYPE_CHECKING:
    from importlib.metadata import Distribution

BACKENDS, ENCODERS, FORMS = "crosslit.backends", "crosslit.encoders", "crosslit.forms"
HOMES = {
    BACKENDS: "crosslit_backends",
    "crosslit.commands": "crosslit_backends",
    ENCODERS: "crosslit_encoders",
    FORMS: "crosslit_encoders",
}
"""The package that registers Crosslit's own objects of a group, in its `REGISTERED`."""

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_CHARACTERS = 2000  # of a message of a plugin


class Point(NamedTuple):
    """An object that is registered by name."""

    name: str
    value: str  # its place, MODULE or MODULE:NAME
    dist: Distribution | None = None  # that of a plugin; None for Crosslit's own

    def load(self) -> Any:
        """Import and return it."""
        return pkgutil.resolve_name(self.value)


FAILURES: dict[str, dict[Point, str]] = {}
"""For each group that has been loaded, why plugins were left out."""


def own_points(group: str) -> list[Point]:
    """Return Crosslit's own objects of a group."""
    if group not in HOMES:
        return []
    return [Point(*item) for item in importlib.import_module(HOMES[group]).REGISTERED[group].items()]


def plugin_points(group: str) -> list[Point]:
    """Return the objects of a group of other distributions."""
    from importlib import metadata  # loads the e-mail parser, which many commands do not need

    return [Point(point.name, point.value, point.dist) for point in metadata.entry_points(group=group)]


def load(group: str, accept: Callable[[Any], Any] = lambda loaded: loaded) -> Iterator[tuple[Point, Any]]:
    """Yield the registered objects of a group with what ``accept`` returns for them, Crosslit's own first.

    A plugin that cannot be imported, or for which ``accept`` raises an error, is left out, with the reason in
    `FAILURES`.
    """
    for points in (own_points, plugin_points):  # the metadata of other distributions is read only if it is needed
        for point in sorted(points(group), key=lambda point: point.name):
            try:
                with redirect_stdout(sys.stderr):  # a line on standard output would precede the command's JSON
                    loaded = accept(point.load())
            except (Exception, SystemExit) as error:
                owner = point.dist.name if point.dist else "crosslit"
                reason = _line(error) or type(error).__name__
                FAILURES.setdefault(group, {})[point] = f"{point.value} of {owner} cannot be loaded: {reason}"
            else:
                yield point, loaded


def reasons(group: str) -> str:
    """Return why plugins of a group were left out, to follow a message about a missing one."""
    return "".join(f"; {reason}" for reason in FAILURES.get(group, {}).values())


def reply(plugin: Backend | Encoding, method: str, *arguments: object) -> tuple[str, str]:
    """Return the text that a method of a plugin returns, or why it is not available or failed; one of them is empty."""
    try:
        with redirect_stdout(sys.stderr):  # as in `load`
            return _line(getattr(plugin, method)(*arguments) or ""), ""
    except Unavailable as error:
        return "", _line(error) or "it is not available"
    except (Exception, SystemExit) as error:
        return "", _line(f"its {method}() raised {type(error).__name__}: {error}")


def _line(text: object) -> str:
    return shorten(" ".join(str(text).split()), MAX_CHARACTERS)


@dataclass(frozen=True)
class Choice:
    """One backend, with its encoding and options, chosen for one puzzle."""

    spec: str  # the spec, which is shown to users and parsed again by other processes
    backend: Backend  # the engine
    encoding: Encoding | None  # for an engine that takes one
    options: Options = field(default_factory=dict)  # set by the spec
    refusal: str | None = None  # why the backend or the encoding does not support the puzzle; None if both do
    version: str = ""  # of the engine; empty if it is unavailable

    @functools.cached_property
    def trusted_base(self) -> frozenset[str]:
        """The trusted base of a run: the engine and the encoding themselves, and what each declares."""
        encoding = self.encoding
        encoded = encoding.trusted_base | {f"{encoding.name} ({encoding.target})"} if encoding else frozenset()
        return self.backend.trusted_base | {self.backend.name} | encoded

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it by name, since a plugin may contain anything; only a user's own backend is pickled itself."""
        encoding = self.encoding and (self.encoding.kind, self.encoding.target, self.encoding.name)
        named = self.backend.name, defined.get(self.backend.name)
        return _restore, (self.spec, *named, encoding, dict(self.options), self.refusal)


def _restore(
    spec: str, name: str, definition: Backend | None, encoding: tuple[str, str, str] | None, *rest: Any
) -> Choice:
    """Return the choice pickled by another process."""
    return Choice(spec, definition or named(name), all_encodings()[encoding] if encoding else None, *rest)


@functools.cache
def all_backends() -> Mapping[str, Backend]:
    """Return every registered backend by name, native ones first; one that could not be loaded has its reason."""
    found: dict[str, Backend] = {}

    def accept(backends: Iterable[Backend]) -> None:
        for backend in backends:
            if not isinstance(backend, Backend) or not NAME.fullmatch(backend.name):
                name = getattr(backend, "name", backend)
                raise TypeError(f"a backend is a Backend with a name of lower case, digits and -, unlike {name!r:.40}")
            if backend.name in found or backend.name in all_groups(found) - backend.groups:
                raise ValueError(f"there is a backend or a group {backend.name} already")
            found[backend.name] = backend

    list(load(BACKENDS, accept))
    for point, reason in FAILURES.get(BACKENDS, {}).items():
        name = point.value if point.name in found else point.name
        found[name] = _Broken(name, reason)
    found |= defined
    return {name: found[name] for name in sorted(found, key=lambda name: (bool(found[name].targets), name))}


class _Broken(Backend):
    """A substitute for a plugin that could not be loaded, listed with the reason."""

    summary = "could not be loaded"

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def version(self) -> str:
        raise Unavailable(self.reason)


@functools.cache
def own(name: str) -> Backend | None:
    """Return a backend of Crosslit that is registered by its name: no plugin can take it, so no other is loaded."""
    points = [point for point in own_points(BACKENDS) if point.name == name]
    with suppress(Exception):  # the list of all backends has the reason
        return next((backend for point in points for backend in point.load() if backend.name == name), None)
    return None


def named(name: str) -> Backend:
    """Return a registered or defined backend by its name."""
    return own(name) or all_backends()[name]


defined: dict[str, Backend] = {}
"""The backends that a user has defined by `add` in this process, by name; other processes do not know them."""


def add(backend: Backend) -> None:
    """Register a backend in this process, replacing any of its name.

    Wildcards and ``all`` select it only if it is in the group ``default``; without groups, only its name does.
    """
    defined[backend.name] = backend
    all_backends.cache_clear()


def forget(name: str) -> None:
    """Undo `add`."""
    del defined[name]
    all_backends.cache_clear()


def from_a_file(backend: Backend) -> bool:
    """Return whether a file defines it, perhaps another person's: no command starts it unless its user says so."""
    return backend.name in defined and "default" not in backend.groups


def all_groups(found: Mapping[str, Backend]) -> frozenset[str]:
    """Return the names of the groups of some backends, including ``all``."""
    return frozenset({"all"}).union(*(backend.groups for backend in found.values()))


Key = tuple[str, str, str]  # the kind, the target and the name of an encoding


def _by_key(encodings: Iterable[Encoding]) -> dict[Key, Encoding]:
    return {(encoding.kind, encoding.target, encoding.name): encoding for encoding in encodings}


@functools.cache
def all_encodings() -> Mapping[Key, Encoding]:
    """Return every registered encoding by (kind, target, name); of two with equal names the first, Crosslit's own."""
    found: dict[Key, Encoding] = {}
    for _, encodings in load(ENCODERS, _by_key):
        found = {**found, **encodings, **found}
    return found


def find_encoding(kind: str, name: str) -> Encoding | None:
    """Return an encoding as CNF, loading few modules besides its own: those of its kind come first, and plugins last.

    The process that checks a certificate loads no plugin, so that none can influence the check.
    """
    for point in sorted(own_points(ENCODERS), key=lambda point: kind not in point.name):
        if found := _by_key(point.load()).get((kind, "cnf", name)):
            return found
    return all_encodings().get((kind, "cnf", name))


def forms() -> dict[str, Point]:
    """Return the file forms of finite-domain models by name; each is a `crosslit_encoders.finite_domain.Form`."""
    return {point.name: point for point in own_points(FORMS)}
