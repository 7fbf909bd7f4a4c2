"""The solver under test from its description: a program, a registered backend, or two of these to compare.

A program is persistent, or it is started for every puzzle.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

from crosslit_backends.commands.program import ProgramBackend
from crosslit_backends.programs import protocol
from crosslit_backends.programs.plain import last_words
from crosslit_backends.programs.program import OPTIONS, Program, describe, formats
from crosslit_backends.programs.protocol import (
    FEWEST,
    Abstention,
    Claims,
    Reply,
    SolverAnswer,
    SolverFailure,
    shown,
)

from crosslit import registry
from crosslit.base.errors import InputError, SpecError
from crosslit.base.posix import require_isolation
from crosslit.kinds import Puzzle, find_kind
from crosslit.runs.sandbox import ProcessGroup, ProgramGroup
from crosslit_verify import backend_server
from crosslit_verify.cases import Settings
from crosslit_verify.judge import broken, claim, format_reply
from crosslit_verify.process import MAX_OUTPUT, MEMORY_MB, START_SECONDS, TIMEOUT, NoAnswer, Solver

_MAX_SHOWN = 400  # bytes of input and of output that a failure shows
_PACKAGES = ("crosslit", "crosslit_backends", "crosslit_encoders", "crosslit_generate", "crosslit_verify")
_START_SECONDS = 60.0  # for the version of a backend: the first start of an environment compiles its modules
_MAX_CHARACTERS = 120  # of each of two answers in a message


class Command(Solver):
    '''A command, by its description or its words, with its limits for one answer.

    The ``options`` describe it in the words of ``docs/reference/verify-protocol.md``. By default one process answers
    puzzle after puzzle in lines of JSON.

    Examples:
        >>> from crosslit.formats import read
        >>> solver = """while read puzzle; do echo '{"solution": "1"}'; done"""
        >>> with Command(["sh", "-c", solver]) as solver:
        ...     solver.ask(read("1|1")).solutions[0].text
        '1'
        >>> with Command(["echo", "11"], format="inline") as solver:
        ...     solver.ask(read("2|1,1")).solutions[0].text
        '11'
    '''

    def __init__(
        self,
        program: Program | str | Sequence[str],
        claims: Claims = "one",
        *,
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
        **options: Any,
    ) -> None:
        if not isinstance(program, Program):
            try:
                program = describe(program, claims, **options)
                program = program.for_kind(program.kind) if program.kind else program
            except ValueError as error:
                raise InputError("solver", str(error)) from None
        self.program, self.is_one_shot = program, program.mode == "one-shot"
        # A random name: two verifications at a time do not exchange puzzles, and nobody can prepare a link there.
        folder = Path(tempfile.gettempdir(), f"crosslit-{secrets.token_hex(8)}")
        self._path = folder / f"puzzle{program.suffix}"
        self.words = tuple(program.filled(str(self._path)))
        if not self.words[0] or any("\0" in word for word in self.words):
            raise InputError("solver", "expected a command without null characters")
        super().__init__(self.words[0], program.claims, timeout, memory_mb)
        self.loading = 0.0 if self.is_one_shot else START_SECONDS
        self._number = 0  # of the question
        if shutil.which(self.words[0]) is None:
            quoted = len(self.words) == 1 and shutil.which(self.words[0].partition(" ")[0]) is not None
            hint = "; write its words without quotes around them all" if quoted else ""
            raise InputError(self.words[0], f"no such command, or not executable{hint}")

    def _started(self, descriptors: Sequence[int]) -> ProcessGroup:
        return ProgramGroup(self.words, descriptors)

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        self._number += 1
        reply = (self._once if self.is_one_shot else self._next)(puzzle, seconds)
        return replace(reply, detail=reply.detail + last_words(self._stderr)) if _is_unread(reply) else reply

    def _next(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer of the running process in a line."""
        began, first = time.monotonic(), self._number == 1
        try:
            line = self._exchange(self._question(puzzle), seconds)
        except NoAnswer as error:
            if first and error.failure.problem == "hang":
                self._require_flushed(puzzle)
            if self._end and self._end[0] == 0:
                words = f"{error.failure.detail}; a persistent solver answers until its input ends"
                raise NoAnswer(error.failure.problem, words) from None
            raise
        # The first answer shows how long loading takes; a restart gets twice that, so that hangs are found sooner.
        if first:
            self.loading = min(self.loading, 2 * (time.monotonic() - began) + 0.5)
        return self.program.read_line(line, puzzle, self._number)

    def _once(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer of a process that is started for this puzzle."""
        data = self.program.render(puzzle)
        if self.program.reads_file:
            # Made here and not in the constructor, so that a solver that is never asked leaves nothing behind.
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._path.write_bytes(data)
            data = b""
        output = self._exchange(data, seconds, whole=True)
        assert self._end is not None
        reply = self.program.output.read(output, self._stderr, self._end[0], puzzle, self.claims)
        if reply is None:
            raise self._crash()
        self._close_pipes()
        return replace(self._left_behind() or reply, output=output[:MAX_OUTPUT])

    def _question(self, puzzle: Puzzle) -> bytes:
        if self.program.mode == "json":
            return protocol.question(puzzle, self._number, self.claims)
        return self.program.render(puzzle)

    def _require_flushed(self, puzzle: Puzzle) -> None:
        """Raise `InputError` if the command has a reply to the first puzzle, but does not flush its output."""
        self.loading = min(self.loading, 1.0)  # it hung for longer than loading takes
        if self._idle(1.0):
            return  # a slow solver answers now; one that does not flush answers only when its input ends
        self._close("input")
        late = self._idle(0.5).partition(b"\n")[0]
        if late and not isinstance(self.program.read_line(late, puzzle, self._number), SolverFailure):
            advice = "let it read line by line and flush its output after every line, or try --format inline"
            raise InputError(self.name, f"answers only when its input ends: {advice}")

    def close(self) -> SolverFailure | None:
        """End it, and remove the file of its puzzle; see `Solver.close`."""
        try:
            return super().close()
        finally:
            if self.program.reads_file:
                shutil.rmtree(self._path.parent, ignore_errors=True)

    def notes(self, puzzle: Puzzle, reply: Reply, has_read: bool = True) -> dict[str, str]:
        """Return its input and output, and what may help if the output was not read; see `Solver.notes`."""
        program, notes = self.program, dict[str, str]()
        if _is_unread(reply) and not has_read:
            notes["expected"] = program.example(puzzle)
        if self.is_one_shot:
            notes["file" if program.reads_file else "input"] = shown(program.render(puzzle), _MAX_SHOWN)
            notes["output"] = shown(reply.output, _MAX_SHOWN)
            if isinstance(reply, SolverFailure) and (hint := program.output.hint(reply.output, puzzle)):
                notes["hint"] = hint
        elif notes and program.mode == "json":
            notes["input"] = shown(self._question(puzzle), _MAX_SHOWN)
            notes["hint"] = "if it answers in plain text: --lines, or --format inline for a process for each puzzle"
        return notes


def _is_unread(reply: Reply) -> TypeGuard[SolverFailure]:
    return isinstance(reply, SolverFailure) and reply.problem == "malformed-output"


class BackendCommand(Command):
    """A backend, by its spec, in a process that speaks the protocol of programs; an exhausted limit ends only that.

    ``python`` is the interpreter, or the folder of an environment, that has the engine; the backend has to support one
    of the ``puzzles``, by default samples of their kind.
    """

    def __init__(
        self, spec: str, settings: Settings, *, python: str = "", puzzles: Sequence[Puzzle] = (), **limits: Any
    ) -> None:
        definition = registry.defined(spec.strip().partition(":")[0].partition("/")[0])
        given = {
            "definition": base64.b64encode(pickle.dumps(definition)).decode() if definition else "",
            "packages": {name: str(Path(import_module(name).__file__ or "").parents[1]) for name in _PACKAGES},
        }
        words = [interpreter(python), "-P", backend_server.__file__, json.dumps(given)]
        super().__init__(words, settings.claims, **limits)
        puzzles = puzzles or ([settings.like] if settings.like else find_kind(settings.kind).samples())
        question = FEWEST if settings.claims == FEWEST else "solutions"
        asked = {"spec": spec, "puzzles": [[puzzle.kind, puzzle.text] for puzzle in puzzles], "question": question}
        try:
            found = json.loads(self._exchange(json.dumps(asked).encode() + b"\n", _START_SECONDS))
        except NoAnswer as error:
            raise InputError(words[0], f"cannot run the backends of Crosslit: {error}") from None
        finally:
            self._lose()  # the first answer may take the time that a start takes
        if "problem" in found:
            raise SpecError(found["problem"])
        self.name = self._spec = spec
        self.description = f"{spec}, {found['version']}{f' in {python}' if python else ''}"

    def _question(self, puzzle: Puzzle) -> bytes:
        return json.dumps(json.loads(super()._question(puzzle)) | {"spec": self._spec}).encode() + b"\n"


def interpreter(python: str) -> str:
    """Return the interpreter that a user named: itself, or of a folder; empty means this one."""
    path = os.path.expanduser(python)  # noqa: PTH111
    return os.path.join(path, "bin", "python") if os.path.isdir(path) else path or sys.executable  # noqa: PTH118


class Pair(Solver):
    """A solver and another one to compare it with: a difference is a failure, and equal replies are that of the first.

    Solutions may differ if both solvers promise only one. An abstention differs from nothing.
    """

    def __init__(self, first: Solver, second: Solver) -> None:
        self._first, self._second = first, second
        self.claims = first.claims
        known = [solver.description or solver.name for solver in (first, second)]
        self._names = known if len({*known, ""}) == 3 else ["the first", "the second"]
        self.description = ", against ".join(self._names)

    def ask(self, puzzle: Puzzle, seconds: float | None = None) -> Reply:
        """Return the difference of the two replies to a puzzle, or else the first one."""
        self._first.until = self._second.until = self.until
        replies = self._first.ask(puzzle, seconds), self._second.ask(puzzle, seconds)
        if any(isinstance(reply, Abstention) for reply in replies):
            return replies[0]
        if _aspect(self.claims, puzzle, replies[0]) == _aspect(self.claims, puzzle, replies[1]):
            return replies[0]
        shown = (format_reply(reply, _MAX_CHARACTERS) for reply in replies)
        words = "; ".join(f"{name}: {text}" for name, text in zip(self._names, shown, strict=True))
        return SolverFailure("disagreement", words)

    def close(self) -> SolverFailure | None:
        """End both, and return the first failure."""
        first, second = self._first.close(), self._second.close()
        return first or second


def _aspect(claims: Claims, puzzle: Puzzle, reply: Reply) -> object:
    """Return the part of a reply that must be equal: its failure, that it is wrong, or its claim."""
    if not isinstance(reply, SolverAnswer):
        return isinstance(reply, SolverFailure) and reply.problem
    return "wrong" if any(broken(puzzle, grid) for grid in reply.solutions) else (claim(claims, reply),)


def make_solver(
    words: str | Sequence[str],
    spec: str | None,
    settings: Settings,
    options: Mapping[str, Any],
    puzzles: Sequence[Puzzle] = (),
) -> Solver:
    """Return the solver under test: a backend, or else a command as the options describe it; or two to compare.

    A backend that is a program is asked as the program, so that a failure shows what it read and wrote.
    """
    require_isolation()
    if other := options.get("against"):
        options = {**options, "against": ""}
        first = make_solver(words, spec, settings, options, puzzles)
        if not Path(other).expanduser().exists():
            spec = other
        elif spec is None:
            words = [interpreter(other), *words[1:]]
        else:
            options |= {"python": other}
        return Pair(first, make_solver(words, spec, settings, options, puzzles))

    limits = {name: options[name] for name in ("timeout", "memory_mb")}
    if spec is None:
        described = {name: options[name] for name in OPTIONS if options.get(name) not in (None, "", ())}
        return Command(words, settings.claims, kind=settings.kind, **described, **limits)
    if not (python := options.get("python", "")):
        for named in registry.find_backends([spec]):
            if isinstance(named, ProgramBackend):
                return Command(replace(named.program, claims=settings.claims).for_kind(settings.kind), **limits)
    return BackendCommand(spec, settings, python=python, puzzles=puzzles, **limits)


def require_own_format(solver: Solver, puzzles: Sequence[Puzzle], is_wrong: Callable[[Puzzle, Reply], bool]) -> None:
    """Raise `InputError` if a command is right about all puzzles in another format, and wrong about the first now.

    Such a command is not wrong: it reads its input in another way. Only one that is started for each puzzle has any.
    """
    if not isinstance(solver, Command) or not solver.is_one_shot or not is_wrong(puzzles[0], solver.ask(puzzles[0])):
        return
    own = solver.program.form or "inline"
    for form in formats():
        replies: list[Reply] = []
        with contextlib.suppress(InputError):  # the format may be for another kind
            program = replace(solver.program, form=form)
            with Command(program, timeout=solver.timeout, memory_mb=solver.memory_mb) as other:
                other.until = solver.until
                for puzzle in puzzles:
                    replies.append(other.ask(puzzle, solver.timeout))
                    if is_wrong(puzzle, replies[-1]):
                        break
        solved = sum(isinstance(reply, SolverAnswer) and not reply.unsolvable for reply in replies)
        if len(replies) == len(puzzles) and solved > 1 and not is_wrong(puzzle, replies[-1]):
            raise InputError(solver.name, f"it answers right in --format {form}, and wrong in --format {own}")
