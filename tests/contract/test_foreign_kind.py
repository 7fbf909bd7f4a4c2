"""Kinds of puzzles from other distributions, the example of formulas among them, work in every command."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from crosslit import draw
from crosslit.base.grid import Layout
from crosslit.kinds import LightsOut, Puzzle, all_kinds, kind_of_text, register_kind
from tests.conftest import ROOT, Command, installed

PUZZLES = {
    "UNIQUE": "formula:p cnf 2 2/1 0/-1 2 0",
    "THREE": "formula:p cnf 2 1/1 2 0",
    "NONE": "formula:p cnf 3 4/1 2 0/-1 2 0/-2 0/3 0",
}
SOLVER = """
import json, sys
from crosslit import load, solve

for line in sys.stdin:
    puzzle = load(json.loads(line)["text"])
    grid = solve(puzzle, "glucose4")
    is_lie = sys.argv[1:] == [str(puzzle.columns)]
    answer = {"unsolvable": True} if grid is None or is_lie else {"solution": grid.text.split("/")}
    print(json.dumps({"id": json.loads(line)["id"], **answer}), flush=True)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "three.puzzles").write_text(f"{PUZZLES['THREE']}\n", encoding="utf-8")
    plan = f'task = "all"\nbackends = ["cpsat", "glucose4"]\n[[puzzles]]\npuzzles = {[*PUZZLES.values()]}\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    return installed(tmp_path, ROOT / "examples" / "formulas")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "printed"),
    {
        "show UNIQUE": "formula, 1 x 2",
        "show UNIQUE --solution -o a.svg": "a.svg: written",
        "solve UNIQUE": "████",
        "compare UNIQUE": "verdict: unique (evidence: agreed, by cadical195, cpsat)",
        "compare NONE --certify": "verdict: unsolvable (evidence: certified, by",
        "count UNIQUE --check": "1 (evidence: agreed, by cadical195, cpsat)",
        "count THREE": "3\n",
        "enumerate three.puzzles --backend cpsat": "crosslit: 3 solutions, complete",
        "stats three.puzzles UNIQUE NONE": "3 puzzles: 1 unsolvable, 1 unique, 1 with several solutions",
        "encode THREE": "p cnf 2 1",
        "encode THREE --encoding or": "bool_or {",
        "convert three.puzzles - --to lines": "formula:p cnf 2 1/1 2 0 # three",
        "verify --kind formula --backend glucose4 --cases 25 --claims unique": "passed: 25 puzzles",
        "check-backend glucose4 --kind formula --level quick": "passed, 0 failed",
        "check-backend cpsat --kind formula --level quick": "passed, 0 failed",
        "check-backend brute --kind formula --level quick": "passed, 0 failed",
        "bench run plan.toml": "6 runs, 6 new; 0 wrong answers",
    }.items(),
)
def test_a_command_answers_about_it(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, command: str, printed: str
) -> None:
    done = crosslit(*(PUZZLES.get(word, word) for word in command.split()), env=environment, cwd=tmp_path)
    assert printed in done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "reason"),
    {
        "generate formula": "'formula' is not one of 'lights-out'",
        "page THREE -o page.html": ", not formulas",
        "solve THREE --fewest": "the question `fewest` applies only to Lights Out and modular Lights Out",
        "show formula:1": "expected the line p cnf VARIABLES CLAUSES",
    }.items(),
)
def test_a_command_that_does_not_support_it_says_so(
    crosslit: Command, environment: dict[str, str], command: str, reason: str
) -> None:
    done = crosslit(*(PUZZLES.get(word, word) for word in command.split()), env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr


def test_it_is_explained(crosslit: Command, environment: dict[str, str]) -> None:
    clauses = "  clause 1: 1 2\n  clause 2: -1 2\n  clause 3: -2\nthe smallest"
    printed = crosslit("explain", PUZZLES["NONE"], env=environment).stdout
    assert f"these 3 constraints contradict each other\n{clauses}" in printed


def test_it_is_compared(crosslit: Command, environment: dict[str, str]) -> None:
    backends = ["--backends", "default,brute", "--solver", "mine=cat {cnf}"]
    done = crosslit("compare", PUZZLES["THREE"], "--all", "--json", *backends, env=environment)
    comparison = json.loads(done.stdout)
    statuses = {run["backend"]: run["status"] for run in comparison["runs"]}
    complete = dict.fromkeys(["brute", "cadical195", "cpsat", "glucose4"], "complete")
    assert statuses == {**complete, "mine": "error"}
    assert (comparison["verdict"]["solutions"], comparison["verdict"]["evidence"]) == (3, "brute-force")


def test_it_is_read_from_every_format_that_it_is_written_to(
    crosslit: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    for source, path in (("three.puzzles", "one.json"), ("one.json", "one.puzzles")):
        assert crosslit("convert", source, path, env=environment, cwd=tmp_path).returncode == 0
    assert (tmp_path / "one.puzzles").read_text(encoding="utf-8") == f"{PUZZLES['THREE']} # one\n"


def test_an_answer_to_its_formula_is_decoded(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "wrong.txt").write_text("s SATISFIABLE\nv -1 -2 0\n", encoding="utf-8")
    done = crosslit("decode", PUZZLES["THREE"], "wrong.txt", env=environment, cwd=tmp_path)
    assert (done.returncode, "breaks" in done.stdout + done.stderr) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize(("words", "passed"), [([], True), (["2"], False)])
def test_a_solver_of_it_is_verified(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, words: list[str], passed: bool
) -> None:
    options = ["--kind", "formula", "--cases", "12", "--json"]
    done = crosslit("verify", *options, "--", sys.executable, "-c", SOLVER, *words, env=environment, cwd=tmp_path)
    result = json.loads(done.stdout)
    assert (done.returncode, result["passed"]) == (not passed, passed)
    if not passed:
        (failure,) = result["failures"]
        assert (failure["problem"], failure["puzzle"]["text"]) == ("false-unsolvable", "formula:p cnf 2 0")


def test_a_name_is_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.kinds._registered", {**all_kinds()})
    mine, other = (type("Mine", (LightsOut,), {"kind": "mine"}) for _ in range(2))
    assert register_kind(register_kind(mine)) is mine
    for kind in (LightsOut, other):
        with pytest.raises(ValueError, match=f"there is a kind {kind.kind} already"):
            register_kind(kind)
    assert kind_of_text("lights-out:10/01") is kind_of_text("10/01") is kind_of_text("3x2:1//1/1.1/") is None


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
        ("p cnf 2 1/1 2", "puzzle: expected the line p cnf VARIABLES CLAUSES, and 0 after every clause"),
        ("p cnf 2 1/1 a 0", "puzzle:2: expected a line of DIMACS, found '1 a 0'"),
        ("p cnf 2 1/1 3 0", "puzzle: expected variables from 1 to 2"),
    ],
)
def test_a_bad_formula_is_refused_in_one_line(
    crosslit: Command, environment: dict[str, str], content: str, message: str
) -> None:
    done = crosslit("show", f"formula:{content}", env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"crosslit: {message}\n")


class Counter(Puzzle):
    """A cell with one of three values, and no more of its own than a kind must have."""

    kind, label, plural, text, name, rows, columns = "counter", "counter", "counters", "counter:", "", 1, 1
    layout = Layout(1, 1, 3)
    samples = violations = lambda *_: ()


def test_a_cell_of_several_values_is_drawn_as_a_digit() -> None:
    puzzle = Counter()
    assert ">2</text>" in draw(puzzle, ["2"]).svg()
    assert (puzzle.constraints_shape, puzzle.constraint_words(0), puzzle.measure) == ((1, 1), "", (1,))
