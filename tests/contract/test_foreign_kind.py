"""Kinds of puzzles from other distributions, the example of formulas among them, work in every command."""

from __future__ import annotations

import json
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
def test_a_wrong_solver_of_it_is_found_out(crosslit: Command, environment: dict[str, str]) -> None:
    liar = [sys.executable, "-c", "for line in open(0): print('unsolvable', flush=True)"]
    done = crosslit("verify", "--kind", "formula", "--lines", "--json", "--", *liar, env=environment)
    (failure,) = json.loads(done.stdout)["failures"]
    assert (failure["problem"], failure["puzzle"]["text"]) == ("false-unsolvable", "formula:p cnf 1 0")


def test_a_name_is_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.kinds._registered", {**all_kinds()})
    mine, other = (type("Mine", (LightsOut,), {"kind": "mine"}) for _ in range(2))
    assert register_kind(register_kind(mine)) is mine
    for kind in (LightsOut, other):
        with pytest.raises(ValueError, match=f"there is a kind {kind.kind} already"):
            register_kind(kind)
    assert kind_of_text("lights-out:10/01") is kind_of_text("10/01") is kind_of_text("3x2:1//1/1.1/") is None


class Counter(Puzzle):
    """A cell with one of three values, and no more of its own than a kind must have."""

    kind, label, plural, text, name, rows, columns = "counter", "counter", "counters", "counter:", "", 1, 1
    layout = Layout(1, 1, 3)
    samples = violations = lambda *_: ()


def test_a_cell_of_several_values_is_drawn_as_a_digit() -> None:
    puzzle = Counter()
    assert ">2</text>" in draw(puzzle, ["2"]).svg()
    assert (puzzle.constraints_shape, puzzle.constraint_words(0), puzzle.measure) == ((1, 1), "", (1,))
