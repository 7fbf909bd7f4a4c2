"""The engines under test: what they accept, the options that may vary, and the snippets of their scripts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from crosslit_backends.engines.cpsat import CpSat
from crosslit_backends.engines.scip import Scip

from crosslit.contract import PARAMETER, Backend
from crosslit_verify.variants.relations import relations_of
from crosslit_verify.variants.scripted import ScriptedEngine


def _switches(backend: type[Backend]) -> tuple[tuple[str, Any], ...]:
    """Return the parameters that ``--blame`` tries for a backend, which has the most special first."""
    own = [switch.removeprefix(PARAMETER).split("=") for switch in backend.switches if switch.startswith(PARAMETER)]
    return tuple((name, False if value.lower() == "false" else int(value)) for name, value in reversed(own))


_FLOAT = Fraction(1, 100_000)
_MIP = frozenset({"linear", "int", "real", "objective", "objectives", "steps", "dense"})
_LOGIC = frozenset({"linear", "clause", "objective"})
_CP = _LOGIC | {"table", "regular", "int"}
_SUM = "sum(c * x[i] for i, c in $cost.items())"

_HIGHS = ScriptedEngine(
    "highspy",
    _MIP | {"hint"},
    start="""import highspy
from math import inf
h = highspy.Highs()
h.setOptionValue('output_flag', False)
for low, high in bounds: h.addVar(low, high)
for i in $discrete: h.changeColIntegrality(i, highspy.HighsVarType.kInteger)""",
    add={
        "linear": "for t, s, b in $own: "
        "h.addRow(-inf if s is le else b, inf if s is ge else b, len(t), [*t], [*t.values()])"
    },
    objective="""h.changeObjectiveSense(highspy.ObjSense.k$Sense)
for i in range(len(bounds)): h.changeColCost(i, $cost.get(i, 0))""",
    fix="for i, v in $fixed.items(): h.changeColBounds(i, v, v)",
    hint="""hint = highspy.HighsSolution()
hint.col_value = [$hint.get(i, b[0]) for i, b in enumerate(bounds)]
h.setSolution(hint)""",
    solve="""h.run()
info, point = h.getInfo(), list(h.getSolution().col_value)
answers.append((h.getModelStatus().name, point, info.objective_function_value, info.simplex_iteration_count))""",
    between="for i in $fixed: h.changeColBounds(i, *bounds[i])",
    option=lambda name, value: f"h.setOptionValue({name!r}, {value!r})",
    options={
        "presolve": ("off",),
        "mip_detect_symmetry": (False,),
        "mip_heuristic_effort": (0.0, 0.5),
        "random_seed": (1, 2, 3),
    },
    # bits of `HPresolve`, from the first that may be off (forcing rows) to the enumeration of 1.12
    switches=tuple(("presolve_rule_off", 1 << bit) for bit in range(6, 17)),
    tolerance=_FLOAT,
    export=("h.writeModel(path)", "lp"),
    lineage="highs",
)
_SCIP = ScriptedEngine(
    "pyscipopt",
    _MIP | {"hint", "xor"},
    start="""from pyscipopt import Model, quicksum, SCIP_PARAMSETTING
m = Model()
m.hideOutput()
x = [m.addVar(f'x{i}', k, *bounds[i]) for i, k in enumerate('$letters')]""",
    add={
        "linear": "for t, s, b in $own: m.addCons(s(quicksum(c * x[i] for i, c in t.items()), b))",
        "xor": "for own, value in $own: m.addConsXor([x[i] for i in own], bool(value))",
    },
    objective="m.setObjective(quicksum(c * x[i] for i, c in $cost.items()), '$sense')",
    fix="for i, v in $fixed.items(): m.chgVarLb(x[i], v); m.chgVarUb(x[i], v)",
    hint="""hint = m.createPartialSol()
for i, value in $hint.items(): m.setSolVal(hint, x[i], value)
m.addSol(hint)""",
    solve="""m.optimize()
point = [m.getVal(v) for v in x] if m.getNSols() else []
answers.append((m.getStatus(), point, m.getObjVal() if point else 0, m.getNLPIterations()))""",
    between="""m.freeTransform()
for i in $fixed: m.chgVarLb(x[i], bounds[i][0]); m.chgVarUb(x[i], bounds[i][1])""",
    option=lambda name, value: f"m.setParam({name!r}, {value!r})" if "/" in name else f"m.{name}({value})",
    options={
        "setPresolve": ("SCIP_PARAMSETTING.OFF",),
        "setSeparating": ("SCIP_PARAMSETTING.OFF",),
        "setHeuristics": ("SCIP_PARAMSETTING.OFF",),
        "conflict/enable": (False,),
        "misc/usesymmetry": (0,),
        "randomization/randomseedshift": (1, 2),
        "constraints/xor/presolpairwise": (False,),
        "constraints/linear/upgrade/xor": (False,),
    },
    switches=_switches(Scip),
    tolerance=_FLOAT,
    export=("m.writeProblem(path)", "cip"),
    lineage="scip",
    hard_size=6,
)
_CPSAT = ScriptedEngine(
    "ortools",
    _CP | {"xor", "objectives", "steps", "hint", "all", "core"} | relations_of("ortools"),
    start="""from ortools.sat.python import cp_model
m, s = cp_model.CpModel(), cp_model.CpSolver()
s.parameters.num_workers = 1
x = [m.NewIntVar(*b, f'x{i}') if i in $integers else m.NewBoolVar(f'x{i}') for i, b in enumerate(bounds)]""",
    add={
        "linear": "for t, k, b in $own: m.Add(k(sum(c * x[i] for i, c in t.items()), b))",
        "clause": "for own in $own: m.AddBoolOr([x[l - 1] if l > 0 else x[-l - 1].Not() for l in own])",
        "xor": "for own, value in $own: m.AddBoolXOr([x[i] for i in own] + [True] * (1 - value))",
        "table": "for own, rows in $own: m.AddAllowedAssignments([x[i] for i in own], rows)",
        "regular": "for own, arcs, finals in $own: m.AddAutomaton([x[i] for i in own], 0, finals, arcs)",
    },
    objective=f"m.$Sense({_SUM})",
    fix="m.AddAssumptions([x[i] if v else x[i].Not() for i, v in $fixed.items()])",
    hint="for i, v in $hint.items(): m.AddHint(x[i], v)",
    solve="""status = s.StatusName(s.Solve(m))
point = [s.Value(v) for v in x] if status in ('OPTIMAL', 'FEASIBLE') else []
answers.append((status, point, s.ObjectiveValue() if point else 0, s.NumConflicts()))""",
    solve_all="""points = []
class Points(cp_model.CpSolverSolutionCallback):
  def on_solution_callback(self): points.append([self.Value(v) for v in x])
s.parameters.enumerate_all_solutions = True
answers.append((s.StatusName(s.Solve(m, Points())), points, None, s.NumConflicts()))""",
    between="m.ClearAssumptions(); m.ClearHints()",
    core="[i + 1 if i >= 0 else i for i in s.SufficientAssumptionsForInfeasibility()]",
    # a text is the number of an enum
    option=lambda name, value: (
        f"s.parameters.{name} = " + (f"type(s.parameters.{name})({value})" if isinstance(value, str) else repr(value))
    ),
    options={
        "cp_model_presolve": (False,),
        "linearization_level": (0, 2),
        "symmetry_level": (0, 3),
        "cp_model_probing_level": (0,),
        "num_workers": (8,),
        "random_seed": (1, 2),
    },
    switches=_switches(CpSat),
    export=("m.ExportToFile(path)", "txt"),
    hard_size=6,
)
_Z3 = ScriptedEngine(
    "z3",
    (_LOGIC | _MIP | {"xor", "table", "core"} | relations_of("z3")) - {"dense"},
    start="""import z3
from functools import reduce
s = z3.$solver()
x = [{'B': z3.Bool, 'I': z3.Int, 'C': z3.Real}[k](f'x{i}') for i, k in enumerate('$letters')]
n = [z3.If(v, 1, 0) if z3.is_bool(v) else v for v in x]
s.add([z3.And(v >= b[0], v <= b[1]) for v, b in zip(x, bounds) if not z3.is_bool(v)])""",
    add={
        "linear": "s.add([compare(z3.Sum([c * n[i] for i, c in t.items()]), b) for t, compare, b in $own])",
        "clause": "s.add([z3.Or([x[l - 1] if l > 0 else z3.Not(x[-l - 1]) for l in own]) for own in $own])",
        "xor": "s.add([reduce(z3.Xor, [x[i] for i in own], z3.BoolVal(not value)) for own, value in $own])",
        "table": "s.add([z3.Or([z3.And([x[i] == bool(v) for i, v in zip(own, r)]) for r in q]) for own, q in $own])",
    },
    objective="s.$sense(z3.Sum([c * n[i] for i, c in $cost.items()]))",
    scope=("s.push()", "s.pop()"),  # more objectives than one are minimised in their order
    solve="""status = str(s.check([x[i] if v else z3.Not(x[i]) for i, v in $fixed.items()]))
point = [str(s.model().eval(v, True)) for v in n] if status == 'sat' else []
answers.append((status, point, None, 0))""",
    core="[l for l in $assumed if status == 'unsat' and (x[l - 1] if l > 0 else z3.Not(x[-l - 1])) in s.unsat_core()]",
    option=lambda name, value: f"s.set({name!r}, {value!r})",
    options={"arith.solver": (2, 6), "random_seed": (1, 2)},
    export=("open(path, 'w').write(s.sexpr())", "smt2"),
)
_CLINGO = ScriptedEngine(
    "clingo",
    _LOGIC | {"xor", "steps"},
    start="""import clingo
c = clingo.Control(['--opt-mode=opt', *(f'--{k}={v}' for k, v in $settings)])
x = [clingo.Function('x', [clingo.Number(i)]) for i in range(len(bounds))]
rules = [f'{{x(0..{len(bounds) - 1})}}.']
def weights(terms): return '; '.join(f'{c},{i}: x({i})' for i, c in terms)""",
    add={
        "linear": """senses = {eq: '=', le: '<=', ge: '>='}
rules += [f':- not #sum{{{weights(t.items())}}} {senses[k]} {b}.' for t, k, b in $own]""",
        "clause": """for own in $own:
  body = ['not ' * (l > 0) + f'x({abs(l) - 1})' for l in own]
  rules.append(f":- {', '.join(body)}.")""",
        "xor": r"rules += [f':- N = #sum{{{weights((i, 1) for i in own)}}}, N \\ 2 != {v}.' for own, v in $own]",
    },
    objective="""c.configuration.solve.models = 0
rules.append(f'#minimize{{{weights($cost.items())}}}.')""",
    solve="""c.add('step$number', [], ' '.join(rules))
c.ground([('step$number', [])])
point = []
def found(m): point[:] = [int(m.contains(atom)) for atom in x]
status = str(c.solve(assumptions=[(x[i], bool(v)) for i, v in $fixed.items()], on_model=found)).lower()
answers.append((status, point, None, int(c.statistics['solving']['solvers']['conflicts'])))""",
    between="rules = []",
    options={"sat-prepro": ("no", "2"), "trans-ext": ("all", "weight"), "eq": (0,), "seed": (2, 3)},
    hard_size=7,
)
_CHOCO = ScriptedEngine(
    "pychoco",
    _CP | {"nfa", "all"} | relations_of("pychoco"),
    start="""import pychoco
from pychoco.objects.automaton.finite_automaton import FiniteAutomaton
m = pychoco.Model()
s = m.get_solver()
x = [m.intvar(*b) if i in $integers else m.boolvar() for i, b in enumerate(bounds)]
cost = $cost""",
    add={
        "linear": "for t, k, b in $own: "
        "m.scalar([x[i] for i in t], [*t.values()], '=' if k is eq else '<=' if k is le else '>=', b).post()",
        "clause": "for own in $own: m.add_clauses([x[l - 1] for l in own if l > 0], [x[-l - 1] for l in own if l < 0])",
        "table": "for own, rows in $own: m.table([x[i] for i in own], rows).post()",
        "regular": """for own, arcs, finals in $own:
  a = FiniteAutomaton()
  state = {q: a.add_state() for q in sorted({0, *finals, *(q for s, _, t in arcs for q in (s, t))})}
  for q, v, t in arcs: a.add_transition(state[q], state[t], v)
  a.set_initial_state(state[0]); a.set_final(*(state[q] for q in set(finals)))
  m.regular([x[i] for i in own], a).post()""",
    },
    objective="""size = sum(abs(c) * max(map(abs, bounds[i])) for i, c in cost.items())
total = m.intvar(-size, size)
m.scalar([*(x[i] for i in cost), total], [*cost.values(), -1], '=', 0).post()
m.set_objective(total, False)""",
    solve="""point = []
while (cost or not point) and s.solve(): point = [v.get_value() for v in x]
answers.append(('optimal' if point else 'infeasible', point, None, s.get_fail_count()))""",
    solve_all="""points = []
while s.solve(): points.append([v.get_value() for v in x])
answers.append(('optimal' if points else 'infeasible', points, None, s.get_fail_count()))""",
    option=lambda name, _: f"s.{name}(*x)",
    options={"set_dom_over_w_deg_search": ("",), "set_input_order_lb_search": ("",)},  # over all variables
)
_EXACT = ScriptedEngine(
    "exact",
    _MIP - {"real", "dense"} | {"hint"},
    start="""import exact
s = exact.Exact([('verbosity', '0')])
for i, b in enumerate(bounds): s.addVariable(f'x{i}', *b)
optimum = lambda: s.runFull(False)""",
    add={
        "linear": "for t, k, b in $own: "
        "s.addConstraint([(c, f'x{i}') for i, c in t.items()], k is not le, b, k is not ge, b)"
    },
    # an optimisation by runFull leaves a bound on the objective, and every later solve fails
    objective="""s.setObjective([(c, f'x{i}') for i, c in $cost.items()], $is_least)
optimum = lambda: s.toOptimum()[0]""",
    fix="s.setAssumptions([(f'x{i}', v) for i, v in $fixed.items()])",
    hint="s.setSolutionHints([(f'x{i}', v) for i, v in $hint.items()])",
    solve="""status = optimum()
point = s.getLastSolutionFor([f'x{i}' for i in range(len(bounds))]) if status == 'SAT' else []
answers.append((status, point, None, 0))""",
    between="s.clearAssumptions()",
)


def _wrapper(name: str) -> ScriptedEngine:
    """Return a mixed-integer solver of OR-Tools."""
    return ScriptedEngine(
        "ortools",
        _MIP,
        start="""from ortools.linear_solver import pywraplp
s, p = pywraplp.Solver.CreateSolver('$name'), pywraplp.MPSolverParameters()
x = [s.Var(low, high, i in $discrete, '') for i, (low, high) in enumerate(bounds)]""",
        add={"linear": "for t, k, b in $own: s.Add(k(s.Sum([c * x[i] for i, c in t.items()]), b))"},
        objective="s.$Sense(s.Sum([c * x[i] for i, c in $cost.items()]))",
        fix="for i, v in $fixed.items(): x[i].SetBounds(v, v)",
        solve="""status = s.Solve(p)
point = [v.solution_value() for v in x] if status < 2 else []
status = ['OPTIMAL', 'FEASIBLE', 'INFEASIBLE', 'UNBOUNDED', 'ABNORMAL', '', 'NOT_SOLVED'][status]
answers.append((status, point, s.Objective().Value() if point else 0, s.iterations()))""",
        between="for i in $fixed: x[i].SetBounds(*bounds[i])",
        option=lambda option, value: f"p.SetIntegerParam(p.{option}, p.{value})",
        options={"PRESOLVE": ("PRESOLVE_OFF",)},
        tolerance=_FLOAT,
        name=name,
        lineage=name.lower(),
    )


def _pysat(name: str, *features: str) -> ScriptedEngine:
    """Return a SAT solver of PySAT."""
    return ScriptedEngine(
        "pysat",
        frozenset({"clause", "steps", "core", *features}),
        # a tautology for each variable, so that it exists
        start="""from pysat.solvers import Solver
s = Solver(name='$name', bootstrap_with=[[i, -i] for i in range(1, $size)]$with_proof)""",
        add={"clause": "for own in $own: s.add_clause(own)"},
        hint="s.set_phases($phases)",
        solve="""found = s.solve(assumptions=$assumed)
point = [int(v in s.get_model()) for v in range(1, $size)] if found else []
answers.append(('sat' if found else 'unsat', point, None, s.accum_stats()['conflicts']))""",
        core="(s.get_core() or []) if not found else []",
        proof="(s.get_proof() or []) if not found else []",
        name=name,
        hard_size=8,
    )


def _cpmpy(name: str, *features: str) -> ScriptedEngine:
    """Return a solver under CPMpy, which rewrites constraints until the solver has them."""
    assumed = "assumptions=[x[i] if v else ~x[i] for i, v in $fixed.items()]" if "steps" in features else ""
    return ScriptedEngine(
        "cpmpy",
        frozenset({"linear", "clause", "xor", "table", "regular", "int", *features}) | relations_of("cpmpy"),
        # a tautology for each variable, so that the solver has it
        start=f"""import cpmpy as cp
m = cp.SolverLookup.get('{name}')
x = [cp.intvar(*b) if i in $integers else cp.boolvar() for i, b in enumerate(bounds)]
m += [v >= low for v, (low, _) in zip(x, bounds)]""",
        add={
            "linear": "m += [compare(cp.sum([c * x[i] for i, c in t.items()]), b) for t, compare, b in $own]",
            "clause": "m += [cp.any([x[l - 1] if l > 0 else ~x[-l - 1] for l in own]) for own in $own]",
            "xor": "m += [cp.Xor([x[i] for i in own]) == bool(value) for own, value in $own]",
            "table": "m += [cp.Table([x[i] for i in own], rows) for own, rows in $own]",
            "regular": "m += [cp.Regular([x[i] for i in own], arcs, 0, finals) for own, arcs, finals in $own]",
        },
        objective="m.$sense(cp.sum([c * x[i] for i, c in $cost.items()]))",
        solve=f"""found = m.solve({assumed})
point = [int(v.value()) for v in x] if found else []
answers.append((m.status().exitstatus.name, point, m.objective_value() if found and $cost else None, 0))""",
        solve_all="""points = []
m.solveAll(display=lambda: points.append([int(v.value()) for v in x]))
answers.append(('OPTIMAL' if points else m.status().exitstatus.name, points, None, 0))""",
        core="[l for l in $assumed if not found and (x[l - 1] if l > 0 else ~x[-l - 1]) in {*m.get_core()}]",
        name=name,
    )


ENGINES: dict[str, ScriptedEngine] = {
    "highs": _HIGHS,
    "scip": _SCIP,
    "ortools-scip": _wrapper("SCIP"),
    "cbc": _wrapper("CBC"),
    "cpsat": _CPSAT,
    "z3": _Z3,
    "clingo": _CLINGO,
    "choco": _CHOCO,
    "exact": _EXACT,
    "minisat22": _pysat("minisat22", "hint"),
    "cadical195": _pysat("cadical195", "proof"),
    "cpmpy-choco": _cpmpy("choco", "objective", "all"),
    "cpmpy-exact": _cpmpy("exact", "objective", "all", "objectives", "steps", "core"),
    "cpmpy-ortools": _cpmpy("ortools", "objective", "all", "objectives", "steps"),
    "cpmpy-pysat": _cpmpy("pysat", "steps", "core"),
    "cpmpy-z3": _cpmpy("z3:opt", "objective", "all", "objectives", "steps", "core"),
}
"""The engines, by name; those of Crosslit's backends have the same names."""

CONFIRMING: dict[str, ScriptedEngine] = {
    **{name: ENGINES[name] for name in ("z3", "cpsat", "exact", "highs", "scip")},
    "ortools-highs": _wrapper("HIGHS"),  # OR-Tools is always installed
    "ortools-scip": ENGINES["ortools-scip"],
}
"""Engines that may confirm a wrong answer, in the order in which they are tried."""
DISTRIBUTIONS = {"pysat": "python-sat", "z3": "z3-solver"}
"""Packages whose name is not that of their module."""
