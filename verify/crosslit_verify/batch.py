"""A command that solves many puzzles in one start, because its start takes long."""

from __future__ import annotations

import itertools
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from crosslit_backends.programs.answers import Reply, SolverFailure
from crosslit_backends.programs.program import FILES, Program
from crosslit_generate import Case

from crosslit.kinds import Puzzle
from crosslit_verify.channel import NoAnswer
from crosslit_verify.commands import Command, OneShotCommand, PersistentCommand
from crosslit_verify.subject import MEMORY_MB, TIMEOUT, Subject, left_behind

SIZE = 50
"""Maximum number of puzzles in a batch."""


class BatchCommand(OneShotCommand):
    """A command with ``{files}``: it reads files, and writes a line for each, in their order.

    Only if a whole batch is answered are its lines used; otherwise each puzzle is sent by itself, so that a failure
    belongs to one puzzle. The arguments are those of `Command`.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        assert self._path is not None
        self._folder = self._path.parent
        # The guard always starts the same words, so a shell lists the files.
        words = [f"{shlex.quote(str(self._folder))}/*" if word == FILES else shlex.quote(word) for word in self.words]
        self.words = ("sh", "-c", f"exec {' '.join(words)}")
        self._lines: dict[Puzzle, bytes] = {}

    def prepare(self, puzzles: Sequence[Puzzle]) -> None:
        """Send a batch of puzzles, whose answers are then returned one by one."""
        try:
            self._lines = dict(zip(puzzles, self._outputs(puzzles), strict=True))
        except NoAnswer:
            self._channel.kill()

    def _answer(self, puzzle: Puzzle) -> Reply:
        line = self._lines.pop(puzzle, None)
        if line is None:
            (line,) = self._outputs([puzzle])
        reply = self.program.output.read_line(line, puzzle, self.claims)
        if isinstance(reply, SolverFailure):
            return replace(reply, detail=reply.detail + self._channel.last_words)
        return reply

    def _outputs(self, puzzles: Sequence[Puzzle]) -> list[bytes]:
        """Return the line for each puzzle."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700)
        for number, puzzle in enumerate(puzzles):
            (self._folder / f"puzzle{number:04}{self.program.suffix}").write_bytes(self.program.text(puzzle))
        channel = self._channel
        channel.start()
        output = channel.whole(b"", self.timeout * len(puzzles))
        ended = channel.ended
        assert ended is not None
        if ended.code or ended.killed or ended.memory > self._bounds.memory:
            raise channel.crash()
        channel.kill()
        if (left := left_behind(ended)) is not None:
            raise NoAnswer(left.problem, left.detail)
        lines = [line for line in output.splitlines() if line.strip()]
        if len(lines) != len(puzzles):
            raise NoAnswer("malformed-output", f"{len(lines)} lines for {len(puzzles)} files{channel.last_words}")
        return lines


def subject_of(program: Program, *, timeout: float = TIMEOUT, memory_mb: int = MEMORY_MB) -> Command:
    """Return the subject that asks a program in its mode."""
    kind = PersistentCommand if program.mode != "one-shot" else BatchCommand if program.is_batch else OneShotCommand
    return kind(program, timeout=timeout, memory_mb=memory_mb)


def in_batches(subject: Subject, numbered: Iterable[tuple[int, Case]]) -> Iterator[tuple[int, Case]]:
    """Yield cases, of which a subject that takes batches has prepared several; the first one is sent by itself."""
    cases = iter(numbered)
    yield from itertools.islice(cases, 1)
    while batch := list(itertools.islice(cases, SIZE if isinstance(subject, BatchCommand) else 1)):
        if isinstance(subject, BatchCommand):
            subject.prepare([case.puzzle for _, case in batch])
        yield from batch
