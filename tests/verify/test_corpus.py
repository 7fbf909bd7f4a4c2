"""A user's own puzzles, and the corpus: puzzles that come first, and the files of failures."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from crosslit_verify import Settings, SolverAnswer, Verifier
from crosslit_verify.cases import common_kind
from crosslit_verify.corpus import read, write

import crosslit as api
from crosslit import Grid, InputError, load
from tests.conftest import Command
from tests.verify.scripted import Scripted

ZOO = str(Path(__file__).parent / "zoo" / "command.py")


def failed(puzzle: Any) -> Any:
    """A verification of a solver that takes a puzzle for unsolvable."""
    settings = Settings(puzzle.kind, "unique", seed=10**90)
    return Verifier(settings, Scripted(lambda *_: SolverAnswer((), True)), own=[puzzle]).run()


@pytest.mark.parametrize("text", ["101", "press=king/wrap=torus/0_0", "1,1|1,1", "modular-lights-out:3/00"])
def test_the_file_of_a_failure_is_a_puzzle_in_json(text: str, tmp_path: Path) -> None:
    found = failed(load(text))
    write(found, tmp_path / "new", "crosslit verify -- node 'é'")
    (path,) = (tmp_path / "new").iterdir()
    (failure,) = found.failures
    assert path.name.startswith("false-unsolvable-")
    assert read(path.parent) == [load(str(path))] == [failure.puzzle]
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["command"] == "crosslit verify -- node 'é'"
    assert (record["problem"], record["answer"], record["right"]) == ("false-unsolvable", "unsolvable", failure.right)
    assert (record["family"], record["case"], record["seed"]) == ("own puzzles", 0, 10**90)
    write(found, path.parent)
    assert [*path.parent.iterdir()] == [path]


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        write(failed(load("101")), tmp_path / "file" / "folder")


def test_own_puzzles_are_all_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Scripted()
    found = Verifier(Settings("lights-out"), subject, own=[load("10/01"), load("1"), load("1")]).run()
    assert found.passed
    assert [puzzle.text for puzzle in subject.asked] == ["10/01", "1"]
    assert (found.coverage.cases, found.end) == (2, "no puzzles left")
    assert "exhausted: own puzzles (2)" in found.summary()
    assert found.summary().startswith("passed: 2 boards, claims one")


def test_a_corpus_comes_first_in_a_fixed_order(tmp_path: Path) -> None:
    (tmp_path / "b.board").write_text("11\n11\n", encoding="utf-8")
    (tmp_path / "a.board").write_text("00\n00\n", encoding="utf-8")
    subject = Scripted()
    found = Verifier(Settings("lights-out", cases=7), subject, corpus=read(tmp_path)).run()
    assert [puzzle.text for puzzle in subject.asked[:3]] == ["00/00", "11/11", "0"]
    assert found.coverage.exhausted["corpus"] == 2
    assert found.coverage.cases == 7
    assert not read(tmp_path / "none")


def test_python_reads_and_fills_a_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    wrong = lambda board: None if board.columns > 2 else api.solve(board)  # noqa: E731
    first = api.verify(wrong, "lights-out", cases=100, corpus=folder)
    assert len([*folder.iterdir()]) == len(first.failures) == 1
    again = api.verify(wrong, cases=100, corpus=folder)
    assert (again.coverage.cases, again.failures[0].family, again.failures[0].case) == (1, "corpus", 0)
    assert api.verify(api.solve, cases=20, corpus=folder).passed


def test_a_failure_of_an_own_puzzle_has_no_number_of_a_case() -> None:
    found = failed(load("1"))
    assert found.failures[0].case == 0
    assert "found on own puzzles; " in str(found)


def test_puzzles_of_another_kind() -> None:
    with pytest.raises(InputError, match="expected a nonogram puzzle, found a lights-out"):
        common_kind([load("10/01")], "nonogram")
    assert common_kind([load("10/01")], None) == "lights-out"


@pytest.mark.slow
def test_a_run_fills_the_corpus_of_the_next(crosslit: Command, tmp_path: Path) -> None:
    command = ["--", sys.executable, "-S", ZOO, "aborts"]
    options = ["verify", "--kind", "lights-out", "--corpus", "corpus", "--junit", "junit.xml", "--size", "1..4"]
    done = crosslit(*options, *command, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (written,) = (tmp_path / "corpus").iterdir()
    assert written.name.startswith("crash-")
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("failures"), suite.find("testcase/failure") is not None) == ("1", True)
    done = crosslit(*options, *command, cwd=tmp_path)
    assert "\nfailed: 1 board, claims one; stopped at the first failure\n" in done.stdout
    again = next(line for line in done.stdout.splitlines() if line.startswith("  again  "))
    done = crosslit(*shlex.split(again)[2:], cwd=tmp_path)
    assert done.stdout.startswith("crash: "), done.stdout + done.stderr
    done = crosslit("verify", "10/01", "111", *command, cwd=tmp_path)
    assert done.stdout.startswith("passed: 2 boards"), done.stdout + done.stderr


def press_all(_: int, puzzle: Any) -> SolverAnswer:
    return SolverAnswer((Grid.from_bits(puzzle.rows, puzzle.columns, (1 << puzzle.rows * puzzle.columns) - 1),), False)


@pytest.mark.parametrize(
    ("given", "smallest"),
    [
        ("_10/000", "10"),
        ("wrap=torus/0110/0000/0000", "wrap=torus/100"),
        ("press=king/0110/0000/0000", "press=king/0"),
        ("press=king/011/000/000", "press=king/0"),
        ("1" * 13, "0"),
    ],
)
@pytest.mark.parametrize("size", ["1..12", "3x3"])
def test_own_puzzles_of_other_rules_and_sizes_are_shrunk(given: str, smallest: str, size: str) -> None:
    found = Verifier(Settings("lights-out", size=size), Scripted(press_all), own=[load(given)]).run()
    (failure,) = found.failures
    if (size, given) == ("3x3", "press=king/011/000/000"):  # it has the size that the solver takes
        assert (failure.puzzle.rows, failure.puzzle.columns) == (3, 3)
    else:
        assert failure.puzzle.text == smallest
    assert failure.minimal
