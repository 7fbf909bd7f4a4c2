"""Models as files: answers of other programs are read back; programs that are not installed are skipped."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crosslit.errors import UnreadableModel
from crosslit.kinds import Puzzle
from crosslit.registry import encodings
from tests.conftest import random_board, random_nonogram

SOLVERS = {
    "mzn": "minizinc --solver gecode {}",
    "fzn": "fzn-gecode {}",
    "asp": f"{sys.executable} -m clingo --outf=0 {{}}",
    "smt2": str(Path(sys.executable).with_name("z3")) + " {}",
    "opb": f"{sys.executable} -m clingo --mode=clasp {{}}",
    "lp": "glpsol --lp {} -o {}.out",
}


def puzzles(count: int) -> list[Puzzle]:
    rng = random.Random(17)
    sizes = [(rng.randint(1, 3), rng.randint(1, 5)) for _ in range(count)]
    return [random_board(rng, *size) for size in sizes] + [random_nonogram(rng, *size) for size in sizes]


def needs_programs(target: str) -> None:
    for program in {SOLVERS[target].split()[0], *(["minizinc"] if target == "fzn" else [])}:  # minizinc writes FlatZinc
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")  # from the distribution; CI installs it


def outside(target: str, path: Path) -> list[str]:
    """The output of the program for a form, on a file."""
    words = SOLVERS[target].replace("{}", str(path)).split()
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    written = Path(f"{path}.out")
    return (written.read_text() if written.exists() else done.stdout).splitlines()


@pytest.mark.parametrize("target", SOLVERS)
def test_what_another_program_answers_is_read_back(target: str, tmp_path: Path) -> None:
    needs_programs(target)
    statuses = set()
    for number, puzzle in enumerate(puzzles(4)):
        formula = encodings.formula(puzzle, encodings.choose(puzzle, target=target), target)
        path = tmp_path / f"{number}.{target}"
        path.write_bytes(b"".join(formula.written([puzzle.text], False)))
        status, grid, broken = formula.answer(outside(target, path))
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
    from crosslit.conformance.samples import by_rules

    return list(by_rules(puzzle).solutions)


ANSWERS = {
    "mzn": "x = [1,0];\n----------",
    "asp": "Answer: 1\nx(1) x(3)\nSATISFIABLE",
    "smt2": "sat\n((x1 true)\n (x2 false))",
    "opb": "s SATISFIABLE\nv x1 -x2",
    "lp": "Model status\nOptimal\n# Columns 2\nx1 1\nx2 0\nx3 1",
    "xcsp3": "\x1b[92m\ns SATISFIABLE\x1b[0m\nv <instantiation> <list> x1 x2 </list> <values> 1 0 </values>",
}


@pytest.mark.parametrize("target", ANSWERS)
def test_an_answer_that_breaks_the_formula_names_the_constraint(target: str) -> None:
    from crosslit import load

    nonogram = load("1|1,0")
    formula = encodings.formula(nonogram, encodings.choose(nonogram, target=target), target)
    status, grid, broken = formula.answer(ANSWERS[target].splitlines())
    assert (status, grid and grid.text(), broken) == ("satisfiable", "10", None)
    wrong = load("1|0,1")
    formula = encodings.formula(wrong, encodings.choose(wrong, target=target), target)
    status, grid, broken = formula.answer(ANSWERS[target].splitlines())
    assert broken is not None
    assert grid is not None
    assert [*wrong.violations(grid)]


@pytest.mark.parametrize("target", ["mzn", "asp", "smt2", "opb", "lp", "xcsp3"])
def test_no_answer_and_garbage_are_no_model(target: str) -> None:
    from crosslit import load

    nonogram = load("1|1,0")
    formula = encodings.formula(nonogram, encodings.choose(nonogram, target=target), target)
    for text in ("", "hello", "x1", "s\nv", "Answer: 1", "\x00\n\x01"):
        try:
            status, _, _ = formula.answer(text.splitlines())
        except UnreadableModel:
            continue
        assert status in (None, "satisfiable", "unsatisfiable", "unknown")


@pytest.mark.parametrize(
    ("target", "lines", "message"),
    [
        ("opb", ["s SATISFIABLE", "v x1 y2"], "no literal"),
        ("opb", ["s SATISFIABLE", "v x1 -x2 -x9"], "x9 = 0 is not a value"),
        ("opb", ["s SATISFIABLE", "v x1"], "values of 2 cells"),
        ("opb", ["s GREAT"], "unknown status"),
        ("lp", ["Optimal", "x1 0.5"], "not a whole number"),
        ("mzn", ["x = [1,0];", "-" * 10, "x = [0,1];", "-" * 10], "more than one model"),
        ("asp", ["Answer: 1", "x(1)", "Answer: 2", "x(2)"], "more than one model"),
        ("xcsp3", ["s SATISFIABLE", "v <list> x1 x2 </list> <values> 1 </values>"], "1 values of 2 variables"),
    ],
)
def test_what_cannot_be_an_answer_is_refused(target: str, lines: list[str], message: str) -> None:
    from crosslit import load

    nonogram = load("1|1,0")
    formula = encodings.formula(nonogram, encodings.choose(nonogram, target=target), target)
    with pytest.raises(UnreadableModel, match=message):
        formula.answer(lines)
