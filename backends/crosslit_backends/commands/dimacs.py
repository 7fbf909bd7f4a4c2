"""SAT solvers that are commands: they read DIMACS and answer as in the SAT Competition or as MiniSat does."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, SubprocessError, check_output
from typing import TYPE_CHECKING, Any

from crosslit.base.errors import SpecError
from crosslit.base.grid import Grid
from crosslit.contract import Backend, ContractError, GaveUp, Task
from crosslit.kinds import Puzzle
from crosslit_backends.commands.child_processes import (
    CommandBackend,
    answer_to,
    command_words,
    exit_words,
    file_version,
    last_words,
    with_path,
)

if TYPE_CHECKING:
    from crosslit_encoders.formula import DecodedAnswer

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
    preload = ("numpy", "crosslit_encoders.formula")

    def version(self) -> str:
        """Return the version that a known command prints, or else the hash of its file."""
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
        clauses = [*cnf.clause_lines(formula)]
        known: set[Grid] = set()
        while True:
            header = cnf.header_line(formula.variables, len(formula) + len(known))
            answer = self._ask(b"".join([header, *clauses]), task)
            if answer.status == "unsatisfiable":
                return
            if answer.status != "satisfiable":
                raise GaveUp("the solver ended without an answer: it says UNKNOWN")
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
            clauses.append(cnf.clause_line(formula.blocking(model)))

    def _ask(self, data: bytes, task: Task) -> DecodedAnswer:
        """Run the command on a formula; raise if the way it ends contradicts its answer."""
        from crosslit_encoders.formula import read_answer

        output, errors, code = answer_to(self.words, "{cnf}", "formula.cnf", data, task)
        try:
            answer = read_answer(output.decode(errors="replace").splitlines())
        except ValueError as error:
            raise ContractError(f"the solver's answer is wrong: {error}") from None
        if code < 0:
            raise ContractError(f"the solver was {exit_words(code)}{last_words(errors)}")
        if answer.status is None:
            what = "a model without a status" if answer.literals is not None else "no answer"
            raise ContractError(f"the solver gives {what}, exit status {code}{last_words(errors)}")
        if code in _EXIT and answer.status != _EXIT[code]:
            raise ContractError(f"the solver says {answer.status}, and its exit status {code} says {_EXIT[code]}")
        return answer


@cache
def _version(path: str, flag: str, _changed: int) -> str:
    """Return the version number that a command prints; empty if it prints none."""
    try:
        written = check_output([path, flag], stdin=DEVNULL, stderr=DEVNULL, timeout=_VERSION_SECONDS)
    except (OSError, SubprocessError):
        return ""
    output = written.decode(errors="replace").strip()
    number = re.search(r"\d+\.\d+[\w.+-]*", output)
    return number[0] if number else output.partition("\n")[0][:40]


def command(name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
    """Make a backend from a user's command; see `crosslit.registry.define`."""
    words = command_words(name, text, "{cnf}", "{out}")
    if not words:
        raise SpecError(f"solver {name}: expected a command, as in 'kissat -q {{cnf}}'")
    return SatCommand(name, with_path(words, folder), groups)


BACKENDS: list[Any] = [SatCommand(name, tuple(shlex.split(text))) for name, (text, _) in _KNOWN.items()]
