"""Lights Out by general engines, each in a few lines: ``echo '00/11' | python boards.py scip-xor``.

Each function takes the number of cells and one equation per cell (the cells whose presses switch it, and the parity
that they need), and returns the presses, a list of all solutions, None for unsolvable, or a word such as ``unknown``.
"""

# ruff: noqa: D103 (a function is named after the engine it calls)

import itertools
import sys

from puzzles import equations, grid, read_board, serve


def clauses(system):
    """Yield the clauses of the parity constraints: those that exclude each assignment of the wrong parity."""
    for cells, lit in system:
        for signs in itertools.product([0, 1], repeat=len(cells)):
            if sum(signs) % 2 != lit:
                yield [-(c + 1) if sign else c + 1 for c, sign in zip(cells, signs, strict=True)]


def scip_xor(size, system):
    from pyscipopt import Model

    model = Model()
    model.hideOutput()
    press = [model.addVar(vtype="B") for _ in range(size)]
    for cells, lit in system:
        model.addConsXor([press[c] for c in cells], bool(lit))
    return _scip(model, press)


def scip_linear(size, system):
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    press = [model.addVar(vtype="B") for _ in range(size)]
    for cells, lit in system:
        one, two = model.addVar(vtype="B"), model.addVar(vtype="B")  # half of the presses, once and twice
        model.addCons(one >= two)
        model.addCons(quicksum(press[c] for c in cells) == 2 * one + 2 * two + lit)
    return _scip(model, press)


def _scip(model, press):
    model.optimize()
    if model.getStatus() == "infeasible":
        return None
    return [round(model.getVal(p)) for p in press] if model.getStatus() == "optimal" else "unknown"


def _pywraplp(name, size, system):
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver(name)
    press = [solver.BoolVar("") for _ in range(size)]
    for cells, lit in system:
        one, two = solver.BoolVar(""), solver.BoolVar("")
        solver.Add(one >= two)
        solver.Add(sum(press[c] for c in cells) == 2 * one + 2 * two + lit)
    status = solver.Solve()
    if status == solver.INFEASIBLE:
        return None
    return [round(p.solution_value()) for p in press] if status == solver.OPTIMAL else "unknown"


def ortools_scip(size, system):
    return _pywraplp("SCIP", size, system)


def ortools_cbc(size, system):
    return _pywraplp("CBC", size, system)


def ortools_highs(size, system):
    return _pywraplp("HIGHS", size, system)


def highs(size, system):
    import highspy

    model = highspy.Highs()
    model.silent()
    press = [model.addBinary() for _ in range(size)]
    for cells, lit in system:
        one, two = model.addBinary(), model.addBinary()
        model.addConstr(one >= two)
        model.addConstr(sum(press[c] for c in cells) == 2 * one + 2 * two + lit)
    model.solve()
    status = model.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    return [round(model.val(p)) for p in press] if status == highspy.HighsModelStatus.kOptimal else "unknown"


def _cp_sat_model(size, system):
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    press = [model.new_bool_var("") for _ in range(size)]
    for cells, lit in system:
        model.add_bool_xor([press[c] for c in cells] + ([] if lit else [True]))
    return cp_model, model, press


def cp_sat(size, system):
    cp_model, model, press = _cp_sat_model(size, system)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 8
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    return [solver.value(p) for p in press] if status == cp_model.OPTIMAL else "unknown"


def _cpmpy(name, size, system):
    import cpmpy

    press = cpmpy.boolvar(shape=size)
    press = [press] if size == 1 else list(press)
    model = cpmpy.Model([cpmpy.Xor([press[c] for c in cells] + ([] if lit else [True])) for cells, lit in system])
    return [p.value() for p in press] if model.solve(solver=name) else None


def _cpmpy_solver(name):
    return lambda size, system: _cpmpy(name, size, system)


cpmpy_scip, cpmpy_choco, cpmpy_exact, cpmpy_z3, cpmpy_ortools = map(
    _cpmpy_solver, ["scip", "choco", "exact", "z3", "ortools"]
)


def _pysat(name):
    def solve(size, system):
        from pysat.solvers import Solver

        with Solver(name, bootstrap_with=clauses(system)) as solver:
            return [[literal > 0 for literal in model[:size]] for model in solver.enum_models()] or None

    return solve


minisat22, glucose4, maplesat, lingeling, cadical195 = map(
    _pysat, ["minisat22", "glucose4", "maplesat", "lingeling", "cadical195"]
)


def kissat404(size, system):
    from pysat.solvers import Solver

    with Solver("kissat404", bootstrap_with=clauses(system)) as solver:
        return [literal > 0 for literal in solver.get_model()[:size]] if solver.solve() else None


def _pysat_unique(name):
    """Return a solver that looks for a second solution by unit propagation first, and only then by search."""

    def solve(size, system):
        from pysat.solvers import Solver

        with Solver(name, bootstrap_with=clauses(system)) as solver:
            if not solver.solve():
                return None
            model = solver.get_model()[:size]
            is_unique = all(not solver.propagate([-x])[0] or not solver.solve([-x]) for x in model)
        return [literal > 0 for literal in model], is_unique

    return solve


minisat22_propagate, cadical195_propagate = _pysat_unique("minisat22"), _pysat_unique("cadical195")


def cryptominisat(size, system):
    import pycryptosat

    solver = pycryptosat.Solver()
    for cells, lit in system:
        solver.add_xor_clause([c + 1 for c in cells], bool(lit))
    found = []
    while (answer := solver.solve())[0]:
        found.append(list(answer[1][1 : size + 1]))
        solver.add_clause([-(c + 1) if found[-1][c] else c + 1 for c in range(size)])
    return found or None


def approxmc(size, system):
    """Fix one cell after another so that the count stays above zero; the first count decides uniqueness."""
    import pyapproxmc

    def count(units):
        counter = pyapproxmc.Counter()
        for clause in [*clauses(system), *units]:
            counter.add_clause(clause)
        cells, hashes = counter.count(range(1, size + 1))
        return cells * 2**hashes

    number, units = count([]), []
    if not number:
        return None
    for c in range(1, size + 1):
        units.append([c] if count([*units, [c]]) else [-c])
    return [unit[0] > 0 for unit in units], number == 1


def clingo(size, system):
    import clingo

    control = clingo.Control(["0", "--warn=none"])
    facts = [f"at({i},{c})." for i, (cells, _) in enumerate(system) for c in cells]
    facts += [f"lit({i},{lit})." for i, (_, lit) in enumerate(system)]
    rules = "{ press(C) } :- C=0..%d. :- lit(I,L), #sum { 1,C : press(C), at(I,C) } = S, S \\ 2 != L. #show press/1."
    control.add("base", [], " ".join(facts) + rules % (size - 1))
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        pressed = [{atom.arguments[0].number for atom in model.symbols(shown=True)} for model in handle]
    return [[c in cells for c in range(size)] for cells in pressed] or None


def main(name: str) -> None:
    solve = globals()[name.replace("-", "_")]

    def answer(text):
        board = read_board(text)
        width = len(board[0])
        found = solve(len(board) * width, equations(text))
        if found is None or isinstance(found, str):
            return "unsolvable" if found is None else found
        if isinstance(found, tuple):
            return f"{grid(found[0], width)} {'unique' if found[1] else 'not unique'}"
        return " ".join(grid(cells, width) for cells in (found if isinstance(found[0], list) else [found]))

    serve(answer)


if __name__ == "__main__":
    main(sys.argv[1])
