"""An engine under test as the snippets of a script, which become a whole one with the lists of a model.

A script uses the public interface of an engine. It is what runs, and what a report shows: a few lines in which only the
lists of numbers depend on the model. It leaves ``answers``, one ``(status, point, objective, effort)`` for each step;
effort is conflicts or simplex iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from string import Template
from typing import Any

from crosslit_verify.variants.model import Constraint, VariantModel, Wrong, units
from crosslit_verify.variants.relations import RELATIONS, statements
from crosslit_verify.variants.scripts import lists, mapping, report, text


def head(model: VariantModel) -> list[str]:
    """Return the first lines of a script."""
    pairs = (f"({text(low)}, {text(high)})" for _, low, high in model.variables)
    return ["from operator import eq, ge, le", f"bounds = [{', '.join(pairs)}]"]


@dataclass(frozen=True)
class ScriptedEngine:
    """An engine under test, and the snippets of its scripts, in which ``$words`` stand for parts of a model."""

    package: str  # the module it is imported from
    # constraints, variables, ``objective``, ``objectives`` of steps, ``steps``, ``hint``; ``dense`` if not slow
    accepts: frozenset[str]
    start: str  # makes a solver and the variables
    add: Mapping[str, str]  # adds the constraints in the list ``$own``, by their kind
    solve: str  # solves and stores the answer
    solve_all: str = ""  # the same with all points
    core: str = ""  # of contradicting assumptions, as literals of DIMACS
    proof: str = ""  # lines of a proof of unsatisfiability by clauses
    objective: str = ""  # in place of the one before
    scope: tuple[str, str] = ("", "")  # begins and ends one in which an objective holds, if steps have their own
    fix: str = ""  # assumes values for one step
    hint: str = ""
    between: str = ""  # between two steps
    option: Callable[[str, Any], str] = lambda *_: ""  # sets an option
    options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # change no answer; the strongest first
    switches: tuple[tuple[str, Any], ...] = ()  # the same, of single parts such as a rule of presolve; never drawn
    tolerance: Fraction = Fraction(0)  # relative tolerance of its arithmetic; 0 if it is exact
    name: str = ""  # within the package
    export: tuple[str, str] = ("", "")  # writes the model in its own language to the file ``path``; the suffix
    lineage: str = ""  # engines of the same lineage do not confirm each other
    hard_size: int = 5  # most rows and columns of puzzles that it solves in seconds, but not at once

    @property
    def identity(self) -> str:
        """A script that leaves the name and version of the engine."""
        return (
            f"import {self.package}\nfrom importlib.metadata import packages_distributions as of, version\n"
            f"name = of()[{self.package!r}][0]\nanswers = [f'{{name}} {{version(name)}}']"
        )

    def answers(self, model: VariantModel, raw: list[Any] | str) -> list[Any] | str:  # noqa: ARG002
        """Return the answers in what a script left, or why there are none."""
        return raw

    def source(self, model: VariantModel) -> str:
        """Return the script of a model."""
        if not self.tolerance:  # old versions of Z3 round a fraction times an integer variable
            model = replace(model, constraints=tuple(map(Constraint.scaled, model.constraints)))
        return "\n".join(filter(None, ["answers = []", *head(model), *self._lines(model)]))

    def _lines(self, model: VariantModel) -> Iterator[str]:
        kinds = [variable.kind for variable in model.variables]
        words = {
            "name": self.name,
            "letters": "".join({"bool": "B", "int": "I", "real": "C"}[kind] for kind in kinds),
            "integers": [index for index, kind in enumerate(kinds) if kind == "int"],
            "discrete": [index for index, kind in enumerate(kinds) if kind != "real"],
            "size": len(kinds) + 1,
            "solver": "Optimize" if model.objective or model.has_objectives else "Solver",
            "settings": [*model.options],
            "with_proof": ", with_proof=True" * model.asks_proof,
            **_objective(model, 0),
        }
        yield Template(self.start).substitute(words)
        if not (self.package == "z3" and words["solver"] == "Optimize"):  # an Optimize object has other options
            yield from (self.option(name, value) for name, value in model.options)
        if model.objective and not model.has_objectives:
            yield Template(self.objective).substitute(words)
        yield from self._added("", model.constraints)
        for number, step in enumerate(model.steps):
            yield from self._added(f"_{number}", step.added)
            words |= {"fixed": mapping(step.fixed), "hint": mapping(step.hint), "number": number}
            words |= {"assumed": units(step.fixed), "phases": units(step.hint)}
            yield Template(self.fix).substitute(words) if step.fixed else ""
            yield Template(self.hint).substitute(words) if step.hint else ""
            if model.has_objectives:
                words |= _objective(model, number)
                yield self.scope[0]
                yield Template(self.objective).substitute(words) if model.objective_at(number) else ""
            yield Template(self.solve_all if model.asks_all else self.solve).substitute(words)
            if model.asks_core and step.fixed:
                yield f"answers[-1] = (*answers[-1], {Template(self.core).substitute(words)})"
            if model.asks_proof:
                yield f"answers[-1] = (*answers[-1], [], {self.proof})"
            if step is not model.steps[-1]:
                yield Template(self.between).substitute(words)
                yield self.scope[1] * model.has_objectives

    def _added(self, suffix: str, constraints: Iterable[Constraint]) -> Iterator[str]:
        for kind, loop in self.add.items():
            if own := lists(constraints, kind):
                yield f"{kind}s{suffix} = {own}"
                yield Template(loop).substitute(own=f"{kind}s{suffix}")
        yield from statements(self.package, [item for item in constraints if item.kind in RELATIONS])

    def report(self, model: VariantModel, wrong: Wrong, version: str, doubt: str = "") -> str:
        """Return a Python script that shows a wrong answer with only the engine, and says what is wrong with it."""
        return report(self.source(model), model, wrong, version, doubt)


def _objective(model: VariantModel, number: int) -> dict[str, Any]:
    """Return the words of the objective of a step."""
    is_least = not model.steps[number].is_maximised
    cost = mapping((index, factor if is_least else -factor) for index, factor in model.objective_at(number))
    sense = "minimize" if is_least else "maximize"
    return {"cost": cost, "sense": sense, "Sense": sense.capitalize(), "is_least": is_least}
