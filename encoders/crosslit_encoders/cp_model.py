"""CP-SAT models, made from finite-domain models and from clauses."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crosslit.base.grid import Grid, Layout
from crosslit.base.records import Result
from crosslit_encoders.cells import Extension, cell_comments
from crosslit_encoders.finite_domain import Constraint, InRange, Linear, Model, Parity, Regular

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from crosslit_encoders.formula import Formula

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True, repr=False)
class CpFormula(Result):
    """A CP-SAT model over the cells of a grid: the solution itself, or a part that determines it."""

    rows: int
    columns: int
    model: cp_model.CpModel
    cells: list[Any]  # a Boolean variable for each cell, or for each value of each cell, as in `Model`
    extend: Extension | None = None  # from that grid to the solution, unless it is the solution
    states: int = 2  # of a cell

    @property
    def layout(self) -> Layout:
        """The form of the grid of cells that have variables."""
        return Layout(self.rows, self.columns, self.states)

    def grid(self, values: Sequence[int]) -> Grid:
        """Return the solution, given the value (0 or 1) of each cell."""
        grid = self.layout.decode("".join("01"[value] for value in values))
        return grid if self.extend is None else self.extend(grid)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of variables and constraints."""
        return {"variables": len(self.model.proto.variables), "constraints": len(self.model.proto.constraints)}

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the model as a CP-SAT protobuf: text with the comments, or binary, which has no comments."""
        if not binary:
            for comment in (*comments, *cell_comments(self.layout, self.extend, 0)):
                yield f"# {comment}\n".encode()
        with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:  # ortools can only write to a file
            path = Path(folder) / ("model.pb" if binary else "model.pbtxt")
            if not self.model.export_to_file(str(path)):
                raise ValueError("ortools cannot write the model")
            yield path.read_bytes()


def cp_sat_of(encode: Callable[[Any], Model | Formula]) -> Callable[[Any], CpFormula]:
    """Return an encoding to CP-SAT made from an encoding to a finite-domain model, or to clauses."""
    return lambda puzzle: cp_sat(encode(puzzle))


def cp_sat(model: Model | Formula) -> CpFormula:
    """Return the CP-SAT model with the same variables and constraints.

    Most constraints are parsed from text: with a call for each, 53,524 clauses took three times as long.
    """
    from ortools.sat.python import cp_model

    target = cp_model.CpModel()
    if isinstance(model, Model):
        domains = model.domains
        rest = [known for known in model.constraints if isinstance(known, Regular)]
        texts = [text for constraint in model.constraints for text in _texts(constraint, model)]
    else:
        # Variable 1 of the clauses is 0 here, and the negation of variable v is -v - 1: negative literals stay.
        literals = np.where(model.literals > 0, model.literals - 1, model.literals)
        domains, rest = [(0, 1)] * model.variables, []
        begin = "constraints{bool_or{literals:["
        clauses = begin + number_lines(literals, model.ends, ",").replace("\n", f"]}}}}{begin}")
        texts = [clauses.removesuffix(begin).replace("[,", "[")]
    variables = [target.new_bool_var("") for _ in range(model.cells)]
    others = domains[model.cells :]
    if rest:  # before version 9.15, OR-Tools finds no variable that was parsed
        variables += [target.new_int_var(low, high, "") for low, high in others]
        others = []
    texts = [f"variables{{domain:[{low},{high}]}}" for low, high in others] + texts
    _parse("".join(texts), target.proto)
    for constraint in rest:
        own = [variables[variable] for variable in constraint.variables]
        target.add_automaton(own, constraint.start, constraint.finals, constraint.transitions)
    return CpFormula(model.rows, model.columns, target, variables[: model.cells], model.extend, model.states)


def _parse(text: str, proto: Any) -> None:
    if hasattr(proto, "merge_text_format"):
        proto.merge_text_format(text)
    else:  # before version 9.15 of OR-Tools
        from google.protobuf import text_format  # type: ignore[import-untyped]

        text_format.Merge(text, proto)


# Lists have the same form in Python as in text protobufs.


def _boolean(name: str, literals: list[int]) -> str:
    return f"constraints{{{name}{{literals:{literals}}}}}"


def _linear(variables: list[int], coefficients: list[int], domain: list[int], condition: str = "") -> str:
    return f"constraints{{{condition}linear{{vars:{variables} coeffs:{coefficients} domain:{domain}}}}}"


def _texts(constraint: Constraint, model: Model) -> Iterator[str]:
    if isinstance(constraint, Parity):
        # bool_xor requires odd parity; negating one literal makes it even.
        first, *others = constraint.variables
        yield _boolean("bool_xor", [first if constraint.value else -first - 1, *others])
    elif isinstance(constraint, Linear):
        is_clause = model.is_clause(constraint)
        if is_clause or model.is_exactly_one(constraint):
            literals = [variable if sign == 1 else -variable - 1 for sign, variable in constraint.terms]
            yield _boolean("bool_or" if is_clause else "exactly_one", literals)
        else:
            low = _LEAST if constraint.low is None else constraint.low
            high = _GREATEST if constraint.high is None else constraint.high
            coefficients, variables = map(list, zip(*constraint.terms, strict=True))
            yield _linear(variables, coefficients, [low, high])
    elif isinstance(constraint, InRange):
        # Both directions are needed. With only the first, a false Boolean would allow every start, and one solution
        # would become several models.
        boolean, integer, low, high = constraint.boolean, constraint.integer, constraint.low, constraint.high
        least, greatest = model.domains[integer]
        outside = [bound for pair in ((least, low - 1), (high + 1, greatest)) if pair[0] <= pair[1] for bound in pair]
        yield _linear([integer], [1], [low, high], f"enforcement_literal:{boolean} ")
        yield _linear([integer], [1], outside, f"enforcement_literal:{-boolean - 1} ")


def number_lines(numbers: NDArray[np.integer], ends: NDArray[np.integer], separator: str) -> str:
    r"""Return lines of integers as text, with a separator in front of each integer and a line end after each line.

    The text of each number is looked up in a table up to the greatest, so it should be about as large as their count.

    Args:
        numbers: those of all lines in sequence.
        ends: for each line, the index after its last number, ascending.
        separator: one character.

    Examples:
        >>> number_lines(np.array([1, -20, 3]), np.array([2, 2, 3]), ",")
        ',1,-20\n\n,3\n'
    """
    greatest = int(np.abs(numbers).max(initial=0))
    digits = np.arange(greatest + 1).astype(f"S{len(str(greatest))}")  # padded with zero bytes, removed at the end
    words = np.zeros((2 * greatest + 2, 2 + digits.itemsize), np.uint8)
    words[:, 0] = ord(separator)
    words[: greatest + 1, 2:] = digits.view(np.uint8).reshape(greatest + 1, digits.itemsize)
    words[greatest + 1 : -1, 1:] = words[greatest:0:-1, 1:]  # -greatest to -1, where negative indices find them
    words[greatest + 1 : -1, 1] = ord("-")
    words[-1, 0] = ord("\n")
    # -1 is the line end, so the negative numbers are one further from the end
    places = np.insert(numbers - (numbers < 0), ends, -1)
    # as one item each: an array of bytes takes three times as long to look up
    return words.view(f"V{words.shape[1]}")[places].tobytes().translate(None, b"\0").decode()
