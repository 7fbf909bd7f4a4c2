"""SAT solvers that are commands: they read DIMACS and answer as in the SAT Competition or as MiniSat does.

A run leaves no files behind, however it ends: the formula and MiniSat's answer are files in memory that only the run
holds, and the solver is in the run's session.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosslit.base.errors import SpecError
from crosslit.base.grid import Grid
from crosslit.contract import Backend, ContractError, GaveUp, Task, Unavailable
from crosslit.kinds import Puzzle
from crosslit_backends.commands.child_processes import (
    CommandBackend,
    command_words,
    counting_threads,
    exit_words,
    file_version,
    start,
    with_path,
)

if TYPE_CHECKING:
    from crosslit_encoders.formula import DecodedAnswer, Formula

_MAX_ERROR_BYTES = 2000  # bytes kept from the end of a solver's standard error
_EXIT = {10: "satisfiable", 20: "unsatisfiable"}
_VERSION_SECONDS = 2.0  # time for a command to print its version, in seconds

# Names of commands in Linux distributions: one found on the PATH is a backend of that name. The last word is the option
# that prints the version; MiniSat and Glucose have none.
_KNOWN = {
    "cadical": ("cadical -q {cnf}", "--version"),
    "clasp": ("clasp --verbose=0 {cnf}", "--version"),
    "cryptominisat5": ("cryptominisat5 --verb 0 {cnf}", "--version"),
    "glucose": ("glucose -verb=0 -model {cnf}", ""),
    "kissat": ("kissat -q {cnf}", "--version"),
    "minisat": ("minisat -verb=0 {cnf} {out}", ""),
}


@dataclass(frozen=True)
class SatCommand(CommandBackend):
    """A SAT solver behind a command, restarted for every solution with a clause that excludes each earlier one.

    ``{cnf}`` stands for the file with the formula; without it, standard input is the formula. ``{out}`` stands for a
    file for the answer; without it, the answer is standard output.
    """

    # the engine is unknown, so it must not count as independent of any other SAT solver
    trusted_base: frozenset[str] = field(default=frozenset({"cdcl", "dimacs"}), init=False)

    targets = frozenset({"cnf"})
    preload = ("numpy", "crosslit_encoders.formula", "ctypes", "selectors")

    def version(self) -> str:
        """Return the version that a known command prints, or else the hash of its file."""
        if not hasattr(os, "memfd_create") or not os.path.isdir("/proc/self/fd"):
            raise Unavailable("commands need files in memory and /proc, as Linux has them")
        path = self.path
        flag = _KNOWN.get(Path(path).name, ("", ""))[1]
        output = _version(path, flag, os.stat(path).st_mtime_ns) if flag else ""  # noqa: PTH116
        return f"{Path(path).name} {output}" if output else file_version(path)

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions; a clause over the cells excludes each before the command is restarted."""
        from crosslit_encoders import formula as cnf

        formula = task.encode(puzzle)
        task.stats.update(formula.sizes)
        task.phase("load")
        known: set[Grid] = set()
        with ExitStack() as stack:
            file = _Formula(formula, stack)
            while True:
                task.phase("solve")
                answer = self._ask(file, task)
                if answer.status == "unsatisfiable":
                    return
                if answer.status != "satisfiable":
                    raise GaveUp("the solver ended without an answer: it says UNKNOWN")
                task.phase("decode")
                if answer.literals is None:
                    raise ContractError("the solver says satisfiable and gives no model")
                try:
                    model = cnf.ordered_model(formula, answer.literals)
                except ValueError as error:
                    raise ContractError(f"the solver's answer is wrong: {error}") from None
                grid = formula.grid(model)
                if grid in known:
                    raise ContractError("the solver repeats a model that a clause excludes")
                known.add(grid)
                yield grid
                task.phase("load")
                file.exclude(formula.blocking(model))

    def _ask(self, file: _Formula, task: Task) -> DecodedAnswer:
        """Run the command on the current formula."""
        from crosslit_encoders.formula import read_answer

        with ExitStack() as stack:
            out = _memory_file("answer", stack)
            words = [word.replace("{cnf}", _path(file.file)).replace("{out}", _path(out)) for word in self.words]
            # A solver that reads the file as its standard input shares this position.
            file.file.seek(0)
            stack.enter_context(counting_threads(task))  # left last, when the process has been waited for
            process = start(words, subprocess.DEVNULL if any("{cnf}" in word for word in self.words) else file.file)
            stack.enter_context(process)
            stack.callback(process.kill)
            streams = _Streams(process)
            try:
                answer = read_answer(streams.lines())
                if any("{out}" in word for word in self.words) and (written := out.read()):
                    answer = read_answer(written.decode(errors="replace").splitlines())
            except ValueError as error:
                raise ContractError(f"the solver's answer is wrong: {error}") from None
            code = process.wait()
        return _sound(answer, code, streams.last_words)


def _sound(answer: DecodedAnswer, code: int, last_words: str) -> DecodedAnswer:
    """Return the answer, or raise if the way the command ended contradicts it."""
    tail = f": {last_words}" if last_words else ""
    if code < 0:
        raise ContractError(f"the solver was {exit_words(code)}{tail}")
    if answer.status is None:
        what = "a model without a status" if answer.literals is not None else "no answer"
        raise ContractError(f"the solver gives {what}, exit status {code}{tail}")
    if code in _EXIT and answer.status != _EXIT[code]:
        raise ContractError(f"the solver says {answer.status}, and its exit status {code} says {_EXIT[code]}")
    return answer


class _Formula:
    """A formula in memory to which clauses can be added; a comment pads the header to a fixed length."""

    _ROOM = 80  # bytes; padded by a comment line, because Kissat accepts no second space in the header

    def __init__(self, formula: Formula, stack: ExitStack) -> None:
        from crosslit_encoders.formula import clause_lines

        self._variables, self._clauses = formula.variables, len(formula)
        self.file = _memory_file("formula", stack)
        self._append(clause_lines(formula))

    def exclude(self, clause: list[int]) -> None:
        """Add a clause that excludes a solution."""
        from crosslit_encoders.formula import clause_line

        self._clauses += 1
        self._append([clause_line(clause)])

    def _append(self, pieces: Iterable[bytes]) -> None:
        from crosslit_encoders.formula import header_line

        # The number of clauses changes with every solution; a header of fixed length is overwritten in place.
        header = header_line(self._variables, self._clauses)
        os.pwrite(self.file.fileno(), b"c".ljust(self._ROOM - len(header) - 1, b" ") + b"\n" + header, 0)
        self.file.seek(0, os.SEEK_END)
        for piece in pieces:
            # An unbuffered file may write less than it is given.
            rest = memoryview(piece)
            while rest:
                rest = rest[self.file.write(rest) :]


class _Streams:
    """The output of a process: its lines on standard output, and the end of its standard error."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._errors = process, b""

    @property
    def last_words(self) -> str:
        """The last line on standard error."""
        lines = self._errors.decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else ""

    def lines(self) -> Iterator[str]:
        """Yield the lines of the output as they arrive, until the process closes both streams."""
        import selectors

        output, errors = self._process.stdout, self._process.stderr
        assert output is not None
        assert errors is not None
        begun: list[bytes] = []  # the pieces of an unfinished line
        # Both streams at once: a solver whose standard error is full would wait for a reader.
        with selectors.DefaultSelector() as selector:
            for stream in (output, errors):
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select():
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is errors:
                        self._errors = (self._errors + data)[-_MAX_ERROR_BYTES:]
                    else:
                        first, *others = data.split(b"\n")
                        begun.append(first)
                        if others:
                            yield b"".join(begun).decode(errors="replace")
                            yield from (line.decode(errors="replace") for line in others[:-1])
                            begun = [others[-1]]
        yield b"".join(begun).decode(errors="replace")


def _memory_file(name: str, stack: ExitStack) -> FileIO:
    """Return an unnamed file in memory, which ends with the process that holds it, even if that is killed."""
    # unbuffered: a solver that reads it as standard input shares its position
    return stack.enter_context(FileIO(os.memfd_create(f"crosslit-{name}"), "w+"))


def _path(file: FileIO) -> str:
    """Return a path to a file of this process that others can open, even programs started by a wrapper."""
    # not /dev/fd: some wrappers close inherited descriptors
    return f"/proc/{os.getpid()}/fd/{file.fileno()}"


@cache
def _version(path: str, flag: str, _changed: int) -> str:
    """Return the version number that a command prints; empty if it prints none."""
    try:
        done = subprocess.run(
            [path, flag], stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    output = done.stdout.decode(errors="replace").strip()
    number = re.search(r"\d+\.\d+[\w.+-]*", output)
    return number[0] if number else output.partition("\n")[0][:40]


def command(name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
    """Make a backend from a user's command; see `crosslit.contract.MakesCommands`."""
    words = command_words(name, text, "{cnf}", "{out}")
    if not words:
        raise SpecError(f"solver {name}: expected a command, as in 'kissat -q {{cnf}}'")
    return SatCommand(name, with_path(words, folder), groups)


BACKENDS: list[Any] = [SatCommand(name, tuple(shlex.split(text))) for name, (text, _) in _KNOWN.items()]
