"""The solver under test from its description: a program, a registered backend, or two of these to compare."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from crosslit_backends.commands.program import ProgramBackend
from crosslit_backends.programs import protocol
from crosslit_backends.programs.plain import last_words
from crosslit_backends.programs.program import OPTIONS, Program, describe, formats
from crosslit_backends.programs.protocol import Abstention, Claims, Reply, SolverAnswer, SolverFailure

from crosslit import registry
from crosslit.base.errors import InputError
from crosslit.kinds import Puzzle, find_kind
from crosslit.runs.sandbox import ProcessGroup, ProgramGroup
from crosslit_verify import function
from crosslit_verify.cases import Settings
from crosslit_verify.function import Function, backend_reply, backend_version
from crosslit_verify.judge import broken, claim, format_reply
from crosslit_verify.process import START_SECONDS, NoAnswer, Solver


class Command(Solver):
    """A command, by its description or its words, with the limits of a `Solver`.

    The ``options`` describe it in the words of ``docs/reference/verify-protocol.md``. By default one process answers
    puzzle after puzzle in lines of JSON.

    Examples:
        >>> from crosslit.formats import read
        >>> with Command(["echo", "1"], format="inline") as solver:
        ...     solver.ask(read("1|1")).solutions[0].text
        '1'
    """

    def __init__(self, program: Program | str | Sequence[str], claims: Claims = "one", **options: Any) -> None:
        limits = {name: options.pop(name) for name in ("timeout", "memory_mb") if name in options}
        try:
            if not isinstance(program, Program):
                program = describe(program, claims, **options)
            self.program = program.for_kind(program.kind) if program.kind else program
        except ValueError as error:
            raise InputError("solver", str(error)) from None
        # A random name, so that nobody can prepare a link there.
        self._path = Path(tempfile.gettempdir(), f"crosslit-{secrets.token_hex(8)}", f"puzzle{self.program.suffix}")
        self.words = tuple(self.program.filled(str(self._path)))
        if not self.words[0] or any("\0" in word for word in self.words):
            raise InputError("solver", "expected a command without null characters")
        super().__init__(self.words[0], program.claims, **limits)
        self.is_one_shot = program.mode == "one-shot"
        self.loading = 0.0 if self.is_one_shot else START_SECONDS
        self._number, self._has_answered = 0, False  # the number of the question
        if shutil.which(self.words[0]) is None:
            hint = "; write its words without quotes around them all" if " " in self.words[0] else ""
            raise InputError(self.words[0], f"no such command, or not executable{hint}")

    def _started(self, descriptors: Sequence[int]) -> ProcessGroup:
        return ProgramGroup(self.words, descriptors)

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        self._number += 1
        reply = (self._once if self.is_one_shot else self._next)(puzzle, seconds)
        if isinstance(reply, SolverFailure) and reply.problem == "malformed-output":
            words = f"{reply.detail}{last_words(self._stderr)}; expected {self.program.example(puzzle)}"
            return SolverFailure(reply.problem, words)
        return reply

    def _next(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer of the running process in a line."""
        began, is_json = time.monotonic(), self.program.mode == "json"
        question = protocol.question(puzzle, self._number, self.claims) if is_json else self.program.render(puzzle)
        try:
            line = self._exchange(question, seconds)
        except NoAnswer as error:
            problem, words = error.args
            if problem == "hang" and not self._has_answered:
                words += "; does it flush its output after each line?"
            if self._end and self._end[0] == 0:
                words += "; a persistent solver answers until its input ends"
            raise NoAnswer(problem, words) from None
        # The first answer shows how long loading takes; a restart gets twice that, so that hangs are found sooner.
        if not self._has_answered:
            self.loading, self._has_answered = min(self.loading, 2 * (time.monotonic() - began) + 0.5), True
        return self.program.read_line(line, puzzle, self._number)

    def _once(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer of a process that is started for this puzzle."""
        data = self.program.render(puzzle)
        if self.program.reads_file:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._path.write_bytes(data)
            data = b""
        output = self._exchange(data, seconds, whole=True)
        assert self._end is not None
        reply = self.program.output.read(output, self._stderr, self._end[0], puzzle, self.claims)
        return self._left_behind() or reply or SolverFailure(*self._crash().args)

    def close(self) -> SolverFailure | None:
        """End it, and remove the file of its puzzle; see `Solver.close`."""
        try:
            return super().close()
        finally:
            if self.program.reads_file:
                shutil.rmtree(self._path.parent, ignore_errors=True)


class Pair(Solver):
    """A solver and another one to compare it with: a difference is a failure; otherwise the first one replies.

    Solutions may differ if both solvers promise only one. An abstention differs from nothing.
    """

    def __init__(self, first: Solver, second: Solver) -> None:
        self._solvers, self.claims = (first, second), first.claims
        self._names = [solver.description or solver.name for solver in self._solvers]
        self.description = ", against ".join(self._names)

    def ask(self, puzzle: Puzzle, once: bool = False) -> Reply:
        """Return the difference of the two replies to a puzzle, or else the first one."""
        replies, aspects = list[Reply](), list[object]()
        for solver in self._solvers:
            solver.until = self.until
            replies.append(reply := solver.ask(puzzle, once))
            # What must be equal: the failure, that the answer is wrong, or its claim.
            aspects.append(reply.problem if isinstance(reply, SolverFailure) else (claim(self.claims, reply),))
            if isinstance(reply, SolverAnswer) and any(broken(puzzle, grid) for grid in reply.solutions):
                aspects[-1] = "wrong"
        if aspects[0] == aspects[1] or any(isinstance(reply, Abstention) for reply in replies):
            return replies[0]
        pairs = zip(self._names, map(format_reply, replies), strict=True)
        return SolverFailure("disagreement", "; ".join(f"{name}: {text}" for name, text in pairs))

    def close(self) -> SolverFailure | None:
        """End both, and return the first failure."""
        first, second = (solver.close() for solver in self._solvers)
        return first or second


def make_solver(
    words: Callable[[Any], Any] | str | Sequence[str],
    spec: str | None,
    settings: Settings,
    options: Mapping[str, Any],
    puzzles: Sequence[Puzzle] = (),
) -> Solver:
    """Return the solver under test: a function, a command, a backend (or its program), or two to compare."""
    if other := options.get("against"):
        options = {**options, "against": ""}
        first = make_solver(words, spec, settings, options, puzzles)
        if not Path(other).expanduser().exists():
            spec = other
        elif spec is None:
            words = [_interpreter(other), *cast("Sequence[str]", words)[1:]]
        else:
            options |= {"python": other}
        return Pair(first, make_solver(words, spec, settings, options, puzzles))

    claims, limits = settings.claims, {name: options[name] for name in ("timeout", "memory_mb")}
    if callable(words):
        return Function(words, claims, **limits)
    if spec is None:
        described = {name: options[name] for name in OPTIONS if options.get(name) not in (None, "", ())}
        return Command(words, claims, kind=settings.kind, **described, **limits)
    puzzles = puzzles or ([settings.like] if settings.like else find_kind(settings.kind).samples())
    if python := options.get("python", ""):
        solver: Solver = Command([_interpreter(python), "-P", "-m", function.__name__, spec], claims, **limits)
        solver.name, solver.description = spec, f"{spec} in {python}"
        with solver:
            reply = solver.ask(puzzles[0])
        if isinstance(reply, SolverFailure) and "No module named 'crosslit" in reply.detail:
            raise InputError(python, f"an environment needs the same Crosslit: {reply.detail}")
        return solver
    for named in registry.find_backends([spec]):
        if isinstance(named, ProgramBackend):
            return Command(replace(named.program, claims=claims, kind=settings.kind), **limits)
    version = backend_version(spec, puzzles, claims)
    solver = Function(lambda puzzle: backend_reply(spec, puzzle, claims), claims, **limits)
    solver.name, solver.description = spec, f"{spec}, {version}"
    return solver


def _interpreter(python: str) -> str:
    """Return the interpreter that a user named: itself, or of a folder."""
    path = Path(python).expanduser()
    return str((path / "bin" / "python" if path.is_dir() else path).absolute()) if path.exists() else python


def right_format(solver: Solver, puzzles: Sequence[Puzzle], problem: Callable[[Puzzle, Reply], object]) -> str:
    """Return in words in which other format a command is right about all puzzles, though wrong about the first now.

    It is started for each puzzle, and not wrong: it reads its input in another way. Empty if there is no such format.
    """
    if not isinstance(solver, Command) or not solver.is_one_shot or not problem(puzzles[0], solver.ask(puzzles[0])):
        return ""
    own = solver.program.form or "inline"
    for form in formats():
        solved = 0
        with contextlib.suppress(InputError):  # the format may be for another kind
            program = replace(solver.program, form=form)
            with Command(program, timeout=solver.timeout, memory_mb=solver.memory_mb) as other:
                other.until = solver.until
                for puzzle in puzzles:
                    reply = other.ask(puzzle, once=True)
                    if problem(puzzle, reply):
                        break
                    solved += isinstance(reply, SolverAnswer) and not reply.unsolvable
                else:
                    if solved > 1:
                        return f"it answers right in --format {form}, and wrong in --format {own}"
    return ""
