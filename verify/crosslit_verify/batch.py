"""A command that solves many puzzles in one start, because its start takes long."""

from __future__ import annotations

import itertools
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosslit_backends.commands.program import ProgramBackend
from crosslit_backends.programs.answers import Reply, SolverFailure
from crosslit_backends.programs.program import FILES, OPTIONS, Program, describe
from crosslit_generate import Case

from crosslit import registry
from crosslit.errors import InputError
from crosslit.kinds import Puzzle
from crosslit_verify.backend_command import BackendCommand, interpreter
from crosslit_verify.channel import NoAnswer
from crosslit_verify.commands import Command, OneShotCommand, PersistentCommand
from crosslit_verify.pair import Pair
from crosslit_verify.settings import Settings
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
        reply = replace(self.program.read_line(line, puzzle), output=line)
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


def subject_of(program: Program, kind: str, *, timeout: float = TIMEOUT, memory_mb: int = MEMORY_MB) -> Command:
    """Return the subject that asks a program in its mode about puzzles of a kind."""
    used = PersistentCommand if program.mode != "one-shot" else BatchCommand if program.is_batch else OneShotCommand
    return used(program.for_kind(kind), timeout=timeout, memory_mb=memory_mb)


def make_subject(
    words: str | Sequence[str],
    spec: str | None,
    settings: Settings,
    options: Mapping[str, Any],
    puzzles: Sequence[Puzzle] = (),
) -> Subject:
    """Return the solver under test: a backend, or else a command as the options describe it; or two to compare.

    A backend that is a program is asked as the program, so that a failure shows what it read and wrote.
    """
    if other := options.get("against"):
        options = {**options, "against": ""}
        first = make_subject(words, spec, settings, options, puzzles)
        if not Path(other).expanduser().exists():
            spec = other
        elif spec is None:
            words = [interpreter(other), *words[1:]]
        else:
            options |= {"python": other}
        return Pair(first, make_subject(words, spec, settings, options, puzzles))

    bounds = {name: options[name] for name in ("timeout", "memory_mb")}
    if spec is None:
        described = {name: options[name] for name in OPTIONS if options.get(name)}
        try:
            program = describe(words, settings.claims, **described)
        except ValueError as error:
            raise InputError("solver", str(error)) from None
        return subject_of(program, settings.kind, **bounds)
    if not (python := options.get("python", "")):
        for named in registry.find_backends([spec]):
            if isinstance(named, ProgramBackend):
                return subject_of(replace(named.program, claims=settings.claims), settings.kind, **bounds)
    return BackendCommand(spec, settings, python=python, puzzles=puzzles, **bounds)


def in_batches(subject: Subject, numbered: Iterable[tuple[int, Case]]) -> Iterator[tuple[int, Case]]:
    """Yield cases, of which a subject that takes batches has prepared several; the first one is sent by itself."""
    cases = iter(numbered)
    yield from itertools.islice(cases, 1)
    while batch := list(itertools.islice(cases, SIZE if isinstance(subject, BatchCommand) else 1)):
        if isinstance(subject, BatchCommand):
            subject.prepare([case.puzzle for _, case in batch])
        yield from batch
