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
from tests.sessions import play, sessions


@sessions(
    r"""
## the backbone is drawn, and missing cells are no part of it
$ crosslit backbone '1,1,2|1,2,1'
   1 2 1
1 ? . ?
1 . ##.
2 ? ##?
5 cells are equal in all solutions, 4 vary (evidence: claimed, by glucose4)
$ crosslit backbone 1_0/_11
()  .
  ().
4 cells are equal in all solutions, 0 vary (evidence: claimed, by gauss)
$ crosslit backbone 1
()
1 cell is equal in all solutions, 0 vary (evidence: claimed, by polynomial)
$ crosslit backbone 0000/0000/0000/0000 --backends polynomial,gauss --json
{..."status": "proved", "backbone": "????/????/????/????", "fixed": 0, "varying": 16, "evidence": "agreed"...}
## without a solution there is no backbone and nothing to reveal
$ crosslit backbone 1000/0000/0000/0000
no solution (evidence: claimed, by polynomial)
$ crosslit reveal '2|1'
no solution (evidence: claimed, by hybrid)
## a backend that claims too much is named
$ PYTHONPATH=planted crosslit backbone '1,1,1|1,1,1' --backends glucose4,liar
   1 1 1
1 ? ? ?
1 ? ? ?
1 ? ? ?
0 cells are equal in all solutions, 9 vary (evidence: claimed, by glucose4)
! crosslit: liar: false-backbone: claims that 9 cells are equal in all solutions, and they are not
? 1
$ PYTHONPATH=planted crosslit reveal 00000/00000/00000/00000/00000 --backend liar
.
...
1 cell to reveal, the fewest (evidence: claimed, by liar)
! crosslit: liar: unconfirmed: gave 10000/00000/00000/00000/00000; gauss says that it does not suffice
? 1
## a contradiction that is too large is unconfirmed
$ PYTHONPATH=planted crosslit explain '0,2|2,0' --backend liar
unsolvable: these 4 clues contradict each other
...
! crosslit: liar: unconfirmed: gave 1111; cadical195/automaton says that only 1010 of it is needed
? 1
$ PYTHONPATH=planted crosslit explain 1000/0000/0000/0000 --backend liar
...
unsolvable: every press toggles an even number of 8 of these 16 lights, and 1 of them is lit (checked by the rules)
not all of these lights are needed
! crosslit: liar: wrong-solution: some of these lights contradict each other without the others
? 1
## a target is a solution
$ crosslit reveal '1,1,1|1,1,1' --grid 10/01
! crosslit: target: expected a grid of 3 x 3, found 2 x 2
? 2
$ crosslit reveal '1,1,1|1,1,1' --grid 111/000/000
! crosslit: target: expected a solution: row 1 has blocks 3, its clue is 1
? 2
$ crosslit reveal '1,1,1|1,1,1' --grid 1_0/000/000
! crosslit: 1_0/000/000: expected rows of 0 and 1
? 2
$ crosslit reveal '1,1,1|1,1,1' --grid no-such-file
! crosslit: no-such-file: no such file, ...
? 2
## clues that contradict each other are named
$ crosslit explain '3,3|1,1,1'
unsolvable: the rows need 6 cells, the columns 3
$ crosslit explain '5,1|1,1'
unsolvable: this clue cannot be
  row 1: 5 (needs 5 cells, the line has 2)
$ crosslit explain '0,2|2,0'
unsolvable: these 2 clues contradict each other
  row ...
  column ...
the smallest set (evidence: claimed, by glucose4, cadical195/automaton)
## lights that contradict each other are drawn
$ crosslit explain press=neighbours/1
##
unsolvable: no press toggles this light, and it is lit (checked by the rules)
$ crosslit explain 10/00/00/00/00
...
unsolvable: every press toggles an even number of these ... lights, and 1 of them is lit (checked by the rules)
the smallest set (evidence: claimed, by fewest)
$ crosslit explain 10 --backend glucose4/chased-direct
unsolvable (claimed by polynomial); which lights contradict was not found
! crosslit: glucose4/chased-direct: the encoding has clauses that belong to no single constraint
? 3
## two solutions are drawn with their differences, and a single one is said to be
$ crosslit explain '1,1|1,1'
not unique: two solutions, checked by the rules, differ in 4 cells (?)
   1 1
1 ? ?
1 ? ?
  .../...
  .../...
$ crosslit explain '1,1|1,1' --json
{..."status": "multiple"..."differing": "11/11"...}
$ crosslit explain '1|1'
unique: no other solution (claimed by hybrid)
## bad usage is one line
$ crosslit explain '1,1'
! crosslit: 1,1: no such file, and one list of clues where two are expected: ...
? 2
$ crosslit reveal '1|1' --backend nobody
! crosslit: backend 'nobody': there is no 'nobody'; `crosslit backends` lists them
? 2
$ crosslit backbone '1|1' --backends first-row
! crosslit: no backend among first-row can find the backbone of this puzzle: does not solve nonogram puzzles
? 2
$ crosslit explain '1|1' --timeout 0
! ...Invalid value for '--timeout'...
? 2
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


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
