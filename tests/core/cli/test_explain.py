"""``backbone``, ``reveal`` and ``explain``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crosslit import Grid, load, solutions
from crosslit.base.errors import SpecError
from crosslit.contract.run import Limits
from crosslit.questions.ask import ask
from crosslit.questions.explain import explain, reveal
from crosslit.runs.runner import Runner
from tests.conftest import Command

ASCII = {**os.environ, "PYTHONIOENCODING": "ascii"}


def test_the_backbone_is_drawn(crosslit: Command) -> None:
    done = crosslit("backbone", "1,1,2|1,2,1", env=ASCII)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "   1 2 1",
        "1 ? . ?",
        "1 . ##.",
        "2 ? ##?",
        "5 cells are equal in all solutions, 4 vary (evidence: claimed, by glucose4)",
    ]


def test_a_message_without_backends_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.registry.select", lambda *_: [])
    with pytest.raises(SpecError, match=r"^no backend can find the backbone of this puzzle$"):
        ask("1|1", "backbone")


def test_one_cell_is_equal(crosslit: Command) -> None:
    assert crosslit("backbone", "1").stdout.splitlines()[1].startswith("1 cell is equal in all solutions, 0 vary (")


def test_missing_cells_are_no_part_of_a_backbone(crosslit: Command) -> None:
    done = crosslit("backbone", "1_0/_11", env=ASCII)
    assert done.stdout.splitlines()[:2] == ["()  .", "  ()."]
    assert done.stdout.splitlines()[2].startswith("4 cells are equal in all solutions, 0 vary")
    assert json.loads(crosslit("backbone", "1_0/_11", "--json").stdout)["fixed"] == 4


def test_two_families_agree_on_a_backbone(crosslit: Command) -> None:
    done = crosslit("backbone", "0000/0000/0000/0000", "--backends", "polynomial,gauss", "--json")
    record = json.loads(done.stdout)
    assert (record["status"], record["evidence"], record["varying"]) == ("proved", "agreed", 16)
    assert record["backbone"] == "????/????/????/????"


@pytest.mark.parametrize("puzzle", ["1000/0000/0000/0000", "2|1"])
def test_no_solution_has_no_backbone_and_nothing_to_reveal(crosslit: Command, puzzle: str) -> None:
    for command in ("backbone", "reveal"):
        done = crosslit(command, puzzle)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("no solution (evidence: claimed")
        assert json.loads(crosslit(command, puzzle, "--json").stdout)["runs"][0]["status"] == "complete"


@pytest.mark.parametrize("puzzle", ["00000/00000/00000/00000/00000", "1,1,1|1,1,1"])
def test_who_claims_too_much_is_named(crosslit: Command, puzzle: str, planted_environment: dict[str, str]) -> None:
    done = crosslit("backbone", puzzle, "--backends", "glucose4,liar", env=planted_environment)
    assert done.returncode == 1
    assert "liar: false-backbone: claims that" in done.stderr
    assert "(evidence: claimed, by glucose4)" in done.stdout
    done = crosslit("reveal", puzzle, "--backend", "liar", env=planted_environment)
    assert done.returncode == 1
    assert "liar: unconfirmed: gave 1" in done.stderr
    assert "says that it does not suffice" in done.stderr


def test_a_contradiction_that_is_too_large_is_unconfirmed(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    done = crosslit("explain", "0,2|2,0", "--backend", "liar", env=planted_environment)
    assert done.returncode == 1
    assert "liar: unconfirmed: gave 1111; cadical195/automaton says that only" in done.stderr
    done = crosslit("explain", "1000/0000/0000/0000", "--backend", "liar", env=planted_environment)
    assert done.returncode == 1
    assert "liar: wrong-solution: some of these lights contradict each other without the others" in done.stderr
    assert done.stdout.splitlines()[-2:] == [
        "unsolvable: every press toggles an even number of 8 of these 16 lights, and 1 of them is lit "
        "(checked by the rules)",
        "not all of these lights are needed",
    ]


def test_the_cells_to_reveal_determine_the_target(crosslit: Command, tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("001\n010\n100\n", encoding="utf-8")
    record = json.loads(crosslit("reveal", "1,1,1|1,1,1", "--grid", str(target), "--json").stdout)
    assert (record["target"], record["size"], record["bound"], record["smallest"]) == ("001/010/100", 2, 2, True)
    cells = Grid.from_text(record["cells"]).bits
    puzzle = load("1,1,1|1,1,1")
    others = [grid for grid in solutions(puzzle) if grid.text() != record["target"]]
    assert len(others) == 5
    assert all((other.bits ^ Grid.from_text(record["target"]).bits) & cells for other in others)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("10/01", "target: expected a grid of 3 x 3, found 2 x 2"),
        ("111/000/000", "target: expected a solution: row 1 has blocks 3, its clue is 1"),
        ("1_0/000/000", "1_0/000/000: expected rows of 0 and 1"),
        ("no-such-file", "no-such-file: no such file"),
    ],
)
def test_a_target_that_is_none(crosslit: Command, target: str, message: str) -> None:
    done = crosslit("reveal", "1,1,1|1,1,1", "--grid", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"crosslit: {message}")
    assert done.stderr.count("\n") == 1


def test_explaining_clues_that_contradict_each_other(crosslit: Command) -> None:
    done = crosslit("explain", "0,2|2,0")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "unsolvable: these 2 clues contradict each other"
    assert lines[1:3] in (["  row 1: 0", "  column 1: 2"], ["  row 2: 2", "  column 2: 0"])
    assert lines[3] == "the smallest set (evidence: claimed, by glucose4, cadical195/automaton)"


def test_explaining_in_words(crosslit: Command) -> None:
    assert crosslit("explain", "3,3|1,1,1").stdout == "unsolvable: the rows need 6 cells, the columns 3\n"
    done = crosslit("explain", "5,1|1,1")
    assert done.stdout == "unsolvable: this clue cannot be\n  row 1: 5 (needs 5 cells, the line has 2)\n"
    assert crosslit("explain", "1|1").stdout == "unique: no other solution (claimed by hybrid)\n"


def test_a_set_that_may_not_be_the_smallest(crosslit: Command) -> None:
    board = "/".join(["1" + "0" * 64, *["0" * 65] * 64])  # a kernel of 42 dimensions: too large to be searched
    done = crosslit("explain", board, env=ASCII)
    assert done.stdout.splitlines()[-1] == (
        "none can be left out; the search for a smaller set did not finish (evidence: claimed, by fewest)"
    )


def test_a_light_that_no_press_toggles(crosslit: Command) -> None:
    done = crosslit("explain", "press=neighbours/1", env=ASCII)
    assert done.stdout == "##\nunsolvable: no press toggles this light, and it is lit (checked by the rules)\n"


def test_an_encoding_without_parts_cannot_explain(crosslit: Command) -> None:
    done = crosslit("explain", "10", "--backend", "glucose4/chased-direct")
    assert done.stdout == "unsolvable (claimed by polynomial); which lights contradict was not found\n"
    assert (done.returncode, "clauses that belong to no single constraint" in done.stderr) == (3, True)


def test_explaining_two_solutions(crosslit: Command) -> None:
    done = crosslit("explain", "1,1|1,1", env=ASCII)
    *lines, first, second = done.stdout.splitlines()
    assert lines == [
        "not unique: two solutions, checked by the rules, differ in 4 cells (?)",
        "   1 1",
        "1 ? ?",
        "1 ? ?",
    ]
    assert {first, second} == {"  01/10", "  10/01"}  # the solver's order
    record = json.loads(crosslit("explain", "1,1|1,1", "--json").stdout)
    assert (record["status"], record["differing"]) == ("multiple", "11/11")


def test_explaining_an_unsolvable_board(crosslit: Command) -> None:
    done = crosslit("explain", "10/00/00/00/00", env=ASCII)
    assert done.returncode == 0
    lights = json.loads(crosslit("explain", "10/00/00/00/00", "--json").stdout)["lights"]
    if lights is None:  # a board that has a solution would make this test empty
        pytest.fail(done.stdout)
    assert f"these {lights.count('1')} lights, and 1 of them is lit (checked by the rules)" in done.stdout


@pytest.mark.parametrize("command", ["backbone", "reveal", "explain"])
def test_bad_usage(crosslit: Command, command: str) -> None:
    option = "--backends" if command == "backbone" else "--backend"
    for arguments in (["1,1"], ["1|1", option, "nobody"], ["1|1", option, "first-row"], ["1|1", "--timeout", "0"]):
        done = crosslit(command, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "Traceback" not in done.stderr


def test_out_of_time(crosslit: Command) -> None:
    puzzle = "/".join("1" * 30 for _ in range(30))
    done = crosslit("backbone", puzzle, "--backends", "glucose4/full-direct", "--timeout", "0.7")
    assert done.returncode == 3
    assert done.stdout.startswith("undecided")
    assert done.stderr == "crosslit: glucose4/full-direct: timeout\n"


@pytest.mark.slow
def test_an_interrupt_ends_the_run() -> None:
    puzzle = "/".join("1" * 25 for _ in range(25))
    command = [sys.executable, "-m", "crosslit", "backbone", puzzle, "--backends", "glucose4/full-direct"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stdout.startswith("undecided")
    assert "Traceback" not in stderr


@pytest.mark.parametrize("text", ["00000/00000/00000/00000/00000", "1,1|1,1"])
def test_an_interrupt_before_any_run_starts_none(text: str) -> None:
    puzzle = load(text)
    with Runner(Limits(None, 30.0, 4096)) as runner:
        runner.interrupted = True
        target = next(solutions(puzzle))
        found = [reveal(puzzle, goal, runner=runner).answer for goal in (None, target)]
        assert [answer.chosen for answer in found] == [None, None]
        assert [answer.runs[0].status for answer in found] == ["interrupted", "interrupted"]
        assert explain(puzzle, runner=runner).status == "undecided"
        assert not ask(puzzle, "backbone", runner=runner).proved
