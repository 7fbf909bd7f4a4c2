"""Commands as solvers under test: persistent ones, and ones that are started for every puzzle."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from crosslit_backends.programs import protocol
from crosslit_backends.programs.plain import last_words
from crosslit_backends.programs.program import Program, describe, formats
from crosslit_backends.programs.protocol import Claims, Reply, SolverAnswer, SolverFailure, shown

from crosslit.base.errors import InputError
from crosslit.kinds import Puzzle
from crosslit.runs.sandbox import ProcessGroup, ProgramGroup
from crosslit_verify.process import MAX_OUTPUT, MEMORY_MB, START_SECONDS, TIMEOUT, NoAnswer, Solver, Supervised

_MAX_SHOWN = 400  # bytes of input and of output that a failure shows


class Command(Supervised):
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
        # A random name, so that two verifications at a time do not exchange puzzles, and nobody can prepare a link
        # there.
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
            failure = error.failure
            if first and failure.problem == "hang":
                self._require_flushed()
            if self._end and self._end[0] == 0:
                failure = replace(failure, detail=f"{failure.detail}; a persistent solver answers until its input ends")
                raise NoAnswer(failure.problem, failure.detail) from None
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

    def _require_flushed(self) -> None:
        """Raise `InputError` if the command has a reply to the first puzzle, but does not flush its output."""
        self.loading = min(self.loading, 1.0)  # it hung for longer than loading takes
        if self._idle(1.0):
            return  # a slow solver answers now; one that does not flush answers only when its input ends
        self._close_input()
        late = self._idle(0.5).partition(b"\n")[0]
        read = protocol.read_line if self.program.mode == "json" else protocol.read_text
        if late and not isinstance(read(late), SolverFailure):
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


def require_own_format(solver: Solver, puzzles: Sequence[Puzzle], is_wrong: Callable[[Puzzle, Reply], bool]) -> None:
    """Raise `InputError` if a command is right about all puzzles in another format, and wrong about the first now.

    Such a command is not wrong: it reads its input in another way. Only one that is started for each puzzle has any.
    """
    if not isinstance(solver, Command) or not solver.is_one_shot or not is_wrong(puzzles[0], solver.ask(puzzles[0])):
        return

    def is_right(puzzle: Puzzle) -> bool:
        reply = other.ask(puzzle, solver.timeout)
        solved.append(isinstance(reply, SolverAnswer) and not reply.unsolvable)
        return not is_wrong(puzzle, reply)

    for form in formats():
        solved = list[bool]()
        with contextlib.suppress(InputError):  # the format may be for another kind
            program = replace(solver.program, form=form)
            with Command(program, timeout=solver.timeout, memory_mb=solver.memory_mb) as other:
                other.until = solver.until
                if all(map(is_right, puzzles)) and sum(solved) > 1:
                    break
    else:
        return
    own = solver.program.form or "inline"
    raise InputError(solver.name, f"it answers right in --format {form}, and wrong in --format {own}")


def _is_unread(reply: Reply) -> TypeGuard[SolverFailure]:
    return isinstance(reply, SolverFailure) and reply.problem == "malformed-output"
