"""The examples of the page on the protocol, run as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.programs.protocol import SolverAnswer, question
from crosslit_verify.contract_checks import by_rules
from crosslit_verify.solver import Command

from crosslit import Grid, LightsOut, Nonogram, load
from crosslit.kinds import Puzzle

from ..conftest import ROOT, all_grids

PAGE = ROOT / "docs" / "reference" / "verify-protocol.md"


def example(language: str, path: Path) -> Path:
    """The program in a language of the page, as a file."""
    code, *_ = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    path.write_text(code, encoding="utf-8")
    return path


def check_all(solver: Command, puzzles: list[Puzzle]) -> None:
    with solver:
        for puzzle in puzzles:
            answer, right = solver.ask(puzzle), {grid.text for grid in by_rules(puzzle).solutions}
            assert isinstance(answer, SolverAnswer), (puzzle.text, answer)
            given = {grid.text for grid in answer.solutions}
            assert given == right if solver.claims == "all" else given <= right and len(given) == bool(right)
        assert solver.close() is None


def test_every_question_of_the_page_is_as_it_is_sent() -> None:
    shown = re.findall(r'^    (\{"id".*)$', PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [json.loads(line)["kind"] for line in shown] == ["nonogram", "lights-out", "modular-lights-out"]
    for line in shown:
        sent = json.loads(line)
        assert question(load(sent["text"]), sent["id"], sent["claims"]).decode() == f"{line}\n"


def test_a_puzzle_has_the_attributes_that_the_page_names() -> None:
    board: Any = load("modular-lights-out:3/wrap=torus/1_2")
    assert (board.lit.tolist(), board.states, board.rows, board.columns) == ([[1, 0, 2]], 3, 1, 3)
    assert (board.missing, board.effects[1]) == (Grid.from_text("010"), ())
    coloured: Any = load("coloured-nonogram:1a 2b,0|1a,1b")
    assert (coloured.row_clues, coloured.column_clues) == ((((1, 1), (2, 2)), ()), (((1, 1),), ((1, 2),)))
    nonogram: Any = load("1 1,0|1,0,1")
    assert (nonogram.row_clues, nonogram.column_clues) == (((1, 1), ()), ((1,), (), (1,)))


def test_python(tmp_path: Path) -> None:
    puzzles: list[Puzzle] = [
        Nonogram(rows, columns)
        for rows in ([[1]], [[1], []], [[2], [1]], [[1], [1]])
        for columns in ([[1]], [[1], [1]], [[2], [1]], [[], []], [[1], [], [1]])
    ]
    command = [sys.executable, str(example("python", tmp_path / "solver.py"))]
    check_all(Command(command, "all"), puzzles)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on the PATH")
def test_c(tmp_path: Path) -> None:
    program, warnings = tmp_path / "solver", ("-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", *warnings, "-o", program, example("c", tmp_path / "solver.c")], check=True)
    shapes = ((1, 1), (1, 2), (1, 3), (2, 3))
    boards: list[Puzzle] = [LightsOut(grid) for shape in shapes for grid in all_grids(*shape)]
    check_all(Command([str(program)], lines=True), boards)
    check_all(Command([str(program)], format="inline"), boards[::4])
