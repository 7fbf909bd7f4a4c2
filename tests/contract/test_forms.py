"""Models as files: answers of other programs are read back; programs that are not installed are skipped."""

from __future__ import annotations

import random
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crosslit_encoders.finite_domain import Linear, Model, Regular
from crosslit_encoders.forms import lp, xcsp3

from crosslit import load
from crosslit.base.errors import UnreadableModel
from crosslit.kinds import Puzzle
from crosslit.questions.formula import formula_of
from crosslit.registry.defaults import choose_encoding
from tests.conftest import random_board, random_nonogram

SOLVERS = {
    "mzn": "minizinc --solver gecode {}",
    "asp": f"{shlex.quote(sys.executable)} -m clingo --outf=0 {{}}",
    "smt2": shlex.quote(str(Path(sys.executable).with_name("z3"))) + " {}",
    "opb": f"{shlex.quote(sys.executable)} -m clingo --mode=clasp {{}}",
    "lp": "glpsol --lp {} -o {}.out",
}


def puzzles(count: int) -> list[Puzzle]:
    rng = random.Random(17)
    sizes = [(rng.randint(1, 3), rng.randint(1, 5)) for _ in range(count)]
    return [random_board(rng, *size) for size in sizes] + [random_nonogram(rng, *size) for size in sizes]


def needs_program(target: str) -> None:
    program = shlex.split(SOLVERS[target])[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")  # from the distribution; CI installs it


def outside(command: str, path: Path) -> list[str]:
    """The output of a command of `SOLVERS` on a file."""
    written = Path(f"{path}.out")
    written.unlink(missing_ok=True)
    words = [word.replace("{}", str(path)) for word in shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return (written.read_text(encoding="utf-8") if written.exists() else done.stdout).splitlines()


def formula_of_text(text: str, target: str, name: str | None = None) -> Any:
    puzzle = load(text)
    return formula_of(puzzle, choose_encoding(puzzle, name, target), target)


@pytest.mark.slow
@pytest.mark.parametrize("target", SOLVERS)
def test_what_another_program_answers_is_read_back(target: str, tmp_path: Path) -> None:
    needs_program(target)
    statuses = set()
    for number, puzzle in enumerate(puzzles(4)):
        formula = formula_of(puzzle, choose_encoding(puzzle, target=target), target)
        path = tmp_path / f"{number}.{target}"
        path.write_bytes(b"".join(formula.written([puzzle.text], False)))
        status, grid, broken = formula.answer(outside(SOLVERS[target], path))
        statuses.add(status)
        assert broken is None
        if status == "satisfiable":
            assert grid is not None
            assert not [*puzzle.violations(grid)]
        else:
            assert status == "unsatisfiable"
            assert not any(True for _ in solutions(puzzle))
    assert statuses == {"satisfiable", "unsatisfiable"}


def solutions(puzzle: Puzzle) -> list[object]:
    from crosslit_verify.contract_checks import by_rules

    return list(by_rules(puzzle).solutions)


ANSWERS = {
    "mzn": "x = [1,0];\n----------",
    "asp": "Answer: 1\nx(1) x(3)\nSATISFIABLE",
    "smt2": "sat\n((x1 true)\n (x2 false)\n (x3 true))",
    "opb": "s SATISFIABLE\nv x1 -x2 x3",
    "lp": "Model status\nOptimal\n# Columns 2\nx1 1\nx2 0\nx3 1",
    "xcsp3": "\x1b[92m\ns SATISFIABLE\x1b[0m\nv <instantiation> <list> x1 x2 </list> <values> 1 0 </values>",
}


@pytest.mark.parametrize("target", ANSWERS)
def test_an_answer_that_breaks_the_formula_names_the_constraint(target: str) -> None:
    formula = formula_of_text("1|1,0", target)
    status, grid, broken = formula.answer(ANSWERS[target])
    assert (status, grid and grid.text, broken) == ("satisfiable", "10", None)
    wrong = load("1|0,1")
    status, grid, broken = formula_of_text(wrong.text, target).answer(ANSWERS[target].splitlines())
    assert broken is not None
    assert "x1" in broken
    assert "(" not in broken  # no object of Python
    assert grid is not None
    assert [*wrong.violations(grid)]


@pytest.mark.parametrize("target", ANSWERS)
def test_no_answer_and_garbage_are_no_model(target: str) -> None:
    formula = formula_of_text("1|1,0", target)
    for text in ("", "hello", "x1", "s\nv", "Answer: 1", "\x00\n\x01"):
        try:
            status, _, _ = formula.answer(text.splitlines())
        except UnreadableModel:
            continue
        assert status in (None, "satisfiable", "unsatisfiable", "unknown")


BOTH = "it says unsatisfiable and gives a model"


@pytest.mark.parametrize(
    ("target", "lines", "message"),
    [
        ("opb", ["s SATISFIABLE", "v x1 y2"], "no variable: y2"),
        ("opb", ["s SATISFIABLE", "v x1"], "no values of 2 variables, the first is x2"),
        ("opb", ["s GREAT"], "unknown status"),
        ("lp", ["Optimal", "x1 0.5"], "not a whole number"),
        ("mzn", ["x = [1,0];", "-" * 10, "x = [0,1];", "-" * 10], "more than one model"),
        ("asp", ["Answer: 1", "x(1)", "Answer: 2", "x(2)"], "more than one model"),
        ("asp", ["Answer: 1", "x(1 x(2)", "SATISFIABLE"], "no variable: x\\(1"),
        ("mzn", ["x = [1", ";", "2,0];", "-" * 10], "1 ; 2 is not a whole number"),
        ("mzn", ["x = [1,0];", "x = [1,0];", "-" * 10], "x1 twice"),
        ("smt2", ["sat", f"((x1 true) (x3 {'9' * 310}))"], "not a whole number"),
        ("smt2", ["sat", "((x1 true) (x2 false) (x3 true))", "unsat"], "satisfiable and unsatisfiable"),
        ("opb", ["s SATISFIABLE", "v x1 -x1 -x2 x3"], "x1 twice"),
        ("opb", ["s SATISFIABLE", "v x0 x1 -x2 x3"], "no variable: x0"),
        ("lp", ["Optimal", "x1 inf"], "inf is not a whole number"),
        ("lp", ["c Status: INTEGER OPTIMAL", "c Objective: obj = 0 (MINimum)", "j 1 1", "e o f"], "names no variable"),
        ("lp", ["Objective value =   0.000000000e+00", "INTEGER OPTIMAL SOLUTION FOUND"], "names no variable"),  # GLPK
        ("lp", ["node 1 is infeasible", "Optimal solution"], "infeasible and optimal"),
        ("xcsp3", ["v <list> x1 x2 </list> <values> 1 0x9999999999999999999999 </values>"], "not a whole number"),
        ("xcsp3", ["v <list> x1 x2 </list> <values> 1 0x300000000 </values>"], "not as many values"),
        ("opb", ["s SATISFIABLE", "v x1 -x2 -x4"], "x4 = 0 is not a value"),
        ("opb", [f"s {'A' * 60}"], f"unknown status: s {'A' * 38}$"),
        ("smt2", ["sat", "((x1 2) (x2 false) (x3 true))"], "x1 = 2 is not a value"),
        ("mzn", ["x = [1,0.9998];", "-" * 10], "0.9998 is not a whole number"),
        ("mzn", ["x = [1,1000000000];", "-" * 10], r"1000000000 is not a whole number below 1e\+09"),
        ("xcsp3", ["v <list> x1 x2 </list> <values> 1 * </values>"], "no values of 1 variables, the first is x2"),
        ("xcsp3", ["s SATISFIABLE", "v <list> x1 x2 </list> <values> 1 </values>"], "2 variables and not as many"),
        ("mzn", ["x = [1,0];", "=====UNSATISFIABLE====="], BOTH),
        ("lp", ["Model status", "Infeasible", "# Columns 2", "x1 1", "x2 0", "x3 1"], BOTH),
    ],
)
def test_what_cannot_be_an_answer_is_refused(target: str, lines: list[str], message: str) -> None:
    with pytest.raises(UnreadableModel, match=message):
        formula_of_text("1|1,0", target).answer(lines)


@pytest.mark.parametrize("answer", ["solution status: optimal\nobjective value: 0", "Optimal - objective value 0.00"])
def test_zeros_are_left_out_below_the_objective_value(answer: str) -> None:
    status, grid, broken = formula_of_text("0|0", "lp").answer(answer.splitlines())
    assert (status, grid and grid.text, broken) == ("satisfiable", "0", None)


def test_variables_in_no_constraint_may_be_missing() -> None:
    free = "press=010,000,000/10/00"  # two of its presses toggle nothing
    lines = ["s SATISFIABLE", "v <list> x3 x4 x5 x6 </list> <values> 1 0 0 0 </values>"]
    status, grid, broken = formula_of_text(free, "xcsp3").answer(lines)
    assert (status, grid and grid.text, broken) == ("satisfiable", "00/10", None)


def test_a_variable_in_no_constraint_that_is_missing_has_its_least_value() -> None:
    model = Model(1, 1)
    model.variable(-2, 3)
    model.add(Linear(((1, 0),), 1))
    assert model.as_form("smt2").read(["sat", "((x1 true))"]) == ("satisfiable", [1, -2])
    with pytest.raises(UnreadableModel, match="x2 = 0 is not a value"):  # zeros are left out, which this is not
        other = Model(1, 1)
        other.variable(2, 3)
        other.as_form("lp").read(["Optimal", "x1 1"])


def test_every_variable_of_a_mixed_integer_program_is_in_the_objective_or_a_constraint() -> None:
    written = list(lp.write(Model(1, 4)))
    assert written[2:6] == ["obj: +0 x1 +0 x2 +0 x3 +0 x4", "Subject To", "c1: +1 x1", ">= 0"]


def test_an_instance_without_constraints_has_one_that_always_holds() -> None:
    assert sum("<sum>" in line for line in xcsp3.write(Model(1, 4))) == 1


def test_an_automaton_over_one_variable_is_the_list_of_its_words() -> None:
    model = Model(1, 1)
    model.add(Regular((0,), 0, (1,), ((0, 1, 1), (0, 0, 0))))
    assert "<extension><list> x1 </list><supports> 1 </supports></extension>" in xcsp3.write(model)
