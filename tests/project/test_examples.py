"""The examples run, and show the output in the README."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command, installed

EXAMPLES = ROOT / "examples"


@pytest.fixture
def own_solver(tmp_path: Path) -> dict[str, str]:
    return installed(tmp_path, EXAMPLES / "own-solver")


@pytest.mark.parametrize(
    ("puzzle", "problem", "found", "solutions"),
    [
        (str(EXAMPLES / "board-5x5.txt"), "missing-solution", 2, 4),
        ("111/111/111", "false-unsolvable", 0, 1),
        ("11/11", None, 1, 1),
    ],
)
def test_the_bug_of_the_own_solver_is_found(
    crosslit: Command, own_solver: dict[str, str], puzzle: str, problem: str | None, found: int, solutions: int
) -> None:
    done = crosslit("compare", puzzle, "--backends", "native,own-solver", "--all", "--json", env=own_solver)
    comparison = json.loads(done.stdout)
    runs = {run["backend"]: run for run in comparison["runs"]}
    assert runs["own-solver"]["solutions"] == found
    assert comparison["verdict"]["solutions"] == solutions
    assert [(f["backend"], f["problem"]) for f in comparison["findings"]] == (
        [("own-solver", problem)] if problem else []
    )
