"""``backbone``, ``reveal`` and ``explain``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crosslit import Grid, load, solutions
from crosslit.base.errors import SpecError
from crosslit.contract.run import Limits
from crosslit.questions.compare import ask
from crosslit.questions.explain import explain, reveal
from crosslit.runs.runner import Runner
from tests.conftest import Command


def test_a_message_without_backends_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.registry.select", lambda *_: [])
    with pytest.raises(SpecError, match=r"^no backend can find the backbone of this puzzle$"):
        ask("1|1", "backbone")


def test_the_cells_to_reveal_determine_the_target(crosslit: Command, tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("001\n010\n100\n", encoding="utf-8")
    record = json.loads(crosslit("reveal", "1,1,1|1,1,1", "--grid", str(target), "--json").stdout)
    assert (record["target"], record["size"], record["bound"], record["smallest"]) == ("001/010/100", 2, 2, True)
    cells = Grid.from_text(record["cells"]).bits
    others = [grid for grid in solutions("1,1,1|1,1,1") if grid.text() != record["target"]]
    assert len(others) == 5
    assert all((other.bits ^ Grid.from_text(record["target"]).bits) & cells for other in others)


def test_a_set_that_may_not_be_the_smallest_is_said_to_be_one(crosslit: Command) -> None:
    board = "/".join(["1" + "0" * 64, *["0" * 65] * 64])  # a kernel of 42 dimensions: too large to be searched
    assert crosslit("explain", board).stdout.splitlines()[-1] == (
        "none can be left out; the search for a smaller set did not finish (evidence: claimed, by fewest)"
    )


def test_a_backbone_that_is_not_found_in_time_is_undecided(crosslit: Command) -> None:
    puzzle = "/".join("1" * 30 for _ in range(30))
    done = crosslit("backbone", puzzle, "--backends", "glucose4/full-direct", "--timeout", "0.7")
    assert (done.returncode, done.stderr) == (3, "crosslit: glucose4/full-direct: timeout after 0.7 s (--timeout)\n")
    assert done.stdout.startswith("undecided")


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
