"""Mixed-integer solvers of OR-Tools: HiGHS and CBC."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosslit.contract import FAULTY, PARAMETER, Backend, GaveUp, Option, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Linear, Model, Values


@dataclass(frozen=True)
class Mip(ModelEngine):
    """A mixed-integer solver of OR-Tools: linear relaxations, cuts, and branch and bound.

    The objective is 0, or the number of true cells. A linear constraint excludes each solution found. The package
    highspy is not used, because its library and that of OR-Tools have the same name and different contents: a process
    that has loaded one cannot load the other. OR-Tools also includes SCIP, but that build of SCIP reports solvable
    boards as infeasible, so only its name selects it. Only SCIP takes parameters through OR-Tools.
    """

    name: str
    engine: str
    summary: str
    groups: frozenset[str] = frozenset({"mip", "engines"})

    package = "ortools"
    install = "ortools"
    targets = frozenset({"linear"})
    preload = ("ortools.linear_solver.pywraplp", "crosslit_encoders.finite_domain")

    @property
    def options(self) -> Mapping[str, Option]:  # type: ignore[override]
        """Parameters of SCIP; OR-Tools passes none to the others."""
        parameter = Option("a parameter of SCIP, as in param.presolving/maxrounds=0", is_text=True)
        return {PARAMETER: parameter} if self.engine == "SCIP" else {}

    @property
    def trusted_base(self) -> frozenset[str]:  # type: ignore[override]
        """The solver, and floating-point linear programming."""
        return frozenset({"mip", self.engine.lower()})

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield solutions of the integer program."""
        from ortools.linear_solver import pywraplp

        solver = pywraplp.Solver.CreateSolver(self.engine)
        if solver is None:
            raise GaveUp(f"this build of OR-Tools lacks {self.engine}")
        if self.engine == "HIGHS":
            # otherwise it prints a line for each search
            solver.SetSolverSpecificParametersAsString("output_flag = false")
        # OR-Tools calls a solution within the gap optimal, and the claim rests on that word.
        parameters = {**task.parameters, "limits/gap": 0, "limits/absgap": 0} if task.parameters else {}
        lines = "".join(f"{name} = {value}\n" for name, value in parameters.items())
        if lines and not solver.SetSolverSpecificParametersAsString(lines):
            raise GaveUp(f"{self.name} refuses the parameters {', '.join(task.parameters)}")
        variables = [solver.IntVar(low, high, "") for low, high in model.domains]

        def add(linear: Linear) -> None:
            low = -solver.infinity() if linear.low is None else linear.low
            row = solver.RowConstraint(low, solver.infinity() if linear.high is None else linear.high, "")
            for factor, variable in linear.terms:
                row.SetCoefficient(variables[variable], factor)

        for constraint in model.constraints:
            add(constraint)  # type: ignore[arg-type]  # the target has no others
        cells = variables[: model.cells]
        if minimize:
            solver.Minimize(solver.Sum([weight * cell for weight, cell in zip(model.weights, cells, strict=True)]))
        task.phase("solve")
        while (status := solver.Solve()) == pywraplp.Solver.OPTIMAL:
            # Values are floating-point numbers within a tolerance.
            values = [round(cell.solution_value()) for cell in cells]
            yield values
            if minimize:
                return
            add(model.blocking(values))
        if status != pywraplp.Solver.INFEASIBLE:
            raise GaveUp(f"{self.name} ended with status {status}")


BACKENDS: list[Backend] = [
    Mip("highs", "HIGHS", "mixed-integer programming by HiGHS of OR-Tools: cuts, branch and bound"),
    Mip("cbc", "CBC", "mixed-integer programming by CBC of OR-Tools: cuts, branch and bound"),
    Mip("ortools-scip", "SCIP", "constraint integer programming by SCIP of OR-Tools", frozenset({FAULTY})),
]
