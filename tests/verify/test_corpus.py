"""A user's own puzzles, and failures of one run as the corpus of the next; reports that others read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from crosslit_backends.programs.protocol import Abstention, Answer, SolverFailure
from crosslit_verify import Settings, Verifier
from crosslit_verify.records import junit_xml
from crosslit_verify.replay import Corpus, of_folder, of_puzzles

import crosslit
from crosslit.base.errors import InputError
from tests.conftest import Command
from tests.verify.scripted import Scripted, verified
from tests.verify.test_replay import failure

ZOO = str(Path(__file__).parent / "zoo" / "command.py")


def test_own_puzzles_are_all_that_is_asked() -> None:
    subject = Scripted()
    found = Verifier(Settings("lights-out"), subject, corpus=of_puzzles(["10/01", "1"])).run()
    assert found.passed
    assert [puzzle.text for puzzle in subject.asked[:2]] == ["10/01", "1"]
    assert (found.coverage.cases, found.end) == (2, "no puzzles left")
    assert "exhausted: own puzzles (2)" in found.summary()


def test_a_corpus_comes_first(tmp_path: Path) -> None:
    from crosslit_verify.replay import Replay

    (tmp_path / "a.board").write_text("11\n11\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text(
        Replay.of(failure(crosslit.load("101")), Settings("lights-out")).text("b.txt"), encoding="utf-8"
    )
    corpus = of_folder(str(tmp_path))
    subject = Scripted()
    found = Verifier(Settings("lights-out", cases=5), subject, corpus=corpus).run()
    assert {puzzle.text for puzzle in subject.asked[:2]} == {"11/11", "101"}
    assert found.coverage.exhausted["corpus"] == 2
    assert found.coverage.cases == 5
    assert not of_folder(str(tmp_path / "none")).puzzles


def test_a_failure_of_an_own_puzzle_has_no_number_of_a_case() -> None:
    corpus = Corpus((crosslit.load("1"),), "own puzzles", True)
    found = Verifier(Settings("lights-out"), Scripted(lambda *_: Answer((), True)), corpus=corpus).run()
    assert found.failures[0].case == 0
    assert "found on own puzzles; " in found.text()


def test_puzzles_of_another_kind() -> None:
    with pytest.raises(InputError, match="expected a nonogram puzzle, found a lights-out"):
        of_puzzles(["10/01"]).require_kind("nonogram")
    assert of_puzzles(["10/01"]).require_kind(None) == "lights-out"


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
    assert done.stdout.splitlines()[-5].startswith("failed: 1 board"), done.stdout
    done = crosslit("verify", "10/01", "111", *command, cwd=tmp_path)
    assert done.stdout.startswith("passed: 2 boards"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("verification", "failures", "skipped"),
    [
        (verified(cases=5)[0], 0, 0),
        (verified(lambda *_: Abstention("unknown"), cases=1)[0], 0, 13),
        (verified(lambda *_: SolverFailure("crash", "no"), cases=2)[0], 1, 12),
        (verified(lambda *_: SolverFailure("crash", "no"), cases=2, keep_going=True)[0], 1, 0),
    ],
)
def test_junit_has_the_same_cases_in_every_run(verification: Any, failures: int, skipped: int) -> None:
    suite = ElementTree.fromstring(junit_xml(verification, "solver"))
    assert len(suite.findall("testcase")) == int(suite.get("tests", "")) == 13
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "")) == failures
    assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped", "")) == skipped


def test_the_class_of_puzzles_that_fail_is_said() -> None:
    def crashes(number: int, puzzle: Any) -> Any:
        return SolverFailure("crash", "no way") if crosslit.solve(puzzle) is None else None

    found, _ = verified(crashes, kind="nonogram", cases=60, keep_going=True)
    (line,) = (line for line in found.summary().splitlines() if line.startswith("  crash: "))
    assert "with clues that do not fit or match" in line
    assert "  right: every puzzle with a solution (" in found.summary()


def test_the_wrong_grid_is_drawn() -> None:
    def first_right(number: int, puzzle: Any) -> Any:
        if puzzle.text != "0|0":
            return None
        return Answer((crosslit.Grid.from_text("0"), crosslit.Grid.from_text("1")), False)

    found, _ = verified(first_right, kind="nonogram", claims="all", cases=3)
    assert any("##" in line for line in found.text().splitlines())


def test_an_unreadable_first_answer_shows_a_readable_one() -> None:
    found, _ = verified(lambda *_: SolverFailure("malformed-output", "no JSON"), cases=2)
    assert "  expected an answer" in found.text()
    found, _ = verified(lambda number, _: SolverFailure("malformed-output", "no") if number > 1 else None, cases=2)
    assert "  expected " not in found.text()
