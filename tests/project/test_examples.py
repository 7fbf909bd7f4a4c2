"""The examples run, and show the output in the README."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crosslit import count, solve
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


def exam(folder: Path, *words: str) -> str:
    program = [sys.executable, str(EXAMPLES / "exam" / "exam.py"), *words]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_an_exam_counts_right_wrong_malformed_and_missing_answers(tmp_path: Path) -> None:
    for name, seed in (("exam", "a"), ("same", "a"), ("other", "b")):
        exam(tmp_path, "make", name, seed, "12")
    assert len({(tmp_path / name).read_bytes() for name in ("exam", "same", "other")}) == 2
    exam(tmp_path, "ask", "exam", "yes", "echo", "Answer: no.\n**ANSWER: yes**")
    exam(tmp_path, "ask", "exam", "yes", "echo", "Answer: no.\n**ANSWER: yes**")  # all have an answer
    answers = (tmp_path / "yes").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "yes").write_text("".join(answers[:-1]), encoding="utf-8")
    found = {words[0]: words for words in map(str.split, exam(tmp_path, "score", "exam", "yes").splitlines())}
    assert found["solvable"][1:5] == ["1", "of", "2", "right"]  # one board of each sort
    assert " ".join(found["count"][-4:]) == "3 malformed, 1 missing"


@pytest.mark.slow
def test_the_answers_of_crosslit_pass_its_exam(tmp_path: Path) -> None:
    exam(tmp_path, "make", "exam", "a seed", "12")
    answers = []
    for item in map(json.loads, (tmp_path / "exam").read_text(encoding="utf-8").splitlines()):
        number, grid = count(item["puzzle"]).number, solve(item["puzzle"])
        yes = number == 1 if item["question"] == "unique" else bool(number)
        right = {"solve": grid.text() if grid else "unsolvable", "count": str(number)}
        answer = {"id": item["id"], "answer": f"ANSWER: {right.get(item['question'], ('no', 'yes')[yes])}"}
        answers.append(f"{json.dumps(answer)}\n")
    (tmp_path / "answers").write_text("".join(answers), encoding="utf-8")
    assert exam(tmp_path, "score", "exam", "answers").startswith(
        "all       12 of 12 right (100%, between 76% and 100%)"
    )
