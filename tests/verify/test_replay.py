"""Replay files, which are read as they were written; a user's own puzzles, and the corpus of the next run."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from crosslit_verify import Failure, Settings, SolverAnswer, Verifier
from crosslit_verify.judging import Problem
from crosslit_verify.replay import Corpus, Replay, of_folder, of_puzzles, read, write

from crosslit import Grid, InputError, load
from crosslit.cli.group import root
from tests.conftest import Command
from tests.verify.scripted import Scripted

ZOO = str(Path(__file__).parent / "zoo" / "command.py")


def failure(puzzle: Any, case: int = 7) -> Failure:
    return Failure(
        problem=Problem("false-unsolvable", "it says unsolvable"),
        puzzle=puzzle,
        reply=SolverAnswer((), True),
        reference=None,
        original=puzzle,
        case=case,
        asked=case,
        family="every 1 x 3 board",
        minimal=True,
        tried=3,
        again=True,
        claims="one",
    )


@pytest.mark.parametrize("text", ["101", "press=king/wrap=torus/1_0", "1,1|2", "modular-lights-out:3/12"])
def test_a_replay_file_says_how_to_repeat_the_failure_and_is_a_puzzle_in_json(text: str, tmp_path: Path) -> None:
    path, puzzle = tmp_path / "found.json", load(text)
    settings = Settings(puzzle.kind, "unique", seed=10**90, no_unknown=True)
    path.write_bytes(write(failure(puzzle), settings, "--timeout 2", ["node", "my solver.js", "é"]))
    assert read(str(path)) == Replay(puzzle, "unique", True, "--timeout 2")
    assert load(str(path)) == puzzle
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["command"] == "node 'my solver.js' 'é'"
    assert (record["problem"], record["answer"], record["right"]) == ("false-unsolvable", "unsolvable", "unknown")
    assert (record["family"], record["case"], record["seed"]) == ("every 1 x 3 board", 7, 10**90)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found.json:1: expected JSON"),
        (b"\xb2", "expected text in UTF-8"),
        (b"[[[1]], [[1]]]", "expected claims"),
        (b'{"kind": "sudoku", "text": "1"}', "unknown kind"),
        (b'{"kind": "lights-out", "text": "/etc/passwd"}', "expected a row of cells"),
        (b'{"kind": "lights-out", "text": "1|1"}', "found"),
        (b'{"kind": "lights-out", "text": "1"}', "expected claims"),
        (
            b'{"kind": "lights-out", "text": "1", "claims": "two", "no_unknown": false, "options": ""}',
            "one of one, all",
        ),
        (b'{"kind": "lights-out", "text": "1", "claims": "one", "no_unknown": 0, "options": ""}', "expected claims"),
        (b'{"kind": "lights-out", "text": "1", "claims": "one", "no_unknown": true, "options": []}', "and options"),
    ],
)
def test_its_error_is_reported(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(str(path))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full"])
def test_a_file_without_end_is_read_no_further_than_a_replay_file_can_be(path: str) -> None:
    with pytest.raises(InputError, match="at most 16777216 bytes"):
        read(path)


@pytest.mark.parametrize(
    ("stored", "given", "used"),
    [
        ("--cells .X --exit 2=unsolvable --timeout 3.0", [], (".X", ("2=unsolvable",), 3.0)),
        ("--cells .X --timeout 3.0", ["--cells", "ab"], ("ab", (), 10.0)),
        # these start another program
        ("--cells .X --against other", [], ("", (), 10.0)),
        ("--cells .X --backend mine", [], ("", (), 10.0)),
        ("--cells '", [], ("", (), 10.0)),
    ],
)
def test_a_replay_describes_the_solver_as_its_file_does_unless_options_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: str, given: list[str], used: tuple[Any, ...]
) -> None:
    seen = []

    def made(_words: Any, _spec: Any, _settings: Any, options: Any, _puzzles: Any) -> Scripted:
        seen.append((options["cells"], options["exit"], options["timeout"]))
        return Scripted()

    importlib.import_module("crosslit_verify.interface")  # before, since it would keep what is there
    monkeypatch.setattr("crosslit_verify.solver.make_solver", made)
    path = tmp_path / "found.json"
    path.write_bytes(write(failure(load("101")), Settings("lights-out"), stored))
    done = CliRunner().invoke(root, ["verify", "--replay", str(path), *given, "--", "x"])
    assert (done.exit_code, seen) == (0, [used])
    assert (f"found with {stored}, which are used again\n" in done.output) == (used[0] == ".X")


def test_own_puzzles_are_all_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_verify.session.SLOW_SECONDS", -1)
    subject = Scripted()
    found = Verifier(Settings("lights-out"), subject, corpus=of_puzzles(["10/01", "1"])).run()
    assert found.passed
    assert [puzzle.text for puzzle in subject.asked[:2]] == ["10/01", "1"]
    assert (found.coverage.cases, found.end) == (2, "no puzzles left")
    assert "exhausted: own puzzles (2)" in found.summary()
    assert found.summary().startswith("passed: 2 boards, claims one")


def test_a_corpus_comes_first_in_a_fixed_order(tmp_path: Path) -> None:
    (tmp_path / "b.board").write_text("11\n11\n", encoding="utf-8")
    (tmp_path / "a.board").write_text("00\n00\n", encoding="utf-8")
    (tmp_path / "crash.json").write_bytes(write(failure(load("101")), Settings("lights-out")))
    subject = Scripted()
    found = Verifier(Settings("lights-out", cases=7), subject, corpus=of_folder(str(tmp_path))).run()
    assert [puzzle.text for puzzle in subject.asked[:3]] == ["00/00", "11/11", "101"]
    assert found.coverage.exhausted["corpus"] == 3
    assert found.coverage.cases == 7
    assert not of_folder(str(tmp_path / "none")).puzzles


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_two_corpora_are_one_of_all_their_puzzles_in_order(first: bool, second: bool) -> None:
    both = Corpus((load("1"), load("0")), "a", first) + Corpus((load("11"),), "b", second)
    assert [case.last for case in both.cases()] == [False, False, True]
    assert both == Corpus((load("1"), load("0"), load("11")), "a and b", first or second)
    assert (both + Corpus()).family == "a and b"


def test_a_failure_of_an_own_puzzle_has_no_number_of_a_case() -> None:
    corpus = Corpus((load("1"),), "own puzzles", True)
    found = Verifier(Settings("lights-out"), Scripted(lambda *_: SolverAnswer((), True)), corpus=corpus).run()
    assert found.failures[0].case == 0
    assert "found on own puzzles; " in found.render()


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
    assert "\nfailed: 1 board, claims one; stopped at the first failure\n" in done.stdout
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
    corpus = of_puzzles([given])
    found = Verifier(Settings("lights-out", size=size), Scripted(press_all), corpus=corpus).run()
    (failure,) = found.failures
    if (size, given) == ("3x3", "press=king/011/000/000"):  # it has the size that the solver takes
        assert (failure.puzzle.rows, failure.puzzle.columns) == (3, 3)
    else:
        assert failure.puzzle.text == smallest
    assert failure.minimal
