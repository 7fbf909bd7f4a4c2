"""Choco: constraint programming without learning."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import Backend, Option, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Constraint, Model, Regular, Values


class Choco(ModelEngine):
    """Choco through pychoco: propagation of global constraints and depth-first search, without clause learning.

    C. Prud'homme and J.-G. Fages, "Choco-solver: a Java library for constraint programming", Journal of Open Source
    Software 7 (2022). The regular constraint is filtered as in Pesant, CP 2004. The default branching order is that of
    F. Boussemart et al., "Boosting systematic search by weighting constraints", ECAI 2004. With branching row by row,
    propagation clears a board as a chase does, and only the first row is searched.
    """

    name = "choco"
    summary = "constraint programming without learning: propagation, dom/wdeg"
    package = "pychoco"
    extra = "choco"
    targets = frozenset({"fd", "linear"})
    groups = frozenset({"cp", "engines"})
    trusted_base = frozenset({"choco"})
    options: ClassVar[Mapping[str, Option]] = {
        "search": Option(
            "the next cell to branch on: dom-wdeg, by failures of its constraints; input-order, row by row; chs, by "
            "recent failures; default dom-wdeg",
            choices=("dom-wdeg", "input-order", "chs"),
        )
    }
    # not pychoco: it starts a Java runtime, which does not survive the fork of a run
    preload = ("crosslit_encoders.finite_domain",)

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield the solutions of Choco's model, by depth-first search."""
        import pychoco

        built = pychoco.Model()
        variables = [built.intvar(*domain) for domain in model.domains]
        with redirect_stdout(io.StringIO()):  # pychoco 0.4.0 prints each array of variables
            for constraint in model.constraints:
                _add(built, constraint, variables)
            cells = variables[: model.cells]
            if minimize:
                # An objective is one variable; False asks for its minimum.
                total = built.intvar(0, sum(model.weights))
                built.scalar([*cells, total], [*model.weights, -1], "=", 0).post()
                built.set_objective(total, False)
            solver = built.get_solver()
            searches = {
                "dom-wdeg": solver.set_dom_over_w_deg_search,
                "input-order": solver.set_input_order_lb_search,
                "chs": solver.set_conflict_history_search,
            }
            searches[task.options.get("search", "dom-wdeg")](*cells)
        task.phase("solve")
        try:
            while solver.solve():
                yield [cell.get_value() for cell in cells]
        finally:
            task.stats["failures"] = solver.get_fail_count()  # in pychoco 0.4.0 the node count is a time


def _add(built: Any, constraint: Constraint, variables: list[Any]) -> None:
    from crosslit_encoders.finite_domain import InRange, Linear, Regular

    own = [variables[variable] for variable in constraint.variables]
    if isinstance(constraint, Linear):
        factors = [factor for factor, _ in constraint.terms]
        for relation, bound in constraint.relations:
            built.scalar(own, factors, relation, bound).post()
    elif isinstance(constraint, Regular):
        built.regular(own, _automaton(constraint)).post()
    elif isinstance(constraint, InRange):
        built.member(own[1], lb=constraint.low, ub=constraint.high).reify_with(own[0])
    else:
        raise TypeError(f"{constraint!r:.60} is not a constraint of the targets")


def _automaton(constraint: Regular) -> Any:
    from pychoco.objects.automaton.finite_automaton import FiniteAutomaton

    automaton = FiniteAutomaton()
    places = defaultdict[int, int](automaton.add_state)
    for state, value, target in constraint.transitions:
        automaton.add_transition(places[state], places[target], value)
    automaton.set_initial_state(places[constraint.start])
    automaton.set_final(*(places[state] for state in constraint.finals))
    return automaton


BACKENDS: list[Backend] = [Choco()]
