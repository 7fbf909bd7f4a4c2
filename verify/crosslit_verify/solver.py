"""The kinds of solvers under test: a command, a Python function, a registered backend, or two of these to compare.

A function is called in a process forked from this one. Only puzzles are pickled, and no module is imported again, so it
may be a closure, or defined in a notebook. A backend is such a function; as a program of another environment, this
module answers in lines of JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import sys
import tempfile
import time
import traceback
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from crosslit_backends.commands.child_processes import last_words
from crosslit_backends.commands.program import ProgramBackend
from crosslit_backends.programs import protocol
from crosslit_backends.programs.program import OPTIONS, Program, describe, formats
from crosslit_backends.programs.protocol import FEWEST, MAX_SOLUTIONS, Claims, Reply, SolverAnswer, SolverFailure

from crosslit import registry
from crosslit.base.errors import InputError, SpecError
from crosslit.base.grid import Grid
from crosslit.contract import GaveUp, QuestionName, Task
from crosslit.formats import parse_line
from crosslit.kinds import Puzzle, find_kind
from crosslit.runs.drive import closing_at_exit, drive
from crosslit.runs.processes import ProcessGroup, ProgramGroup
from crosslit_verify.cases import Settings
from crosslit_verify.judge import broken, claim, format_reply
from crosslit_verify.process import START_SECONDS, NoAnswer, Solver, close_ours


class Command(Solver):
    """A command, by its description or its words, with the limits of a `Solver`.

    The ``options`` describe it in the words of ``docs/reference/verify-protocol.md``. By default one process answers
    puzzle after puzzle in lines of JSON.
    """

    def __init__(self, program: Program | str | Sequence[str], claims: Claims = "one", **options: Any) -> None:
        limits = {name: options.pop(name) for name in ("timeout", "memory_mb") if name in options}
        try:
            if not isinstance(program, Program):
                program = describe(program, claims, **options)
            self.program = program.for_kind(program.kind) if program.kind else program
        except ValueError as error:
            raise InputError("solver", str(error)) from None
        self._path = Path("puzzle")
        if self.program.reads_file:
            self._path = Path(tempfile.mkdtemp(prefix="crosslit-"), f"puzzle{self.program.suffix}")
            weakref.finalize(self, shutil.rmtree, self._path.parent, ignore_errors=True)
        self.words = tuple(self.program.filled(str(self._path)))
        super().__init__(self.words[0], program.claims, **limits)
        self.is_one_shot = program.mode == "one-shot"
        self.loading = 0.0 if self.is_one_shot else START_SECONDS
        self.hint = "" if self.is_one_shot else "; does it flush its output after each line?"
        self._number = 0  # of the question
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
            if self._end and self._end[0] == 0:
                words += "; a persistent solver answers until its input ends"
            raise NoAnswer(problem, words) from None
        # The first answer shows how long loading takes; a restart gets twice that, so that hangs are found sooner.
        if self.hint:
            self.loading, self.hint = min(self.loading, 2 * (time.monotonic() - began) + 0.5), ""
        return self.program.read_line(line, puzzle, self._number)

    def _once(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer of a process that is started for this puzzle."""
        data = self.program.render(puzzle)
        if self.program.reads_file:
            self._path.write_bytes(data)
            data = b""
        output = self._exchange(data, seconds, whole=True)
        assert self._end is not None
        reply = self.program.output.read(output, self._stderr, self._end[0], puzzle, self.claims)
        return self._left_behind() or reply or SolverFailure(*self._crash().args)


_RAISED = b"!"  # first byte of a line with an exception, instead of an answer


class Function(Solver):
    """A Python function as a solver.

    It takes a puzzle, and returns a grid, None for unsolvable, or any number of grids. A grid is a `Grid`, text such as
    ``10/01``, rows of text, a two-dimensional array or nested sequence of 0 and 1. A mapping is read like an answer of
    the protocol: ``{"solution": ..., "unique": True}``. It may take ``memory_mb`` in addition to the memory of this
    process when it was forked, whose threads do not exist there: it must start and end its own pools when called.
    """

    shares_memory = True

    def __init__(self, function: Callable[[Any], Any], claims: Claims = "one", **limits: Any) -> None:
        super().__init__(str(getattr(function, "__name__", "function")), claims, **limits)
        self.function = function

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        # Pickled, which is safe in this direction: the process is a fork of this one, with the same code.
        line = self._exchange(pickle.dumps(puzzle), seconds)
        if line.startswith(_RAISED):
            return SolverFailure("crash", line[1:].decode(errors="replace"))
        return protocol.read_line(line, states=puzzle.layout.states)

    def _started(self, descriptors: Sequence[int]) -> ProcessGroup:
        return ProcessGroup(partial(self._serve, *descriptors))

    def _serve(self, questions: int, answers: int, errors: int) -> None:
        close_ours()
        for target in (1, 2):  # prints of the function are not answers
            os.dup2(errors, target)
        sys.stdout = sys.stderr = os.fdopen(errors, "w", buffering=1, errors="replace")
        with os.fdopen(questions, "rb") as reading, os.fdopen(answers, "wb") as writing:
            while reading.peek(1):
                writing.write(_answer_line(self.function, pickle.load(reading)) + b"\n")
                writing.flush()


def _answer_line(function: Callable[[Any], Any], puzzle: Puzzle) -> bytes:
    """Return the line that answers a puzzle."""
    try:
        return json.dumps(in_protocol(function(puzzle), puzzle.rows)).encode()
    except BaseException as error:  # `sys.exit` too, which would otherwise end it without a reason
        trace = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
        place = f" ({Path(trace[-1].filename).name}:{trace[-1].lineno})" if trace else ""
        words = " ".join((traceback.format_exception_only(error)[-1] + place).split())
        return _RAISED + words[:300].encode(errors="replace")


def in_protocol(value: Any, rows: int) -> dict[str, Any]:
    """Return the value of a function (see `Function`) for a puzzle of some rows as an answer of the protocol."""
    text = json.dumps(value, default=_plain)
    # The numbers of an array are floats by default.
    plain = json.loads(text, parse_float=lambda word: int(float(word)) if float(word) in (0, 1) else float(word))
    if plain is None or isinstance(plain, dict):
        return {"unsolvable": True} if plain is None else plain
    if not isinstance(plain, list):
        return {"solution": plain}
    # With one row, each text may be a solution; with several, they are the rows of one grid.
    is_text = rows != 1 and all(isinstance(row, str) and "/" not in row for row in plain)
    is_grid = all(isinstance(row, list) and not any(isinstance(cell, list | str) for cell in row) for row in plain)
    return {"solutions": [plain] if plain and (is_text or is_grid) else plain}


def _plain(value: Any) -> Any:
    """Return a grid as text, and an array or another iterable as a list; the name of its type if it is no answer."""
    if isinstance(value, Grid):
        return value.text
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return value.tolist()
    return [*value] if isinstance(value, Iterable) else f"({type(value).__name__})"


def backend_reply(spec: str, puzzle: Puzzle, claims: Claims) -> dict[str, Any]:
    """Return the answer of a backend to a puzzle, in the protocol; one that gave up claims nothing but wrong grids."""
    question: QuestionName = FEWEST if claims == FEWEST else "solutions"
    (choice,) = registry.select([spec], puzzle, question)
    if choice.refusal is not None:
        return {"unsupported": True}
    wanted = {"one": 1, "unique": 2, "all": MAX_SOLUTIONS + 1, FEWEST: None}[claims]
    task, grids, has_given_up = Task(question, wanted, choice.encoding, choice.options), list[Grid](), False
    try:
        with closing_at_exit(drive(choice.backend, puzzle, task)) as search:
            grids.extend(islice(search, wanted))  # which keeps those before it gives up
    except GaveUp:
        has_given_up = True
        if not any(next(puzzle.violations(grid), None) for grid in grids):
            return {"unknown": True}
    if claims == "all" or not grids:
        return {"solutions": [grid.text for grid in grids]}
    answer: dict[str, Any] = {"solution": grids[-1 if claims == FEWEST else 0].text}
    return answer | ({"unique": len(grids) == 1} if claims == "unique" and not has_given_up else {})


def backend_version(spec: str, puzzles: Sequence[Puzzle], claims: Claims) -> str:
    """Return the version of a backend; a SpecError says why it answers about none of the puzzles."""
    question: QuestionName = FEWEST if claims == FEWEST else "solutions"
    choices = [registry.select([spec], puzzle, question) for puzzle in puzzles]
    if (several := max(map(len, choices))) > 1:
        raise SpecError(f"backend {spec!r}: it selects {several} backends where one is expected")
    refusals = [choice.refusal for (choice,) in choices]
    if None not in refusals:
        raise SpecError(f"backend {spec!r}: {refusals[-1]}")
    return choices[0][0].version


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
        if aspects[0] == aspects[1] or any(isinstance(reply, protocol.Abstention) for reply in replies):
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
        solver: Solver = Command([_interpreter(python), "-P", "-m", __name__, spec], claims, **limits)
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


def require_own_format(solver: Solver, puzzles: Sequence[Puzzle], problem: Callable[[Puzzle, Reply], object]) -> None:
    """Raise an `InputError` if a command is right about all puzzles in another format, and wrong about the first now.

    It is started for each puzzle, and not wrong: it reads its input in another way.
    """
    if not isinstance(solver, Command) or not solver.is_one_shot or not problem(puzzles[0], solver.ask(puzzles[0])):
        return
    limits: dict[str, Any] = {"timeout": solver.timeout, "memory_mb": solver.memory_mb}
    own = solver.program.form or "inline"
    for form in formats():
        solved = 0
        # The format may be for another kind.
        with contextlib.suppress(InputError), Command(replace(solver.program, form=form), **limits) as other:
            other.until = solver.until
            for puzzle in puzzles:
                reply = other.ask(puzzle, once=True)
                if problem(puzzle, reply):
                    solved = 0
                    break
                solved += isinstance(reply, SolverAnswer) and not reply.unsolvable
        if solved > 1:
            raise InputError(solver.name, f"it answers right in --format {form}, and wrong in --format {own}")


def main(spec: str) -> None:
    """Answer the questions on standard input with a backend, in lines of JSON."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines may print
    for line in sys.stdin:
        question = json.loads(line)
        puzzle = parse_line(question["kind"], question["text"], "question")
        print(json.dumps(backend_reply(spec, puzzle, question["claims"])), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
