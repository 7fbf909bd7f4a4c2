"""The file forms by name, and models written in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosslit.base.errors import UnreadableModel
from crosslit.base.grid import Grid
from crosslit.base.numbers import shorten
from crosslit.base.records import Result
from crosslit_encoders.cells import cell_comments
from crosslit_encoders.finite_domain import Model, Parity, describe, without_integers
from crosslit_encoders.forms import asp, fzn, lp, mps, mzn, opb, smt2, xcsp3
from crosslit_encoders.forms.reading import Reading


class Form(Protocol):
    """The interface of a module of this package."""

    COMMENT: str
    BOOLEAN: bool

    def write(self, model: Model) -> Iterator[str]:
        """Yield the lines of the file, without comments."""

    def read(self, lines: Iterable[str]) -> Reading:
        """Return the status and the values in a solver's output.

        Raises:
            ValueError: if the output is not an answer; the message says why.
        """


FORMS: dict[str, Form] = {
    "mzn": mzn,
    "fzn": fzn,
    "xcsp3": xcsp3,
    "asp": asp,
    "smt2": smt2,
    "opb": opb,
    "lp": lp,
    "mps": mps,
}


@dataclass(frozen=True, repr=False)
class Written(Result):
    """A model in a file form."""

    model: Model
    form: Form

    @classmethod
    def of(cls, model: Model, name: str = "") -> Written:
        """Return a model in the named form; the default is MiniZinc, or ASP if the model has parity constraints."""
        has_parity = any(isinstance(constraint, Parity) for constraint in model.constraints)
        form = FORMS[name or ("asp" if has_parity else "mzn")]
        return cls(without_integers(model) if form.BOOLEAN else model, form)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of variables and constraints."""
        return self.model.sizes

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the file, in pieces.

        Raises:
            ValueError: if the form has no binary variant and one is requested.
            GaveUp: if the form needs another program that is not installed.
        """
        if binary:
            raise ValueError("only CP-SAT models have a binary form")
        model, sign = self.model, self.form.COMMENT
        lines = self.form.write(model)
        first = next(lines)  # the header of OPB must be the first line
        yield f"{first}\n".encode()
        for comment in (*comments, *cell_comments(model, 1)):
            # A comment in XML must not contain two hyphens in a row.
            yield (f"<!-- {comment.replace('--', '- -')} -->\n" if sign == "<!--" else f"{sign} {comment}\n").encode()
        for line in lines:
            yield f"{line}\n".encode()

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """Return the status, the solution and the first broken constraint; see `crosslit.contract.ReadsModels`."""
        status, values = self.values(lines)
        if values is None:
            return status, None, None
        broken = self.model.broken(values)
        return status, self.model.grid(values), shorten(describe(broken), 200) if broken else None

    def values(self, lines: Iterable[str]) -> tuple[str | None, list[int] | None]:
        """Return the status in a solver's output, and the values of all variables if there are some.

        Raises:
            UnreadableModel: if it is not an answer about this model.
        """
        try:
            status, found = self.form.read(lines)
            if found is None:
                return status, None
            if status == "unsatisfiable":
                raise ValueError("it says unsatisfiable and gives a model")
            return status, self._completed(found)
        except ValueError as error:
            raise UnreadableModel(str(error)) from None

    def _completed(self, found: Mapping[int, int]) -> list[int]:
        """Return the values of all variables, in their order.

        Raises:
            ValueError: if there is a value that the model does not allow, or none of a variable that has to have one.
        """
        domains = self.model.domains
        if self.form in (lp, mps, asp):  # solvers leave out zeros and false atoms
            defaults = dict.fromkeys(range(len(domains)), 0)
        else:  # ACE and others do not know variables without constraints
            defaults = {variable: domains[variable][0] for variable in self.model.unused}
        values = {**defaults, **found}
        for variable, value in values.items():
            # A variable that the model lacks gets an empty range, which rejects every value.
            low, high = domains[variable] if variable < len(domains) else (0, -1)
            if not low <= value <= high:
                raise ValueError(f"x{variable + 1} = {value} is not a value of a variable of this model")
        if lacking := [variable for variable in range(len(domains)) if variable not in values]:
            raise ValueError(f"no values of {len(lacking)} variables, the first is x{lacking[0] + 1}: a partial model")
        return [values[variable] for variable in range(len(domains))]
