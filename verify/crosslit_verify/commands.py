"""Commands as solvers under test: persistent ones, and ones that are started for every puzzle."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crosslit_backends.programs import protocol
from crosslit_backends.programs.program import Mode, Program
from crosslit_backends.programs.protocol import Claims, Reply, SolverAnswer, SolverFailure

from crosslit.base.errors import InputError
from crosslit.kinds import Puzzle, find_kind
from crosslit_verify.process import MAX_OUTPUT, MEMORY_MB, TIMEOUT, NoAnswer, Supervised

_MAX_SHOWN = 400  # bytes of input and of output that a failure shows


class Command(Supervised):
    """A command, given by its description or its words, with its limits for one answer."""

    _mode: Mode

    def __init__(
        self,
        program: Program | Sequence[str],
        claims: Claims = "one",
        *,
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        if not isinstance(program, Program):
            try:
                program = Program(tuple(program), claims, mode=self._mode)
            except ValueError as error:
                raise InputError("solver", str(error)) from None
        self.program = program
        # A random name, so that two verifications at a time do not exchange puzzles, and nobody can prepare a link
        # there.
        folder = Path(tempfile.gettempdir(), f"crosslit-{secrets.token_hex(8)}")
        self._path = folder / f"puzzle{program.suffix}" if program.reads_file else None
        self.words = tuple(program.filled(str(self._path)))
        if not self.words or not self.words[0]:
            raise InputError("solver", "expected a command")
        if any("\0" in word for word in self.words):
            raise InputError("solver", "expected a command without null characters")
        super().__init__(self.words[0], program.claims, timeout, memory_mb)
        if shutil.which(self.words[0]) is None:
            quoted = len(self.words) == 1 and shutil.which(self.words[0].partition(" ")[0]) is not None
            hint = "; write its words without quotes around them all" if quoted else ""
            raise InputError(self.words[0], f"no such command, or not executable{hint}")

    def _become(self, descriptors: Sequence[int]) -> None:
        for target, descriptor in enumerate(descriptors[:3]):
            os.dup2(descriptor, target)  # the copies alone survive the next call
        try:
            os.execvp(self.words[0], self.words)
        except OSError as error:
            os.write(2, f"it cannot be started: {error.strerror}".encode())
            os._exit(127)


class PersistentCommand(Command):
    '''A command that answers puzzle after puzzle in lines: of JSON, or of plain text if its description says so.

    ``docs/reference/verify-protocol.md`` describes both. The arguments are those of `Command`.

    Examples:
        >>> from crosslit.formats import read
        >>> solver = """while read puzzle; do echo '{"solution": "1"}'; done"""
        >>> with PersistentCommand(["sh", "-c", solver]) as solver:
        ...     solver.ask(read("1|1")).solutions[0].text
        '1'
    '''

    _mode = "json"
    _is_first = True  # until the first question has an answer or a failure

    def example(self, puzzle: Puzzle) -> str:
        """Return an example of an answer to a puzzle."""
        if self.program.mode == "json":
            return super().example(puzzle)
        return f"{'/'.join(self.program.output.example(puzzle))} on one line, or unsolvable"

    def notes(self, puzzle: Puzzle, reply: Reply, has_read: bool = True) -> dict[str, str]:
        """Return the question, and another way to ask it, if no reply was read; see `Solver.notes`."""
        notes = super().notes(puzzle, reply, has_read)
        if not notes or self.program.mode != "json":
            return notes
        hint = "if it reads a puzzle on one line and answers in plain text: --lines, or --format inline for one each"
        return notes | {"input": protocol.shown(self._question(puzzle), _MAX_SHOWN), "hint": hint}

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        question = self._question(puzzle) if self.program.mode == "json" else self.program.render(puzzle)
        began, loading = time.monotonic(), 0.0
        if not self._running:
            self._start()
            loading = self._loading
        first, self._is_first = self._is_first, False
        try:
            line = self._line(question, seconds + loading)
        except NoAnswer as error:
            failure = error.failure
            if first and failure.problem == "hang":
                self._require_flushed()
            if failure.problem == "crash" and self._end is not None and self._end.code == 0:
                return replace(failure, detail=f"{failure.detail}; a persistent solver answers until its input ends")
            raise
        reply = self.program.read_line(line, puzzle, self._number)
        # The first answer shows how long loading takes; a restart gets twice that, so that hangs are found sooner.
        if first:
            self._loading = min(self._loading, 2 * (time.monotonic() - began) + 0.5)
        if isinstance(reply, SolverFailure):
            return replace(reply, detail=reply.detail + self._last_words)
        return reply

    def _question(self, puzzle: Puzzle) -> bytes:
        return protocol.question(puzzle, self._number, self.claims)

    def _require_flushed(self) -> None:
        """Raise `InputError` if the command has a reply to the first puzzle, but does not flush its output."""
        self._loading = min(self._loading, 1.0)  # it hung for longer than loading takes
        if self._idle(1.0).strip():
            return  # a slow solver answers now; one that does not flush answers only when its input ends
        self._close_input()
        late = self._idle(0.5).strip().partition(b"\n")[0]
        read = protocol.read_line if self.program.mode == "json" else protocol.read_text
        if late and not isinstance(read(late), SolverFailure):
            advice = "let it read line by line and flush its output after every line, or try --format inline"
            raise InputError(self.name, f"answers only when its input ends: {advice}")


class OneShotCommand(Command):
    """A command that is started for every puzzle, reads it as text, and writes text.

    ``docs/reference/verify-protocol.md`` describes both texts. The arguments are those of `Command`.

    Examples:
        >>> from crosslit.formats import read
        >>> with OneShotCommand(["echo", "11"]) as solver:
        ...     solver.ask(read("2|1,1")).solutions[0].text
        '11'
    """

    _mode = "one-shot"

    def close(self) -> SolverFailure | None:
        """End the process, and remove the file of its puzzle."""
        try:
            self._kill()
            self._lose()
        finally:
            if self._path is not None:
                shutil.rmtree(self._path.parent, ignore_errors=True)
        return None

    def example(self, puzzle: Puzzle) -> str:
        """Return an example of an answer to a puzzle."""
        rows = self.program.output.example(puzzle)
        return f"{len(rows)} {'line' if len(rows) == 1 else 'lines'} such as {rows[0]!r}, or unsolvable"

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        data = self.program.render(puzzle)
        if self._path is not None:
            # Made here and not in the constructor, so that a solver that is never asked leaves nothing behind.
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._path.write_bytes(data)
            data = b""
        self._start()
        output = self._whole(data, seconds)
        assert self._end is not None
        code, left = self._end.code, self._left_behind()
        # Before the output is read: what a killed process wrote may be cut off.
        if code < 0 or self._killed:
            raise self._crash()
        reply = self.program.output.read(output, self._stderr, code, puzzle, self.claims)
        if reply is None:
            raise self._crash()
        self._kill()
        if isinstance(reply, SolverFailure):
            reply = replace(reply, detail=reply.detail + self._last_words)
        return replace(left or reply, output=output[:MAX_OUTPUT])

    def notes(self, puzzle: Puzzle, reply: Reply, has_read: bool = True) -> dict[str, str]:
        """Return its input and output, and the options that may help; see `Solver.notes`."""
        program, usual = self.program, find_kind(puzzle.kind).file_format
        notes = super().notes(puzzle, reply, has_read) | {
            "file" if program.reads_file else "input": protocol.shown(program.render(puzzle), _MAX_SHOWN),
            "output": protocol.shown(reply.output, _MAX_SHOWN),
        }
        failure, hint = reply.problem if isinstance(reply, SolverFailure) else "", ""
        if failure in ("malformed-output", "crash"):
            hint = program.output.hint(reply.output, puzzle)
        elif self.claims == "unique" and isinstance(reply, SolverAnswer) and reply.unique is None:
            hint = program.output.unique_hint(reply.output)
        if not hint and usual and not (program.form or program.output.is_protocol):
            hint = f"if it does not read puzzles on one line: --format {usual}"
        if not hint and failure == "crash" and program.form == usual:
            hint = "if it does not read this format: --format names another one"
        return notes | ({"hint": hint} if hint else {})
