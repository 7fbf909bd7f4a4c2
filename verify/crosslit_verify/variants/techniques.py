"""Random models with known answers: a small puzzle, techniques that make a larger model of it, and smaller models."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from crosslit_encoders.lights_out.xors import light_xors

from crosslit.base.grid import Grid
from crosslit.contract.family import between, pick, random_grid, seeded, shuffled
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import PLUS
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit_verify.variants.forms import MAX_CELLS, Builder, Truth, clause, linear, lower, numeric_rows
from crosslit_verify.variants.model import (
    Constraint,
    Number,
    Point,
    Renaming,
    Step,
    Terms,
    Variable,
    Variant,
    VariantModel,
    Wrong,
    total,
)
from crosslit_verify.variants.pairs import dense_rows, paired
from crosslit_verify.variants.parameters import draw_parameters
from crosslit_verify.variants.points import (
    all_points,
    changed,
    is_clear,
    other_objectives,
    relation_model,
    simpler_models,
)
from crosslit_verify.variants.relations import RELATIONS

TECHNIQUES = {
    "numeric": 0.8,
    "objective": 0.8,
    "form": 0.7,
    "incremental": 0.4,
    "options": 0.4,
    "redundant": 0.5,
    "flip": 0.3,
    "auxiliary": 0.3,
    "constraints": 0.5,
    "dense": 0.2,
    "pair": 0.15,
    "cores": 0.2,
    "objectives": 0.1,
    "parameters": 0.15,
    "proofs": 0.3,
}
"""The techniques, each with the share of cases that have it."""

_NUMBERS = {"int", "real"}
_NEEDS: dict[str, Set[str]] = {
    "numeric": _NUMBERS,
    "objective": {"objective"},
    "incremental": {"steps", "hint"},
    "constraints": RELATIONS.keys(),
    "dense": {"dense"},
    "cores": {"core"},
    "objectives": {"objectives"},
    "proofs": {"proof"},
}
MAX_POINTS = 300  # of which all are asked for
HARD_SIZE = 5  # least number of rows and columns of a hard puzzle


def usable(names: Iterable[str], accepts: Set[str], tables: Mapping[str, Any]) -> list[str]:
    """Return the techniques that change a model of an engine: it accepts what they need, or has options for them."""
    return [name for name in names if (tables[name] if name in tables else _NEEDS.get(name, accepts) & accepts)]


def techniques_of(seed: int, number: int, allowed: Iterable[str]) -> frozenset[str]:
    """Return the techniques of a case."""
    rng = seeded("techniques", seed, number)
    # Some failures need two techniques at a time, and others are hidden by a third one.
    scale = pick(rng, (1.0, 1.0, 0.4))
    drawn = {name for name, share in TECHNIQUES.items() if rng.random() < share * scale}
    drawn &= {*allowed}
    if "constraints" in drawn:  # each is a technique of its own, so that those that a failure needs are found
        drawn = drawn - {"constraints"} | {*shuffled(rng, sorted(RELATIONS))[: pick(rng, (1, 2, 3, 5))]}
    return frozenset(drawn)


def build(
    seed: int,
    number: int,
    techniques: frozenset[str],
    accepts: Set[str],
    options: Mapping[str, tuple[Any, ...]],
    kind: str | None = None,
    largest: int = 0,
    parameters: Mapping[str, Sequence[Any]] = {},
) -> Variant:
    """Return a case; each technique has its own random numbers, so that leaving one out keeps the others.

    Raises:
        Unclear: if the case cannot be judged.
    """
    rngs = {name: seeded(name, seed, number) for name in ("puzzle", *TECHNIQUES)}
    drawn = _options(rngs["options"], options) if "options" in techniques and options else ()
    drawn += draw_parameters(rngs["parameters"], parameters) if "parameters" in techniques else ()
    if not largest and (kinds := sorted(techniques & RELATIONS.keys() & accepts)):
        model = relation_model(seed, number, kinds, techniques, accepts)
        return _with_points(Variant("", techniques, replace(model, options=drawn), ()))
    puzzle, base, solution = _puzzle(rngs["puzzle"], kind, largest)
    truth = Truth(puzzle.rows * puzzle.columns, solution)
    builder = Builder(truth.cells)
    objective: list[tuple[int, Number]] = []
    asks_core = "cores" in techniques and "core" in accepts
    if "objective" in techniques and "objective" in accepts and not asks_core:
        rng = rngs["objective"]
        objective = [(cell, between(rng, -9, 9) * pick(rng, (1, 1, 100))) for cell in range(truth.cells)]
        truth.cost += truth.grids @ np.array([float(weight) for _, weight in objective])
    constraints = list(base)
    if "numeric" in techniques and accepts & _NUMBERS:
        constraints = list(numeric_rows(rngs["numeric"], builder, truth, base, solution, accepts, objective))
    if {"dense"} <= techniques & accepts and not largest:  # in place of most of the puzzle
        rows, is_solved = shuffled(rngs["dense"], constraints), all(item.holds(solution) for item in base)
        constraints = rows[: between(rngs["dense"], 0, 3) * is_solved]
        truth.plant(solution)
        constraints += dense_rows(rngs["dense"], builder, solution, accepts, objective)
    for constraint in constraints:
        truth.require(constraint)
    if "redundant" in techniques:
        constraints += _implied(rngs["redundant"], [item for item in constraints if item.kind == "xor"])
    if "auxiliary" in techniques:
        constraints += _auxiliary(rngs["auxiliary"], builder, truth.cells, accepts)
    steps, grids, others = [Step()], [truth.best()], []
    form = rngs["form"]
    choose = functools.partial(pick, form) if "form" in techniques else lambda forms: forms[0]
    lowered = [part for item in constraints for part in lower(builder, item, accepts, choose)]
    if ("incremental" in techniques or asks_core) and "steps" in accepts:
        rng = rngs["incremental"]
        for _ in range(between(rng, 1, 3)):
            step = _step(rng, truth, solution)
            grids.append(truth.best(step.fixed))
            others += [truth.best(own) for size in range(3 * asks_core) for own in combinations(step.fixed, size)]
            added = [part for item in step.added for part in lower(builder, item, accepts, choose)]
            steps.append(replace(step, added=tuple(added)))
    has_others = "objectives" in techniques & accepts and not asks_core
    steps += other_objectives(rngs["objectives"], range(truth.cells), objective) if has_others else []
    grids += [truth.best(objective=step.objective) for step in steps[len(grids) :]]
    witnesses = [None if grid is None else builder.point(grid) for grid in grids]
    if "incremental" in techniques and "hint" in accepts:
        hints = (_hint(rngs["incremental"], builder, witness) for witness in witnesses)
        steps = [replace(step, hint=hint) for step, hint in zip(steps, hints, strict=True)]
    if "redundant" in techniques:
        lowered += _combined(rngs["redundant"], lowered)
    model = VariantModel(tuple(builder.variables), tuple(lowered), tuple(objective), drawn, tuple(steps))
    points = [builder.point(grid) for grid in others if grid is not None]  # a core that one satisfies is wrong
    # after other solves, or under assumptions, a proof of PySAT is none of this formula
    asks_proof = "proofs" in techniques and "proof" in accepts and len(steps) == 1 and not largest
    model = replace(model, asks_core=asks_core, asks_proof=asks_proof)
    case = Variant(puzzle.text, techniques, model, tuple(witnesses), points, is_planted=len(truth.grids) == 1)
    case = _flipped(rngs["flip"], case) if "flip" in techniques else case
    return paired(rngs["pair"], case, accepts) if "pair" in techniques else case


def _with_points(case: Variant) -> Variant:
    """Return the case of a model of small integers with its truth."""
    points = all_points(case.model)
    model = replace(case.model, asks_all=case.model.asks_all and len(points) <= MAX_POINTS)
    witnesses = [points[0] if points else None]
    for step in range(1, len(model.steps)):
        terms = model.objective_at(step)
        witnesses.append(min(points, key=functools.partial(total, terms), default=None))
    return replace(case, model=model, witnesses=tuple(witnesses), points=points if model.asks_all else ())


def _puzzle(rng: random.Random, kind: str | None, largest: int) -> tuple[Any, list[Constraint], list[int]]:
    """Return a puzzle, its constraints, and cells that are a solution of most puzzles."""
    if largest:
        rows, columns = between(rng, HARD_SIZE, largest), between(rng, HARD_SIZE, largest)
    else:
        rows = between(rng, 1, 4)
        columns = between(rng, 1, min(6, MAX_CELLS // rows))
    grid, other = random_grid(rng, rows, columns), random_grid(rng, rows, columns, 0.4)
    is_solvable = rng.random() < 0.7
    if (kind or pick(rng, ("lights-out", "lights-out", "lights-out", "nonogram"))) == "lights-out":
        # A random pattern has no row by row order that propagation could follow, unlike the usual one.
        window = [(down, right) for down in range(-2, 3) for right in range(-2, 3)]
        pattern = shuffled(rng, window)[:5] if largest else PLUS
        blank = LightsOut(Grid.from_bits(rows, columns, 0), tuple(pattern), "torus" if largest else "none")
        board = blank.pressed(grid) if is_solvable else replace(blank, lit=other)
        return board, [Constraint("xor", pair) for pair in light_xors(board)], grid.values()
    own, drawn = Nonogram.of(grid), Nonogram.of(grid if is_solvable else other)
    nonogram = Nonogram(own.row_clues, drawn.column_clues)
    return nonogram, [Constraint("line", (tuple(line), clue)) for clue, line in nonogram.lines()], grid.values()


def _implied(rng: random.Random, xors: Sequence[Constraint]) -> Iterator[Constraint]:
    """Yield sums of two XORs."""
    for _ in range(between(rng, 1, 3) if len(xors) > 1 else 0):
        (one, value), (other, another) = (item.data for item in shuffled(rng, xors)[:2])
        if cells := tuple(sorted({*one} ^ {*other})):
            yield Constraint("xor", (cells, value ^ another))


def _combined(rng: random.Random, constraints: Sequence[Constraint]) -> Iterator[Constraint]:
    """Yield multiples of linear constraints, sums of two equations, and weaker clauses."""
    for constraint in shuffled(rng, constraints)[: between(rng, 1, 4)]:
        if constraint.kind == "linear":
            terms, sense, bound = constraint.data
            scale, other = pick(rng, (1, 2, 2, 3)), pick(rng, constraints)
            sums = {variable: factor * scale for variable, factor in terms}
            bound *= scale
            if rng.random() < 0.5 and other.kind == "linear" and other.data[1] == sense:
                bound += other.data[2]
                for variable, factor in other.data[0]:
                    sums[variable] = sums.get(variable, 0) + factor
            if terms := tuple((key, factor) for key, factor in sums.items() if factor):
                yield Constraint("linear", (terms, sense, bound))
        elif constraint.kind == "clause":
            free = pick(rng, constraints).variables[0]
            if free not in constraint.variables:
                yield Constraint("clause", (*constraint.data, free + 1))


def _auxiliary(rng: random.Random, builder: Builder, cells: int, accepts: Set[str]) -> Iterator[Constraint]:
    """Yield constraints with variables that occur nowhere else: the parity or the sum of some cells, and a free one."""
    for _ in range(between(rng, 1, 3)):
        own = tuple(shuffled(rng, range(cells))[: between(rng, 1, 4)])
        form = pick(rng, ("parity", "clause", *(("sum", "sum") if "int" in accepts else ())))
        if form == "parity":
            name = builder.variable(lambda point, own: sum(point[cell] for cell in own) % 2, own)
            yield Constraint("xor", ((*own, name), 0))
        elif form == "clause":
            name = builder.variable(lambda _: 1)
            yield clause([(name, True), *((cell, rng.random() < 0.5) for cell in own)])
        else:
            domain = Variable("int", -3, 9)
            name = builder.variable(lambda point, own: sum(point[cell] for cell in own), own, domain=domain)
            yield linear(own, "eq", 0, [name])


def _step(rng: random.Random, truth: Truth, solution: list[int]) -> Step:
    """Return a step that assumes values of cells, and perhaps adds a constraint over cells."""
    cells = shuffled(rng, range(truth.cells))
    fixed = tuple((cell, solution[cell] ^ (rng.random() < 0.2)) for cell in cells[: between(rng, 0, 3)])
    added = []
    if rng.random() < 0.4:
        own = tuple(shuffled(rng, cells)[: between(rng, 1, 3)])
        if rng.random() < 0.5:
            added.append(Constraint("xor", (own, sum(solution[cell] for cell in own) % 2 ^ (rng.random() < 0.2))))
        else:
            added.append(clause([(cell, bool(solution[cell]) ^ (rng.random() < 0.3)) for cell in own]))
        truth.require(added[0])
    return Step(fixed, (), tuple(added))


def _hint(rng: random.Random, builder: Builder, point: Point | None) -> Terms:
    """Return a hint for some or all variables, of a solution or at random; empty for half of the steps."""
    if rng.random() < 0.5:
        return ()
    size = len(builder.variables)
    chosen = shuffled(rng, range(size))[: pick(rng, (size, between(rng, 1, size)))]
    is_right = rng.random() < 0.6

    def value(index: int) -> Number:
        kind, low, high = builder.variables[index]
        if is_right and point:
            return point[index]
        return low if kind == "real" else between(rng, low, high)

    return tuple((index, value(index)) for index in sorted(chosen))


def _options(rng: random.Random, options: Mapping[str, tuple[Any, ...]]) -> tuple[tuple[str, Any], ...]:
    """Return one or two options with values; the first one of the table, which is the strongest, more often."""
    names = [next(iter(options))] if rng.random() < 0.4 else shuffled(rng, sorted(options))[: between(rng, 1, 2)]
    return tuple((name, pick(rng, options[name])) for name in names)


def _flipped(rng: random.Random, case: Variant) -> Variant:
    """Return the case with some Boolean variables x replaced by 1 - x."""
    model, share = case.model, pick(rng, (0.2, 0.5))
    kept = {index for item in model.all_constraints() if item.kind in ("regular", "nfa") for index in item.variables}
    bools = {index for index, variable in enumerate(model.variables) if variable.kind == "bool"}
    flips = {index for index in sorted(bools) if rng.random() < share} - kept
    return case.renamed(Renaming(range(len(model.variables)), flips))


def _cut(item: Any, name: str, start: int, size: int = 1) -> Any:
    """Return a record without some items of one of its tuples."""
    items = getattr(item, name)
    return replace(item, **{name: items[:start] + items[start + size :]})


def smaller_cases(case: Variant) -> Iterator[Variant]:
    """Yield cases without a part of the model; their witnesses remain valid, or are found again."""
    if case.puzzle:
        yield from _smaller_cases(case)
        return
    for model in (*(one.model for one in _smaller_cases(case)), *simpler_models(case.model)):
        if model.variables and is_clear(model):
            yield _with_points(replace(case, model=model))


def _smaller_cases(case: Variant) -> Iterator[Variant]:
    model, steps = case.model, case.model.steps
    for index in range(len(steps) if len(steps) > 1 else 0):
        yield replace(_cut(case, "witnesses", index), model=_cut(model, "steps", index))
    for name in ("options", "constraints", "objective"):
        size = length = len(getattr(model, name))
        while size:
            yield from (replace(case, model=_cut(model, name, start, size)) for start in range(0, length, size))
            size //= 2
    for index, step in enumerate(steps):
        for name in ("fixed", "hint", "added", "objective"):
            for place in range(len(getattr(step, name) or ())):
                yield replace(case, model=changed(model, "steps", index, _cut(step, name, place)))
    yield from _substituted_cases(case)
    used = {index for item in model.all_constraints() for index in item.variables} | {key for key, _ in model.objective}
    used |= {index for step in model.steps for index, _ in (*step.fixed, *step.hint, *(step.objective or ()))}
    if 0 < len(used) < len(model.variables):
        yield case.renamed(Renaming(sorted(used)))
    yield from _simpler_numbers(case)


def _substituted_cases(case: Variant) -> Iterator[Variant]:
    """Yield cases in which a variable that is only in linear constraints has its value in the witness."""
    point, variables = case.witnesses[0], range(len(case.model.variables))
    if point is None or len(case.witnesses) > 1:
        return
    for index in variables:
        if {item.kind for item in case.model.constraints if index in item.variables} == {"linear"}:
            kept = [other for other in variables if other != index]
            yield case.renamed(Renaming(kept, values={index: point[index]}))


def _simpler_numbers(case: Variant) -> Iterator[Variant]:
    """Yield cases with 1 or -1 for a coefficient, a smaller domain, one from 0 on, or a continuous variable.

    The witnesses stay: a row keeps its slack at them, and a domain contains their values. An optimum may become a
    solution that is only feasible, which accuses fewer answers.
    """
    model, points = case.model, [point for point in case.witnesses if point is not None]
    for place, (index, factor) in enumerate(model.objective):
        if abs(factor) != 1:
            yield replace(case, model=changed(model, "objective", place, (index, 1 if factor > 0 else -1)))
    values = [sorted({point[index] for point in points}) for index in range(len(model.variables))]
    for row, item in enumerate(model.constraints):
        terms, sense, bound = item.data if item.kind == "linear" else ((), "", 0)
        for place, (index, factor) in enumerate(terms):
            if abs(factor) != 1 and len(values[index]) < 2:
                sign = 1 if factor > 0 else -1
                data = (*terms[:place], (index, sign), *terms[place + 1 :])
                linear_ = Constraint("linear", (data, sense, bound - sum((factor - sign) * v for v in values[index])))
                yield replace(case, model=changed(model, "constraints", row, linear_))
    for index, variable in enumerate(model.variables):
        if variable.kind == "bool":
            continue
        kind, low, high = variable
        least, most = (values[index] or [low])[0], (values[index] or [high])[-1]
        has_reals = any(other.kind == "real" for other in model.variables)
        smaller = [Variable("real", low, high)] * (kind == "int" and has_reals)
        pairs = ((least, most), (least, high), (low, most))
        smaller += [Variable(kind, *pair) for pair in pairs if pair != (low, high)]
        for domain in smaller:
            yield replace(case, model=changed(model, "variables", index, domain))
        if low:
            yield _moved(case, index, low, high - low)
        elif high > 1 and len(values[index]) < 2:
            yield _moved(case, index, 0, 1)


def _moved(case: Variant, index: int, shift: Number, high: Number) -> Variant:
    """Return the case with a number x - shift, at most high, in place of x; rows keep their slack at the witnesses.

    These have one value of x, or all its shifted values are in the domain.
    """
    model = case.model

    def move(value: Number) -> Number:
        return min(value - shift, high)

    value = next((point[index] for point in case.witnesses if point is not None), 0)
    change = move(value) - value

    def shifted(item: Constraint) -> Constraint:
        if item.kind != "linear":
            return item
        terms, sense, bound = item.data
        bound += change * sum(factor for other, factor in terms if other == index)
        return Constraint("linear", (terms, sense, bound))

    steps = tuple(replace(step, added=tuple(map(shifted, step.added))) for step in model.steps)
    moved = replace(model, constraints=tuple(map(shifted, model.constraints)), steps=steps)
    moved = changed(moved, "variables", index, Variable(model.variables[index].kind, 0, high))
    witnesses = (
        None if point is None else [move(value) if other == index else value for other, value in enumerate(point)]
        for point in case.witnesses
    )
    return replace(case, model=moved, witnesses=tuple(witnesses))


def refuting_model(model: VariantModel, wrong: Wrong, accepts: Set[str]) -> VariantModel | None:
    """Return a model of the failing step for another engine, whose answer decides; None if it lacks a kind of variable.

    It is infeasible exactly if the integers of a broken point have no completion, and feasible exactly if those of a
    missing one have. For the other failures it is feasible
    exactly if there is a point, with an objective no worse than that of the refuting point.
    """
    if not {variable.kind for variable in model.variables} - {"bool"} <= accepts:
        return None
    constraints = model.all_constraints(wrong.step)
    fixed = [*model.steps[wrong.step].fixed]
    relations = [item for item in constraints if item.kind in RELATIONS]
    if not all({item.kind, *item.data[2].split()[:1]} <= accepts for item in relations):
        return None
    if wrong.problem in ("broken-point", "missing-point"):
        pairs = zip(model.variables, enumerate(wrong.point), strict=True)
        fixed += [pair for variable, pair in pairs if variable.kind != "real"]
    elif wrong.problem != "wrong-infeasible":
        terms = model.objective_at(wrong.step)
        constraints.append(Constraint("linear", (terms, "le", total(terms, wrong.point))))
    for index, value in fixed:
        is_bool = model.variables[index].kind == "bool" and value in (0, 1)
        constraints.append(clause([(index, value == 1)]) if is_bool else linear([index], "eq", value))
    builder = Builder(0)
    builder.variables = [*model.variables]
    parts = [part for item in constraints for part in lower(builder, item, accepts, lambda forms: forms[0])]
    return VariantModel(tuple(builder.variables), tuple(parts))
