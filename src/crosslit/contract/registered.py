"""Backends, encodings and other objects by name: Crosslit's own, those of entry points, and those that users define."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from crosslit.base.errors import Unavailable
from crosslit.contract.backend import Backend, Encoding, Options
from crosslit.contract.puzzle import Puzzle

if TYPE_CHECKING:
    from importlib.metadata import Distribution

HOMES = {
    "crosslit.backends": "crosslit_backends",
    "crosslit.commands": "crosslit_backends",
    "crosslit.encoders": "crosslit_encoders",
    "crosslit.forms": "crosslit_encoders",
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


def own_points(group: str) -> list[Point]:
    """Return Crosslit's own objects of a group."""
    if group not in HOMES:
        return []
    return [Point(*item) for item in importlib.import_module(HOMES[group]).REGISTERED[group].items()]


def load(
    group: str,
    accept: Callable[[Any], Any] = lambda loaded: loaded,
    order: Callable[[Point], Any] = lambda point: point.name,
) -> Iterator[tuple[Point, Any]]:
    """Yield the registered objects of a group with what ``accept`` returns for them, Crosslit's own first.

    A plugin that fails to load, or whose object makes ``accept`` raise an error, is left out, with the reason in
    `FAILURES`. So Crosslit's own names win where ``accept`` refuses a name that it has met.
    """
    for points in (own_points, _others):  # the metadata of other distributions is read only if it is needed
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


BACKENDS = "crosslit.backends"
ENCODERS = "crosslit.encoders"
FORMS = "crosslit.forms"

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


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
        """The trusted base of a run: that of the engine and of the encoding."""
        encoding = self.encoding
        encoded = encoding.trusted_base | {f"{encoding.name} ({encoding.target})"} if encoding else frozenset()
        return self.backend.trusted_base | {self.backend.name} | encoded

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it by name, since a plugin may contain anything; only a user's own backend is pickled itself."""
        encoding = self.encoding and (self.encoding.kind, self.encoding.target, self.encoding.name)
        named = self.backend.name, defined(self.backend.name)
        return _restore, (self.spec, *named, encoding, dict(self.options), self.refusal)


@functools.cache
def all_backends() -> Mapping[str, Backend]:
    """Return every registered backend by name, native ones first; one that could not be loaded has its reason."""
    found: dict[str, Backend] = {}
    groups = {"all"}
    for point, backends in load(BACKENDS, list):
        for backend in backends:
            if problem := _find_clash(backend, found, groups):
                report(BACKENDS, point, problem, str(getattr(backend, "name", "")))
            else:
                found[backend.name] = backend
                groups |= backend.groups
    for name, reason in FAILURES.get(BACKENDS, ()):
        while name in found or name in groups:
            name = f"another-{name}"
        found[name] = _Broken(name, reason)
    found |= _defined
    return {name: found[name] for name in sorted(found, key=lambda name: (bool(found[name].targets), name))}


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


class _Broken(Backend):
    """A substitute for a plugin that could not be loaded, listed with the reason."""

    summary = "could not be loaded"

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def version(self) -> str:
        raise Unavailable(self.reason)

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        return self.reason


def _find_clash(backend: Backend, found: Mapping[str, Backend], groups: Set[str]) -> str:
    """Return why a backend cannot have its name or groups next to others; empty if it can."""
    if not isinstance(backend, Backend):
        return ": this backend does not derive from crosslit.contract.Backend"
    name = backend.name
    if not NAME.fullmatch(name):
        return f" registers a backend by the name {name!r}: lower case, digits and - only"
    if name in found:
        return f" registers a backend {name}: there is one already"
    if name in groups - backend.groups:
        return f" registers a backend {name}: that is the name of a group"
    if taken := [group for group in backend.groups & found.keys() if group not in found[group].groups]:
        return f" registers a backend in the group {taken[0]}: that is the name of a backend"
    return ""


# a user's definitions in this process, by name; see `crosslit.registry.specs`
_defined: dict[str, Backend] = {}


def add(backend: Backend) -> None:
    """Register a backend in this process, replacing any of its name.

    Wildcards and ``all`` select it only if it is in the group ``default``; without groups, only its name does.
    """
    _defined[backend.name] = backend
    all_backends.cache_clear()


def definitions() -> tuple[Backend, ...]:
    """Return the backends that are registered in this process only."""
    return tuple(_defined.values())


def forget(name: str) -> None:
    """Undo `add`."""
    del _defined[name]
    all_backends.cache_clear()


def defined(name: str) -> Backend | None:
    """Return the backend that a user has defined by this name, which other processes do not know."""
    return _defined.get(name)


def from_a_file(backend: Backend) -> bool:
    """Return whether a file defines it, perhaps another person's: no command starts it unless its user says so."""
    return backend.name in _defined and "default" not in backend.groups


def all_groups(found: Mapping[str, Backend]) -> frozenset[str]:
    """Return the names of the groups of some backends, including ``all``."""
    return frozenset({"all"}).union(*(backend.groups for backend in found.values()))


@functools.cache
def all_encodings() -> Mapping[tuple[str, str, str], Encoding]:
    """Return every registered encoding by (kind, target, name).

    A plugin is left out if it repeats a name, or has another default, for a kind and target.
    """
    found: dict[tuple[str, str, str], Encoding] = {}

    def register(encodings: Iterable[Encoding]) -> None:
        extended = dict(found)
        for encoding in encodings:
            place = (encoding.kind, encoding.target)
            if (*place, encoding.name) in extended:
                raise ValueError(f"there is an encoding {'/'.join(place)}/{encoding.name} already")
            if encoding.default and any(other.default and key[:2] == place for key, other in extended.items()):
                raise ValueError(f"there is a default encoding of {'/'.join(place)} already")
            extended[*place, encoding.name] = encoding
        found.update(extended)

    list(load(ENCODERS, register))
    return found


def find_encoding(kind: str, target: str, name: str) -> Encoding | None:
    """Return one encoding, loading no more modules than necessary: Crosslit's own come first.

    The process that checks a certificate loads no plugin, so that none can influence the check.
    """

    def by_key(encodings: Iterable[Encoding]) -> dict[tuple[str, str, str], Encoding]:
        return {(encoding.kind, encoding.target, encoding.name): encoding for encoding in encodings}

    def order(point: Point) -> tuple[bool, bool]:
        return kind not in point.name, name not in point.name

    for _, encodings in load(ENCODERS, by_key, order):
        found: Encoding | None = encodings.get((kind, target, name))
        if found:
            return found
    return None


def form_names() -> list[str]:
    """Return the names of the file forms of finite-domain models, which are accepted as targets too."""
    return [point.name for point in own_points(FORMS)]


def find_form(name: str) -> Any:
    """Return the module of a file form; see `crosslit_encoders.finite_domain.Form`."""
    return next(point.load() for point in own_points(FORMS) if point.name == name)


def _restore(
    spec: str, name: str, definition: Backend | None, encoding: tuple[str, str, str] | None, *rest: Any
) -> Choice:
    """Return the choice pickled by another process."""
    return Choice(spec, definition or named(name), all_encodings()[encoding] if encoding else None, *rest)


MAX_CHARACTERS, MAX_VERSION = 2000, 200  # maximum lengths of an answer and of a version


class Reply(NamedTuple):
    """A reply of a backend or encoding."""

    text: str = ""  # the answer; empty if there is none, or nothing to say
    problem: str = ""  # why there is no answer; otherwise empty


def version(backend: Backend) -> Reply:
    """Return the version of a backend's engine; if it cannot run here, ``problem`` says why."""
    reply = _answer(backend, "version")
    return reply._replace(text=reply.text[:MAX_VERSION])


def refusal(backend: Backend, puzzle: Puzzle, options: Options) -> Reply:
    """Return why a backend does not support a puzzle; if it does not answer, ``problem`` says why."""
    return _answer(backend, "unsupported_reason", puzzle, options)


def hard_reason(encoding: Encoding, puzzle: Puzzle) -> Reply:
    """Return why search by an encoding may take long, if that is known; otherwise as `refusal`."""
    return _answer(encoding, "hard_reason", puzzle) if encoding.hard_reason else Reply()


def _answer(plugin: object, name: str, *arguments: object) -> Reply:
    try:
        # Standard output belongs to the command: a line there would precede its JSON.
        with redirect_stdout(sys.stderr):
            answer = getattr(plugin, name)(*arguments)
        return Reply("" if answer is None else _line(str(answer)))
    except Unavailable as error:
        return Reply(problem=_line(str(error)) or "it is not available")
    except (Exception, SystemExit) as error:
        return Reply(problem=_line(f"its {name}() raised {type(error).__name__}: {error}"))


def _line(text: str) -> str:
    """Return text as one line that is printable in any encoding, and not too long."""
    plain = text[:MAX_CHARACTERS].encode(errors="replace").decode()
    return " ".join(plain.split())
