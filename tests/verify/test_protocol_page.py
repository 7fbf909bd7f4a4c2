"""The examples of the page on the protocol, run as they stand there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from crosslit_backends.programs.protocol import SolverAnswer
from crosslit_verify.commands import OneShotCommand, PersistentCommand
from crosslit_verify.subject import Subject

from crosslit import LightsOut, Nonogram
from crosslit.kinds import Puzzle

from ..conftest import ROOT, all_grids

PAGE = ROOT / "docs" / "reference" / "verify-protocol.md"


def example(language: str, path: Path) -> Path:
    """The program in a language of the page, as a file."""
    code, *_ = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    path.write_text(code, encoding="utf-8")
    return path


def solutions(puzzle: Puzzle) -> set[str]:
    """All solutions, by the rules."""
    return {grid.text() for grid in all_grids(puzzle.rows, puzzle.columns) if not any(puzzle.violations(grid))}


def check_all(subject: Subject, puzzles: list[Puzzle], all_of_them: bool) -> None:
    with subject:
        for puzzle in puzzles:
            answer, right = subject.ask(puzzle), solutions(puzzle)
            assert isinstance(answer, SolverAnswer), (puzzle.text, answer)
            given = [grid.text() for grid in answer.solutions]
            assert answer.unsolvable == (not right)
            assert sorted(given) == sorted(right) if all_of_them else set(given) <= right and len(given) == bool(right)
        assert subject.close() is None


def boards() -> list[Puzzle]:
    return [LightsOut(grid) for rows, columns in ((1, 1), (1, 2), (1, 3), (2, 3)) for grid in all_grids(rows, columns)]


def test_python(tmp_path: Path) -> None:
    puzzles: list[Puzzle] = [
        Nonogram(rows, columns)
        for rows in ([[1]], [[1], []], [[2], [1]], [[1], [1]])
        for columns in ([[1]], [[1], [1]], [[2], [1]], [[], []], [[1], [], [1]])
    ]
    command = [sys.executable, str(example("python", tmp_path / "solver.py"))]
    check_all(PersistentCommand(command, "all"), puzzles, all_of_them=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on the PATH")
def test_javascript(tmp_path: Path) -> None:
    command = ["node", str(example("javascript", tmp_path / "solver.js"))]
    check_all(PersistentCommand(command, "one"), boards(), all_of_them=False)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on the PATH")
def test_c(tmp_path: Path) -> None:
    program = tmp_path / "solver"
    warnings = ("-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", *warnings, "-o", program, example("c", tmp_path / "solver.c")], check=True)
    check_all(OneShotCommand([str(program)], "one"), boards()[::4], all_of_them=False)
