"""``crosslit generate``: every option holds, by the rules or another backend; impossible requests are refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from crosslit_generate.nonogram import difficulty

from crosslit import LightsOut, Nonogram, fewest, load, nullity, solutions
from crosslit.base.errors import InputError
from crosslit.cli.group import root
from crosslit.formats import read_all
from tests.conftest import Command


def generate(*arguments: str) -> Result:
    """In this process, which is quicker."""
    done = CliRunner().invoke(root, ["generate", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def boards(*arguments: str) -> list[LightsOut]:
    found = [load(line) for line in generate("lights-out", *arguments).stdout.splitlines()]
    assert found
    return found  # type: ignore[return-value]


def nonograms(*arguments: str) -> list[Nonogram]:
    found = [load(line) for line in generate("nonogram", *arguments).stdout.splitlines()]
    assert found
    return found  # type: ignore[return-value]


def test_a_command_prints_the_same_puzzles_for_the_same_seed(crosslit: Command) -> None:
    done = crosslit("generate", "lights-out", "--size", "3x4", "--count", "3", "--seed", "5")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [board.text for board in boards("--size", "3x4", "--count", "3", "--seed", "5")]
    assert [board.text for board in boards("--size", "3x4", "--count", "5", "--seed", "5")][:3] == done.stdout.split()
    assert boards("--size", "3x4", "--seed", "6")[0].text != done.stdout.split()[0]


def test_boards_with_and_without_a_solution() -> None:
    for board in boards("--size", "4x5", "--count", "8"):
        assert (board.rows, board.columns) == (4, 5)
        assert next(solutions(board, "first-row"), None) is not None
    for board in boards("--size", "4x4", "--unsolvable", "--count", "8"):
        assert next(solutions(board, "first-row"), None) is None


def test_boards_of_other_rules() -> None:
    for board in boards("--size", "3x3", "--press", "king", "--wrap", "torus", "--unsolvable", "--count", "4"):
        assert board.settings == ("press=king", "wrap=torus")
        assert next(solutions(board, "brute"), None) is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["--wrap", "klein"], "--wrap: klein is for boards of --states K"),
        (["--press", "hexagons"], "--press: hexagons is for boards of --states K"),
        (["--states", "3", "--nullity", "2"], "--states: goes without --nullity and --min-presses"),
        (["--states", "3", "--min-presses", "1"], "--states: goes without --nullity and --min-presses"),
    ],
)
def test_options_of_boards_with_other_states_are_refused(wrong: list[str], words: str) -> None:
    done = CliRunner().invoke(root, ["generate", "lights-out", *wrong])
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == words


@pytest.mark.parametrize("wrong", [["--from-picture", "flag.pbm"], ["--difficulty", "line"], ["--max-changes", "0"]])
def test_options_of_puzzles_without_colours_are_refused(wrong: list[str]) -> None:
    done = CliRunner().invoke(root, ["generate", "nonogram", "--colours", "2", *wrong])
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == "--colours: goes without --from-picture, --difficulty and --max-changes"


@pytest.mark.parametrize("wanted", [0, 1, 2, 3, 4, 6, 8])
def test_boards_of_a_nullity(wanted: int) -> None:
    (board,) = boards("--nullity", str(wanted))
    assert nullity(board.rows, board.columns) == wanted
    assert sum(1 for _ in solutions(board, "gauss")) == 2**wanted


@pytest.mark.parametrize(("size", "presses"), [("3x3", 9), ("4x4", 7), ("5x5", 14), ("6x5", 25), ("9x9", 30)])
def test_boards_that_need_many_presses(size: str, presses: int) -> None:
    (board,) = boards("--size", size, "--min-presses", str(presses))
    best = fewest(board, "cpsat" if size != "9x9" else None)
    assert best is not None
    assert best.count() >= presses


def test_nonograms_of_a_density() -> None:
    (empty,), (full,) = nonograms("--size", "4x3", "--density", "0"), nonograms("--size", "4x3", "--density", "1")
    assert (empty.text, full.text) == ("0,0,0,0|0,0,0", "3,3,3,3|4,4,4")
    thin, thick = (nonograms("--size", "20x20", "--density", density)[0] for density in ("0.2", "0.8"))
    assert 40 < sum(map(sum, thin.row_clues)) < 120 < 280 < sum(map(sum, thick.row_clues)) < 360


def test_nonograms_with_one_solution() -> None:
    for puzzle in nonograms("--size", "6x7", "--unique", "--count", "5", "--density", "0.3"):
        assert len(list(solutions(puzzle, "glucose4"))) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("word", "size"), [("line", "8x8"), ("probe", "8x8"), ("search", "15x15")])
def test_nonograms_of_a_difficulty(word: str, size: str) -> None:
    from crosslit import compare

    (puzzle,) = nonograms("--difficulty", word, "--size", size)
    comparison = compare(puzzle, "line,glucose4")
    assert comparison.verdict.status == "unique"
    assert comparison.runs[0].stats["difficulty"] == word


def test_json_says_what_is_known() -> None:
    record = json.loads(generate("nonogram", "--size", "5x5", "--unique", "--density", "0.3", "--json").stdout)
    puzzle = load(record["puzzle"]["text"])
    assert [grid.text for grid in solutions(puzzle)] == [record["picture"]]
    assert (record["unique"], record["seed"], record["number"]) == (True, 0, 1)
    record = json.loads(generate("lights-out", "--size", "4x4", "--unsolvable", "--json").stdout)
    assert (record["puzzle"]["nullity"], record["solvable"]) == (4, False)


def test_a_picture_becomes_its_nonogram(tmp_path: Path) -> None:
    path = tmp_path / "picture.txt"
    path.write_text("#..\n.#.\n..#\n", encoding="utf-8")
    done = generate("nonogram", "--from-picture", str(path))
    assert (done.stdout, done.stderr) == ("1,1,1|1,1,1\n", "")
    done = generate("nonogram", "--from-picture", str(path), "--unique", "--json")
    record = json.loads(done.stdout)
    assert len(list(solutions(load(record["puzzle"]["text"]), "brute"))) == 1
    changed = sum(one != other for one, other in zip(record["picture"], "100/010/001", strict=True))
    assert changed == record["changed"] > 0
    assert done.stderr == f"crosslit: {changed} of 9 cells changed for one solution (fewer are not ruled out)\n"
    (tmp_path / "same.pbm").write_text("P1\n2 1\n1 1\n", encoding="utf-8")
    done = generate("nonogram", "--from-picture", str(tmp_path / "same.pbm"), "--unique")
    assert done.stdout == "2|1,1\n"
    assert "0 of 2 cells changed" in done.stderr


def test_a_picture_is_changed_within_a_bound_until_it_has_the_difficulty(tmp_path: Path) -> None:
    path, picture = tmp_path / "picture.txt", "000100/011101/010010/100100/010001/101010"
    path.write_text(picture.replace("/", "\n"), encoding="utf-8")
    arguments = ["nonogram", "--from-picture", str(path), "--json", "--difficulty"]
    for word in ("line", "probe"):
        done = generate(*arguments, word, "--max-changes", "4")
        record = json.loads(done.stdout)
        puzzle = load(record["puzzle"]["text"])
        assert [grid.text for grid in solutions(puzzle)] == [record["picture"]]
        assert difficulty(puzzle) == record["difficulty"] == word  # type: ignore[arg-type]
        changed = sum(one != other for one, other in zip(record["picture"], picture, strict=True))
        assert changed == record["changed"] <= 4
        assert f"{changed} of 36 cells changed for the difficulty {word}" in done.stderr


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        (
            ["--difficulty", "search"],
            "0 of 1 puzzles made: none of 200 attempts with at most 0 changed cells has the dif",
        ),
        (
            ["--unique"],
            "0 of 1 puzzles made: the picture as it is has several solutions: allow more with --max-changes\n",
        ),
    ],
)
def test_a_bound_that_is_too_low_ends_undecided(tmp_path: Path, wish: list[str], problem: str) -> None:
    path = tmp_path / "picture.txt"
    path.write_text("10\n01\n", encoding="utf-8")
    done = generate("nonogram", "--from-picture", str(path), *wish, "--max-changes", "0")
    assert (done.exit_code, done.stdout) == (3, "")
    assert problem in done.stderr


@pytest.mark.parametrize("name", ["pack.puzzles", "pack.non", "pack.sgt"])
def test_files_that_hold_several(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert generate("nonogram", "--size", "5x4", "--count", "3", "-o", str(path)).stdout == ""
    assert [puzzle.text for puzzle in read_all(path)] == [p.text for p in nonograms("--size", "5x4", "--count", "3")]


def test_a_format_by_name() -> None:
    done = generate("nonogram", "--size", "1x2", "--density", "1", "--to", "non")
    assert done.stdout.split() == ["width", "2", "height", "1", "rows", "2", "columns", "1", "1"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["lights-out", "--size", "5x5", "--nullity", "3"], "--nullity 3: boards of 5 x 5 have nullity 2"),
        (["lights-out", "--nullity", "41"], "no square up to 60 x 60 and no board up to 24 x 24 has nullity 41"),
        (["lights-out", "--size", "3x3", "--unsolvable"], "every board of 3 x 3 has a solution: its nullity is 0"),
        (["lights-out", "--size", "4x4", "--min-presses", "17"], "needs 17 presses: it has fewer cells"),
        (["lights-out", "--unsolvable", "--min-presses", "1"], "a board without a solution has no fewest presses"),
        (["lights-out", "--size", "900x900", "--unsolvable", "--press", "king"], "too large for elimination"),
        (["lights-out", "--count", "2", "--to", "board"], "it allows one puzzle per file"),
        (["nonogram", "--to", "board"], "the format board holds Lights Out boards"),
        (["nonogram", "--to", "picture"], "it is read-only"),
        (["nonogram", "--from-picture", "README.md"], "README.md:1: expected a row of 0/1"),
        *(
            (["nonogram", "--from-picture", "README.md", *option.split()], "--from-picture: goes without --size")
            for option in ("--size 3x3", "--density 0.4", "--count 2")
        ),
        (["nonogram", "--unique", "--max-changes", "3"], "--max-changes: goes with --from-picture"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], problem: str) -> None:
    done = CliRunner().invoke(root, ["generate", *arguments])
    assert isinstance(done.exception, InputError), done.output
    assert problem in str(done.exception)
    assert "\n" not in str(done.exception)
    assert done.stdout == ""


def test_what_is_not_found_ends_undecided_and_keeps_what_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_generate.nonogram.MAX_TRIES", 12)
    path = tmp_path / "some.puzzles"
    arguments = ["--size", "5x5", "--difficulty", "probe", "--count", "9", "--seed", "1"]
    done = generate("nonogram", *arguments, "-o", str(path))
    assert done.exit_code == 3
    made = int(done.stderr.split()[1])
    assert done.stderr.startswith(f"crosslit: {made} of 9 puzzles made: none of 12 pictures has the difficulty probe")
    assert 0 < made < 9
    assert len(list(read_all(path))) == made


def test_presses_that_are_not_found_and_cannot_be_excluded() -> None:
    done = generate("lights-out", "--size", "9x9", "--min-presses", "40")
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("crosslit: 0 of 1 puzzles made: no board that needs 40 presses was found")


def test_what_takes_too_long_ends_undecided(tmp_path: Path) -> None:
    path = tmp_path / "some.puzzles"
    done = generate("lights-out", "--size", "9x9", "--min-presses", "40", "--timeout", "0.05", "-o", str(path))
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == "crosslit: 0 of 1 puzzles made: stopped after 0.05 s (--timeout)\n"
    assert not path.exists()


def is_writing(process: subprocess.Popen[str], folder: Path) -> bool:
    """Whether a process has begun a file in a folder, which may have no name yet."""
    if list(folder.glob(".crosslit-*")):
        return True
    with suppress(OSError):  # of a descriptor that has been closed meanwhile
        return any(str(path.readlink()).startswith(f"{folder}/") for path in Path(f"/proc/{process.pid}/fd").iterdir())
    return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_a_signal_keeps_what_was_made_and_leaves_no_other_file(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    path = tmp_path / "many.puzzles"
    arguments = ["generate", "nonogram", "--size", "12x12", "--unique", "--count", "100000", "-o", str(path)]
    command = [sys.executable, "-m", "crosslit", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while process.poll() is None and not is_writing(process, tmp_path):  # until the first one is there
        time.sleep(0.01)
    os.killpg(process.pid, number)  # as a terminal does
    _, told = process.communicate(timeout=30)
    assert process.returncode == status, told
    if number == signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []
        return
    made = len(list(read_all(path)))
    assert told == f"crosslit: {made} of 100000 puzzles made: interrupted\ncrosslit: {path}: written\n"
    assert 0 < made < 100000
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
