"""``solve``, ``show`` and ``backends``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from crosslit_backends import compiled

from tests.conftest import Command


def test_solve_prints_the_picture(crosslit: Command) -> None:
    done = crosslit("solve", "1 1,1 1,1,1|1 1,1,2,1", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "     1",
        "     1 1 2 1",
        "1 1 . ##. ##",
        "1 1 ##. ##.",
        "  1 . . ##.",
        "  1 ##. . .",
    ]


def test_solve_uses_block_characters_where_it_can(crosslit: Command) -> None:
    done = crosslit("solve", "1|1", env={**os.environ, "PYTHONIOENCODING": "utf-8"}, encoding="utf-8")
    assert done.stdout == "   1\n1 ██\n"


def test_solve_shows_presses(crosslit: Command) -> None:
    done = crosslit("solve", "11/11", "--backend", "cpsat", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.stdout == "()()\n()()\n"


@pytest.mark.skipif(
    sys.platform != "linux" or bool(compiled.missing()), reason="without Linux and the kernel there is only one search"
)
@pytest.mark.parametrize("cores", [1, 2])
def test_solve_searches_in_two_ways_on_two_cores(crosslit: Command, real_puzzles: Path, cores: int) -> None:
    puzzle = str(real_puzzles / "survey-redistributable" / "webpbn-06574.non")
    record = json.loads(crosslit("solve", puzzle, "--json", "--cores", str(cores)).stdout)
    assert (record["status"], record["run"]["stats"].get("searches", 1)) == ("solved", cores)


@pytest.mark.parametrize("spec", ["gauss", "first-row", "cadical195"])
def test_solve_says_that_there_is_no_solution(crosslit: Command, spec: str) -> None:
    done = crosslit("solve", "1000/0000/0000/0000", "--backend", spec)
    assert done.returncode == 0
    assert done.stdout == f"no solution (claimed by {spec})\n"


def test_solve_in_json(crosslit: Command) -> None:
    record = json.loads(crosslit("solve", "11/11", "--json").stdout)
    assert (record["status"], record["solution"], record["run"]["backend"]) == ("solved", "11/11", "polynomial")
    assert record["puzzle"]["text"] == "11/11"
    record = json.loads(crosslit("solve", "2|1", "--json").stdout)
    assert (record["status"], record["solution"]) == ("unsolvable", None)


def test_solve_with_a_broken_backend(crosslit: Command, planted_environment: dict[str, str]) -> None:
    done = crosslit("solve", "11/11", "--backend", "wrong-grid", env=planted_environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "crosslit: wrong-grid: wrong-solution: row 1, column 1 stays lit\n"
    done = crosslit("solve", "11/11", "--backend", "deaf-hang", "--timeout", "0.5", env=planted_environment)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "crosslit: deaf-hang: timeout\n")
    done = crosslit("solve", "11/11", "--backend", "yields-rubbish", "--json", env=planted_environment)
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "wrong"


def test_a_checked_solution_is_printed_whatever_else_is_wrong(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    environment = {**planted_environment, "PYTHONIOENCODING": "ascii"}
    done = crosslit("solve", "11/11", "--backend", "prints-rubbish", env=environment)
    assert (done.returncode, done.stdout) == (0, "()()\n()()\n")
    assert done.stderr == "crosslit: prints-rubbish: stray-output: printed 'c a comment of the engine'\n"


def test_solve_wants_one_backend_that_suits(crosslit: Command) -> None:
    done = crosslit("solve", "11/11", "--backend", "native")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crosslit: backend 'native': it selects 5 backends where one is expected\n"
    done = crosslit("solve", "11/11", "--backend", "alignment")
    assert done.stderr == "crosslit: backend 'alignment': does not solve lights-out puzzles\n"


def test_show(crosslit: Command) -> None:
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = crosslit("show", "10/01", env=ascii_only)
    assert done.stdout == "Lights Out, 2 x 2, nullity 0\n##.\n. ##\n"
    done = crosslit("show", "12,1 1|1,1", env=ascii_only)
    assert done.stdout == "nonogram, 2 x 2\n     1 1\n 12 . .\n1 1 . .\n"


@pytest.mark.parametrize(("size", "nullity"), [("19", 16), ("1x1", 0), ("1x2", 1), ("5", 2), ("20000", 0)])
def test_the_numbers_of_a_size(crosslit: Command, size: str, nullity: int) -> None:
    record = json.loads(crosslit("size", size, "--json").stdout)
    assert (record["settings"], record["nullity"]) == ([], nullity)
    assert record["rank"] + nullity == record["rows"] * record["columns"]
    assert f"\nnullity {nullity}: " in crosslit("size", size).stdout


def test_the_numbers_of_other_rules(crosslit: Command) -> None:
    assert "\nnullity 32: " in crosslit("size", "24", "--wrap", "torus").stdout
    assert "\nnullity 9: " in crosslit("size", "5", "--press", "111,111,111").stdout
    record = json.loads(crosslit("size", "5x3", "--press", "king", "--wrap", "horizontal", "--json").stdout)
    assert record["settings"] == ["press=king", "wrap=horizontal"]
    done = crosslit("size", "5", "--press", "queen")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("crosslit: --press: expected press= with plus, neighbours,")
    done = crosslit("size", "4000", "--press", "110,010,000")
    assert (done.returncode, done.stdout) == (2, "")
    assert "too large for elimination" in done.stderr


def test_a_size_without_rows_is_bad_usage(crosslit: Command) -> None:
    done = crosslit("size", "0x3")
    assert (done.returncode, done.stdout) == (2, "")


def test_backends(crosslit: Command) -> None:
    listed = [json.loads(line) for line in crosslit("backends", "--json").stdout.splitlines()]
    assert len(listed) >= 25
    found = {backend["name"]: backend for backend in listed}
    assert found["cpsat"]["encodings"] == {
        "lights-out": ["xor", "sum", "automaton", "chased", "chased-shared"],
        "nonogram": ["automaton", "starts", "order", "table"],
        "coloured-nonogram": ["automaton", "table", "placements"],
        "modular-lights-out": ["chased-direct", "quotient", "chased-paths"],
    }
    assert found["gauss"]["version"]
    assert found["glucose4"]["version"].startswith("python-sat ")
    assert "abilities" not in found["gauss"]
    assert found["kissat404"]["abilities"] == []
    assert {"assumptions", "proof"} <= set(found["glucose4"]["abilities"])
    table = crosslit("backends").stdout
    assert all(name in table for name in found)
    unavailable = {name for name, backend in found.items() if not backend["available"]}
    commands = {name for name, backend in found.items() if "command" in backend["groups"]}
    engines = {name for name, backend in found.items() if "engines" in backend["groups"]}
    assert unavailable - commands - engines <= {"cryptominisat", "ganak"}  # other extras
    assert all("cannot run" in crosslit("backends", name).stdout for name in sorted(unavailable)[:2])


def test_one_backend_in_detail(crosslit: Command) -> None:
    shown = crosslit("backends", "cpsat").stdout
    assert "version       ortools" in shown
    assert "puzzles       all" in shown
    assert ":workers=     threads" in shown
    assert "automaton, table, placements" in shown
    names = [
        json.loads(line)["name"] for line in crosslit("backends", "gauss", "glucose*", "--json").stdout.splitlines()
    ]
    assert {"gauss", "glucose3", "glucose4"} < set(names) and names[0] == "gauss"
    done = crosslit("backends", "gaus")
    assert (done.returncode, done.stderr) == (2, "crosslit: backend 'gaus': there is no 'gaus'; did you mean gauss?\n")


def test_the_fewest_presses(crosslit: Command) -> None:
    board = "10000/11110/11111/11110/10000"
    done = crosslit("solve", board, "--fewest", "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["status"]) == (0, "solved")
    assert record["presses"] == {"best": 6, "bound": 6, "proved": True}
    assert record["solution"].count("1") == 6
    done = crosslit("solve", board, "--fewest", "--backend", "rc2")
    assert done.stdout.endswith("\n6 presses, the fewest (evidence: claimed, by rc2)\n")
    assert done.stdout.count("()") == 6
    done = crosslit("solve", "10", "--fewest", "--json")
    assert json.loads(done.stdout)["presses"] == {"best": None, "bound": None, "proved": True}
    assert crosslit("solve", "10", "--fewest").stdout == "no solution (claimed by fewest)\n"


def test_fewest_presses_that_are_not_proved_in_time(crosslit: Command) -> None:
    board = "/".join(["1" * 16] * 16)
    done = crosslit("solve", board, "--fewest", "--backend", "rc2", "--timeout", "1")
    assert done.returncode == 3
    assert done.stdout.startswith("undecided (no solution found, at least ")
    assert done.stderr == "crosslit: rc2: timeout\n"
    board = "wrap=torus/" + "/".join(["1" * 33] * 33)
    done = crosslit("solve", board, "--fewest", "--json")
    assert done.returncode == 3
    record = json.loads(done.stdout)
    assert record["presses"]["bound"] <= record["presses"]["best"] == record["solution"].count("1")
    assert not record["presses"]["proved"]


def test_comparing_the_fewest_presses(crosslit: Command) -> None:
    done = crosslit("compare", "1111/1111/1111/1111", "press=king/111/1_1", "--fewest", "--json")
    assert done.returncode == 0
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["question"], first["presses"]) == ("fewest", {"best": 4, "bound": 4, "proved": True})
    assert (first["verdict"]["status"], first["verdict"]["evidence"]) == ("optimal", "agreed")
    assert {run["backend"]: run["presses"]["best"] for run in first["runs"]} == {"fewest": 4, "cpsat": 4, "rc2": 4}
    assert second["presses"]["proved"]
    done = crosslit("compare", "1111/1111/1111/1111", "--fewest")
    assert "verdict: 4 presses, the fewest (evidence: agreed, by fewest, cpsat)" in done.stdout


@pytest.mark.parametrize("option", [["--all"], ["--limit", "2"]])
def test_the_fewest_presses_have_no_limit(crosslit: Command, option: list[str]) -> None:
    done = crosslit("compare", "1", "--fewest", *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert "goes with neither --all nor --limit" in done.stderr


def test_a_nonogram_has_no_presses(crosslit: Command) -> None:
    done = crosslit("solve", "1|1", "--fewest")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crosslit: backend 'fewest': does not solve nonogram puzzles\n"
