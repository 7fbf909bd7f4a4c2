"""Specs: the names of backends and encodings, and their parsing.

A spec is ``ENGINE[/ENCODING][:KEY=VALUE]...``; ENGINE and ENCODING may contain wildcards (``*``, ``?``, ``[...]``), and
the name of a group selects all its backends. A backend from a group or wildcard is dropped if it does not support the
puzzle; if it is named exactly, or only its encoding does not, it is kept with the reason. Kinds add to ``default``.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from crosslit import plugins
from crosslit.contract import (
    FAULTY,
    PARAMETER,
    QUESTIONS,
    TARGETS,
    Backend,
    Encoding,
    Options,
    Question,
    QuestionName,
)
from crosslit.errors import SpecError, Unavailable, wrong_type
from crosslit.kinds import Puzzle, all_kinds, kind_of
from crosslit.kinds.registry import labels_with
from crosslit.numbers import did_you_mean
from crosslit.registry import inquiry

BACKENDS = "crosslit.backends"
ENCODERS = "crosslit.encoders"

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DEFINED = frozenset({"command", "default"})  # the groups of the backends that ``--solver`` defines


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
    for point, backends in plugins.load(BACKENDS, list):
        for backend in backends:
            if problem := _find_clash(backend, found, groups):
                plugins.report(BACKENDS, point, problem, str(getattr(backend, "name", "")))
            else:
                found[backend.name] = backend
                groups |= backend.groups
    for name, reason in plugins.FAILURES.get(BACKENDS, ()):
        while name in found or name in groups:
            name = f"another-{name}"
        found[name] = _Broken(name, reason)
    found |= _defined
    return {name: found[name] for name in sorted(found, key=lambda name: (bool(found[name].targets), name))}


@functools.cache
def _own(name: str) -> Backend | None:
    """Return a backend of Crosslit that is registered by its name: no plugin can take it, so no other is loaded."""
    points = [point for point in plugins.own(BACKENDS) if point.name == name]
    with suppress(Exception):  # the list of all backends has the reason
        return next((backend for point in points for backend in point.load() if backend.name == name), None)
    return None


def _named(name: str) -> Backend:
    return _own(name) or all_backends()[name]


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


# a user's definitions in this process, by name; see `crosslit.registry.commands`
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

    list(plugins.load(ENCODERS, register))
    return found


@dataclass(frozen=True)
class _Spec:
    """A spec as written: names or patterns, and options not yet parsed."""

    text: str
    engine: str
    encoding: str | None
    options: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> _Spec:
        if not isinstance(text, str):
            raise wrong_type("a spec of a backend, such as 'gauss'", text)
        head, *tail = (text := text.strip()).split(":")
        engine, slash, encoding = head.partition("/")
        options: dict[str, str] = {}
        for item in tail:
            key, equals, value = item.partition("=")
            if not (key and equals and value) or key in options:
                raise SpecError(f"backend {text!r}: an option is written KEY=VALUE, once each, not {item!r}")
            options[key] = value
        if not engine or (slash and not encoding):
            raise SpecError(f"backend {text!r}: a spec is written ENGINE[/ENCODING][:KEY=VALUE]...")
        return cls(text, engine, encoding or None, options)

    @property
    def exact(self) -> bool:
        """True if it gives the name of a backend."""
        return _own(self.engine) is not None or self.engine in all_backends()

    def engines(self, from_file: bool = True) -> list[Backend]:
        """Return the backends that it selects."""
        if self.exact:
            return [_named(self.engine)]
        backends = all_backends()
        if self.engine in all_groups(backends) - {"all"}:
            return [b for b in backends.values() if self.engine in b.groups]
        expected = [b for b in backends.values() if not from_a_file(b)]
        if self.engine == "all":
            return [b for b in expected if FAULTY not in b.groups]
        found = [b for b in expected if fnmatch.fnmatchcase(b.name, self.engine)]
        if not found:
            # Imported here because that module imports this one.
            from crosslit.registry.commands import define_named

            if from_file and define_named(self.engine):
                return [_named(self.engine)]
            hint = did_you_mean(self.engine, [*backends, *all_groups(backends)]) or "`crosslit backends` lists them"
            raise SpecError(f"backend {self.text!r}: there is no {self.engine!r}; {hint}")
        return found


def find_backends(names: Iterable[str]) -> list[Backend]:
    """Return the backends that names, groups and wildcards select, each once."""
    return list({found.name: found for name in names for found in _Spec.parse(name).engines()}.values())


def questions(backend: Backend) -> tuple[QuestionName, ...]:
    """Return the questions that a backend answers: those for which it has a method."""
    return tuple(name for name in QUESTIONS if backend.answers(name))


def kinds(backend: Backend) -> frozenset[str]:
    """Return the kinds of puzzles that a backend solves, if necessary with an encoding."""
    if backend.kinds:
        return backend.kinds
    known = (encoding.kind for encoding in all_encodings().values() if encoding.target in backend.targets)
    return frozenset(known if backend.targets else all_kinds())


def why_unsuited(question: Question, puzzle: Puzzle) -> str:
    """Return why a puzzle does not have a question; empty if it has."""
    if not question.needs or getattr(kind_of(puzzle), question.needs):
        return ""
    return f"the question `{question.name}` applies only to {labels_with(question.needs)}"


def select(
    specs: str | Iterable[str], puzzle: Puzzle, question: QuestionName = "solutions", from_file: bool = True
) -> list[Choice]:
    """Return the backends that specs, groups and wildcards select for this puzzle, each configuration once, in order.

    With ``from_file``, the name of a command in the ``crosslit.toml`` of the working directory defines it.

    Examples:
        >>> from crosslit.formats import read
        >>> [choice.spec for choice in select("gauss,glucose*/full-direct", read("10/01"))]
        ['gauss', 'glucose3/full-direct', 'glucose4/full-direct', 'glucose42/full-direct']
    """
    wanted = QUESTIONS[question]
    unsuited = why_unsuited(wanted, puzzle)
    chosen: dict[tuple[str, str | None, tuple[tuple[str, int | str], ...]], Choice] = {}
    for text in _members(specs, puzzle, question):
        spec = _Spec.parse(text)
        engines = spec.engines(from_file)
        options = _options(spec, engines)
        for backend in engines:
            if backend.name not in options:
                continue  # from a group or wildcard, without this option
            for choice in _configure(spec, backend, options[backend.name], puzzle, wanted, unsuited):
                encoding = choice.encoding.name if choice.encoding else spec.encoding
                key = (backend.name, encoding, tuple(choice.options.items()))
                chosen.setdefault(key, choice)
    return list(chosen.values())


def _members(specs: str | Iterable[str], puzzle: Puzzle, question: QuestionName) -> Iterator[str]:
    """Yield specs, and after ``default`` those that the kind of the puzzle adds to this group."""
    for text in specs.split(",") if isinstance(specs, str) else specs if isinstance(specs, Iterable) else [specs]:
        own = kind_of(puzzle).defaults(puzzle, "default") if (text, question) == ("default", "solutions") else None
        yield from own.answers if own else [text]


def select_one(spec: str, puzzle: Puzzle, question: QuestionName = "solutions") -> Choice:
    """Return the one backend that ``spec`` selects for this puzzle and question, or raise a SpecError."""
    chosen = select([spec], puzzle, question)
    if len(chosen) != 1:
        raise SpecError(f"backend {spec!r}: it selects {len(chosen)} backends where one is expected")
    if chosen[0].refusal is not None:
        raise SpecError(f"backend {spec!r}: {chosen[0].refusal}")
    return chosen[0]


def _value(spec: _Spec, key: str, backend: Backend) -> int | str:
    try:
        return backend.options[_known_key(key)].parse(spec.options[key])
    except ValueError as error:
        raise SpecError(f"backend {spec.text!r}: expected {error} in {key}={spec.options[key]}") from None


def _known_key(key: str) -> str:
    """Return the key under which a backend describes an option: one for all parameters of its engine."""
    if key == PARAMETER:
        return ""  # the name of the parameter is missing
    return PARAMETER if key.startswith(PARAMETER) else key


def _options(spec: _Spec, engines: list[Backend]) -> dict[str, dict[str, int | str]]:
    """Return the parsed options for each of the engines that have all of them."""
    parsed = {}
    for backend in engines:
        if set(map(_known_key, spec.options)) <= backend.options.keys():
            parsed[backend.name] = {key: _value(spec, key, backend) for key in sorted(spec.options)}
    if not parsed:
        known = sorted({key for backend in engines for key in backend.options}) or ["none"]
        raise SpecError(f"backend {spec.text!r}: unknown option; {spec.engine} has {', '.join(known)}")
    return parsed


def _configure(
    spec: _Spec, backend: Backend, options: Options, puzzle: Puzzle, wanted: Question, unsuited: str
) -> Iterator[Choice]:
    tail = "".join(f":{key}={value}" for key, value in options.items())
    refusal: str | None = None
    encodings: list[Encoding | None] = [None]
    if backend.targets:
        matching = _encodings(spec, backend, wanted.name)
        encodings = [encoding for encoding in matching if encoding.kind == puzzle.kind]
        if not encodings:
            kinds = " and ".join(sorted({encoding.kind for encoding in matching})) or "no kind of puzzle"
            refusal = f"no encoding of {puzzle.kind} puzzles: {spec.encoding or 'its default'} is for {kinds}"
            refusal += plugins.reasons(ENCODERS)
            encodings = [None]
    elif spec.encoding is not None:
        if spec.exact:
            raise SpecError(f"backend {spec.text!r}: {backend.name} reads the puzzle itself and takes no encoding")
        return
    if refusal is None and backend.kinds and puzzle.kind not in backend.kinds:
        refusal = f"does not solve {puzzle.kind} puzzles"
    elif unsuited:
        refusal = unsuited
    elif not backend.answers(wanted.name):
        refusal = f"cannot {wanted.words}"
    version = inquiry.version(backend)
    refusal = version.problem or refusal
    reply = inquiry.Reply() if refusal else inquiry.refusal(backend, puzzle, options)
    refusal = refusal or reply.text or reply.problem or None
    # Listed with the reason: a backend that the user named or defined, and one that fails to answer.
    if refusal and not (spec.exact or backend.groups >= _DEFINED or reply.problem):
        return
    for encoding in encodings:
        shown = f"/{encoding.name if encoding else spec.encoding}" if spec.encoding else ""
        answer = inquiry.refusal(encoding, puzzle) if encoding and not refusal else inquiry.Reply()
        if encoding and not (refusal or answer.text or spec.encoding or spec.exact):
            answer = inquiry.hard_reason(encoding, puzzle)
        reason = refusal or answer.text or answer.problem or None
        yield Choice(f"{backend.name}{shown}{tail}", backend, encoding, options, reason, version.text)


def _encodings(spec: _Spec, backend: Backend, question: str) -> list[Encoding]:
    """Return the encodings, of puzzles of any kind, that the spec selects for this backend and question."""
    usable = [encoding for encoding in all_encodings().values() if encoding.target in backend.targets]
    if spec.encoding is None:
        rank = {target: place for place, target in enumerate(TARGETS)}  # a distribution may have its own targets
        richest: dict[str, Encoding] = {}
        usable.sort(key=lambda encoding: (rank.get(encoding.target, len(rank)), question not in encoding.default_for))
        for encoding in usable:
            if encoding.default or question in encoding.default_for:
                richest.setdefault(encoding.kind, encoding)
        return list(richest.values())
    found = [encoding for encoding in usable if fnmatch.fnmatchcase(encoding.name, spec.encoding)]
    known = any(fnmatch.fnmatchcase(encoding.name, spec.encoding) for encoding in all_encodings().values())
    if not found and (spec.exact or not known):
        names = ", ".join(sorted({encoding.name for encoding in usable}))
        hint = f"{backend.name} takes {names}{plugins.reasons(ENCODERS)}"
        raise SpecError(f"backend {spec.text!r}: no encoding {spec.encoding!r}; {hint}")
    return found


def _restore(
    spec: str, name: str, definition: Backend | None, encoding: tuple[str, str, str] | None, *rest: Any
) -> Choice:
    """Return the choice pickled by another process."""
    return Choice(spec, definition or _named(name), all_encodings()[encoding] if encoding else None, *rest)
