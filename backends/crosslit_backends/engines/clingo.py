"""clingo: answer set programming."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import PARAMETER, Backend, GaveUp, Option, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Constraint, Model, Values


class Clingo(ModelEngine):
    """clingo of Potassco: clasp enumerates the answer sets of a program by conflict-driven search.

    M. Gebser, R. Kaminski, B. Kaufmann and T. Schaub, "Multi-shot ASP solving with clingo", Theory and Practice of
    Logic Programming 19 (2019). It enumerates by backtracking, without a clause for each solution.
    """

    name = "clingo"
    summary = "answer set programming; enumerates without blocking clauses"
    package = "clingo"
    extra = "clingo"
    targets = frozenset({"linear-xor", "linear"})
    groups = frozenset({"asp", "engines"})
    trusted_base = frozenset({"cdcl", "clasp"})
    options: ClassVar[Mapping[str, Option]] = {
        "seed": Option("random seed; default 1", 0, 2**31 - 1),
        PARAMETER: Option("an option of clingo, as in param.sat-prepro=no", is_text=True),
    }
    switches = tuple(f"{PARAMETER}{switch}" for switch in ("eq=0", "sat-prepro=no", "restarts=no"))
    preload = ("clingo", "crosslit_encoders.finite_domain")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield the answer sets of a ground program: gringo takes minutes for the sums in the text form of models."""
        from crosslit_encoders.finite_domain import without_integers

        model = without_integers(model)
        control = _control(task)
        # All of them: clingo stops after one model by default.
        control.configuration.solve.models = 0
        with control.backend() as program:
            atoms = [program.add_atom() for _ in model.domains]
            program.add_rule(atoms, choice=True)
            for constraint in model.constraints:
                _add(program, constraint, atoms)
            if minimize:
                program.add_minimize(0, [*zip(atoms, model.weights, strict=False)])
        task.phase("solve")
        cells = atoms[: model.cells]
        with control.solve(yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                while not handle.wait(_SECONDS):  # return to Python regularly so that it can handle an interrupt
                    pass
                answer = handle.model()
                if answer is None:
                    break
                yield [answer.is_true(cell) for cell in cells]
            if not handle.get().exhausted:
                raise GaveUp("clingo was interrupted")


def _control(task: Task) -> Any:
    import clingo

    words = [f"--{name}={value}" for name, value in task.parameters.items()]
    try:
        return clingo.Control([f"--seed={task.options.get('seed', 1)}", *words], message_limit=0)
    except RuntimeError as error:
        raise GaveUp(f"clingo refuses {' '.join(words)}: {error}") from None


def _add(program: Any, constraint: Constraint, atoms: list[int]) -> None:
    """Add integrity constraints: rules without a head, whose bodies must not hold."""
    from crosslit_encoders.finite_domain import Linear, Parity

    own = [atoms[variable] for variable in constraint.variables]
    if isinstance(constraint, Parity):
        odd, *others = own
        for atom in others:  # a new atom holds if exactly one of the two does
            before, odd = odd, program.add_atom()
            program.add_rule([odd], [before, -atom])
            program.add_rule([odd], [-before, atom])
        program.add_rule([], [-odd if constraint.value else odd])
    elif isinstance(constraint, Linear):
        for sign, bound in ((1, constraint.high), (-1, None if constraint.low is None else -constraint.low)):
            if bound is not None:  # a larger sum must not hold; weights are positive, including those of negated atoms
                terms = [(sign * factor, atom) for (factor, _), atom in zip(constraint.terms, own, strict=True)]
                body = [(atom, factor) if factor > 0 else (-atom, -factor) for factor, atom in terms]
                least = bound + 1 - sum(factor for factor, _ in terms if factor < 0)
                program.add_weight_rule([], max(0, least), body)
    else:
        raise TypeError(f"{constraint!r:.60} is not a constraint of the targets")


_SECONDS = 0.2

BACKENDS: list[Backend] = [Clingo()]
