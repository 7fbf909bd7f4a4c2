"""The trial campaign: its description is well formed, and a planted solver goes all the way to the page."""

import importlib.util
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

TRIALS = Path(__file__).resolve().parents[2] / "examples" / "trials"

PLANTED = """
import sys
for line in sys.stdin:
    print("/".join("0" * len(row) for row in line.strip().split("/")), flush=True)
"""


@pytest.fixture(scope="module")
def trials() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trials_run", TRIALS / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_solver_has_a_version_and_a_program_that_exists(trials: ModuleType) -> None:
    solvers = trials.load(TRIALS / "trials.toml")
    assert len({solver["name"] for solver in solvers}) == len(solvers) >= 15
    for solver in solvers:
        assert any(character.isdigit() for character in solver["name"])
        for word in shlex.split(solver["command"]):
            assert not word.startswith("examples/") or (TRIALS.parent.parent / word).is_file()
        puzzle = "1 1,0|1,0,1" if solver["kind"] == "nonogram" else "10/00"
        assert "{puzzle}" not in trials.own_command(solver, puzzle)


def test_unknown_keys_are_rejected(trials: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "trials.toml").write_text('[[solver]]\nname = "x 1"\nkind = "nonogram"\nspeed = 3\n')
    with pytest.raises(ValueError, match="x 1: required"):
        trials.load(tmp_path / "trials.toml")


@pytest.mark.parametrize(
    ("kind", "puzzle", "solutions"),
    [
        ("lights-out", "11", {"10", "01"}),
        ("lights-out", "00/11", {"11/00"}),
        ("lights-out", "10", set()),
        ("nonogram", "1,1|1,1", {"10/01", "01/10"}),
        ("nonogram", "1 1,0|1,0,1", {"101/000"}),
        ("nonogram", "3|1,1", set()),
        ("coloured-nonogram", "coloured-nonogram:1a 1b|1a,1b", {"12"}),
        ("coloured-nonogram", "coloured-nonogram:white=ffffff,red=ff0000;1a 1a|1a,1a", set()),
        ("modular-lights-out", "modular-lights-out:4/2", {"2"}),
        ("modular-lights-out", "modular-lights-out:3/11", {"02", "20", "11"}),
    ],
)
def test_trying_every_grid_finds_all_solutions(trials: ModuleType, kind: str, puzzle: str, solutions: set[str]) -> None:
    assert trials.truth(kind, puzzle) == solutions


def test_a_planted_solver_is_found_confirmed_and_reported(trials: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    solver = {
        "name": "planted 1",
        "kind": "lights-out",
        "verify": "--lines --cases 2",
        "command": f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'planted.py'))}",
        "does": "Presses nothing.",
        "promise": "None.",
    }
    row = trials.try_solver(solver, tmp_path, 20, trials.threading.Lock())
    assert [(finding["problem"], finding["puzzle"], finding["confirmed"]) for finding in row["findings"]] == [
        ("wrong-grid", "1", True),
    ]
    page = trials.page([row], 20, 1)
    assert "1 tried, 1 with a confirmed failure" in page
    assert f"$ echo 1 | {solver['command']}\n0\n" in page


def test_a_right_answer_is_not_confirmed_as_a_failure(trials: ModuleType) -> None:
    solver = {"kind": "lights-out", "shown": "echo 11/10"}
    failure = {"puzzle": "10/00", "problem": "wrong-grid", "answer": "11/10"}
    assert not trials.confirm(solver, dict(trials.os.environ), failure)["confirmed"]


def test_a_solver_that_cannot_be_installed_is_a_row(trials: ModuleType, tmp_path: Path) -> None:
    solver = {"name": "absent 1", "kind": "nonogram", "command": "absent", "does": "x", "promise": "x"}
    solver |= {"install": ["pip install absent==1"], "python": "0.0"}
    row = trials.try_solver(solver, tmp_path, 1, trials.threading.Lock())
    assert row["verdict"] == "not installed"
    assert "not installed: `" in trials.page([row], 1, 1)
