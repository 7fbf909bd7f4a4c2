"""SCIP: constraint integer programming, with native XOR constraints."""

from __future__ import annotations

import operator
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import PARAMETER, Backend, GaveUp, Option, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Constraint, Model, Values


class Scip(ModelEngine):
    """SCIP through PySCIPOpt: linear relaxations and propagation; XOR constraints by Gaussian elimination.

    S. Bolusani et al., "The SCIP Optimization Suite 9.0", 2024. Versions 9.0.1 to 10.0.2 give wrong answers on tiny
    boards: the step ``presolpairwise`` of the XOR presolve accepts solutions that break a constraint. It is off unless
    the option enables it.
    """

    name = "scip"
    summary = "constraint integer programming with native XOR and Gaussian elimination"
    package = "pyscipopt"
    extra = "scip"
    targets = frozenset({"linear-xor", "linear"})
    groups = frozenset({"mip", "engines"})
    trusted_base = frozenset({"mip", "scip"})
    options: ClassVar[Mapping[str, Option]] = {
        "presolpairwise": Option(
            "1: the pairwise presolve of XORs, which is faulty up to SCIP 10.0.2; default 0", 0, 1
        ),
        PARAMETER: Option("a parameter of SCIP, as in param.separating/maxrounds=0", is_text=True),
    }
    preload = ("pyscipopt", "crosslit_encoders.finite_domain")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield solutions; a linear constraint excludes each before the next search."""
        import pyscipopt

        solver: Any = pyscipopt.Model()
        solver.hideOutput()
        solver.setParam("constraints/xor/presolpairwise", bool(task.options.get("presolpairwise", 0)))
        for name, value in task.parameters.items():
            try:  # PySCIPOpt converts the text to the parameter's type, but of truth values only 0 and 1
                solver.setParam(name, {"true": 1, "false": 0}.get(value.lower(), value))
            except KeyError:
                raise GaveUp(f"SCIP has no parameter {name}") from None
            except (OverflowError, TypeError, ValueError):
                raise GaveUp(f"SCIP's parameter {name} cannot be {value}") from None
        # SCIP would catch an interrupt itself and Python would not hear of it.
        solver.setParam("misc/catchctrlc", False)
        variables = [solver.addVar(vtype="I", lb=low, ub=high) for low, high in model.domains]
        for constraint in model.constraints:
            _add(solver, constraint, variables)
        cells = variables[: model.cells]
        if minimize:
            weighted = (weight * cell for weight, cell in zip(model.weights, cells, strict=True))
            solver.setObjective(pyscipopt.quicksum(weighted), "minimize")
        task.phase("solve")
        while True:
            solver.optimize()
            status = solver.getStatus()
            if status == "infeasible":
                return
            if status != "optimal":
                raise GaveUp(f"SCIP ended with the status {status}")
            # Values are floating-point numbers within a tolerance.
            values = [round(solver.getVal(cell)) for cell in cells]
            yield values
            if minimize:
                return
            # Constraints can be added only to the original problem, not to the one transformed by presolve.
            solver.freeTransform()
            _add(solver, model.blocking(values), variables)


def _add(solver: Any, constraint: Constraint, variables: list[Any]) -> None:
    from crosslit_encoders.finite_domain import Linear, Parity
    from pyscipopt import quicksum

    own = [variables[variable] for variable in constraint.variables]
    if isinstance(constraint, Parity):
        solver.addConsXor(own, bool(constraint.value))
        return
    if not isinstance(constraint, Linear):
        raise TypeError(f"{constraint!r:.60} is not a constraint of the targets")
    total = quicksum(factor * variable for (factor, _), variable in zip(constraint.terms, own, strict=True))
    for relation, bound in constraint.relations:
        solver.addCons(_COMPARISONS[relation](total, bound))


_COMPARISONS = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}


BACKENDS: list[Backend] = [Scip()]
