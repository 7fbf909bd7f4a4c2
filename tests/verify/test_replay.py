"""Replay files: at most 1 KB, and read as they were written; a user's own puzzles, and the corpus of the next run."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from crosslit_verify import Failure, Settings, SolverAnswer, Verifier
from crosslit_verify.judging import Problem
from crosslit_verify.replay import MAX_BYTES, MAX_CASE, MAX_READ, Corpus, Replay, of_folder, of_puzzles, puzzle_of, read
from crosslit_verify.stream import stream

from crosslit import Grid, InputError, LightsOut, load
from crosslit.cli.group import root
from tests.conftest import Command
from tests.verify.scripted import Scripted

ZOO = str(Path(__file__).parent / "zoo" / "command.py")


def failure(puzzle: Any, case: int = 7) -> Failure:
    return Failure(
        problem=Problem("wrong-unsolvable", "it says unsolvable"),
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


@pytest.mark.parametrize(
    "settings",
    [
        Settings("lights-out", seed=-3, size="1..9,NxN", only="unique"),
        Settings("lights-out", seed=-(10**90), size="2..,3x5,5", no_unknown=True),
        Settings("lights-out", cases=5, seconds=3, keep_going=True),
    ],
    ids=["usual", "sizes", "length"],
)
def test_it_is_read_as_it_was_written(settings: Settings, tmp_path: Path) -> None:
    path = str(tmp_path / "a replay.txt")
    made = Replay.of(failure(load("101")), settings, "--timeout 2", ["node", "my solver.js", "é"])
    Path(path).write_text(made.text(path), encoding="utf-8")
    again = read(path)
    assert again == made
    assert again.settings == replace(settings, cases=None, seconds=None, keep_going=False)
    assert puzzle_of(again, path) == load("101")
    assert "crosslit verify --replay 'a replay.txt' --timeout 2 -- node 'my solver.js'" in made.text(path)


@pytest.mark.parametrize("size", [20, 24, 30, 100])
def test_it_has_at_most_1_kb(size: int, tmp_path: Path) -> None:
    board = LightsOut(Grid.from_bits(size, size, (1 << size * size) - 1))
    path = str(tmp_path / "replay.txt")
    settings = Settings("lights-out", seed=1)
    written = Replay.of(failure(board, case=12), settings, "", ["solver", "x" * 600]).text(path)
    assert len(written.encode()) <= MAX_BYTES
    Path(path).write_text(written, encoding="utf-8")
    again = puzzle_of(read(path), path)
    twelfth = next(case.puzzle for number, case in enumerate(stream(settings), 1) if number == 12)
    assert again == (board if size <= 24 else twelfth)


def test_an_own_puzzle_that_is_too_long_is_kept_because_no_seed_makes_it_again(tmp_path: Path) -> None:
    board = LightsOut(Grid.from_bits(100, 100, 1))
    path = tmp_path / "replay.txt"
    path.write_text(Replay.of(failure(board, case=0), Settings("lights-out"), "", ["x"]).text("r"), encoding="utf-8")
    assert (puzzle_of(read(str(path)), str(path)), read(str(path)).command) == (board, "COMMAND")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "replay.txt:1: expected a replay file"),
        (lambda text: text.replace("kind: lights-out", "kind: sudoku"), "replay.txt:2: expected one of lights-out, no"),
        (lambda text: text.replace("claims: one", "claims: most"), "replay.txt:3: expected one of one, all, unique, f"),
        (lambda text: text.replace("problem: ", "problem: in"), "replay.txt:4: expected one of wrong-grid, wrong-unso"),
        (lambda text: text.replace("only:", "only: foo"), "replay.txt:9: expected one of solvable, unique, valid, uns"),
        (lambda text: text.replace("size:", "size: 1..41"), "replay.txt: a size is a number from 1 to 40"),
        (lambda text: text.replace("case: 7", "case: 999999999999"), "replay.txt:7: expected a number from 1 to 1,000"),
        (lambda text: text.replace("case: 7", f"case: {'9' * 101}"), "replay.txt:7: expected a whole number of at mos"),
        (lambda text: text.replace("case: 7", "case: \xb2"), "replay.txt: expected text in UTF-8"),
        (lambda text: text.replace("puzzle: 101", "puzzle: /etc/passwd"), "replay.txt:5: .*found '/etc/passwd'"),
        (lambda text: text.replace("kind: lights-out", "kind: nonogram").replace("one", "fewest", 1), "replay.txt:"),
        (lambda text: text + "#" * MAX_READ, "replay.txt: expected at most 65536 bytes"),
        (lambda text: text.replace("seed: 0", "seed: zero"), "replay.txt:6: expected a whole number"),
        (lambda text: text + "varied: 1", "replay.txt:.* expected yes or no"),
        (lambda text: text.replace("claims: one\n", ""), "expected a line 'claims'"),
        (lambda text: text.replace("claims: one", "claims: one\nclaims: one"), "replay.txt:4: expected one of"),
        (lambda text: text.replace("puzzle: 101", "puzzle: 1|1"), "replay.txt:5: expected a lights-out puzzle"),
    ],
)
def test_its_error_is_reported(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "replay.txt"
    text = Replay.of(failure(load("101")), Settings("lights-out")).text(str(path))
    path.write_bytes(change(text).encode("latin-1"))
    with pytest.raises(InputError, match=message):
        puzzle_of(read(str(path)), str(path))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (f"seed: {'9' * 100}", 10**100 - 1),
        (f"seed: -{'9' * 100}", 1 - 10**100),
        ("case: 1", 1),
        (f"case: {MAX_CASE}", MAX_CASE),
    ],
)
def test_the_limits_of_numbers_are_allowed(line: str, value: int, tmp_path: Path) -> None:
    path = tmp_path / "replay.txt"
    name = line.partition(":")[0]
    lines = Replay.of(failure(load("101")), Settings("lights-out")).text(str(path)).splitlines()
    kept = [each.replace("lights-out", "modular-lights-out") for each in lines if each.partition(":")[0] != name]
    path.write_text("\n".join([*(each for each in kept if not each.startswith("puzzle")), "puzzle:", line]), "utf-8")
    found = read(str(path))
    assert getattr(found if name == "case" else found.settings, name) == value


def test_neither_a_puzzle_nor_a_case_is_an_error() -> None:
    replay = Replay.of(failure(load("101"), case=0), Settings("lights-out"))
    with pytest.raises(InputError, match="x: expected a puzzle, or the number of a case"):
        puzzle_of(replace(replay, puzzle=""), "x")


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full"])
def test_a_file_without_end_is_read_no_further_than_a_replay_file_can_be(path: str) -> None:
    with pytest.raises(InputError, match="at most 65536 bytes"):
        read(path)


def test_a_puzzle_that_is_too_long_is_made_again_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "replay.txt"
    text = Replay.of(failure(load("101")), Settings("lights-out")).text(str(path)).replace("puzzle: 101", "puzzle:")
    path.write_text(text, encoding="utf-8")
    assert puzzle_of(read(str(path)), str(path)) == next(islice(stream(Settings("lights-out")), 6, None)).puzzle
    path.write_text(text.replace("only:", "only: unsolvable").replace("size:", "size: 1"), encoding="utf-8")
    with pytest.raises(InputError, match="solvable"):
        puzzle_of(read(str(path)), str(path))


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
    monkeypatch.setattr("crosslit_verify.solver.make_subject", made)
    path = tmp_path / "found.txt"
    text = Replay.of(failure(load("101")), Settings("lights-out"), "--timeout 2").text(path.name)
    path.write_text(text.replace("options: --timeout 2", f"options: {stored}"), encoding="utf-8")
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
    for name, text in (("d.txt", "101"), ("c.txt", "1")):  # replays, before other files
        written = Replay.of(failure(load(text)), Settings("lights-out")).text(name)
        (tmp_path / name).write_text(written, encoding="utf-8")
    corpus = of_folder(str(tmp_path))
    subject = Scripted()
    found = Verifier(Settings("lights-out", cases=7), subject, corpus=corpus).run()
    assert [puzzle.text for puzzle in subject.asked[:4]] == ["1", "101", "00/00", "11/11"]
    assert found.coverage.exhausted["corpus"] == 4
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
