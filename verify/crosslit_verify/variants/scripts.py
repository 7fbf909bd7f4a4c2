"""Scripts that solve a model through the public interface of an engine.

A script is what runs, and what a report shows: a few lines in which only the lists of numbers depend on the model. It
leaves ``answers``, one ``(status, point, objective, effort)`` for each step; effort is conflicts or simplex iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from string import Template
from typing import Any

from crosslit_verify.variants.model import Constraint, Model, Number, Wrong


def _text(value: Any) -> str:
    """Return numbers and lists of them as Python, and fractions as floats."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    return repr(float(value)) if isinstance(value, Fraction) and value.denominator > 1 else str(value)


def _mapping(terms: Iterable[tuple[int, Number]]) -> str:
    return "{" + ", ".join(f"{variable}: {_text(factor)}" for variable, factor in terms) + "}"


def _lists(constraints: Iterable[Constraint], kind: str) -> str:
    """Return the constraints of a kind as Python; empty if there are none."""
    own = [item.data for item in constraints if item.kind == kind or (item.kind, kind) == ("nfa", "regular")]
    if kind == "linear" and own:
        return f"[{', '.join(f'({_mapping(terms)}, {sense}, {_text(bound)})' for terms, sense, bound in own)}]"
    return _text(own) if own else ""


def _units(pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return values as literals of DIMACS."""
    return [index + 1 if value else -index - 1 for index, value in pairs]


def _head(model: Model) -> list[str]:
    pairs = (f"({_text(low)}, {_text(high)})" for _, low, high in model.variables)
    return ["from operator import eq, ge, le", f"bounds = [{', '.join(pairs)}]"]


@dataclass(frozen=True)
class Engine:
    """An engine under test, and the snippets of its scripts, in which ``$words`` stand for parts of a model."""

    package: str  # the module it is imported from
    accepts: frozenset[str]  # kinds of constraints and variables, and ``objective``, ``steps`` and ``hint``
    start: str  # makes a solver and the variables
    add: Mapping[str, str]  # adds the constraints in the list ``$own``, by their kind
    solve: str  # solves and stores the answer
    objective: str = ""
    fix: str = ""  # assumes values for one step
    hint: str = ""
    between: str = ""  # between two steps
    option: Callable[[str, Any], str] = lambda *_: ""  # sets an option
    options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # change no answer; the strongest first
    tolerance: Fraction = Fraction(0)  # relative tolerance of its arithmetic; 0 if it is exact
    name: str = ""  # within the package
    export: tuple[str, str] = ("", "")  # writes the model in its own language to the file ``path``; the suffix
    lineage: str = ""  # engines of the same lineage do not confirm each other
    hard_size: int = 5  # most rows and columns of puzzles that it solves in seconds, but not at once

    def source(self, model: Model) -> str:
        """Return the script of a model."""
        if not self.tolerance:  # old versions of Z3 round a fraction times an integer variable
            model = replace(model, constraints=tuple(map(Constraint.scaled, model.constraints)))
        return "\n".join(filter(None, ["answers = []", *_head(model), *self._lines(model)]))

    def _lines(self, model: Model) -> Iterator[str]:
        kinds = [variable.kind for variable in model.variables]
        words = {
            "name": self.name,
            "letters": "".join({"bool": "B", "int": "I", "real": "C"}[kind] for kind in kinds),
            "integers": [index for index, kind in enumerate(kinds) if kind == "int"],
            "discrete": [index for index, kind in enumerate(kinds) if kind != "real"],
            "size": len(kinds) + 1,
            "solver": "Optimize" if model.objective else "Solver",
            "cost": _mapping(model.objective),
            "settings": [*model.options],
        }
        yield Template(self.start).substitute(words)
        if not (self.package == "z3" and model.objective):  # an Optimize object has other options
            yield from (self.option(name, value) for name, value in model.options)
        yield Template(self.objective).substitute(words) if model.objective else ""
        yield from self._added("", model.constraints)
        for number, step in enumerate(model.steps):
            yield from self._added(f"_{number}", step.added)
            words |= {"fixed": _mapping(step.fixed), "hint": _mapping(step.hint), "number": number}
            words |= {"assumed": _units(step.fixed), "phases": _units(step.hint)}
            yield Template(self.fix).substitute(words) if step.fixed else ""
            yield Template(self.hint).substitute(words) if step.hint else ""
            yield Template(self.solve).substitute(words)
            yield Template(self.between).substitute(words) if step is not model.steps[-1] else ""

    def _added(self, suffix: str, constraints: Iterable[Constraint]) -> Iterator[str]:
        for kind, loop in self.add.items():
            if own := _lists(constraints, kind):
                yield f"{kind}s{suffix} = {own}"
                yield Template(loop).substitute(own=f"{kind}s{suffix}")

    def report(self, model: Model, wrong: Wrong) -> str:
        """Return a Python script that shows a wrong answer with only the engine, and what its point breaks."""
        source = self.source(model)
        lines = [f"# {wrong.problem}", source]
        if not wrong.point:  # a crash
            return "\n".join([*lines, ""])
        fixed = model.steps[wrong.step].fixed
        lines += ["# check the point", f"point = {_text([*wrong.point])}"]
        lines.append("broken = [i for i, (low, high) in enumerate(bounds) if not low <= point[i] <= high]")
        if fixed:
            lines.append(f"broken += [i for i, v in {_mapping(fixed)}.items() if point[i] != v]")
        for kind, (names, test) in _CHECKS.items():
            if own := _lists(model.all_constraints(wrong.step), kind):
                here = f"{kind}s" if f"\n{kind}s = {own}\n" in source else own  # the script may have the list already
                lines.append(f"broken += [({names}) for {names} in {here} if {test}]")
        lines.append(f"print(answers[{wrong.step}], 'the point', point, 'breaks', broken or 'nothing')")
        if model.objective:
            lines.append(f"print('its objective:', sum(c * point[i] for i, c in {_mapping(model.objective)}.items()))")
        return "\n".join([*lines, ""])


_CHECKS = {
    "linear": ("t, s, b", "not s(v := sum(c * point[i] for i, c in t.items()), b) and abs(v - b) > 1e-4"),
    "clause": ("own", "not any(point[abs(i) - 1] == (i > 0) for i in own)"),
    "xor": ("own, value", "sum(point[i] for i in own) % 2 != value"),
    "table": ("own, rows", "[point[i] for i in own] not in rows"),
}
"""Names for the parts of a constraint, and a condition that a point breaks it, by its kind."""
