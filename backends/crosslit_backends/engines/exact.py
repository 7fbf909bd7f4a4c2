"""Exact: pseudo-Boolean solving by cutting planes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from crosslit.contract import Backend, GaveUp, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Linear, Model, Values


class Exact(ModelEngine):
    """Exact: conflict-driven search that learns cutting planes, which are integer linear constraints.

    J. Elffers and J. Nordstrom, "Divide and conquer: towards faster pseudo-Boolean solving", IJCAI 2018; Exact descends
    from their RoundingSat. Its licence is the AGPL-3.0: therefore no other extra includes it, and only a run that asks
    for it imports it.
    """

    name = "exact"
    summary = "pseudo-Boolean search that learns cutting planes (AGPL-3.0)"
    package = "exact"
    extra = "exact"
    targets = frozenset({"linear"})
    groups = frozenset({"pb", "engines"})
    trusted_base = frozenset({"cutting-planes"})
    preload = ("exact", "crosslit_encoders.finite_domain")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield solutions; a constraint over the cells excludes each before the next search."""
        import exact
        from crosslit_encoders.finite_domain import LinearRows

        solver: Any = exact.Exact([("verbosity", "0")])
        _restore_signal_handlers()
        names = [f"x{place}" for place in range(len(model.domains))]
        for name, (low, high) in zip(names, model.domains, strict=True):
            solver.addVariable(name, low, high)
        if isinstance(model.constraints, LinearRows):
            for terms, least, is_sum in model.constraints.rows(names.__getitem__):
                solver.addConstraint(terms, True, least, is_sum, least)
        else:
            for constraint in model.constraints:
                _add(solver, constraint)  # type: ignore[arg-type]  # the target has no others
        cells = names[: model.cells]
        if minimize:
            solver.setObjective([*zip(model.weights, cells, strict=True)], True)
        task.phase("solve")
        while (status := solver.runFull(minimize)) == "SAT" or (minimize and solver.hasSolution()):
            values = solver.getLastSolutionFor(cells)
            yield values
            if minimize:
                return
            solver.invalidateLastSol(cells)
        if status != "UNSAT":
            raise GaveUp(f"Exact ended with {status}")


def _restore_signal_handlers() -> None:
    """Install Python's signal handlers again.

    Exact replaces them by its own, unseen by Python; with these Ctrl-C and SIGTERM would do nothing for the rest of the
    process but end every later search.
    """
    if threading.current_thread() is threading.main_thread():  # Python allows it in no other
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.getsignal(number))


def _add(solver: Any, linear: Linear) -> None:
    terms = [(factor, f"x{variable}") for factor, variable in linear.terms]
    solver.addConstraint(terms, linear.low is not None, linear.low or 0, linear.high is not None, linear.high or 0)


BACKENDS: list[Backend] = [Exact()]
