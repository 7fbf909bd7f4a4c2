"""clingo: answer set programming."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, ClassVar

from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit_backends.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Model, Values


class Clingo(ModelEngine):
    """clingo of Potassco: gringo grounds the program, and clasp enumerates its answer sets by conflict-driven search.

    M. Gebser, R. Kaminski, B. Kaufmann and T. Schaub, "Multi-shot ASP solving with clingo", Theory and Practice of
    Logic Programming 19 (2019). It enumerates by backtracking, without a clause for each solution.
    """

    name = "clingo"
    summary = "answer set programming: grounding, then conflict-driven search; enumerates without blocking clauses"
    package = "clingo"
    install = "'crosslit[clingo]'"
    targets: ClassVar[frozenset[str]] = frozenset({"linear-xor", "linear"})
    groups: ClassVar[frozenset[str]] = frozenset({"asp", "engines"})
    trusted_base: ClassVar[frozenset[str]] = frozenset({"cdcl", "clasp"})
    options: ClassVar[Mapping[str, Option]] = {"seed": Option("random seed; default 1", 0, 2**31 - 1)}
    preload: ClassVar[tuple[str, ...]] = ("clingo", "crosslit_encoders.forms.asp")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """The answer sets of the program that `crosslit_encoders.forms.asp` writes."""
        import clingo
        from crosslit_encoders.finite_domain import without_integers
        from crosslit_encoders.forms import asp

        model = without_integers(model)
        program = list(asp.write(model))
        if minimize:
            program.append(f"#minimize {{1,P: x(P), P <= {model.cells}}}.")
        control = clingo.Control([f"--seed={task.options.get('seed', 1)}"], message_limit=0)
        control.configuration.solve.models = 0
        control.add("base", [], "\n".join(program))
        control.ground([("base", [])])
        # by the solver's literals: to compare each atom of an answer set with those of the cells takes longer
        literals = [
            control.symbolic_atoms[clingo.Function("x", [clingo.Number(cell + 1)])].literal
            for cell in range(model.cells)
        ]
        task.phase("solve")
        with control.solve(yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                while not handle.wait(_SECONDS):  # so that Python hears an interrupt
                    pass
                answer = handle.model()
                if answer is None:
                    break
                yield [answer.is_true(literal) for literal in literals]
            if not handle.get().exhausted:
                raise GaveUp("clingo was interrupted")


_SECONDS = 0.2

BACKENDS: list[Backend] = [Clingo()]
