"""The example of formulas: its solutions are those that trying all assignments finds, and it refuses bad files."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command, installed

LISTS = """
import json, random
from formulas import random_formula
from crosslit import solutions
from crosslit.contract.family import Chance

for seed in range(20):
    puzzle = random_formula(Chance(random.Random(seed), 6))
    lists = [[grid.text for grid in solutions(puzzle, backend)] for backend in ("brute", "glucose4", "cpsat")]
    print(json.dumps([puzzle.columns, puzzle.clauses, lists, type(puzzle).parse(puzzle.text) == puzzle]))
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return installed(tmp_path, ROOT / "examples" / "formulas")


def test_every_engine_lists_the_assignments_that_satisfy_all_clauses(environment: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", LISTS], env=environment, capture_output=True, text=True, check=True)
    for variables, clauses, lists, is_read_back in map(json.loads, done.stdout.splitlines()):
        expected = [
            "".join(values)
            for values in itertools.product("01", repeat=variables)
            if all(any(values[abs(x) - 1] == "01"[x > 0] for x in clause) for clause in clauses)
        ]
        assert [sorted(found) for found in lists] == [expected] * 3
        assert is_read_back


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("p cnf 2 1/1 2", "puzzle: its text: expected the line p cnf VARIABLES CLAUSES, and 0 after every clause"),
        ("p cnf 2 1/1 a 0", "puzzle: its text:2: expected a line of DIMACS, found '1 a 0'"),
        ("p cnf 2 1/1 3 0", "puzzle: its text: expected variables from 1 to 2"),
    ],
)
def test_a_bad_formula_is_refused_in_one_line(
    crosslit: Command, environment: dict[str, str], content: str, message: str
) -> None:
    done = crosslit("show", f"formula:{content}", env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"crosslit: {message}\n")
