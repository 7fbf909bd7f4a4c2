"""The examples run, and show the output in the README."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
        ("0000/0000/0000/0000", "missing-solution", 11, 16),
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


_RUN_NOTEBOOK = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=100).execute()
nbformat.write(notebook, sys.argv[2])
"""


@pytest.mark.slow
def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    folders = dict.fromkeys(("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", _RUN_NOTEBOOK, "notebook.ipynb", str(tmp_path / "done.ipynb")],
        cwd=EXAMPLES,
        env={**os.environ, **folders},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "done.ipynb").read_text(encoding="utf-8"))["cells"]
    results = [
        next((output["data"] for output in cell["outputs"] if output["output_type"] == "execute_result"), {})
        for cell in cells
        if cell["cell_type"] == "code"
    ]
    picture, table = "image/svg+xml", "text/html"
    shown = [next((kind for kind in (picture, table) if kind in result), None) for result in results]
    load, show, solve, compare, frame, enumerated, encode, verify, campaign, plot = shown
    assert load == show == solve == enumerated == plot == picture
    assert compare == frame == verify == campaign == table
    assert encode is None
    assert "evidence: agreed" in "".join(results[3][table])
    assert "wrong-grid" in "".join(results[7][table])
    assert "24 runs, 0 wrong answers" in "".join(results[8][table])
