"""Z3: satisfiability modulo theories."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit_backends.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Constraint, Model, Values


class Z3(ModelEngine):
    """Z3: conflict-driven search with Xor as clauses, and pseudo-Boolean or integer arithmetic for sums.

    L. de Moura and N. Bjorner, "Z3: an efficient SMT solver", TACAS 2008. Solutions are excluded by clauses.
    """

    name = "z3"
    summary = "SMT: conflict-driven search with pseudo-Boolean and integer arithmetic"
    package = "z3-solver"
    install = "'crosslit[z3]'"
    targets: ClassVar[frozenset[str]] = frozenset({"linear-xor", "linear"})
    groups: ClassVar[frozenset[str]] = frozenset({"smt", "engines"})
    trusted_base: ClassVar[frozenset[str]] = frozenset({"cdcl", "z3"})
    options: ClassVar[Mapping[str, Option]] = {"seed": Option("random seed; default 0", 0, 2**31 - 1)}
    preload: ClassVar[tuple[str, ...]] = ("z3", "crosslit_encoders.finite_domain")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """The models of a solver, or the one of an optimizer."""
        import z3

        context = z3.Context()
        solver: Any = z3.Optimize(ctx=context) if minimize else z3.Solver(ctx=context)
        if not minimize:
            solver.set("random_seed", task.options.get("seed", 0))
        variables = [
            z3.Bool(f"x{place}", context) if domain == (0, 1) else z3.Int(f"x{place}", context)
            for place, domain in enumerate(model.domains)
        ]
        for (low, high), variable in zip(model.domains, variables, strict=True):
            if (low, high) != (0, 1):
                solver.add(low <= variable, variable <= high)
        for constraint in model.constraints:
            solver.add(_translated(constraint, variables))
        cells = variables[: model.cells]
        if minimize:
            solver.minimize(z3.Sum([z3.If(cell, 1, 0) for cell in cells]))
        task.phase("solve")
        while (answer := solver.check()) == z3.sat:
            found = solver.model()
            values = [int(z3.is_true(found[cell])) for cell in cells]
            yield values
            if minimize:
                return
            solver.add(z3.Or([z3.Not(cell) if value else cell for cell, value in zip(cells, values, strict=True)]))
        if answer != z3.unsat:
            raise GaveUp(f"Z3 does not know: {solver.reason_unknown()}")


def _translated(constraint: Constraint, variables: list[Any]) -> list[Any]:
    import z3
    from crosslit_encoders.finite_domain import Linear, Parity

    own = [variables[variable] for variable in constraint.variables]
    if isinstance(constraint, Parity):
        odd = reduce(z3.Xor, own)
        return [odd if constraint.value else z3.Not(odd)]
    if not isinstance(constraint, Linear):
        raise TypeError(f"{constraint!r:.60} is no constraint of the targets")
    factors = [factor for factor, _ in constraint.terms]
    found = []
    if all(z3.is_bool(variable) for variable in own):
        terms = list(zip(own, factors, strict=True))
        if constraint.low == constraint.high:
            return [z3.PbEq(terms, constraint.low)]
        if constraint.low is not None:
            found.append(z3.PbGe(terms, constraint.low))
        if constraint.high is not None:
            found.append(z3.PbLe(terms, constraint.high))
        return found
    numbers = [
        z3.If(variable, factor, 0) if z3.is_bool(variable) else factor * variable
        for variable, factor in zip(own, factors, strict=True)
    ]
    if constraint.low is not None:
        found.append(z3.Sum(numbers) >= constraint.low)
    if constraint.high is not None:
        found.append(z3.Sum(numbers) <= constraint.high)
    return found


BACKENDS: list[Backend] = [Z3()]
