"""CP-SAT models, made from finite-domain models."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosslit.answer import Layout
from crosslit.grid import Grid
from crosslit_encoders.cell_comments import cell_comments
from crosslit_encoders.finite_domain import Constraint, InRange, Linear, Model, Parity, Regular

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True)
class CpFormula:
    """A CP-SAT model over the cells of a grid: the solution itself, or a part that determines it.

    Args:
        rows: number of rows of the grid of variables.
        cells: one Boolean variable for each cell, or for each value of each cell, as in `Model`.
        extend: function from that grid to the solution; None if the grid is the solution.
        states: the number of states of a cell.
    """

    rows: int
    columns: int
    model: cp_model.CpModel
    cells: list[Any]
    extend: Callable[[Grid], Grid] | None = None
    states: int = 2

    def grid(self, values: Sequence[int]) -> Grid:
        """Return the solution, given the value (0 or 1) of each cell."""
        grid = Layout(self.rows, self.columns, self.states).decode("".join("01"[value] for value in values))
        return grid if self.extend is None else self.extend(grid)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of variables and constraints."""
        return {"variables": len(self.model.proto.variables), "constraints": len(self.model.proto.constraints)}

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the model as a CP-SAT protobuf: text with the comments, or binary, which has no comments.

        Raises:
            ValueError: if the model cannot be written.
        """
        if not binary:
            cells = cell_comments(self.rows, len(self.cells) // self.rows, 0, self.extend is not None)
            yield from (f"# {comment}\n".encode() for comment in [*comments, *cells])
        with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:  # ortools can only write to a file
            path = Path(folder) / ("model.pb" if binary else "model.pbtxt")
            if not self.model.export_to_file(str(path)):
                raise ValueError("ortools cannot write the model")
            yield path.read_bytes()


def cp_sat_of(encode: Callable[[Any], Model]) -> Callable[[Any], CpFormula]:
    """Return an encoding to CP-SAT made from an encoding to a finite-domain model."""
    return lambda puzzle: cp_sat(encode(puzzle))


def cp_sat(model: Model) -> CpFormula:
    """Return the CP-SAT model with the same variables and constraints.

    Examples:
        >>> model = Model(1, 2)
        >>> model.add(Parity((0, 1), 0))
        >>> cp_sat(model).sizes
        {'variables': 2, 'constraints': 1}
    """
    from ortools.sat.python import cp_model

    target = cp_model.CpModel()
    # without names: comments in the file say which variables are the cells
    variables = [
        target.new_bool_var("") if domain == (0, 1) else target.new_int_var(*domain, "") for domain in model.domains
    ]
    for constraint in model.constraints:
        _add(target, constraint, variables, model)
    return CpFormula(model.rows, model.columns, target, variables[: model.cells], model.extend, model.states)


def _add(target: cp_model.CpModel, constraint: Constraint, variables: list[Any], model: Model) -> None:
    own = [variables[variable] for variable in constraint.variables]
    if isinstance(constraint, Parity):
        # add_bool_xor requires odd parity; negating one literal makes it even
        target.add_bool_xor(own if constraint.value else [~own[0], *own[1:]])
    elif isinstance(constraint, Regular):
        target.add_automaton(own, constraint.start, constraint.finals, constraint.transitions)
    elif isinstance(constraint, InRange):
        _add_range(target, constraint, variables, model.domains[constraint.integer])
    elif isinstance(constraint, Linear):
        _add_linear(target, constraint, own, model)
    else:
        target.add_allowed_assignments(own, constraint.rows)


def _add_linear(target: cp_model.CpModel, linear: Linear, own: list[Any], model: Model) -> None:
    from ortools.sat.python import cp_model

    at_least, exactly = model.one_of(linear)
    if at_least or exactly:
        literals = [variable if sign > 0 else ~variable for (sign, _), variable in zip(linear.terms, own, strict=True)]
        (target.add_bool_or if at_least else target.add_exactly_one)(literals)
        return
    low = cp_model.INT_MIN if linear.low is None else linear.low
    high = cp_model.INT_MAX if linear.high is None else linear.high
    total = cp_model.LinearExpr.weighted_sum(own, [coefficient for coefficient, _ in linear.terms])
    target.add_linear_expression_in_domain(total, cp_model.Domain(low, high))


def _add_range(target: cp_model.CpModel, link: InRange, variables: list[Any], domain: tuple[int, int]) -> None:
    from ortools.sat.python import cp_model

    # Both directions are needed. With only the first, a false Boolean would allow every start, and one solution would
    # become several models.
    inside = cp_model.Domain(link.low, link.high)
    outside = inside.complement().intersection_with(cp_model.Domain(*domain))
    boolean, integer = variables[link.boolean], variables[link.integer]
    target.add_linear_expression_in_domain(integer, inside).only_enforce_if(boolean)
    target.add_linear_expression_in_domain(integer, outside).only_enforce_if(~boolean)
