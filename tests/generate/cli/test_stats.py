"""``crosslit stats``: tables, JSON, CSV, folders, interrupts."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crosslit.cli.group import root
from tests.conftest import Command

LEVELS = """# a pack
10/01 # one
10000/00000/00000/00000/00000 # corner
01/10 # turned
11111/11111/11111/11111/11111 # all on
10/01 # again
1,1|1,1 # switch
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "levels" / "pack.puzzles"
    path.parent.mkdir()
    path.write_text(LEVELS, encoding="utf-8")
    return path


def test_the_table_the_totals_and_the_same_as_csv(crosslit: Command, pack: Path, tmp_path: Path) -> None:
    goal = tmp_path / "out.csv"
    done = crosslit("stats", str(pack), "--csv", str(goal))
    assert (done.returncode, done.stderr) == (0, f"crosslit: {goal}: written\n")
    rows = [line.split() for line in done.stdout.splitlines() if " x " in line]
    assert [" ".join(row) for row in rows] == [
        "one 2 x 2 unique 1 2 0 agreed",
        "corner 5 x 5 unsolvable 0 2 agreed",
        "turned 2 x 2 unique 1 2 0 agreed one, rotated or mirrored",
        "all on 5 x 5 multiple 4 15 2 witnessed",
        "again 2 x 2 unique 1 2 0 agreed same as one",
        "switch 2 x 2 multiple 2 search agreed",
    ]
    assert done.stdout.splitlines()[-1] == (
        "1 of 6 unsolvable, 3 unique, 2 with several solutions, 1 equal to an earlier one, "
        "1 equal to an earlier one, rotated or mirrored"
    )
    with goal.open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [row["puzzle"] for row in table] == ["one", "corner", "turned", "all on", "again", "switch"]
    assert (table[1]["status"], table[1]["kind"], len(table[1]["id"])) == ("unsolvable", "lights-out", 64)


def test_json_has_one_object_a_puzzle_and_the_totals(crosslit: Command, pack: Path) -> None:
    *records, last = map(json.loads, crosslit("stats", str(pack), "--json").stdout.splitlines())
    assert [record["puzzle"]["name"] for record in records] == ["one", "corner", "turned", "all on", "again", "switch"]
    assert records[3]["presses"] == {"best": 15, "bound": 15, "proved": True, "evidence": "claimed"}
    assert (records[3]["counted_by"], records[3]["solutions"]) == ("nullity", 4)
    assert (records[4]["same_as"], records[2]["image_of"]) == ("one", "one")
    assert last["totals"]["unsolvable"] == 1


def test_a_folder_is_the_files_in_it_that_hold_puzzles(crosslit: Command, pack: Path) -> None:
    pack.write_text("1|1\n", encoding="utf-8")
    (pack.parent / "LICENSE").write_text("Do as you like.\n", encoding="utf-8")
    (pack.parent / "extra.nin").write_text("1 1\n1\n1\n", encoding="utf-8")
    done = crosslit("stats", str(pack.parent), "--json")
    assert json.loads(done.stdout.splitlines()[-1])["totals"]["puzzles"] == 2
    (pack.parent / "sub").mkdir()
    done = crosslit("stats", str(pack.parent / "sub"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("expected files of puzzles in the folder, found none\n")


def test_files_of_one_stem_are_named_by_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pack.puzzles").write_text("10/01\n11/11\n1/1 # pack of one\n", encoding="utf-8")
    for name in ("pack.txt", "other.txt"):
        Path(name).write_text("10\n11\n", encoding="utf-8")
    for sources, names in (
        (["pack.puzzles", "pack.txt"], ["pack.puzzles:1", "pack.puzzles:2", "pack of one", "pack.txt"]),
        (["pack.puzzles", "other.txt"], ["pack:1", "pack:2", "pack of one", "other"]),
        (["pack.txt", "pack.txt"], ["pack", "pack"]),
        (["pack.puzzles:1", "pack.txt"], ["pack:1", "pack"]),
    ):
        named: list[str] = []
        monkeypatch.setattr(
            "crosslit_generate.audit.plan", lambda puzzles, _, named=named: named.extend(p.name for p in puzzles) or []
        )
        assert root.main(["stats", *sources], standalone_mode=False) == 0
        assert named == names


def test_lines_that_cannot_be_read_are_named_and_left_out(crosslit: Command, pack: Path) -> None:
    whole = crosslit("stats", str(pack)).stdout
    pack.write_text(f"{LEVELS}nonsense\n1,x|1,1\n", encoding="utf-8")
    done = crosslit("stats", str(pack))
    assert (done.returncode, done.stdout) == (2, whole)
    assert done.stderr.startswith(f"crosslit: left out: {pack}:8: expected a board")
    assert done.stderr.endswith("(nor can line 9 be read)\n")
    pack.write_text("nonsense|1\n", encoding="utf-8")
    done = crosslit("stats", str(pack))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"crosslit: {pack}:1: ")


def test_what_stays_open_is_undecided_and_a_line_that_cannot_be_read_counts_more(
    crosslit: Command, tmp_path: Path
) -> None:
    line = "1 1 1 1 1 1 1 1 1 1"
    hard = ",".join([line] * 40) + "|" + ",".join([line] * 40)
    done = crosslit("stats", hard, "1|1", "--timeout", "2", "--backends", "brute")
    assert done.returncode == 3
    assert "0 of 2 unsolvable, 1 unique, 0 with several solutions, 1 undecided" in done.stdout
    assert "brute: " in done.stdout
    (tmp_path / "pack").write_text(f"nonsense\n{hard}\n", encoding="utf-8")
    assert crosslit("stats", str(tmp_path / "pack"), "--timeout", "1", "--backends", "brute").returncode == 2


def test_a_wrong_backend_is_named(crosslit: Command, planted_environment: dict[str, str]) -> None:
    done = crosslit("stats", "1,1|1,1", "--backends", "drops-last,line", env=planted_environment)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "drops-last: " in done.stdout


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "pack.puzzles"
    line = "1 1 1 1 1 1 1 1 1 1"
    hard = ",".join([line] * 40) + "|" + ",".join([line] * 40)
    path.write_text(f"1|1 # first\n{hard} # endless\n", encoding="utf-8")
    command = [sys.executable, "-m", "crosslit", "stats", str(path), "--json", "--backends", "line,glucose4/direct"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().splitlines()
    assert first["puzzle"]["name"] == "first"
    assert process.returncode == 130
    assert json.loads(rest[-1])["totals"]["puzzles"] == 1


def test_sums_that_differ_are_the_note_of_a_nonogram(crosslit: Command, tmp_path: Path) -> None:
    (tmp_path / "pack.puzzles").write_text("1|1\n3,1|1,1,1\n", encoding="utf-8")
    assert "the rows need 4 cells, the columns 3" in crosslit("stats", str(tmp_path / "pack.puzzles")).stdout
