"""A kind that is no puzzle, the example of formulas: its answers are those of all assignments, in every command."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command, installed

EXAMPLE = ROOT / "examples" / "formulas"
DIMACS = "c a comment\np cnf 4 3\nc p show 1 3 0\n1 -2 0 2\n4 0\nx2 3 4 0\n"
OPB = "* #variable= 3 #constraint= 2\n+1 x1 +2 ~x2 -1 x3 >= 1 ;\n+1 x1 +1 x2 +1 x3 = 2;\n"
NONE = "formula:p cnf 3 4/1 2 0/-1 2 0/-2 0/3 0"
LISTS = """
import json, random
from formulas import random_formula
from crosslit import SpecError, solutions
from crosslit.contract.family import Chance

for seed in range(20):
    puzzle, lists = random_formula(Chance(random.Random(seed), 6)), {}
    for backend in ("brute", "cadical195", "glucose4", "cryptominisat", *(() if puzzle.hides else ("cpsat",))):
        try:
            lists[backend] = sorted(grid.text() for grid in solutions(puzzle, backend))
        except SpecError:
            assert backend == "cryptominisat"  # not installed
    is_equal = type(puzzle).parse(puzzle.text) == puzzle
    print(json.dumps([puzzle.variables, puzzle.visible, puzzle.rules, lists, is_equal]))
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "a.cnf").write_text(DIMACS, encoding="utf-8")
    (tmp_path / "a.opb").write_text(OPB, encoding="utf-8")
    return installed(tmp_path, EXAMPLE)


def test_the_example_is_short() -> None:
    assert len((EXAMPLE / "formulas.py").read_text(encoding="utf-8").splitlines()) <= 250


def test_every_engine_lists_the_solutions_that_trying_all_assignments_finds(environment: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", LISTS], env=environment, capture_output=True, text=True, check=True)
    numbers = []
    for variables, visible, rules, lists, is_equal in map(json.loads, done.stdout.splitlines()):
        expected = set()
        for values in itertools.product((False, True), repeat=variables):
            true = {place if value else -place for place, value in enumerate(values, 1)}
            sums = [(sum(times for times, x in terms if x in true), bound) for terms, bound in rules]
            if all(total % 2 if bound is None else total >= bound for total, bound in sums):
                expected.add("".join("01"[x in true] for x in visible))
        assert lists == dict.fromkeys(lists, sorted(expected))
        assert is_equal
        numbers.append((min(len(expected), 2), len(visible) < variables, len(lists) >= 3))
    assert {(0, False, True), (1, False, True), (2, True, True)} <= {*numbers}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("enumerate a.opb", "110\n101\n"),
        ("count a.cnf --check", "3 (evidence: "),
        ("count a.opb --backend cpsat", "2\n"),
        ("backbone a.opb", "1 cell is equal in all solutions, 2 vary"),
        ("compare a.opb --all", "verdict: multiple, 2 solutions (evidence: agreed, by cadical195, cpsat)"),
        ("compare NONE --certify", "verdict: unsolvable (evidence: certified, by "),
        ("explain NONE", "constraint 1, 1 2 0\n  constraint 2, -1 2 0\n  constraint 3, -2 0\nthe smallest set"),
        ("stats a.cnf a.opb NONE", "1 of 3 unsolvable, 0 unique, 2 with several solutions"),
        ("encode a.cnf", "p cnf 4 6"),
        ("convert a.cnf - --to lines", "formula:p cnf 4 3/c p show 1 3 0/1 -2 0/2 4 0/x2 3 4 0 # a"),
        ("verify --kind formula --backend glucose4 --cases 25", "passed: 25 puzzles"),
        ("check-backend glucose4 --kind formula --level quick", "passed, 0 failed"),
        ("check-backend cpsat --kind formula --level quick", "passed, 0 failed"),
        ("bench run a.toml", "4 runs, 4 new; 0 wrong answers"),
    ],
)
def test_a_command_answers_about_formulas(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, words: str, printed: str
) -> None:
    puzzles = f'[[puzzles]]\nfiles = ["a.opb"]\n[[puzzles]]\npuzzles = ["{NONE}"]'
    plan = f'task = "all"\nbackends = ["cpsat", "glucose4"]\n{puzzles}\n'
    (tmp_path / "a.toml").write_text(plan, encoding="utf-8")
    command = [NONE if word == "NONE" else word for word in words.split()]
    done = crosslit(*command, env=environment, cwd=tmp_path)
    assert printed in done.stdout + done.stderr
    assert done.returncode == 0


GANAK = """
import itertools
from pathlib import Path

class Counter:
    def __init__(self, seed):
        self.clauses = []

    def new_vars(self, number):
        self.variables, self.counted = number, range(1, number + 1)

    def set_sampling_set(self, variables):
        self.counted = [*variables]

    def add_clauses(self, clauses):
        self.clauses += clauses

    def count(self):
        points = itertools.product((False, True), repeat=self.variables)
        good = [p for p in points if all(any(p[abs(x) - 1] == (x > 0) for x in clause) for clause in self.clauses)]
        return len({tuple(point[x - 1] for x in self.counted) for point in good})
"""


def test_a_counter_of_models_counts_the_values_of_shown_variables(
    crosslit: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    """The stand-in for the engine of an extra counts by trying all assignments."""
    (tmp_path / "pyganak.py").write_text(GANAK, encoding="utf-8")
    (tmp_path / "pyganak-2.8.0.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: pyganak\nVersion: 2.8.0\n"
    (tmp_path / "pyganak-2.8.0.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
    done = crosslit("count", "a.cnf", "--backend", "ganak", env=environment, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("3\n", 0), done.stderr


@pytest.mark.slow
def test_a_wrong_solver_is_found(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    """It says that no formula has a solution."""
    solver = [sys.executable, "-c", "print('unsolvable')"]
    done = crosslit("verify", "--kind", "formula", "--format", "inline", "--", *solver, env=environment, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("wrong-unsolvable: it says that there is no solution, but there is one")


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.cnf", "p cnf 2 1\n1 2\n", "a.cnf: expected the line p cnf VARIABLES CLAUSES, and 0 after every clause"),
        ("a.cnf", "p cnf 2 1\n1 a 0\n", "a.cnf:2: expected a line of DIMACS, found '1 a 0'"),
        ("a.cnf", "p cnf 2 1\n1 3 0\n", "a.cnf: expected a puzzle in the format dimacs: the variables are from 1 to 2"),
        ("a.opb", "* #variable= 2\n+1 x1 > 2;\n", "a.opb: expected a constraint such as +2 x1 -3 ~x2 >= 1 ;"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, name: str, content: str, line: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = crosslit("show", name, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
