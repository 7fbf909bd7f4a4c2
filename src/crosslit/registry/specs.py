"""Specs: the names of backends and encodings, and their parsing.

A spec is ``ENGINE[/ENCODING][:KEY=VALUE]...``; ENGINE and ENCODING may contain wildcards (``*``, ``?``, ``[...]``), and
the name of a group selects all its backends. A backend from a group or wildcard is dropped if it does not support the
puzzle; if it is named exactly, or only its encoding does not, it is kept with the reason. Kinds add to ``default``.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from crosslit.base.errors import SpecError, wrong_type
from crosslit.base.numbers import did_you_mean
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
    registered,
)
from crosslit.contract.registered import (
    ENCODERS,
    Choice,
    all_backends,
    all_encodings,
    all_groups,
    from_a_file,
    named,
    own,
)
from crosslit.kinds import Puzzle, all_kinds, kind_of
from crosslit.kinds.registry import labels_with
from crosslit.registry import inquiry
from crosslit.registry.commands import define_named

_DEFINED = frozenset({"command", "default"})  # the groups of the backends that ``--solver`` defines


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
        return own(self.engine) is not None or self.engine in all_backends()

    def engines(self, from_file: bool = True) -> list[Backend]:
        """Return the backends that it selects."""
        if self.exact:
            return [named(self.engine)]
        backends = all_backends()
        if self.engine in all_groups(backends) - {"all"}:
            return [b for b in backends.values() if self.engine in b.groups]
        expected = [b for b in backends.values() if not from_a_file(b)]
        if self.engine == "all":
            return [b for b in expected if FAULTY not in b.groups]
        found = [b for b in expected if fnmatch.fnmatchcase(b.name, self.engine)]
        if not found:
            if from_file and define_named(self.engine):
                return [named(self.engine)]
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
            refusal += registered.reasons(ENCODERS)
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
        hint = f"{backend.name} takes {names}{registered.reasons(ENCODERS)}"
        raise SpecError(f"backend {spec.text!r}: no encoding {spec.encoding!r}; {hint}")
    return found
