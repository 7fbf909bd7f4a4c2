"""Scripts that solve a model through the public interface of an engine.

A script is what runs, and what a report shows: a few lines in which only the lists of numbers depend on the model. It
leaves ``answers``, one ``(status, point, objective, effort)`` for each step; effort is conflicts or simplex iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from crosslit_verify.variants.model import Constraint, Model, Number


def text(value: Any) -> str:
    """Return numbers and lists of them as Python, and fractions as floats."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(text, value))}]"
    return repr(float(value)) if isinstance(value, Fraction) and value.denominator > 1 else str(value)


def mapping(terms: Iterable[tuple[int, Number]]) -> str:
    """Return terms as a dictionary in Python."""
    return "{" + ", ".join(f"{variable}: {text(factor)}" for variable, factor in terms) + "}"


def lists(constraints: Iterable[Constraint], kind: str) -> str:
    """Return the constraints of a kind as Python; empty if there are none."""
    own = [item.data for item in constraints if item.kind == kind or (item.kind, kind) == ("nfa", "regular")]
    if kind == "linear":
        return f"[{', '.join(f'({mapping(terms)}, {sense}, {text(bound)})' for terms, sense, bound in own)}]" * bool(
            own
        )
    return text(own) if own else ""


def post(model: Model, add: Mapping[str, str], step: int | None = None) -> Iterator[str]:
    """Yield the lists of constraints, and a loop over each; without a step, those of the model, after its bounds."""
    if step is None:
        yield "from operator import eq, ge, le"
    constraints = model.constraints if step is None else model.steps[step].added
    for kind, loop in add.items():
        if own := lists(constraints, kind):
            name = f"{kind}s" if step is None else f"{kind}s_{step}"
            yield f"{name} = {own}"
            yield loop.format(name)


def bounds(model: Model) -> str:
    """Return the bounds of the variables as Python."""
    return f"bounds = [{', '.join(f'({text(low)}, {text(high)})' for _, low, high in model.variables)}]"


def numbers(model: Model, *kinds: str) -> list[int]:
    """Return the variables of some kinds."""
    return [index for index, variable in enumerate(model.variables) if variable.kind in kinds]


def units(pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return values as literals of DIMACS."""
    return [index + 1 if value else -index - 1 for index, value in pairs]


def highs(_: str, model: Model) -> Iterator[str]:
    """Yield the script for HiGHS."""
    add = {
        "linear": "for t, s, b in {}: "
        "h.addRow(-inf if s is le else b, inf if s is ge else b, len(t), [*t], [*t.values()])"
    }
    yield "import highspy"
    yield "from math import inf"
    yield bounds(model)
    yield "h = highspy.Highs()"
    yield "h.setOptionValue('output_flag', False)"
    for name, value in model.options:
        yield f"h.setOptionValue({name!r}, {value!r})"
    yield "for low, high in bounds: h.addVar(low, high)"
    yield f"for i in {numbers(model, 'bool', 'int')}: h.changeColIntegrality(i, highspy.HighsVarType.kInteger)"
    if model.objective:
        yield f"for i, cost in {mapping(model.objective)}.items(): h.changeColCost(i, cost)"
    yield from post(model, add)
    for number, step in enumerate(model.steps):
        yield from post(model, add, number)
        for index, value in step.fixed:
            yield f"h.changeColBounds({index}, {value}, {value})"
        if step.hint:
            yield "hint = highspy.HighsSolution()"
            yield f"hint.col_value = [{mapping(step.hint)}.get(i, b[0]) for i, b in enumerate(bounds)]"
            yield "h.setSolution(hint)"
        yield "h.run()"
        yield "info, point = h.getInfo(), list(h.getSolution().col_value)"
        yield (
            "answers.append((h.getModelStatus().name, point, info.objective_function_value, "
            "info.simplex_iteration_count))"
        )
        for index, _value in step.fixed:
            yield f"h.changeColBounds({index}, *bounds[{index}])"


def scip(_: str, model: Model) -> Iterator[str]:
    """Yield the script for SCIP."""
    add = {
        "linear": "for t, s, b in {}: m.addCons(s(quicksum(c * x[i] for i, c in t.items()), b))",
        "xor": "for own, value in {}: m.addConsXor([x[i] for i in own], bool(value))",
    }
    kinds = "".join({"bool": "B", "int": "I", "real": "C"}[variable.kind] for variable in model.variables)
    yield "from pyscipopt import Model, quicksum, SCIP_PARAMSETTING"
    yield bounds(model)
    yield "m = Model()"
    yield "m.hideOutput()"
    for name, value in model.options:
        yield f"m.{name}({value})" if value == "SCIP_PARAMSETTING.OFF" else f"m.setParam({name!r}, {value!r})"
    yield f"x = [m.addVar(f'x{{i}}', k, *bounds[i]) for i, k in enumerate({kinds!r})]"
    if model.objective:
        yield f"m.setObjective(quicksum(c * x[i] for i, c in {mapping(model.objective)}.items()))"
    yield from post(model, add)
    for number, step in enumerate(model.steps):
        yield "m.freeTransform()" if number else ""
        yield from post(model, add, number)
        for index, value in step.fixed:
            yield f"m.chgVarLb(x[{index}], {value}); m.chgVarUb(x[{index}], {value})"
        if step.hint:
            yield "hint = m.createPartialSol()"
            yield f"for i, value in {mapping(step.hint)}.items(): m.setSolVal(hint, x[i], value)"
            yield "m.addSol(hint)"
        yield "m.optimize()"
        yield "point = [m.getVal(v) for v in x] if m.getNSols() else []"
        yield "answers.append((m.getStatus(), point, m.getObjVal() if point else 0, m.getNLPIterations()))"
        yield "m.freeTransform()" if step.fixed else ""
        for index, _value in step.fixed:
            yield f"m.chgVarLb(x[{index}], bounds[{index}][0]); m.chgVarUb(x[{index}], bounds[{index}][1])"


def wrapper(name: str, model: Model) -> Iterator[str]:
    """Yield the script for a mixed-integer solver of OR-Tools."""
    add = {"linear": "for t, compare, b in {}: s.Add(compare(s.Sum([c * x[i] for i, c in t.items()]), b))"}
    yield "from ortools.linear_solver import pywraplp"
    yield bounds(model)
    yield f"s = pywraplp.Solver.CreateSolver({name!r})"
    yield "s.SetSolverSpecificParametersAsString('output_flag = false')" if name == "HIGHS" else ""
    yield f"x = [s.Var(low, high, i not in {numbers(model, 'real')}, '') for i, (low, high) in enumerate(bounds)]"
    if model.objective:
        yield f"s.Minimize(s.Sum([c * x[i] for i, c in {mapping(model.objective)}.items()]))"
    yield from post(model, add)
    yield "p = pywraplp.MPSolverParameters()"
    for option, value in model.options:
        yield f"p.SetIntegerParam(p.{option}, p.{value})"
    for number, step in enumerate(model.steps):
        yield from post(model, add, number)
        for index, value in step.fixed:
            yield f"x[{index}].SetBounds({value}, {value})"
        yield "status = s.Solve(p)"
        yield "point = [v.solution_value() for v in x] if status < 2 else []"
        yield "status = ['OPTIMAL', 'FEASIBLE', 'INFEASIBLE', 'UNBOUNDED', 'ABNORMAL', '', 'NOT_SOLVED'][status]"
        yield "answers.append((status, point, s.Objective().Value() if point else 0, s.iterations()))"
        for index, _value in step.fixed:
            yield f"x[{index}].SetBounds(*bounds[{index}])"


def cpsat(_: str, model: Model) -> Iterator[str]:
    """Yield the script for CP-SAT."""
    add = {
        "linear": "for t, s, b in {}: m.Add(s(sum(c * x[i] for i, c in t.items()), b))",
        "clause": "for own in {}: m.AddBoolOr([x[l - 1] if l > 0 else x[-l - 1].Not() for l in own])",
        "xor": "for own, value in {}: m.AddBoolXOr([x[i] for i in own] + [True] * (1 - value))",
        "table": "for own, rows in {}: m.AddAllowedAssignments([x[i] for i in own], rows)",
        "regular": "for own, arcs, finals in {}: m.AddAutomaton([x[i] for i in own], 0, finals, arcs)",
    }
    yield "from ortools.sat.python import cp_model"
    yield bounds(model)
    yield "m = cp_model.CpModel()"
    yield f"integers = {numbers(model, 'int')}"
    yield "x = [m.NewIntVar(*b, f'x{i}') if i in integers else m.NewBoolVar(f'x{i}') for i, b in enumerate(bounds)]"
    if model.objective:
        yield f"m.Minimize(sum(c * x[i] for i, c in {mapping(model.objective)}.items()))"
    yield from post(model, add)
    for number, step in enumerate(model.steps):
        yield from post(model, add, number)
        yield "m.ClearAssumptions(); m.ClearHints()" if number else ""
        if step.fixed:
            yield f"m.AddAssumptions([x[i] if v else x[i].Not() for i, v in {mapping(step.fixed)}.items()])"
        for index, value in step.hint:
            yield f"m.AddHint(x[{index}], {value})"
        yield "s = cp_model.CpSolver()"
        for name, value in {"num_workers": 1, **dict(model.options)}.items():
            yield f"s.parameters.{name} = {value!r}"
        yield "status = s.StatusName(s.Solve(m))"
        yield "point = [s.Value(v) for v in x] if status in ('OPTIMAL', 'FEASIBLE') else []"
        yield "answers.append((status, point, s.ObjectiveValue() if point else 0, s.NumConflicts()))"


def z3(_: str, model: Model) -> Iterator[str]:
    """Yield the script for Z3."""
    add = {
        "linear": "s.add([compare(z3.Sum([c * n[i] for i, c in t.items()]), b) for t, compare, b in {}])",
        "clause": "s.add([z3.Or([x[l - 1] if l > 0 else z3.Not(x[-l - 1]) for l in own]) for own in {}])",
        "xor": "s.add([reduce(z3.Xor, [x[i] for i in own], z3.BoolVal(not value)) for own, value in {}])",
        "table": "s.add([z3.Or([z3.And([x[i] == bool(v) for i, v in zip(own, r)]) for r in q]) for own, q in {}])",
    }
    # old versions round a fraction times an integer variable
    model = replace(model, constraints=tuple(map(Constraint.scaled, model.constraints)))
    kinds = [{"bool": "Bool", "int": "Int", "real": "Real"}[variable.kind] for variable in model.variables]
    yield "import z3"
    yield "from functools import reduce"
    yield bounds(model)
    yield "s = z3.Optimize()" if model.objective else "s = z3.Solver()"
    for name, value in () if model.objective else model.options:  # an Optimize object has other options
        yield f"s.set({name!r}, {value!r})"
    yield f"x = [getattr(z3, kind)(f'x{{i}}') for i, kind in enumerate({kinds})]"
    yield "n = [z3.If(v, 1, 0) if z3.is_bool(v) else v for v in x]"
    yield "s.add([z3.And(v >= b[0], v <= b[1]) for v, b in zip(x, bounds) if not z3.is_bool(v)])"
    if model.objective:
        yield f"s.minimize(z3.Sum([c * n[i] for i, c in {mapping(model.objective)}.items()]))"
    yield from post(model, add)
    for number, step in enumerate(model.steps):
        yield from post(model, add, number)
        fixed = (f"x[{index}]" if value else f"z3.Not(x[{index}])" for index, value in step.fixed)
        yield f"status = str(s.check({', '.join(fixed)}))"
        yield "point = [s.model().eval(v, True) for v in n] if status == 'sat' else []"
        yield "answers.append((status, [str(v) for v in point], None, 0))"


def pysat(name: str, model: Model) -> Iterator[str]:
    """Yield the script for a SAT solver of PySAT."""
    size = len(model.variables) + 1
    yield "from pysat.solvers import Solver"
    # a tautology for each variable, so that it exists
    yield f"s = Solver(name={name!r}, bootstrap_with=[[i, -i] for i in range(1, {size})])"
    add = {"clause": "for own in {}: s.add_clause(own)"}
    yield from post(model, add)
    for number, step in enumerate(model.steps):
        yield from post(model, add, number)
        yield f"s.set_phases({units(step.hint)})" if step.hint else ""
        yield f"found = s.solve(assumptions={units(step.fixed)})"
        yield f"point = [int(v in s.get_model()) for v in range(1, {size})] if found else []"
        yield "answers.append(('sat' if found else 'unsat', point, None, s.accum_stats()['conflicts']))"


def clingo(_: str, model: Model) -> Iterator[str]:
    """Yield the script for clingo."""

    def sums(terms: Any) -> str:
        return "; ".join(f"{text(factor)},{variable}: x({variable})" for variable, factor in terms)

    def rules(constraints: tuple[Constraint, ...]) -> Iterator[str]:
        for kind, own in constraints:
            if kind == "clause":
                body = (f"not x({literal - 1})" if literal > 0 else f"x({-literal - 1})" for literal in own)
                yield f":- {', '.join(body)}."
            elif kind == "linear":
                compare = {"eq": "=", "le": "<=", "ge": ">="}[own[1]]
                yield f":- not #sum{{{sums(own[0])}}} {compare} {text(own[2])}."
            else:
                yield f":- N = #sum{{{sums((cell, 1) for cell in own[0])}}}, N \\ 2 != {own[1]}."

    size = len(model.variables)
    program = [f"{{x(0..{size - 1})}}.", *rules(model.constraints)]
    if model.objective:
        program.append(f"#minimize{{{sums(model.objective)}}}.")
    yield "import clingo"
    yield f"c = clingo.Control({['--opt-mode=opt', *(f'--{name}={value}' for name, value in model.options)]})"
    yield "c.configuration.solve.models = 0" if model.objective else ""
    yield f"x = [clingo.Function('x', [clingo.Number(i)]) for i in range({size})]"
    for number, step in enumerate(model.steps):
        yield f"c.add('step{number}', [], {' '.join([*([] if number else program), *rules(step.added)])!r})"
        yield f"c.ground([('step{number}', [])])"
        yield "point = []"
        yield "def found(m): point[:] = [int(m.contains(atom)) for atom in x]"
        fixed = ", ".join(f"(x[{index}], {bool(value)})" for index, value in step.fixed)
        yield f"status = str(c.solve(assumptions=[{fixed}], on_model=found)).lower()"
        yield "answers.append((status, point, None, int(c.statistics['solving']['solvers']['conflicts'])))"


def choco(_: str, model: Model) -> Iterator[str]:
    """Yield the script for Choco."""
    add = {
        "linear": "for t, s, b in {}: "
        "m.scalar([x[i] for i in t], [*t.values()], '=' if s is eq else '<=' if s is le else '>=', b).post()",
        "clause": "for own in {}: m.add_clauses([x[l - 1] for l in own if l > 0], [x[-l - 1] for l in own if l < 0])",
        "table": "for own, rows in {}: m.table([x[i] for i in own], rows).post()",
        "regular": "from pychoco.objects.automaton.finite_automaton import FiniteAutomaton\n"
        "for own, arcs, finals in {}:\n"
        "  a = FiniteAutomaton()\n"
        "  state = {{q: a.add_state() for q in sorted({{0, *finals, *(q for s, _, t in arcs for q in (s, t))}})}}\n"
        "  for s, v, t in arcs: a.add_transition(state[s], state[t], v)\n"
        "  a.set_initial_state(state[0]); a.set_final(*(state[q] for q in set(finals)))\n"
        "  m.regular([x[i] for i in own], a).post()",
    }
    yield "import pychoco"
    yield bounds(model)
    yield "m = pychoco.Model()"
    yield f"x = [m.intvar(*b) if i in {numbers(model, 'int')} else m.boolvar() for i, b in enumerate(bounds)]"
    if model.objective:
        yield f"cost = {mapping(model.objective)}"
        yield "size = sum(abs(c) * max(map(abs, bounds[i])) for i, c in cost.items())"
        yield "total = m.intvar(-size, size)"
        yield "m.scalar([*(x[i] for i in cost), total], [*cost.values(), -1], '=', 0).post()"
        yield "m.set_objective(total, False)"
    yield from post(model, add)
    yield "s = m.get_solver()"
    for name, _value in model.options:
        yield f"s.{name}(*x)"
    yield "point = []"
    yield f"while {'' if model.objective else 'not point and '}s.solve(): point = [v.get_value() for v in x]"
    yield "answers.append(('optimal' if point else 'infeasible', point, None, s.get_fail_count()))"


def exact(_: str, model: Model) -> Iterator[str]:
    """Yield the script for Exact."""
    sums = "[(c, f'x{{i}}') for i, c in t.items()]"
    add = {"linear": f"for t, k, b in {{}}: s.addConstraint({sums}, k is not le, b, k is not ge, b)"}
    yield "import exact"
    yield bounds(model)
    yield f"s = exact.Exact({[('verbosity', '0'), *model.options]})"
    yield "for i, b in enumerate(bounds): s.addVariable(f'x{i}', *b)"
    if model.objective:
        yield f"s.setObjective([(c, f'x{{i}}') for i, c in {mapping(model.objective)}.items()], True)"
    yield from post(model, add)
    for number, step in enumerate(model.steps):
        yield from post(model, add, number)
        yield f"s.setAssumptions({[(f'x{index}', value) for index, value in step.fixed]})" if step.fixed else ""
        yield f"s.setSolutionHints({[(f'x{index}', value) for index, value in step.hint]})" if step.hint else ""
        # an optimisation by runFull leaves a bound on the objective, and every later solve fails
        yield "status, _ = s.toOptimum()" if model.objective else "status = s.runFull(False)"
        yield "point = s.getLastSolutionFor([f'x{i}' for i in range(len(bounds))]) if status == 'SAT' else []"
        yield "answers.append((status, point, None, 0))"
        yield "s.clearAssumptions()" if step.fixed else ""
