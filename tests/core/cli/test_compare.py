"""``crosslit compare`` as its users meet it."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.results.frame import NAMES

from crosslit import Grid, Limits, load
from crosslit.cli.compare import _csv_rows
from crosslit.cli.exit_status import exit_status
from crosslit.contract.run import Run
from crosslit.formats import FORMATS
from crosslit.judging.solutions import judge
from tests.conftest import ROOT, Command

EXAMPLES = ROOT / "examples"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_board_of_the_articles(crosslit: Command) -> None:
    done = crosslit("compare", "10000/11110/11111/11110/10000", "--all", "--json")
    assert done.returncode == 0
    (comparison,) = lines(done.stdout)
    assert comparison["consistent"]
    assert comparison["puzzle"]["nullity"] == 2
    assert comparison["verdict"] == {
        "status": "multiple",
        "solutions": 4,
        "at_least": 4,
        "complete": True,
        "evidence": "agreed",
        "by": ["chase", "glucose4/full-cut4"],
    }
    assert [(run["status"], run["solutions"]) for run in comparison["runs"]] == [("complete", 4)] * 9
    assert len({run["digest"] for run in comparison["runs"]}) == 1


@pytest.mark.slow
def test_the_nonogram_of_the_articles(crosslit: Command) -> None:
    done = crosslit("compare", str(EXAMPLES / "article-50x50.txt"), "--json")
    assert done.returncode == 0
    (comparison,) = lines(done.stdout)
    assert (comparison["verdict"]["status"], comparison["verdict"]["evidence"]) == ("unique", "agreed")
    assert {run["backend"]: run["status"] for run in comparison["runs"]} == dict.fromkeys(
        ["alignment", "cadical195", "cpsat", "glucose4", "hybrid", "line"], "complete"
    )


@pytest.mark.parametrize(
    ("puzzle", "options", "status", "solutions"),
    [
        ("1 1,1 1,1,1|1 1,1,2,1", [], "unique", 1),
        ("0,2|2,0", [], "unsolvable", 0),
        ("2|1", [], "unsolvable", 0),
        ("1111/1111/1111/1111", [], "multiple", None),
        ("1111/1111/1111/1111", ["--all"], "multiple", 16),
        ("1111/1111/1111/1111", ["--limit", "16"], "multiple", None),
        ("1111/1111/1111/1111", ["--limit", "17"], "multiple", 16),
        ("1", [], "unique", 1),
        ("0|0", [], "unique", 1),
        ("1000/0000/0000/0000", [], "unsolvable", 0),
    ],
)
def test_verdicts(crosslit: Command, puzzle: str, options: list[str], status: str, solutions: int | None) -> None:
    done = crosslit("compare", puzzle, "--json", *options)
    assert done.returncode == 0
    (comparison,) = lines(done.stdout)
    assert comparison["consistent"]
    assert (comparison["verdict"]["status"], comparison["verdict"]["solutions"]) == (status, solutions)


def test_brute_force_is_independent_evidence(crosslit: Command) -> None:
    (comparison,) = lines(crosslit("compare", "1,1|1,1", "--backends", "native,brute", "--all", "--json").stdout)
    assert (comparison["verdict"]["evidence"], comparison["verdict"]["by"]) == ("brute-force", ["brute"])


def test_one_lineage_is_not_agreed(crosslit: Command) -> None:
    (comparison,) = lines(crosslit("compare", "10/01", "--backends", "cadical195,cpsat", "--json").stdout)
    assert comparison["verdict"]["evidence"] == "claimed"


def test_the_json_is_the_documented_one(crosslit: Command) -> None:
    puzzle = "1 1,1 1,1,1|1 1,1,2,1"
    (comparison,) = lines(crosslit("compare", puzzle, "--json", "--timeout", "9", "--memory", "900").stdout)
    assert comparison["question"] == "solutions"
    assert comparison["limits"] == {"solutions": 2, "seconds": 9, "memory_mb": 900}
    assert comparison["puzzle"] == {
        "name": "",
        "kind": "nonogram",
        "rows": 4,
        "columns": 4,
        "id": hashlib.sha256(puzzle.encode()).hexdigest(),
        "text": puzzle,
        "nullity": None,
    }
    assert comparison["findings"] == []
    for run in comparison["runs"]:
        assert set(run) >= {"backend", "version", "status", "solutions", "digest", "memory_mb", "stats", "error"}
        seconds = run["seconds"]
        assert list(seconds) == ["encode", "load", "solve", "decode", "total", "cpu", "wall"]
        assert seconds["total"] == pytest.approx(sum(list(seconds.values())[:4]), abs=1e-5)
        assert 0 < seconds["total"] <= seconds["wall"]
        assert run["memory_mb"] > 1


def test_a_large_puzzle_leaves_its_text_out(crosslit: Command) -> None:
    (comparison,) = lines(crosslit("compare", "0" * 1, "--json", "--backends", "gauss").stdout)
    assert comparison["puzzle"]["text"] == "0"
    board = "/".join(["0" * 320] * 320)
    (comparison,) = lines(crosslit("compare", "-", "--json", "--backends", "brute", input=board).stdout)
    assert "text" not in comparison["puzzle"]
    assert comparison["puzzle"]["id"] == hashlib.sha256(board.encode()).hexdigest()
    assert comparison["puzzle"]["nullity"] == 0
    assert comparison["runs"][0]["status"] == "unsupported"
    assert comparison["verdict"]["status"] == "undecided"


def test_the_table_shows_puzzle_runs_and_verdict(crosslit: Command) -> None:
    done = crosslit("compare", str(EXAMPLES / "board-5x5.txt"), "--all")
    assert done.returncode == 0
    assert done.stderr == ""
    first, *rest = done.stdout.splitlines()
    assert first == "board-5x5: Lights Out, 5 x 5, nullity 2"
    assert rest[-2] == "verdict: multiple, 4 solutions (evidence: agreed, by chase, glucose4/full-cut4)"
    rows = [line.split() for line in rest if line.split()[:1] == ["glucose4/full-cut4"]]
    assert rows[0][:3] == ["glucose4/full-cut4", "complete", "4"]


@pytest.mark.slow
def test_repetitions_give_median_and_spread(crosslit: Command) -> None:
    arguments = ["compare", "10/01", "--backends", "gauss,glucose4", "--repeat", "3"]
    (comparison,) = lines(crosslit(*arguments, "--json").stdout)
    assert [(run["backend"], run["repetition"]) for run in comparison["runs"]] == [
        (backend, repetition) for repetition in range(3) for backend in ("gauss", "glucose4")
    ]
    for backend, total in comparison["totals"].items():
        seconds = sorted(run["seconds"]["total"] for run in comparison["runs"] if run["backend"] == backend)
        assert [total["min"], total["median"], total["max"]] == pytest.approx(seconds, abs=1e-6)
    row = next(line for line in crosslit(*arguments).stdout.splitlines() if line.strip().startswith("gauss"))
    assert " to " in row


def test_several_puzzles_several_lines(crosslit: Command) -> None:
    done = crosslit("compare", "10/01", "1,1|1,1", "2|1", "--json", "--jobs", "2", "--backends", "native,minisat22")
    assert done.returncode == 0
    assert [c["verdict"]["status"] for c in lines(done.stdout)] == ["unique", "multiple", "unsolvable"]


def test_the_runs_are_written_as_csv_with_the_columns_of_an_export(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    done = crosslit("compare", "10/11", "1|1", "--backends", "gauss,line,glucose4", "--csv", str(path))
    assert done.returncode == 0, done.stderr
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = [(row["kind"], row["spec"], row["encoding"], row["status"], row["verdict"]) for row in rows]
    assert ("nonogram", "glucose4", "order", "complete", "unique") in found
    assert len(found) == 6  # with those that do not support the puzzle
    assert rows[0].keys() - set(NAMES) == {"presses", "at_least"}


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("undecided", [False, True])
def test_an_interrupt_counts_most_then_a_wrong_answer(interrupted: bool, wrong: bool, undecided: bool) -> None:
    expected = 130 if interrupted else 1 if wrong else 3 if undecided else 0
    assert exit_status(interrupted=interrupted, wrong=wrong, undecided=undecided) == expected


@pytest.mark.parametrize("puzzles", [["1|1", "1|0"], ["1|0", "1|1"]])
def test_one_wrong_answer_among_several_puzzles_is_enough(crosslit: Command, puzzles: list[str]) -> None:
    solver = ["--solver", "liar=sh -c 'echo unsolvable' {file}", "--backends", "line,alignment,liar"]
    assert crosslit("compare", *puzzles, *solver).returncode == 1
    assert crosslit("compare", "1|0", "1|0", *solver).returncode == 0


def test_undecided_has_its_own_exit_status(crosslit: Command) -> None:
    done = crosslit("compare", "1111/1111/1111/1111", "1", "--backends", "gauss", "--limit", "1")
    assert done.returncode == 3
    assert "verdict: undecided (1 solution found and checked, no reliable run searched everything)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["3 x|1"], "crosslit: puzzle: row 1: expected positive whole numbers, found 'x'"),
        (
            ["10/01", "nowhere.non"],
            "crosslit: nowhere.non: no such file, and neither a board (01.#_/) nor a nonogram (ROWS|COLUMNS)",
        ),
        (["10/01", "--format", "x"], f"crosslit: format 'x': expected one of {', '.join(FORMATS)}"),
        (
            ["10/01", "--backends", "alignm*"],
            "crosslit: no backend among alignm* can find all solutions of this lights-out puzzle of 2 x 2",
        ),
    ],
)
def test_bad_input_is_one_clear_line(crosslit: Command, arguments: list[str], message: str) -> None:
    done = crosslit("compare", *arguments, "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == message + "\n"


def test_a_file_whose_heights_disagree(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "short.non"
    path.write_text("width 2\nheight 3\n\nrows\n1\n1\n\ncolumns\n1\n1\n", encoding="utf-8")
    done = crosslit("compare", str(path))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"crosslit: {path}:4: expected 3 rows as height says, found 2 (an empty line is written 0)\n"


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "1e300"])
def test_a_timeout_is_a_time(crosslit: Command, seconds: str) -> None:
    done = crosslit("compare", "1", "--timeout", seconds)
    assert done.returncode == 2
    assert "Invalid value for '--timeout'" in done.stderr


@pytest.mark.parametrize("option", ["--limit", "--timeout", "--memory", "--repeat", "--jobs"])
def test_limits_are_positive(crosslit: Command, option: str) -> None:
    done = crosslit("compare", "1", option, "0")
    assert done.returncode == 2
    assert option in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_it_runs_in_a_folder_that_cannot_be_written_and_holds_strange_modules(
    crosslit: Command, tmp_path: Path
) -> None:
    for name in ("random", "queue", "numpy", "crosslit_backends"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current folder')\n", encoding="utf-8")
    tmp_path.chmod(0o555)
    command = [str(Path(sys.executable).with_name("crosslit")), "compare", "10/01", "--backends", "gauss,glucose4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_results_and_progress_do_not_mix(tmp_path: Path) -> None:
    """With standard error on a terminal, results still go to standard output, and whole."""
    out, master = tmp_path / "out.json", None
    master, terminal = os.openpty()
    command = [sys.executable, "-m", "crosslit", "compare", "10/01", "1|1", "--json"]
    with out.open("wb") as file, os.fdopen(terminal, "wb") as errors:
        process = subprocess.Popen(command, stdout=file, stderr=errors)
    told = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
        while data := os.read(master, 4096):
            told += data
    os.close(master)
    assert process.wait() == 0
    assert [c["verdict"]["status"] for c in lines(out.read_text(encoding="utf-8"))] == ["unique", "unique"]
    assert b" done; now" in told
    assert b"schema" not in told


def test_a_stream_that_lacks_characters_gets_others(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "title.non"
    path.write_text('title "Ä"\nrows\n1\ncolumns\n1\n', encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = crosslit("compare", str(path), "--backends", "native", env=environment)
    assert done.returncode == 0
    assert done.stdout.startswith("?: nonogram, 1 x 1\n")
    assert done.stdout.isascii()
    (comparison,) = lines(crosslit("compare", str(path), "--backends", "native", "--json", env=environment).stdout)
    assert comparison["puzzle"]["name"] == "Ä"


def test_a_title_cannot_draw(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "title.non"
    path.write_text('title "[red]x[/red]\x1b[2J"\nrows\n1\ncolumns\n1\n', encoding="utf-8")
    done = crosslit("compare", str(path), "--backends", "native")
    assert done.stdout.startswith("[red]x[/red]?[2J: nonogram, 1 x 1\n")


def test_the_problems_of_a_row_are_those_of_its_backend() -> None:
    one, other = Grid.from_text("10/01"), Grid.from_text("01/10")
    runs = [Run("a", status="complete", grids=[one, other]), Run("b", status="complete", grids=[one])]
    rows = _csv_rows(judge(load("1,1|1,1"), runs, Limits()))
    assert [(row["spec"], row["problems"]) for row in rows] == [("a", ""), ("b", "false-unique")]


def test_the_default_limit_of_solutions_is_none_of_the_fewest_presses(crosslit: Command) -> None:
    (comparison,) = lines(crosslit("compare", "000/000", "--fewest", "--backends", "fewest", "--json").stdout)
    assert (comparison["limits"]["solutions"], comparison["presses"]["proved"]) == (None, True)
