"""Nonogram solvers that are libraries, each in a few lines: ``echo '1|1' | python nonograms.py picross-solver``.

Each function takes the clues of the rows and of the columns and returns a grid, a list of grids, None for unsolvable,
or the word ``unknown``. It calls the library as its documentation does and leaves the answer as it is.
"""

# ruff: noqa: D103 (a function is named after the engine it calls)

import contextlib
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from puzzles import grid, read_clues, serve

HERE = Path(__file__).resolve().parent


def picross_solver(rows, columns):
    import numpy
    from picross_solver import picross_solver

    cells = numpy.full((len(rows), len(columns)), -1)
    return (
        cells.tolist() if picross_solver.solve([r or [0] for r in rows], [c or [0] for c in columns], cells) else None
    )


def nonogram(rows, columns):
    import numpy
    from nonogram.src.core import nonogram
    from nonogram.src.core.solveurs.solveur_utils import GrilleImpossible, SolvingMethod

    empty = numpy.full((len(rows), len(columns)), 0)
    try:
        cells = nonogram._solve(rows, columns, SolvingMethod.DYNAMIC_OPTIMIZED, empty)
    except GrilleImpossible:
        return None
    except ModuleNotFoundError:  # it falls back on Gurobi, which is not free
        return "unknown"
    return [[cell == 1 for cell in row] for row in cells] if (cells != 0).all() else "unknown"


def puzzlekit(rows, columns):
    from puzzlekit.solvers.nonogram import NonogramSolver

    text = [[str(n) for n in clue] for clue in rows], [[str(n) for n in clue] for clue in columns]
    result = NonogramSolver(len(rows), len(columns), *text).solve().solution_data
    status = result["status"]
    if status == "Infeasible":
        return None
    return [[cell == "x" for cell in row] for row in result["solution_grid"].matrix] if status == "Optimal" else status


def nonogram_cracker(rows, columns):
    from nonogram_cracker import solve

    answer = solve({"name": "trial", "rows": rows, "cols": columns})
    if answer["is_unsolvable"]:
        return None
    if answer["has_error"]:
        raise RuntimeError(answer["error"])
    return [[cell == "█" for cell in row] for row in answer["solution"]] if answer["is_solved"] else "unknown"


def nonogram_solver(rows, columns):
    from nonogram_solver.nonogram import Nonogram
    from nonogram_solver.solver import solve

    puzzle = Nonogram()
    puzzle.n_rows, puzzle.n_cols, puzzle.solution_list = len(rows), len(columns), []
    puzzle.rows_constraints, puzzle.cols_constraints = rows, columns
    with contextlib.redirect_stdout(io.StringIO()):
        is_solved, solver = solve(puzzle)
    return (solver.puzzle_state == 1).tolist() if is_solved else "unknown"


def clingo(rows, columns):
    import clingo

    control = clingo.Control(["0", "--warn=none"])
    facts = [f"lines({kind},{len(lines)})." for kind, lines in (("row", rows), ("column", columns))]
    for kind, lines in (("row", rows), ("column", columns)):
        facts += [f"block({kind},{i},{k},{n})." for i, line in enumerate(lines) for k, n in enumerate(line)]
    control.add("base", [], " ".join(facts))
    control.add("base", [], (HERE / "nonogram.lp").read_text(encoding="utf-8"))
    control.ground([("base", [])])
    grids = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            filled = {tuple(n.number for n in atom.arguments) for atom in model.symbols(shown=True)}
            grids.append([[(r, c) in filled for c in range(len(columns))] for r in range(len(rows))])
    return grids or None


def choco(rows, columns):
    from pychoco.model import Model
    from pychoco.objects.automaton.finite_automaton import FiniteAutomaton

    model = Model()
    cells = [[model.boolvar() for _ in columns] for _ in rows]
    for line, clue in [*zip(cells, rows, strict=True), *zip(zip(*cells, strict=True), columns, strict=True)]:
        automaton = FiniteAutomaton("0*" + "0+".join("1" * n for n in clue) + "0*")
        model.regular(list(line), automaton).post()
    found = model.get_solver().find_all_solutions()
    return [[[s.get_int_val(cell) for cell in row] for row in cells] for s in found] or None


def minizinc(rows, columns):
    longest = max(1, *(len(clue) for clue in rows + columns))
    table = [", ".join(str(n) for n in clue + [0] * (longest - len(clue))) for clue in rows + columns]
    with tempfile.NamedTemporaryFile("w", suffix=".dzn", encoding="utf-8") as data:
        data.write(f"h = {len(rows)}; w = {len(columns)}; k = {longest}; clues = [| {' | '.join(table)} |];")
        data.flush()
        command = ["minizinc", "--solver", "gecode", "-a", str(HERE / "nonogram.mzn"), data.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    if "UNSATISFIABLE" in done.stdout:
        return None
    return [
        [[c == "#" for c in r] for r in g.split()] for g in done.stdout.split("==========")[0].split("----------")[:-1]
    ]


def cosoco(rows, columns):
    """Use a nondeterministic automaton for each line: a 0 may be the last one before a block."""
    height, width, lines = len(rows), len(columns), []
    cells = [[f"x[{row}][{column}]" for column in range(width)] for row in range(height)]
    for line, clue in [*zip(cells, rows, strict=True), *zip(zip(*cells, strict=True), columns, strict=True)]:
        state, moves = 0, "(q0,0,q0)"  # a state in which any number of empty cells is read
        for length in clue:
            moves += f"(q{state},0,p{state})(p{state},1,q{state + 1})"
            moves += "".join(f"(q{state + i},1,q{state + i + 1})" for i in range(length))
            state += length + 1
            moves += f"(q{state - 1},0,q{state})(q{state},0,q{state})"
        finals = f"q{state} q{state - 1}" if clue else "q0"  # the last block may end the line
        automaton = f"<transitions>{moves}</transitions><start>q0</start><final>{finals}</final>"
        lines.append(f"<regular><list>{' '.join(line)}</list>{automaton}</regular>")
    variables = f'<variables><array id="x" size="[{height}][{width}]">0 1</array></variables>'
    constraints = f"<constraints>{''.join(lines)}</constraints>"
    text = f'<instance format="XCSP3" type="CSP">{variables}{constraints}</instance>'
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as model:
        model.write(text)
        model.flush()
        done = subprocess.run(
            ["cosoco", model.name, "-model=2", "-nbsols=0"], capture_output=True, text=True, check=True
        )
    if "s UNSATISFIABLE" in done.stdout:
        return None
    solutions = [re.sub(r"\D", "", values) for values in re.findall("<values>(.*)</values>", done.stdout)]
    return [[[c == "1" for c in s[i : i + width]] for i in range(0, len(s), width)] for s in solutions]


def main(name: str) -> None:
    solve = globals()[name.replace("-", "_")]

    def answer(text):
        found = solve(*read_clues(text))
        if found is None or isinstance(found, str):
            return "unsolvable" if found is None else found
        grids = found if isinstance(found[0][0], list) else [found]
        return " ".join(grid([cell for row in rows for cell in row], len(rows[0])) for rows in grids)

    serve(answer)


if __name__ == "__main__":
    main(sys.argv[1])
