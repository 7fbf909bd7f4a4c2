"""Programs that read a puzzle and write solutions, as ``[solvers.NAME]`` of ``crosslit.toml`` describes them.

The process is in the run's session, under the run's limits. A program that promises one solution is asked once, and the
backend then gives up: it cannot claim that there are no more.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pkgutil import iter_modules

from crosslit import formats, kinds
from crosslit.base.errors import InputError, OneFound, SpecError
from crosslit.base.grid import Grid
from crosslit.contract import Backend, ContractError, GaveUp, Task
from crosslit.kinds import Puzzle
from crosslit_backends.commands.child_processes import CommandBackend, last_words, output_of, run_folder, with_path
from crosslit_backends.programs.program import Program, parse
from crosslit_backends.programs.protocol import Abstention, Reply, SolverFailure, question

_MAX_BYTES = 1 << 24  # maximum size of an answer


@dataclass(frozen=True)
class ProgramBackend(CommandBackend):
    """A program with its own formats of puzzles and answers."""

    program: Program = field(kw_only=True)
    kinds: frozenset[str] = field(kw_only=True)

    noun = "program"

    @property
    def preload(self) -> tuple[str, ...]:  # type: ignore[override]
        """The modules that read and write puzzles, so that the clock of a run does not count their import."""
        return ("crosslit_backends.programs.program", *_readers())

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Return why its format cannot hold the puzzle; None if it can."""
        program = self.program
        if program.mode == "one-shot" and not (program.form or puzzle.is_usual):
            return "only puzzles of the usual rules, unless its description names a format"
        try:
            program.for_kind(puzzle.kind).render(puzzle)
        except InputError as error:
            return str(error)
        return None

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield the solutions of the program's answer."""
        reply = self.reply_to(puzzle, task)
        if isinstance(reply, SolverFailure):
            raise ContractError(f"{reply.problem}: {reply.detail}")
        if isinstance(reply, Abstention):
            raise GaveUp(f"the program answers {reply.word}")
        if reply.more:
            raise GaveUp("the program gives more solutions than are read")
        for number, grid in enumerate(reply.solutions):
            if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
                raise ContractError(f"the program gives a grid of {grid.rows} x {grid.columns}")
            if grid in reply.solutions[:number]:
                raise ContractError("the program gives a solution twice")
            yield grid
        if not (reply.unsolvable or self.program.claims == "all" or reply.unique):
            others = " and says that there are others" if reply.unique is False else " only"
            raise OneFound(f"the program gives one solution{others}")

    def reply_to(self, puzzle: Puzzle, task: Task) -> Reply:
        """Run the program on a puzzle."""
        task.phase("load")
        program = self.program.for_kind(puzzle.kind)
        with ExitStack() as stack:
            words = list(program.words)
            data = question(puzzle, 1, program.claims) if program.mode == "json" else program.render(puzzle)
            if program.reads_file:
                path = stack.enter_context(run_folder()) / f"puzzle{program.suffix}"
                path.write_bytes(data)
                words = program.filled(str(path))
                data = b""
            task.phase("solve")
            output, errors, code = output_of(words, task, data)
            task.phase("decode")
        if len(output) > _MAX_BYTES:
            raise ContractError(f"the program writes more than {_MAX_BYTES} bytes")
        return self._read(puzzle, output, errors, code)

    def _read(self, puzzle: Puzzle, output: bytes, errors: bytes, code: int) -> Reply:
        program = self.program
        if code >= 0 and program.mode == "one-shot":
            reply = program.output.read(output, errors, code, puzzle, program.claims)
            if reply is not None:
                return reply
        lines = output.strip().splitlines()
        if code == 0 and program.mode != "one-shot" and lines:
            return program.read_line(lines[0], puzzle)
        return SolverFailure("crash", f"exit status {code} without an answer{last_words(errors)}")


@cache  # asked for each run
def _readers() -> tuple[str, ...]:
    own = (f"crosslit.formats.{found.name}" for found in iter_modules(formats.__path__))
    known = (f"crosslit.kinds.{found.name}.kind" for found in iter_modules(kinds.__path__) if found.ispkg)
    return *own, *known


def program(name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
    """Make a backend from a description; see `crosslit.registry.define`."""
    try:
        described = parse(text)
    except ValueError as error:
        raise SpecError(f"program {name}: {error}") from None
    words = with_path(described.words, folder)
    kinds = frozenset(filter(None, [described.kind]))
    return ProgramBackend(name, words, groups, program=replace(described, words=words), kinds=kinds)
