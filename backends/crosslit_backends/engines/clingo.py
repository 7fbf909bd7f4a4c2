"""clingo: answer set programming."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import PARAMETER, Backend, GaveUp, Option, Task
from crosslit_backends.engines.model_engine import ModelEngine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import LinearRows, Model, Values


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
        PARAMETER: Option("an option of clingo, as in param.sat-prepro=no", is_text=True),
    }
    preload = ("clingo", "crosslit_encoders.finite_domain")

    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Yield the answer sets of a ground program: gringo takes minutes for the sums in the text form of models."""
        from crosslit_encoders.finite_domain import without_integers

        model = without_integers(model)
        control = _control(task)
        # The claims rest on these, whatever the user's parameters say: all models, each in full, and the best of them.
        for key, value in (("models", "0"), ("enum_mode", "auto"), ("project", "no"), ("opt_mode", "opt")):
            setattr(control.configuration.solve, key, value)
        with tempfile.NamedTemporaryFile("w", prefix="crosslit-", suffix=".aspif", encoding="utf-8") as file:
            file.writelines(_aspif(model, minimize))  # a call for each constraint takes twice as long
            file.flush()
            control.load(file.name)
        task.phase("solve")
        cells = range(1, model.cells + 1)
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
        return clingo.Control(words, message_limit=0)
    except RuntimeError as error:
        raise GaveUp(f"clingo refuses {' '.join(words)}: {error}") from None


def _aspif(model: Model, minimize: bool) -> Iterator[str]:
    """Yield the lines of a program in which atom n is variable n - 1; rules without a head say what must not hold."""
    from crosslit_encoders.finite_domain import Linear, LinearRows, Parity

    last = len(model.domains)
    yield f"asp 1 0 0\n1 1 {last} {' '.join(map(str, range(1, last + 1)))} 0 0\n"
    constraints = model.constraints
    if isinstance(constraints, LinearRows):
        yield _rules(constraints)
        constraints = []
    for constraint in constraints:
        if isinstance(constraint, Parity):
            odd, *others = (variable + 1 for variable in constraint.variables)
            for atom in others:  # a new atom holds if exactly one of the two does
                last += 1
                yield f"1 0 1 {last} 0 2 {odd} {-atom}\n1 0 1 {last} 0 2 {-odd} {atom}\n"
                odd = last
            yield f"1 0 0 0 1 {-odd if constraint.value else odd}\n"
        elif isinstance(constraint, Linear):
            for sign, bound in ((1, constraint.high), (-1, None if constraint.low is None else -constraint.low)):
                if bound is not None:  # a larger sum must not hold; weights are positive, even those of negated atoms
                    terms = [(sign * factor, variable + 1) for factor, variable in constraint.terms]
                    body = [f"{atom} {factor}" if factor > 0 else f"{-atom} {-factor}" for factor, atom in terms]
                    least = bound + 1 - sum(min(0, factor) for factor, _ in terms)
                    yield f"1 0 0 1 {max(0, least)} {len(body)} {' '.join(body)}\n"
        else:
            raise TypeError(f"{constraint!r:.60} is not a constraint of the targets")
    if minimize:
        weights = [f"{atom} {weight}" for atom, weight in enumerate(model.weights, 1)]
        yield f"2 0 {len(weights)} {' '.join(weights)}\n"
    yield "0\n"


def _rules(rows: LinearRows) -> str:
    """Return the lines for many linear constraints: those that `_aspif` would write one by one."""
    import numpy as np
    from crosslit_encoders.cp_model import number_lines

    count = len(rows)
    sizes = np.diff(rows.ends, prepend=0).astype(np.int32)
    row = np.repeat(np.arange(count), sizes)
    heads, bodies = [], []
    # in 32 bits, because new pages of memory take a third of the time in a run
    for sign, chosen in ((1, rows.exact), (-1, np.full(count, True))):
        factors = sign * rows.coefficients
        negated = np.bincount(row, np.maximum(0, -factors), count).astype(np.int32)
        least = np.maximum(0, sign * rows.least + 1 + negated)
        heads.append(np.stack(np.broadcast_arrays(1, 0, 0, 1, least, sizes), axis=1)[chosen].astype(np.int32))
        terms = np.stack([np.sign(factors) * (rows.variables + 1), np.abs(factors)], axis=1)
        bodies.append(terms[chosen[row]])
    head, body = np.concatenate(heads), np.concatenate(bodies)
    ends = np.cumsum(2 * head[:, 5])
    numbers = np.insert(body.ravel(), np.repeat(ends - 2 * head[:, 5], 6), head.ravel())
    text = number_lines(numbers, ends + 6 * np.arange(1, len(ends) + 1), " ")
    return text.replace("\n ", "\n")[1:]  # clingo takes no blank in front of a line


_SECONDS = 0.2

BACKENDS: list[Backend] = [Clingo()]
