"""A user's own puzzles, and the corpus: puzzles that come first, and the files of failures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.programs.protocol import SolverAnswer
from crosslit_verify.cases import Settings
from crosslit_verify.report import read_corpus as read
from crosslit_verify.report import write_corpus as write
from crosslit_verify.session import Verifier

import crosslit
from crosslit import Grid, InputError, load

from .scripted import Scripted, verified


def failed(text: str) -> Any:
    """A verification of a solver that takes a puzzle for unsolvable."""
    puzzle = load(text)
    no = SolverAnswer((), True)
    return verified(lambda *_: no, own=[puzzle], kind=puzzle.kind, claims="unique", seed=10**90)[0]


@pytest.mark.parametrize("text", ["101", "press=king/wrap=torus/0_0", "1,1|1,1", "modular-lights-out:3/00"])
def test_the_file_of_a_failure_is_a_puzzle_in_json(text: str, tmp_path: Path) -> None:
    found = failed(text)
    write(found, tmp_path / "new", "crosslit verify -- node 'é'")
    (path,) = (tmp_path / "new").iterdir()
    (failure,) = found.failures
    assert path.name.startswith("false-unsolvable-")
    assert read(path.parent) == [load(str(path))] == [failure.puzzle]
    record = json.loads(written := path.read_text(encoding="utf-8"))
    assert record["command"] == "crosslit verify -- node 'é'"
    assert "node 'é'" in written
    assert (record["problem"], record["answer"]) == ("false-unsolvable", "unsolvable")
    assert record["right"] == failure.json()["right"]
    assert (record["family"], record["case"], record["seed"]) == ("own puzzles", 1, 10**90)
    write(found, path.parent)
    assert [*path.parent.iterdir()] == [path]
    assert "found on case 1 (own puzzles); " in str(found)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        write(found, tmp_path / "file" / "folder")


def test_a_corpus_comes_first_in_a_fixed_order(tmp_path: Path) -> None:
    (tmp_path / "b.board").write_text("11\n11\n", encoding="utf-8")
    (tmp_path / "a.board").write_text("00\n00\n", encoding="utf-8")
    subject = Scripted()
    found = Verifier(Settings("lights-out", cases=7), subject, corpus=read(tmp_path)).run()
    assert [puzzle.text for puzzle in subject.asked[:3]] == ["00/00", "11/11", "0"]
    assert (found.json()["coverage"]["exhausted"]["corpus"], found.coverage.cases) == (2, 7)
    assert not read(tmp_path / "none")


def test_python_reads_and_fills_a_corpus(tmp_path: Path) -> None:
    folder, junit = tmp_path / "new" / "corpus", tmp_path / "result.xml"
    wrong = lambda board: None if board.columns > 2 else crosslit.solve(board)  # noqa: E731
    first = crosslit.verify(wrong, "lights-out", cases=100, corpus=folder)
    assert len([*folder.iterdir()]) == len(first.failures) == 1
    again = crosslit.verify(wrong, cases=100, corpus=folder, junit=junit)
    assert (again.coverage.cases, again.failures[0].family, again.failures[0].case) == (1, "corpus", 1)
    assert "<failure" in junit.read_text(encoding="utf-8")
    assert crosslit.verify(crosslit.solve, cases=20, corpus=folder).passed


def press_all(_: int, puzzle: Any) -> SolverAnswer:
    return SolverAnswer((Grid.from_bits(puzzle.rows, puzzle.columns, (1 << puzzle.rows * puzzle.columns) - 1),), False)


@pytest.mark.parametrize(
    ("given", "size", "smallest"),
    [
        ("wrap=torus/0110/0000/0000", "3x3", "wrap=torus/100"),
        ("press=king/011/000/000", "1..12", "press=king/0"),
        ("press=king/011/000/000", "3x3", "press=king/000/000/000"),  # it has the size that the solver takes
        ("1" * 13, "1..12", "0"),
    ],
)
def test_own_puzzles_of_other_rules_and_sizes_are_shrunk(given: str, size: str, smallest: str) -> None:
    (failure,) = verified(press_all, own=[load(given)], size=size)[0].failures
    assert (failure.puzzle.text, failure.minimal) == (smallest, True)
