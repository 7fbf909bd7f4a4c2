"""A kind from another distribution whose cells have three states: every engine solves it, by the rules' solutions."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from crosslit.base.grid import Grid
from crosslit.contract import Task
from crosslit.registry import all_backends
from crosslit.runs.job import drive
from tests.conftest import Command
from tests.contract.configurations import needs

PLANTED = Path(__file__).parents[2] / "planted_kind"
sys.path.insert(0, str(PLANTED))
try:
    from planted_modular import ENCODINGS, Modular, satisfied
finally:
    sys.path.remove(str(PLANTED))

LINES = [f"modular:{''.join(row)}" for row in itertools.product("012", repeat=2)]
LINES += [f"{one}/{other.removeprefix('modular:')}" for one, other in itertools.product(LINES, repeat=2)]
BOARDS = [Modular.parse(line) for line in LINES]
ENCODING = {encoding.target: encoding for encoding in ENCODINGS}


def answers(backend: str, target: str, board: Modular, question: str = "solutions") -> list[Grid]:
    return list(drive(all_backends()[backend], board, Task(question, encoding=ENCODING.get(target))))


def by_rules(board: Modular) -> list[Grid]:
    return [grid for grid in board.layout.every() if not any(board.violations(grid))]


@pytest.mark.parametrize(
    ("backend", "target"),
    [
        ("brute", ""),
        ("glucose4", "cnf"),
        ("cadical195", "cnf"),
        ("kissat404", "cnf"),
        ("cpsat", "cp-sat"),
        ("choco", "fd"),
        ("clingo", "linear"),
    ],
)
def test_an_engine_finds_the_solutions_of_the_rules(backend: str, target: str) -> None:
    needs(backend)
    for board in BOARDS[:: 1 if backend == "glucose4" else 7]:
        assert sorted(answers(backend, target, board), key=lambda grid: grid.text) == sorted(
            by_rules(board), key=lambda grid: grid.text
        )


def test_contradicting_constraints_are_the_fewest() -> None:
    for board in BOARDS[::5]:
        lights = range(board.rows * board.columns)
        kept = {satisfied(board, grid) for grid in board.layout.every()}
        sets = (
            sum(1 << light for light in some) for size in lights for some in itertools.combinations(lights, size + 1)
        )
        wrong = (bits for bits in sets if all(bits & ~true for true in kept))
        found = answers("glucose4", "cnf", board, "mus")
        assert [grid.count() for grid in found[-1:]] == [bits.bit_count() for bits in itertools.islice(wrong, 1)]


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(PLANTED), os.environ.get("PYTHONPATH")]))}


def test_commands_count_and_draw_its_cells(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    def words(*arguments: str) -> str:
        return crosslit(*arguments, env=environment).stdout

    assert words("count", "modular:00/00") == "3\n"
    assert words("show", "modular:1", "--solution").splitlines()[1:] == ["2"]
    assert words("show", "modular:1", "--solution", "--image", str(tmp_path / "a.svg")) == ""
    assert ">2</text>" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "unsolvable: these 4 constraints contradict each other" in words("explain", "modular:01/00")
    comparison = json.loads(words("compare", "modular:00/00", "--all", "--json"))
    assert (comparison["verdict"]["solutions"], comparison["verdict"]["evidence"]) == (3, "agreed")


@pytest.mark.parametrize(
    ("board", "claim"), [("00/00", "there are exactly 3 solutions"), ("01/00", "there is no solution")]
)
def test_a_solver_proves_what_it_claims_about_its_cells(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, board: str, claim: str
) -> None:
    path = str(tmp_path / "certificate.json")
    options = ("--backends", "glucose4", "--all", "--certificate", path)
    crosslit("compare", f"modular:{board}", *options, env=environment)
    checked = crosslit("check-certificate", f"modular:{board}", path, env=environment).stdout
    assert checked.startswith(f"accepted: {claim} (checked by RUP by minisat22)")
