"""Commands as solvers under test: persistent ones, and ones that are started for every puzzle."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosslit_backends.programs import protocol
from crosslit_backends.programs.program import Mode, Program
from crosslit_backends.programs.protocol import Claims, Reply, SolverAnswer, SolverFailure

from crosslit.base.errors import InputError
from crosslit.base.posix import require_isolation
from crosslit.kinds import Puzzle, find_kind
from crosslit.runs.linux import end_watched, start_watched
from crosslit_verify import guard
from crosslit_verify.channel import NoAnswer, WaitGuard
from crosslit_verify.clock import OutOfTime
from crosslit_verify.settings import Settings
from crosslit_verify.stream import probes
from crosslit_verify.subject import MEMORY_MB, START_SECONDS, TIMEOUT, Subject, Watched, left_behind

_MAX_SHOWN = 400  # bytes of input and of output that a failure shows


class Command(Watched):
    """A command under a guard, which runs in a small separate process, given by its description or its words.

    The time is for each puzzle, for a one-shot command including the start and end of the process. A persistent process
    gets the seconds for ``loading`` in addition for its first answer; they are lowered once a first answer has come.
    """

    _mode: Mode

    def __init__(
        self,
        program: Program | Sequence[str],
        claims: Claims = "one",
        *,
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
        loading: float = START_SECONDS,
    ) -> None:
        if not isinstance(program, Program):
            try:
                program = Program(tuple(program), claims, mode=self._mode)
            except ValueError as error:
                raise InputError("solver", str(error)) from None
        self.program, self._loading = program, loading
        self._is_first = True  # until the first question has an answer or a failure
        # A random name, so that two verifications at a time do not exchange puzzles, and nobody can prepare a link
        # there.
        folder = Path(tempfile.gettempdir(), f"crosslit-{secrets.token_hex(8)}")
        self._path = folder / f"puzzle{program.suffix}" if program.reads_file else None
        self.words = tuple(program.filled(str(self._path)))
        if not self.words or not self.words[0]:
            raise InputError("solver", "expected a command")
        if any("\0" in word for word in self.words):
            raise InputError("solver", "expected a command without null characters")
        require_isolation()
        if shutil.which(self.words[0]) is None:
            quoted = len(self.words) == 1 and shutil.which(self.words[0].partition(" ")[0]) is not None
            hint = "; write its words without quotes around them all" if quoted else ""
            raise InputError(self.words[0], f"no such command, or not executable{hint}")
        super().__init__(self.words[0], program.claims, timeout, memory_mb)

    def _start_guard(self, theirs: socket.socket) -> WaitGuard:
        errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115  (closed with the guard)
        # By its file, not as a module: that would import all of this package, which takes 0.1 s.
        words = guard.__file__, theirs.fileno(), self._bounds.memory, self._bounds.processes, *self.words
        process, mark = start_watched(words, theirs.fileno(), errors)

        def wait_guard(seconds: float) -> str:
            end_watched(process, mark, seconds / 2, seconds / 2)
            with errors:
                errors.seek(0)
                lines = errors.read().decode(errors="replace").strip().splitlines()
            return lines[-1] if lines else f"it ended with status {process.returncode}"

        return wait_guard


class PersistentCommand(Command):
    '''A command that answers puzzle after puzzle in lines: of JSON, or of plain text if its description says so.

    ``docs/reference/verify-protocol.md`` describes both. The arguments are those of `Command`.

    Examples:
        >>> from crosslit.formats import read
        >>> solver = """while read puzzle; do echo '{"solution": "1"}'; done"""
        >>> with PersistentCommand(["sh", "-c", solver]) as subject:
        ...     subject.ask(read("1|1")).solutions[0].text()
        '1'
    '''

    _mode = "json"

    def example(self, puzzle: Puzzle) -> str:
        """Return an example of an answer to a puzzle."""
        if self.program.mode == "json":
            return super().example(puzzle)
        return f"{'/'.join(self.program.output.example(puzzle))} on one line, or unsolvable"

    def notes(self, puzzle: Puzzle, reply: Reply, has_read: bool = True) -> dict[str, str]:
        """Return the question, and another way to ask it, if no reply was read; see `Subject.notes`."""
        notes = super().notes(puzzle, reply, has_read)
        if not notes or self.program.mode != "json":
            return notes
        hint = "if it reads a puzzle on one line and answers in plain text: --lines, or --format inline for one each"
        return notes | {"input": protocol.shown(self._question(puzzle), _MAX_SHOWN), "hint": hint}

    def exchange(self, question: object, seconds: float) -> Any:
        """Return the answer to a question, both in JSON; raise `NoAnswer` if there is none."""
        try:
            if not self._channel.running:
                self._channel.start()
            return json.loads(self._channel.line(json.dumps(question).encode() + b"\n", seconds))
        except NoAnswer:
            self._channel.kill()
            raise

    def _answer(self, puzzle: Puzzle) -> Reply:
        is_json = self.program.mode == "json"
        question = self._question(puzzle) if is_json else self.program.text(puzzle)
        channel, began = self._channel, time.perf_counter()
        fresh = not channel.running
        if fresh:
            channel.start()
        loading = self._loading if fresh else 0.0
        first, self._is_first = self._is_first, False
        try:
            line = channel.line(question, self.timeout, loading)
        except NoAnswer as error:
            failure = error.failure
            if first and failure.problem == "hang":
                self._require_flushed()
            if failure.problem == "crash" and channel.ended is not None and channel.ended.code == 0:
                return replace(failure, detail=f"{failure.detail}; a persistent solver answers until its input ends")
            raise
        reply = self._read(line, puzzle)
        if isinstance(reply, SolverFailure):
            return replace(reply, detail=reply.detail + channel.last_words)
        # The first answer shows how long loading takes; a later restart gets twice that, so that hangs are found
        # sooner.
        if first:
            self._loading = min(self._loading, 2 * (time.perf_counter() - began) + 0.5)
        return reply

    def _question(self, puzzle: Puzzle) -> bytes:
        return protocol.question(puzzle, self._number, self.claims)

    def _require_flushed(self) -> None:
        """Raise `InputError` if the command has a reply to the first puzzle, but does not flush its output."""
        self._loading = min(self._loading, 1.0)  # it hung for longer than loading takes
        if self._channel.idle(1.0).strip():
            return  # a slow solver answers now; one that does not flush answers only when its input ends
        late = self._channel.finish(0.5).strip().partition(b"\n")[0]
        if late and not isinstance(self._read(late, None), SolverFailure):
            advice = "let it read line by line and flush its output after every line, or try --format inline"
            raise InputError(self.name, f"answers only when its input ends: {advice}")

    def _read(self, line: bytes, puzzle: Puzzle | None) -> Reply:
        """Return the reply on a line; without a puzzle, an answer to any puzzle is accepted."""
        if puzzle is not None:
            return self.program.read_line(line, puzzle, self._number)
        return protocol.read_line(line) if self.program.mode == "json" else protocol.read_text(line)


class OneShotCommand(Command):
    """A command that is started for every puzzle, reads it as text, and writes text.

    ``docs/reference/verify-protocol.md`` describes both texts. The arguments are those of `Command`.

    Examples:
        >>> from crosslit.formats import read
        >>> with OneShotCommand(["echo", "11"]) as subject:
        ...     subject.ask(read("2|1,1")).solutions[0].text()
        '11'
    """

    _mode = "one-shot"

    def close(self) -> SolverFailure | None:
        """End the process, and remove the file of its puzzle."""
        try:
            return super().close()
        finally:
            if self._path is not None:
                shutil.rmtree(self._path.parent, ignore_errors=True)

    def example(self, puzzle: Puzzle) -> str:
        """Return an example of an answer to a puzzle."""
        rows = self.program.output.example(puzzle)
        return f"{len(rows)} {'line' if len(rows) == 1 else 'lines'} such as {rows[0]!r}, or unsolvable"

    def _answer(self, puzzle: Puzzle) -> Reply:
        data = self.program.text(puzzle)
        if self._path is not None:
            # Made here and not in the constructor, so that a subject that is never asked leaves nothing behind.
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._path.write_bytes(data)
            data = b""
        channel = self._channel
        channel.start()
        output = channel.whole(data, self.timeout)
        ended = channel.ended
        assert ended is not None
        # Before the output is read: what a killed process wrote may be cut off.
        if ended.code < 0 or ended.killed or ended.memory > self._bounds.memory:
            raise channel.crash()
        reply = self.program.output.read(output, channel.stderr, ended.code, puzzle, self.claims)
        if reply is None:
            raise channel.crash()
        channel.kill()
        if isinstance(reply, SolverFailure):
            reply = replace(reply, detail=reply.detail + channel.last_words)
        return replace(left_behind(ended) or reply, output=channel.output)

    def notes(self, puzzle: Puzzle, reply: Reply, has_read: bool = True) -> dict[str, str]:
        """Return its input and output, and the options that may help; see `Subject.notes`."""
        program, usual = self.program, find_kind(puzzle.kind).file_format
        notes = super().notes(puzzle, reply, has_read) | {
            "file" if program.reads_file else "input": protocol.shown(program.text(puzzle), _MAX_SHOWN),
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

    def _finished(self) -> SolverFailure | None:
        return None


def require_set_up(subject: Subject, puzzle: Puzzle, reply: Reply, settings: Settings) -> None:
    """Check the set-up of a command that has crashed on its first puzzle, by sending it two other puzzles.

    Functions are not checked, since the caller has set them up.

    Raises:
        InputError: if it crashes on all three in the same way, which is hardly the fault of the puzzles.
    """
    if not (isinstance(subject, Command) and isinstance(reply, SolverFailure) and reply.problem == "crash"):
        return
    # Another shape, since a solver may well crash on every puzzle of one row.
    others = [other for other in probes(settings) if other != puzzle]
    others.sort(key=lambda other: (other.rows == puzzle.rows) + (other.columns == puzzle.columns))
    with contextlib.suppress(OutOfTime):
        if [subject.ask(other) for other in others[:2]] == [reply, reply]:
            known = subject.notes(puzzle, reply) or {"hint": "{file} in the command stands for a file with the puzzle"}
            notes = "".join(f"; {name}: {text}" for name, text in known.items())
            seen = f"it crashes on the first three puzzles in the same way; on {puzzle.text}: {reply.detail}{notes}"
            raise InputError(subject.name, f"its set-up seems to be broken: {seen}")
