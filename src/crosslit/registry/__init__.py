"""The meaning of specs, and the commands that users define. This package must not import an engine, or start a run.

A spec is ``ENGINE[/ENCODING][:KEY=VALUE]...``; ENGINE and ENCODING may contain wildcards (``*``, ``?``, ``[...]``), and
the name of a group selects all its backends. A backend from a group or wildcard is dropped if it does not support the
puzzle; if it is named exactly, or only its encoding does not, it is kept with the reason. Kinds add to ``default``.
"""

from __future__ import annotations

import fnmatch
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
from crosslit.base.text import did_you_mean
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
from crosslit.contract.registered import ENCODERS
from crosslit.contract.registered import Choice as Choice
from crosslit.contract.registered import add as add
from crosslit.contract.registered import all_backends as all_backends
from crosslit.contract.registered import all_encodings as all_encodings
from crosslit.contract.registered import all_groups as all_groups
from crosslit.contract.registered import defined as defined
from crosslit.contract.registered import forget as forget
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
        if own := registered.own(self.engine):
            return [own]
        backends = all_backends()
        ours = all_groups(backends) - {COMMAND} | {b.name for b in backends.values() if COMMAND not in b.groups}
        if from_file and self.engine not in ours:  # a mistake in the file stops only those who need it
            define_listed(self.engine)
            backends = all_backends()
        if self.engine in backends:
            return [backends[self.engine]]
        if self.engine in all_groups(backends) - {"all"}:
            return [b for b in backends.values() if self.engine in b.groups]
        expected = [b for b in backends.values() if not registered.from_a_file(b)]
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
    chosen: dict[tuple[Any, ...], Choice] = {}
    for text in _members(specs, puzzle, question):
        spec = _Spec.parse(text)
        for backend, options in _options(spec, spec.engines(from_file)):
            for choice in _configure(spec, backend, options, puzzle, QUESTIONS[question]):
                encoding = choice.encoding.name if choice.encoding else spec.encoding
                chosen.setdefault((backend.name, encoding, *options.items()), choice)
    return list(chosen.values())


def _members(specs: str | Iterable[str], puzzle: Puzzle, question: QuestionName) -> Iterator[str]:
    """Yield specs, and after ``default`` those that the kind of the puzzle adds to this group."""
    listed = map(str.strip, specs.split(",")) if isinstance(specs, str) else specs
    for text in listed if isinstance(listed, Iterable) else [listed]:
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


def _options(spec: _Spec, engines: list[Backend]) -> Iterator[tuple[Backend, Options]]:
    """Yield those of the engines that have all options of the spec, with the parsed options."""
    # "param.NAME" sets the parameter NAME of an engine; "param." without a name is refused.
    kinds = {key: PARAMETER if key.startswith(PARAMETER) else key for key in sorted(spec.options)}
    able = [b for b in engines if b.options.keys() >= {*kinds.values()} and PARAMETER not in spec.options]
    if not able:
        known = sorted({key for backend in engines for key in backend.options}) or ["none"]
        raise SpecError(f"backend {spec.text!r}: unknown option; {spec.engine} has {', '.join(known)}")
    for backend in able:
        parsed: dict[str, int | str] = {}
        for key, kind in kinds.items():
            try:
                parsed[key] = backend.options[kind].parse(spec.options[key])
            except ValueError as error:
                raise SpecError(f"backend {spec.text!r}: expected {error} in {key}={spec.options[key]}") from None
        yield backend, parsed


def _configure(spec: _Spec, backend: Backend, options: Options, puzzle: Puzzle, question: Question) -> Iterator[Choice]:
    """Yield the backend with each encoding that the spec selects, with the reason if it does not support the puzzle."""
    encodings: list[Encoding | None] = [None]
    refusal = ""
    if backend.targets:
        matching = _encodings(spec, backend, question.name)
        if not (own := [encoding for encoding in matching if encoding.kind == puzzle.kind]):
            kinds = " and ".join(sorted({encoding.kind for encoding in matching})) or "no kind of puzzle"
            refusal = f"no encoding of {puzzle.kind} puzzles: {spec.encoding or 'its default'} is for {kinds}"
            refusal += registered.reasons(ENCODERS)
        encodings = [*own] or encodings
    elif spec.encoding is not None:
        if spec.exact:
            raise SpecError(f"backend {spec.text!r}: {backend.name} reads the puzzle itself and takes no encoding")
        return
    if not refusal and backend.kinds and puzzle.kind not in backend.kinds:
        refusal = f"does not solve {puzzle.kind} puzzles"
    elif unsuited := why_unsuited(question, puzzle):
        refusal = unsuited
    elif not backend.answers(question.name):
        refusal = f"cannot {question.words}"
    version, problem = registered.reply(backend, "version")
    refusal = problem or refusal
    reason, problem = ("", "") if refusal else registered.reply(backend, "unsupported_reason", puzzle, options)
    refusal = refusal or reason or problem
    # Listed with the reason: a backend that the user named or defined, and one that fails to answer.
    if refusal and not (spec.exact or backend.groups >= OWN or problem):
        return
    tail = "".join(f":{key}={value}" for key, value in options.items())
    for encoding in encodings:
        shown = f"/{encoding.name if encoding else spec.encoding}" if spec.encoding else ""
        reason = refusal
        if encoding and encoding.hard_reason and not (refusal or spec.encoding or spec.exact):
            reason = "".join(registered.reply(encoding, "hard_reason", puzzle))
        yield Choice(f"{backend.name}{shown}{tail}", backend, encoding, options, reason or None, version)


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


def define(
    name: str, command: str | Mapping[str, Any], origin: str, folder: str = "", groups: frozenset[str] = LISTED
) -> None:
    """Define a command as a backend in this process and in the processes of its runs.

    It replaces an earlier definition of the name, or a command that Crosslit knows. ``origin`` is the place of the
    definition, for messages; a relative path in the command starts from ``folder``, by default the working directory.
    Without any groups of specs, only its name selects it. The makers of such backends are registered under the
    placeholder of a command (``cnf`` if there is none), or ``json`` for a table; their backends can be pickled.
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
    makers = {point.name: point for point in registered.own_points("crosslit.commands")}
    # A table is one text too, which workers receive like any command.
    text = command if isinstance(command, str) else json.dumps(command, default=str)
    form = "json" if text.startswith("{") else next((form for form in makers if f"{{{form}}}" in text), "cnf")
    try:
        registered.add(makers[form].load()(name, text, folder or os.getcwd(), groups))  # noqa: PTH109
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
        is_run = any(engine in OWN | {"all"} or fnmatch.fnmatchcase(name, engine) for engine in engines)
        if specs is not None and not is_run:
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


def listed(path: Path, requested: str = "") -> dict[str, str | Mapping[str, Any]]:
    """Read the table ``[solvers]`` of a file: commands and tables by name.

    Names of commands that Crosslit knows, such as ``kissat``, are skipped: users expect that solver, and the file may
    have come with somebody's puzzles. Such a definition is an error only if its name is requested.
    """
    if not path.is_file():
        return {}
    content = read_toml(path)
    if others := sorted(content.keys() - {"solvers"}):
        raise InputError(str(path), f"expected only the table [solvers], found {others[0]}")
    solvers = content.get("solvers", {})
    if not (isinstance(solvers, dict) and all(isinstance(command, str | dict) for command in solvers.values())):
        raise InputError(str(path), 'expected NAME = "COMMAND {cnf}" or a table under [solvers]')
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
        command: the command as in a shell (no shell is started), with ``{cnf}`` for the file that it reads, if that is
            not standard input, and ``{out}`` for that of its answer, or with ``{file}`` for a file with the puzzle.
        **options: of a program that reads puzzles: its description as in ``crosslit.toml``, such as ``cells=".X"``.

    Examples:
        >>> add_solver("mine", "./my-solver --quiet {cnf}")
        >>> forget("mine")
    """
    if not isinstance(command, str):
        raise wrong_type("a command such as './my-solver {cnf}'", command)
    define(name, {"command": command, **options} if options else command, "add_solver", groups=OWN)


def backends(names: str | Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return a description of every registered backend, or those of names, groups and wildcards in their order.

    Examples:
        >>> [backend["name"] for backend in backends("native") if "fewest" in backend["questions"]]
        ['fewest', 'howell']
        >>> backends("highs")[0]["encodings"]["nonogram"]
        ['ladder']
    """
    names = names.split(",") if isinstance(names, str) else names
    if not names:
        define_listed(is_run=False)
    return [_description(each, bool(names)) for each in (find_backends(names) if names else all_backends().values())]


def _description(backend: Backend, is_named: bool) -> dict[str, Any]:
    # A program is started for its version, so one that a file defines is not asked unless a name selects it.
    is_asked = is_named or not registered.from_a_file(backend)
    version, problem = registered.reply(backend, "version") if is_asked else ("", "")
    of_kinds, encodings = sorted(kinds(backend)), dict[str, list[str]]()
    for encoding in all_encodings().values():
        if encoding.target in backend.targets and encoding.kind in of_kinds:
            encodings.setdefault(encoding.kind, []).append(encoding.name)
    return {
        "name": backend.name,
        "version": version or None,
        "available": not problem,
        "reason": problem or None,
        "summary": backend.summary,
        "kinds": of_kinds,
        "questions": [name for name in QUESTIONS if backend.answers(name)],
        "encodings": encodings,
        "groups": sorted(backend.groups),
        "options": {key: option.summary for key, option in backend.options.items()},
        "rests_on": sorted(Choice(backend.name, backend, None).trusted_base),
    }


def kernel_note(versions: Mapping[str, str]) -> str:
    """Return a line on the backends, given with their versions, that have no compiled kernel; empty if none."""
    # without the last parenthesis if the version is cut, as a compiler's message may be long
    found = {name: re.search(r"kernel: none, pure Python runs \((.*?)\)?$", text) for name, text in versions.items()}
    slow = {name: match[1] for name, match in found.items() if match}
    if not slow:
        return ""
    reason = next(iter(slow.values()))
    cure = "; with a C compiler, `pip install --force-reinstall --no-deps .` in a checkout adds it"
    cure = "" if "CROSSLIT_KERNEL" in reason else cure
    return f"{', '.join(slow)}: pure Python runs, up to 130 times as slow as the compiled kernel ({reason}){cure}"
