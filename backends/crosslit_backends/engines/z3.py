"""Z3: satisfiability modulo theories."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import PARAMETER, Backend, GaveUp, Option, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Constraint, Model, Values


class Z3(ModelEngine):
    """Z3: conflict-driven search, with XORs as clauses and pseudo-Boolean or integer arithmetic for sums.

    L. de Moura and N. Bjorner, "Z3: an efficient SMT solver", TACAS 2008. A clause excludes each solution found.
    """

    name = "z3"
    summary = "SMT: conflict-driven search with pseudo-Boolean and integer arithmetic"
    package = "z3-solver"
    extra = "z3"
    targets = frozenset({"linear-xor", "linear"})
    groups = frozenset({"smt", "engines"})
    trusted_base = frozenset({"cdcl", "z3"})
    options: ClassVar[Mapping[str, Option]] = {
        PARAMETER: Option("a parameter of Z3's solver, as in param.relevancy=0", is_text=True),
    }
    preload = ("z3", "crosslit_encoders.forms.smt2")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield the models of a solver, or the one of an optimizer."""
        import z3
        from crosslit_encoders.forms import smt2

        context = z3.Context()
        solver: Any = z3.Optimize(ctx=context) if minimize else z3.Solver(ctx=context)
        known = solver.param_descrs()
        readers: dict[int, Any] = {  # of values, by the kind of a parameter; Z3 itself would refuse a wrong one late
            z3.Z3_PK_UINT: lambda text: range(1 << 32).index(int(text)),  # and take this one modulo 2^32
            z3.Z3_PK_BOOL: {"true": True, "false": False}.__getitem__,
            z3.Z3_PK_DOUBLE: float,
        }
        for name, value in task.parameters.items():
            if name not in map(known.get_name, range(known.size())):
                raise GaveUp(f"Z3's solver has no parameter {name}")
            try:
                solver.set(name, readers.get(known.get_kind(name), str)(value))
            except (KeyError, ValueError):
                raise GaveUp(f"Z3's parameter {name} cannot be {value}") from None
        if not minimize:
            solver.set("model", True)  # without models, every cell would seem to be empty
        lines = list(smt2.declarations(model))
        for constraint in model.constraints:
            lines += _assertions(model, constraint)
        solver.from_string("\n".join(lines))  # takes a fifth of the time of making its Python objects
        cells = [z3.Bool(f"x{cell + 1}", context) for cell in range(model.cells)]
        if minimize:
            solver.minimize(z3.Sum([z3.If(cell, weight, 0) for weight, cell in zip(model.weights, cells, strict=True)]))
        task.phase("solve")
        while (answer := solver.check()) == z3.sat:
            found = solver.model()
            values = [int(z3.is_true(found[cell])) for cell in cells]
            yield values
            if minimize:
                return
            solver.add(z3.Or([z3.Not(cell) if value else cell for cell, value in zip(cells, values, strict=True)]))
        if answer != z3.unsat:
            raise GaveUp(f"Z3 answers unknown: {solver.reason_unknown()}")


def _assertions(model: Model, constraint: Constraint) -> Iterator[str]:
    """Yield SMT-LIB, with Z3's pseudo-Boolean constraints if all variables are Boolean."""
    from crosslit_encoders.finite_domain import Linear
    from crosslit_encoders.forms import smt2

    is_boolean = all(map(model.is_boolean, constraint.variables))
    if not isinstance(constraint, Linear) or not is_boolean or model.is_clause(constraint):
        yield from smt2.assertions(model, constraint)
        return
    literals = " ".join(smt2.literal(factor, variable) for factor, variable in constraint.terms)
    factors = " ".join(str(abs(factor)) for factor, _ in constraint.terms)
    # Coefficients are natural numbers: -a x is written a (not x) - a, and the constant moves to the bound.
    shift = sum(min(0, factor) for factor, _ in constraint.terms)
    names = {"=": "pbeq", ">=": "pbge", "<=": "pble"}
    for relation, bound in constraint.relations:
        # a negative bound holds or fails for all values; Z3 reads natural numbers only
        if bound - shift >= 0:
            yield f"(assert ((_ {names[relation]} {bound - shift} {factors}) {literals}))"
        elif relation != ">=":
            yield "(assert false)"


BACKENDS: list[Backend] = [Z3()]
