"""Solver commands that read a model in a file form: LP, OPB, SMT-LIB, XCSP3 or ASP."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crosslit.base.errors import SpecError, UnreadableModel
from crosslit.base.grid import Grid
from crosslit.contract import Backend, ContractError, GaveUp, Task
from crosslit.contract.registered import forms
from crosslit.kinds import Puzzle
from crosslit_backends.commands.child_processes import (
    CommandBackend,
    answer_to,
    command_words,
    exit_words,
    last_words,
    with_path,
)

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Written

_EXTENSIONS = {"asp": "lp", "xcsp3": "xml"}  # of files; the others are named after their form


@dataclass(frozen=True)
class FormCommand(CommandBackend):
    """A solver behind a command, restarted for every solution with a constraint that excludes each earlier one.

    ``{lp}``, or another of `crosslit.contract.registered.forms`, stands for the file of the model, and ``{out}``
    for one that the command writes; without that, or if it stays empty, its standard output is the answer.
    """

    form: str = field(kw_only=True)

    preload = ("crosslit_encoders.finite_domain",)

    @property
    def targets(self) -> frozenset[str]:  # type: ignore[override]
        """The targets whose models have this form."""
        return frozenset(forms()[self.form].load().TARGETS)

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions."""
        model = task.encode(puzzle)
        task.stats.update(model.sizes)
        written: Written = replace(model, constraints=[*model.constraints]).as_form(self.form)
        known: set[tuple[int, ...]] = set()
        while (values := self._ask(written, task)) is not None:
            cells = tuple(values[: model.cells])
            if cells in known:
                raise ContractError("the solver repeats a model that a constraint excludes")
            known.add(cells)
            yield model.grid(cells)
            written.model.add(written.model.blocking(cells))

    def _ask(self, written: Written, task: Task) -> list[int] | None:
        """Return the values of the variables in the answer of the command; None if there is no solution."""
        task.phase("load")
        name, data = f"model.{_EXTENSIONS.get(self.form, self.form)}", b"".join(written.written([], binary=False))
        output, errors, code = answer_to(self.words, f"{{{self.form}}}", name, data, task)
        if code < 0:
            raise ContractError(f"the solver was {exit_words(code)}{last_words(errors)}")
        try:
            status, values = written.read(output.decode(errors="replace").splitlines())
        except UnreadableModel as error:
            raise ContractError(f"the solver's answer is wrong: {error}") from None
        if status == "unknown":
            raise GaveUp("the solver ended without an answer: it does not know")
        if values is None and status != "unsatisfiable":
            raise ContractError(f"the solver gives no model and no verdict, exit status {code}{last_words(errors)}")
        return values


def command(name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
    """Make a backend from a command with the name of a form; see `crosslit.registry.define`."""
    form = next(form for form in forms() if f"{{{form}}}" in text)
    words = command_words(name, text, f"{{{form}}}", "{out}")
    if not any(f"{{{form}}}" in word for word in words[1:]):
        raise SpecError(f"solver {name}: expected a command before {{{form}}}")
    return FormCommand(name, with_path(words, folder), groups, form=form)
