"""Specs: the names of backends and encodings, and their parsing.

A spec is ``ENGINE[/ENCODING][:KEY=VALUE]...``; ENGINE and ENCODING may contain wildcards (``*``, ``?``, ``[...]``), and
the name of a group selects all its backends. A backend from a group or wildcard is dropped if it does not support the
puzzle; if it is named exactly, or only its encoding does not, it is kept with the reason. Kinds add to ``default``.
"""

from __future__ import annotations

import fnmatch
import itertools
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit.base.errors import InputError, SpecError, wrong_type
from crosslit.base.files import read_toml
from crosslit.base.numbers import did_you_mean
from crosslit.base.records import Result
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
from crosslit.contract.registered import ENCODERS, Choice, Reply, all_backends, all_encodings, all_groups, from_a_file
from crosslit.kinds import Puzzle, all_kinds
from crosslit.registry.table import find_row

FILE = "crosslit.toml"
COMMAND = "command"  # the group of all backends that are commands
LISTED = frozenset({COMMAND})  # without `default`: neither `all` nor a wildcard selects it
OWN = frozenset({COMMAND, "default"})
_OPTION = "--solver"


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
        return registered.own(self.engine) is not None or self.engine in all_backends()

    def engines(self, from_file: bool = True) -> list[Backend]:
        """Return the backends that it selects, with ``from_file`` also of the file of commands."""
        if from_file:
            define_listed(self.engine)
        if self.exact:
            return [registered.named(self.engine)]
        backends = all_backends()
        if self.engine in all_groups(backends) - {"all"}:
            return [b for b in backends.values() if self.engine in b.groups]
        expected = [b for b in backends.values() if not from_a_file(b)]
        if self.engine == "all":
            return [b for b in expected if FAULTY not in b.groups]
        found = [b for b in expected if fnmatch.fnmatchcase(b.name, self.engine)]
        if not found:
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
    if not question.about_presses or puzzle.has_presses:
        return ""
    return f"the question `{question.name}` applies only to Lights Out and modular Lights Out"


def select(
    specs: str | Iterable[str], puzzle: Puzzle, question: QuestionName = "solutions", from_file: bool = True
) -> list[Choice]:
    """Return the backends that specs, groups and wildcards select for this puzzle, each configuration once, in order.

    With ``from_file``, commands of the ``crosslit.toml`` in the working directory are known; see `define_listed`.

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
        own = find_row(puzzle, "default") if (text, question) == ("default", "solutions") else None
        yield from own.answers if own else [text]


def select_one(spec: str, puzzle: Puzzle, question: QuestionName = "solutions") -> Choice:
    """Return the one backend that ``spec`` selects for this puzzle and question, or raise a SpecError."""
    chosen = select([spec], puzzle, question)
    if len(chosen) != 1:
        raise SpecError(f"backend {spec!r}: it selects {len(chosen)} backends where one is expected")
    if chosen[0].refusal is not None:
        raise SpecError(f"backend {spec!r}: {chosen[0].refusal}")
    return chosen[0]


def _options(spec: _Spec, engines: list[Backend]) -> dict[str, dict[str, int | str]]:
    """Return the parsed options for each of the engines that have all of them."""
    # "param.NAME" sets the parameter NAME of an engine; "param." without a name is refused.
    kinds = {key: PARAMETER if key.startswith(PARAMETER) else key for key in sorted(spec.options)}
    able = [b for b in engines if b.options.keys() >= {*kinds.values()} and PARAMETER not in spec.options]
    if not able:
        known = sorted({key for backend in engines for key in backend.options}) or ["none"]
        raise SpecError(f"backend {spec.text!r}: unknown option; {spec.engine} has {', '.join(known)}")
    parsed: dict[str, dict[str, int | str]] = {backend.name: {} for backend in able}
    for backend, (key, kind) in itertools.product(able, kinds.items()):
        try:
            parsed[backend.name][key] = backend.options[kind].parse(spec.options[key])
        except ValueError as error:
            raise SpecError(f"backend {spec.text!r}: expected {error} in {key}={spec.options[key]}") from None
    return parsed


def _configure(
    spec: _Spec, backend: Backend, options: Options, puzzle: Puzzle, wanted: Question, unsuited: str
) -> Iterator[Choice]:
    tail = "".join(f":{key}={value}" for key, value in options.items())
    refusal = ""
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
    if not refusal and backend.kinds and puzzle.kind not in backend.kinds:
        refusal = f"does not solve {puzzle.kind} puzzles"
    elif unsuited:
        refusal = unsuited
    elif not backend.answers(wanted.name):
        refusal = f"cannot {wanted.words}"
    version = registered.reply(backend, "version")
    refusal = version.problem or refusal
    reply = Reply() if refusal else registered.reply(backend, "unsupported_reason", puzzle, options)
    refusal = refusal or reply.text or reply.problem
    # Listed with the reason: a backend that the user named or defined, and one that fails to answer.
    if refusal and not (spec.exact or backend.groups >= OWN or reply.problem):
        return
    for encoding in encodings:
        shown = f"/{encoding.name if encoding else spec.encoding}" if spec.encoding else ""
        is_hard = Reply()
        if encoding and encoding.hard_reason and not (refusal or spec.encoding or spec.exact):
            is_hard = registered.reply(encoding, "hard_reason", puzzle)
        reason = refusal or is_hard.text or is_hard.problem or None
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


def define(name: str, command: str, origin: str, folder: str = "", groups: frozenset[str] = LISTED) -> None:
    """Define a command as a backend in this process and in the processes of its runs.

    It replaces an earlier definition of the name, or a command that Crosslit knows. ``origin`` is the place of the
    definition, for messages; a relative path in the command starts from ``folder``, by default the working directory.
    Without any groups of specs, only its name selects it.

    The makers of such backends are registered in the group ``crosslit.commands`` under the placeholder of a command,
    ``cnf`` if there is none, or ``json`` for a table. Their arguments are name, command, folder and groups; their
    backends can be pickled, and a SpecError says that the text is not a command.
    """
    if not registered.NAME.fullmatch(name):
        raise SpecError(f"{origin}: solver {name!r}: a name is lower case, digits and - only")
    # A definition may replace an earlier one and a known command, such as another build of `kissat`, but never an
    # engine of Crosslit: results under its name would be taken for that engine's.
    known = all_backends()
    if name in known and name not in registered.defined and COMMAND not in known[name].groups:
        raise SpecError(f"{origin}: solver {name}: there is a backend of that name")
    if name in all_groups(known):
        raise SpecError(f"{origin}: solver {name}: that is the name of a group")
    makers: dict[str, Any] = {}
    for point, maker in registered.load("crosslit.commands"):
        makers.setdefault(point.name, maker)  # Crosslit's own come first
    form = "json" if command.startswith("{") else next((form for form in makers if f"{{{form}}}" in command), "cnf")
    try:
        registered.add(makers[form](name, command, folder or os.getcwd(), groups))  # noqa: PTH109
    except SpecError as error:
        raise SpecError(f"{origin}: {error}") from None


def define_options(options: Iterable[str], specs: str | None = None) -> None:
    """Define the solvers of the command line; one that none of the given specs selects is refused."""
    engines = [re.split("[/:]", spec.strip())[0] for spec in (specs or "").split(",")]
    names = set()
    for option in options:
        name, equals, command = option.partition("=")
        if not equals:
            raise SpecError(f"{_OPTION} {option!r}: expected NAME=COMMAND, as in 'mine=./solver {{cnf}}'")
        if name in names:
            raise SpecError(f"{_OPTION}: two solvers are called {name}")
        names.add(name)
        define(name, command, _OPTION, groups=OWN)
        if specs is not None and not any(
            engine in OWN | {"all"} or fnmatch.fnmatchcase(name, engine) for engine in engines
        ):
            raise SpecError(f"{_OPTION} {name}: nothing would run it, as no backend of the command names it")


def define_listed(engine: str = COMMAND, is_run: bool = True) -> None:
    """Define the command that ``crosslit.toml`` in the working directory lists under a name, unless it is defined.

    The group ``command`` defines all. The file may be another person's, so that ``all`` and wildcards run nothing of
    it, and standard error names the commands that run.
    """
    commands = listed(Path(FILE), engine)
    new = [name for name in commands if engine in (name, COMMAND) and name not in registered.defined]
    for name in new:
        define(name, commands[name], FILE)
    if new and is_run and sys.stderr is not None:
        words = "commands" if len(new) > 1 else "command"
        sys.stderr.write(f"crosslit: {FILE}: runs its {words} {', '.join(sorted(new))}\n")


def listed(path: Path, requested: str = "") -> dict[str, str]:
    """Read the tables ``[solvers]`` and ``[programs.NAME]`` of a file; tables of other names are ignored.

    Names of commands that Crosslit knows, such as ``kissat``, are skipped: users expect that solver, and the file may
    have come with somebody's puzzles. Such a definition is an error only if its name is requested.
    """
    if not path.is_file():
        return {}
    content = read_toml(path)
    for table in content.keys() - {"solvers", "programs"}:
        if hint := did_you_mean(table, ("solvers", "programs")):
            raise InputError(str(path), f"expected [solvers] or [programs.NAME], found [{table}]; {hint}")
    solvers, described = content.get("solvers", {}), content.get("programs", {})
    if not (isinstance(solvers, dict) and all(isinstance(command, str) for command in solvers.values())):
        raise InputError(str(path), 'expected NAME = "COMMAND {cnf}" under [solvers]')
    if not (isinstance(described, dict) and all(isinstance(table, dict) for table in described.values())):
        raise InputError(str(path), 'expected tables such as [programs.mine] with command = "./solver {file}"')
    if twice := solvers.keys() & described.keys():
        raise InputError(str(path), f"expected one definition of {min(twice)}, found a solver and a program")
    # A program is one text too, which campaigns store and workers receive like any command.
    solvers = solvers | {name: json.dumps(table, default=str) for name, table in described.items()}
    backends = all_backends().items()
    known = {name for name, backend in backends if COMMAND in backend.groups and name not in registered.defined}
    if requested in solvers.keys() & known:
        advice = f"choose another name, or give {_OPTION} {requested}=COMMAND"
        raise SpecError(f"{path}: solver {requested}: a file cannot define a command that Crosslit knows; {advice}")
    return {name: command for name, command in solvers.items() if name not in known}


def add_solver(name: str, command: str, **options: Any) -> None:
    """Register a command as a backend in this process, in the groups ``command`` and ``default``.

    Args:
        name: the name in a spec: lower case, digits and ``-``.
        command: the command as in a shell (no shell is started): ``{cnf}`` stands for the file that it reads (without
            it, it reads standard input), ``{out}`` for the file of its answer, if that is not standard output;
            ``{file}`` stands for a file with the puzzle.
        **options: of a program that reads puzzles: its description as in ``crosslit.toml``, such as ``cells=".X"``.

    Raises:
        SpecError: if the name is invalid or belongs to another backend, or the text is not a command.
        TypeError: if the command is not text.

    Examples:
        >>> add_solver("mine", "./my-solver --quiet {cnf}")
        >>> sorted(registered.all_backends()["mine"].groups)
        ['command', 'default']
        >>> registered.forget("mine")
    """
    if not isinstance(command, str):
        raise wrong_type("a command such as './my-solver {cnf}'", command)
    define(name, json.dumps({"command": command, **options}) if options else command, "add_solver", groups=OWN)


@dataclass(frozen=True, repr=False)
class BackendInfo(Result):
    """A description of a registered backend."""

    name: str  # in a spec
    version: str  # version of its engine; empty if it is unavailable
    unavailable: str  # why it cannot run here; empty if it can
    summary: str  # a line that describes it
    kinds: tuple[str, ...]  # the kinds of puzzles that it supports
    questions: tuple[str, ...]  # the questions that it answers
    encodings: tuple[tuple[str, str], ...]  # (kind, name); empty if it reads the puzzle itself
    groups: tuple[str, ...]  # its groups, in addition to `all`
    options: Mapping[str, str]  # a description of each option
    rests_on: tuple[str, ...]  # its trusted base, except that of an encoding
    abilities: tuple[str, ...] | None = None  # features of its engine; None if a backend does not state them

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        record: dict[str, Any] = dict.fromkeys(("name", "version", "available", "reason")) | vars(self)
        reason = record.pop("unavailable") or None
        record |= {"version": self.version or None, "available": reason is None, "reason": reason}
        names = {kind: [name for of, name in self.encodings if of == kind] for kind in self.kinds}
        record["encodings"] = names if self.encodings else {}
        if self.abilities is None:
            del record["abilities"]
        return record


def backends(names: str | Iterable[str] = ()) -> list[BackendInfo]:
    """Return a description of every registered backend, with the reason if it is unavailable.

    Args:
        names: names, groups and wildcards, as in specs, whose order is kept; by default all, native ones first.

    Raises:
        SpecError: if there is no such backend.

    Examples:
        >>> [backend.name for backend in backends("native") if "fewest" in backend.questions]
        ['fewest', 'howell']
    """
    found = []
    names = names.split(",") if isinstance(names, str) else names
    if not names:
        define_listed(is_run=False)
    for backend in find_backends(names) if names else all_backends().values():
        # A program is started for its version, so one that a file defines is not asked unless a name selects it.
        version = registered.reply(backend, "version") if names or not from_a_file(backend) else Reply()
        usable = [encoding for encoding in all_encodings().values() if encoding.target in backend.targets]
        found.append(
            BackendInfo(
                name=backend.name,
                version=version.text,
                unavailable=version.problem,
                summary=backend.summary,
                kinds=tuple(sorted(kinds(backend))),
                questions=questions(backend),
                encodings=tuple((encoding.kind, encoding.name) for encoding in usable),
                groups=tuple(sorted(backend.groups)),
                options={key: option.summary for key, option in backend.options.items()},
                rests_on=tuple(sorted({backend.name, *backend.trusted_base})),
                abilities=tuple(sorted(backend.abilities)) if hasattr(backend, "abilities") else None,
            )
        )
    return found


def kernel_note(versions: Mapping[str, str]) -> str:
    """Return a line on the backends whose versions say that there is no compiled kernel; empty if none does.

    Examples:
        >>> kernel_note({"gauss": "1.0", "line": "1.0, kernel: compiled"})
        ''
    """
    # without the last parenthesis if the version is cut, as a compiler's message may be long
    found = {name: re.search(r"kernel: none, pure Python runs \((.*?)\)?$", text) for name, text in versions.items()}
    slow = {name: match[1] for name, match in found.items() if match}
    if not slow:
        return ""
    reason = next(iter(slow.values()))
    cure = "; with a C compiler, `pip install --force-reinstall --no-deps .` in a checkout adds it"
    cure = "" if "CROSSLIT_KERNEL" in reason else cure
    return f"{', '.join(slow)}: pure Python runs, up to 130 times as slow as the compiled kernel ({reason}){cure}"
