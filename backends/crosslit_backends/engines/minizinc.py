"""Solvers of MiniZinc, run by the command ``minizinc``."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from subprocess import DEVNULL, SubprocessError, check_output
from typing import TYPE_CHECKING, ClassVar

from crosslit.base.errors import SpecError
from crosslit.contract import UNKNOWN, Backend, ContractError, GaveUp, Option, Task, Unavailable
from crosslit_backends.commands.child_processes import (
    command_words,
    counting_threads,
    file_version,
    last_words,
    start,
    with_path,
)
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Model, Values

_SECONDS = 5.0  # for minizinc to list its solvers
_KNOWN = {"gecode": "minizinc --solver gecode -a {mzn}", "chuffed": "minizinc --solver chuffed -a {mzn}"}
_LINEAGES = {"gecode": frozenset({"gecode"}), "chuffed": frozenset({"chuffed", "cdcl"})}  # lazy clause generation
_SEARCH = {
    "dom-wdeg": "int_search(x, dom_w_deg, indomain_min)",
    "input-order": "int_search(x, input_order, indomain_min)",
    "first-row": "seq_search([int_search([x[i] | i in 1..COLUMNS], input_order, indomain_min), "
    "int_search(x, dom_w_deg, indomain_min)])",
}
_NO_MORE = ("==========", "=====UNSATISFIABLE=====")


@dataclass(frozen=True)
class MiniZinc(ModelEngine):
    """A solver of MiniZinc: the model is written in MiniZinc, compiled to FlatZinc, and all solutions are read.

    N. Nethercote et al., "MiniZinc: towards a standard CP modelling language", CP 2007. Gecode is a constraint solver
    without learning, Chuffed one with lazy clause generation.
    """

    name: str
    # `{mzn}` stands for standard input, which is the model; without `-a`, the command gives one solution and no claim
    words: tuple[str, ...]
    groups: frozenset[str] = frozenset({"cp", "engines"})

    targets = frozenset({"fd", "linear"})
    options: ClassVar[Mapping[str, Option]] = {
        "search": Option(
            "the next cell to branch on: dom-wdeg, by failures of its constraints; input-order, row by row; first-row, "
            "that row in order, then the rest by dom-wdeg; default dom-wdeg",
            choices=tuple(_SEARCH),
        )
    }
    preload = ("crosslit_encoders.forms.mzn",)

    @property
    def summary(self) -> str:  # type: ignore[override]
        """A line that describes the solver."""
        return f"the MiniZinc command {' '.join(self.words)}"

    @property
    def trusted_base(self) -> frozenset[str]:  # type: ignore[override]
        """The compiler and the solver; a solver other than Gecode and Chuffed may contain any engine."""
        return frozenset({"minizinc"}) | _LINEAGES.get(self._solver, frozenset({UNKNOWN}))

    @property
    def _solver(self) -> str:
        """The word after ``--solver``; empty if there is none."""
        return dict(zip(self.words, self.words[1:], strict=False)).get("--solver", "").lower()

    def version(self) -> str:
        """Return the solver's name and version as MiniZinc lists it, or the hash of the command that calls one."""
        path = shutil.which(self.words[0])
        if path is None:
            hint = "; Debian's package minizinc provides it, with Gecode" if self.words[0] == "minizinc" else ""
            raise Unavailable(f"the command {self.words[0]} is not found, or not executable{hint}")
        if not self._solver:
            return file_version(path)
        found = _solvers(path, os.stat(path).st_mtime_ns).get(self._solver)  # noqa: PTH116
        if found is None:
            raise Unavailable(f"the solver {self._solver} is not installed in {path}")
        return found

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield the solutions that the command prints."""
        from crosslit_encoders.forms import mzn

        strategy = _SEARCH[task.options.get("search", "dom-wdeg")].replace("COLUMNS", str(model.columns))
        presses = " + ".join(f"{weight}*x[{cell}]" for cell, weight in enumerate(model.weights, 1))
        objective = f"minimize {presses}" if minimize else "satisfy"
        with ExitStack() as stack:
            # Unnamed files: a killed run leaves nothing behind, and neither end waits for the other as at a full pipe.
            source = stack.enter_context(tempfile.TemporaryFile())
            for line in [*mzn.write(model, f"solve :: {strategy} {objective};"), r'output ["x = \(x);\n"];']:
                source.write(f"{line}\n".encode())
            source.seek(0)
            errors = stack.enter_context(tempfile.TemporaryFile())
            task.phase("solve")
            stack.enter_context(counting_threads(task))  # left after the process has been waited for
            words = ["-" if word == "{mzn}" else word for word in self.words]
            process = stack.enter_context(start(words, source, errors))  # left last: it waits for the killed process
            stack.callback(process.kill)
            assert process.stdout is not None
            last = ""
            for line in (line.decode(errors="replace").strip() for line in process.stdout):
                if line.startswith("x ="):
                    values = [int(value) for value in re.findall("[01]", line)]
                    if len(values) != model.cells:
                        raise ContractError(f"{self.name} gives {len(values)} values of {model.cells} cells")
                    yield values
                elif line:
                    last = line
            if last not in _NO_MORE:
                if process.wait():
                    errors.seek(0)
                    raise ContractError(f"{self.name}: exit status {process.returncode}{last_words(errors.read())}")
                raise GaveUp(f"{self.name} does not claim that there are no more solutions: {last or 'no output'}")


@cache
def _solvers(path: str, _changed: int) -> dict[str, str]:
    """Return the version of each solver of MiniZinc, by all its short names."""
    try:
        listed = json.loads(check_output([path, "--solvers-json"], stderr=DEVNULL, timeout=_SECONDS))
        return {
            name.lower(): f"{solver['name']} {solver['version']}"
            for solver in listed
            if not solver.get("requiredFlags")  # set for commercial solvers that are not installed
            for name in (solver["id"], solver["id"].rpartition(".")[2])
        }
    except (OSError, SubprocessError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def command(name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
    """Make a backend from a command with ``{mzn}``; see `crosslit.registry.define`."""
    words = command_words(name, text, "{mzn}")
    if "{mzn}" not in words[1:]:
        raise SpecError(f"solver {name}: expected a command, as in {_KNOWN['gecode']!r}")
    return MiniZinc(name, with_path(words, folder), groups)


BACKENDS: list[Backend] = [MiniZinc(name, tuple(shlex.split(text))) for name, text in _KNOWN.items()]
