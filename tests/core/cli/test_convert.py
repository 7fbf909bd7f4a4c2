"""``crosslit convert``: from format to format, whole or not at all."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crosslit import Grid, Nonogram, load, solutions
from crosslit.formats import read_all, write_all
from tests.conftest import Command, random_nonogram


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A file of two nonograms."""
    path = tmp_path / "pack.sgt"
    path.write_bytes(b"".join(write_all([random_nonogram(random.Random(seed), 25, 25) for seed in (1, 2)], "sgt")))
    return path


def test_puzzles_stay_the_same_through_every_format(crosslit: Command, pack: Path, tmp_path: Path) -> None:
    path, names = pack, ["non", "xml", "taai", "puzzles", "sgt"]
    for name in names:
        path, before = tmp_path / f"next.{name}", path
        assert crosslit("convert", str(before), str(path)).returncode == 0
    assert list(read_all(path)) == list(read_all(pack))
    for number, extension in itertools.product((1, 2), ("nin", "mk", "cwd", "clues")):
        goal = tmp_path / f"one.{extension}"
        assert crosslit("convert", f"{pack}:{number}", str(goal)).returncode == 0
        assert load(goal) == load(f"{pack}:{number}")


def test_it_says_what_was_written(crosslit: Command, pack: Path, tmp_path: Path) -> None:
    goal = str(tmp_path / "out.non")
    assert crosslit("convert", str(pack), goal).stdout == f"{goal}: 2 puzzles, non\n"
    told = json.loads(crosslit("convert", f"{pack}:2", goal, "--json").stdout)
    assert (told["file"], told["format"], told["puzzles"]) == (goal, "non", 1)


def test_standard_input_and_output(crosslit: Command, pack: Path) -> None:
    command = [sys.executable, "-m", "crosslit", "convert", "-", "-", "--to", "non"]
    done = subprocess.run(command, input=pack.read_bytes(), capture_output=True, check=True)
    assert done.stdout == b"".join(write_all(read_all(pack), "non")).replace(b'title "pack:1"\n', b"").replace(
        b'title "pack:2"\n', b""
    )
    picture = subprocess.run([*command[:-1], "sgt"], input=b"P4\n2 1\n\x80", capture_output=True, check=True)
    assert picture.stdout == b"2x1:1//1\n"


def test_a_grid_is_a_picture_where_that_is_said(crosslit: Command, tmp_path: Path) -> None:
    grid = tmp_path / "grid.txt"
    grid.write_text("101\n000\n", encoding="utf-8")
    assert crosslit("convert", str(grid), "-", "--from", "picture", "--to", "sgt").stdout == "3x2:1//1/1.1/\n"
    assert crosslit("convert", str(grid), "-", "--to", "lines").stdout == "101/000 # grid\n"
    assert load(grid, "picture") == Nonogram([[1, 1], []], [[1], [], [1]])


@pytest.mark.parametrize(
    "text", ["2 1,0,1|1 1,1,0,1", "coloured-nonogram:white=ffffff,blue=0000ff,red=ff0000;2b 1a,1a|1b,1b 1a,0,1a"]
)
def test_a_puzzle_written_as_a_picture_is_read_again(crosslit: Command, tmp_path: Path, text: str) -> None:
    pytest.importorskip("PIL.Image", reason="needs the extra plot")
    crosslit("convert", text, str(tmp_path / "picture.png"))
    assert load(tmp_path / "picture.png") == load(text).named("picture")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["10/01", "{out}.nin"], "cannot be written: the format nin holds nonograms, not a lights-out puzzle"),
        (
            ["{pack}", "{out}.nin"],
            "cannot be written: the format nin holds one puzzle per file, and there are several: name one as FILE:7",
        ),
        (["{pack}:3", "{out}.nin"], "{pack}:3: expected the place of a puzzle, from 1 to 2"),
        (["1|1", "{out}.pbm"], "cannot be written: the format picture is read-only"),
        (["1|0", "{out}.png"], "cannot be written: the puzzle has no solution, which the picture would be"),
        (["10/01", "{out}.png"], "cannot be written: the format picture holds nonograms, not a lights-out puzzle"),
        (["coloured-nonogram:1a 1b|1a,1b", "{out}.png"], "cannot be written: colours are lost in a picture in which"),
        (["1|1", "{out}"], "{out}: expected --to with one of "),
        (["1|1", "-"], "-: expected --to with one of "),
        (["1|1", "-", "--to", "svg"], "format 'svg': expected one of "),
        (["1|1", "{out}/x.nin"], "{out}/x.nin: No such file or directory"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(
    crosslit: Command, pack: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    names = {"pack": str(pack), "out": str(tmp_path / "out")}
    done = crosslit("convert", *(argument.format(**names) for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"crosslit: {message.format(**names)}")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["pack.sgt"]


def test_a_bad_puzzle_after_good_ones_leaves_the_old_file(crosslit: Command, pack: Path, tmp_path: Path) -> None:
    goal = tmp_path / "out.non"
    goal.write_text("old", encoding="utf-8")
    pack.write_text(pack.read_text(encoding="utf-8") + "1x1:x/1\n", encoding="utf-8")
    assert crosslit("convert", str(pack), str(goal)).returncode == 2
    assert goal.read_text(encoding="utf-8") == "old"


def test_compare_takes_all_puzzles_of_a_file(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "pack.puzzles"
    path.write_text("10/01\n1|1 # One\n# a remark\n", encoding="utf-8")
    names = [
        [json.loads(line)["puzzle"]["name"] for line in done.stdout.splitlines()]
        for done in (crosslit("compare", place, "--backends", "brute", "--json") for place in (str(path), f"{path}:2"))
    ]
    assert names == [["pack:1", "One"], ["One"]]


def test_credits_are_kept_or_said_to_be_lost(crosslit: Command, tmp_path: Path) -> None:
    source, goal = tmp_path / "in.non", tmp_path / "out"
    told = {"by": "A. Name", "copyright": '2001 "A & B"', "license": "CC-BY"}
    lines = (f"{word} {text}\n" for word, text in told.items())
    source.write_text(f"{''.join(lines)}width 1\nheight 1\nrows\n1\ncolumns\n1\n", encoding="utf-8")
    done = crosslit("convert", str(source), f"{goal}.non")
    assert done.stderr == ""
    assert [dict(puzzle.credits) for puzzle in read_all(f"{goal}.non") if isinstance(puzzle, Nonogram)] == [told]
    done = crosslit("convert", f"{goal}.non", f"{goal}.xml", "--json")
    assert json.loads(done.stdout)["puzzles"] == 1
    assert done.stderr == "crosslit: the format xml cannot store these entries of IN: license\n"
    kept = [dict(puzzle.credits) for puzzle in read_all(f"{goal}.xml") if isinstance(puzzle, Nonogram)]
    assert kept == [{"by": told["by"], "copyright": told["copyright"]}]
    done = crosslit("convert", f"{goal}.non", "-", "--to", "sgt")
    assert done.stdout == "1x1:1/1\n"
    assert done.stderr == "crosslit: the format sgt cannot store these entries of IN: by, copyright, license\n"


def test_a_pipe_by_its_path_is_written_to() -> None:
    command = [sys.executable, "-m", "crosslit", "convert", "1|1", "/dev/stdout", "--to", "sgt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout.splitlines()[0], done.returncode, done.stderr) == ("1x1:1/1", 0, "")


@pytest.mark.parametrize("name", ["list.txt", "list.jsonl"])
def test_a_list_of_solutions_becomes_an_array(crosslit: Command, tmp_path: Path, name: str) -> None:
    path, array = tmp_path / name, tmp_path / "list.npy"
    assert crosslit("enumerate", "000/000/000/000/000", "--output", str(path)).returncode == 0
    done = crosslit("convert", str(path), str(array))
    assert (done.returncode, done.stderr) == (0, "")
    found = [Grid.from_cells(cells) for cells in np.load(array)]
    assert sorted(found, key=Grid.text) == sorted(solutions("000/000/000/000/000"), key=Grid.text)


def test_an_array_has_the_number_of_each_cells_colour(crosslit: Command, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("2b0/0v1\n", encoding="utf-8")
    assert crosslit("convert", str(tmp_path / "list.txt"), str(tmp_path / "list.npy")).returncode == 0
    assert np.load(tmp_path / "list.npy").tolist() == [[[2, 11, 0], [0, 31, 1]]]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "expected a list of solutions, found an empty file"), ("10/01\n10/0\n", ":2: expected a solution of 2 x 2")],
)
def test_no_list_of_solutions_becomes_no_array(crosslit: Command, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text, encoding="utf-8")
    done = crosslit("convert", str(path), str(tmp_path / "list.npy"))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (tmp_path / "list.npy").exists()
