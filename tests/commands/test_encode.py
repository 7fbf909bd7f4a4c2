"""``convert``, ``encode`` and ``decode``: files in other formats, formulas for other solvers, and their answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crosslit import InputError, Limits
from crosslit.contract import Certificate, CheckResult
from crosslit.contract.run import Run
from crosslit.runs.job import CheckCertificate
from tests.commands.conftest import Asked
from tests.conftest import ROOT
from tests.inline import run_inline
from tests.stored.sessions import play, sessions

BOARD = str(ROOT / "examples" / "board-5x5.txt")


@sessions(
    r"""
## puzzles are read from a file or a pipe and written to another
$ printf '1x1:1/1\n2x1:1//1\n' > pack.sgt
$ crosslit convert pack.sgt out.non
out.non: 2 puzzles, non
$ crosslit convert pack.sgt:2 out.non
out.non: 1 puzzle, non
$ printf '1x1:1/1\n2x1:1//1\n' | crosslit convert - - --to lines
1|1
1|1,0
$ crosslit convert '1|1' out.pbm
! crosslit: cannot be written: the format picture is read-only
? 2
$ printf '10/01\n1|1 # One\n# a remark\n' > pack.puzzles
$ crosslit compare pack.puzzles:2 --backends brute
One: nonogram, 1 x 1
...
$ printf 'v 1 0' > model
$ printf 1 | crosslit decode - model
()
$ printf '{}' | crosslit check-certificate 1 -
! crosslit: standard input: ...
? 2
$ crosslit enumerate 10/11 -o -
00/10
! crosslit: 1 solution, complete (evidence: claimed, by polynomial)
## a grid is a picture if that is said
$ printf '101\n000\n' > grid.txt
$ crosslit convert grid.txt - --from picture --to sgt
3x2:1//1/1.1/
$ crosslit convert grid.txt - --to lines
101/000 # grid
## a formula that cannot be written or made leaves no file
$ crosslit encode 10 -o /dev/null
/dev/null: cnf by full-direct, 2 variables, 4 clauses, 8 literals
$ crosslit encode 10 -o none/x.cnf
! crosslit: none/x.cnf: No such file or directory
? 2
$ crosslit encode 10 -o .
! crosslit: .: Is a directory
? 2
$ crosslit encode 10 --target cnf -o x.pb
! ...a protobuf holds a CP-SAT model, and full-direct makes cnf
? 2
$ crosslit encode '1|1' --encoding order --target cnf-xor
! crosslit: no encoding 'order' of nonogram puzzles to cnf-xor; there are ...
? 2
$ ls
## an answer that cannot be decoded is refused in one line
$ printf 'v 1 2 3 -9223372036854775808 0' | crosslit decode 10/01 -
! crosslit: standard input: its model has variable 9223372036854775808, and the formula 4 variables
? 2
$ printf '' | crosslit decode 10/01 - --encoding xor
! ...answers of CP-SAT cannot be read, and xor makes cp-sat
? 2
$ printf 'v -1 0' | crosslit decode 1 -
! crosslit: standard input: not a solution: row 1, column 1 stays lit; the model ...
? 1
$ crosslit decode 10/01 /dev/zero
! crosslit: /dev/zero: expected at most 134217728 bytes
? 2
"""
)
def test_session(session: str, tmp_path: Path) -> None:
    play(session, tmp_path)


def test_a_file_is_written_whole_and_through_a_link(tmp_path: Path) -> None:
    goal = tmp_path / "board.cnf"
    done = run_inline("encode", BOARD, "-o", str(goal))
    assert done.stdout == f"{goal}: cnf by full-direct, 25 variables, 256 clauses, 1152 literals\n"
    whole = goal.read_text(encoding="utf-8")
    assert whole == run_inline("encode", BOARD).stdout
    (tmp_path / "link.cnf").symlink_to(goal)
    assert "cnf by order" in run_inline("encode", "1|1", "-o", str(tmp_path / "link.cnf")).stdout
    assert goal.read_text(encoding="utf-8") != whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.cnf", "link.cnf"]


def test_cp_sat_models_by_extension(tmp_path: Path) -> None:
    from ortools.sat.python import cp_model

    for name in ("board.pbtxt", "board.pb"):
        assert run_inline("encode", "11/11", "-o", str(tmp_path / name)).returncode == 0
    model, text = cp_model.CpModel(), (tmp_path / "board.pbtxt").read_text(encoding="utf-8")
    assert "# cells of row 2, left to right: variables 2 to 3\n" in text
    proto: Any = model.proto
    if not hasattr(proto, "merge_text_format"):
        pytest.skip("only OR-Tools since version 9.15 reads text")
    proto.merge_text_format(text)
    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False  # its handler stays, and would end the tests at an interrupt
    assert solver.solve(model) == cp_model.OPTIMAL
    assert list(solver.response_proto.solution) == [1, 1, 1, 1]
    assert model.export_to_file(str(tmp_path / "again.pb"))
    assert (tmp_path / "board.pb").read_bytes() == (tmp_path / "again.pb").read_bytes()


def test_a_pipe_by_its_path_is_written_to() -> None:
    command = [sys.executable, "-m", "crosslit", "convert", "1|1", "/dev/stdout", "--to", "sgt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout.splitlines()[0], done.returncode, done.stderr) == ("1x1:1/1", 0, "")


TRUSTED = ("encoder x", "pysat")
RUNS = {
    "unsolvable": Run("", status="complete", text=json.dumps(CheckResult("unsolvable", 0, "a check", TRUSTED).json())),
    "unique": Run("", status="complete", text=json.dumps(CheckResult("unique", 1, "a check").json())),
    "complete": Run("", status="complete", text=json.dumps(CheckResult("complete", 3, "a check").json())),
    "refused": Run("", status="gave-up", error="it is\nfalse"),
    "late": Run("", status="timeout"),
    "killed": Run("", status="error", error="killed"),
    "interrupted": Run("", status="interrupted"),
    "lost": Run("", status="lost"),
}
RULES = "still trusted: the rules of the puzzle, the checker and Python"


@pytest.mark.parametrize(
    ("end", "status", "accepted", "lines"),
    [
        (
            *("unsolvable", 0, True),
            ["accepted: there is no solution (checked by a check)", f"{RULES}; encoder x; pysat"],
        ),
        ("unique", 0, True, ["accepted: there is exactly one solution (checked by a check)", RULES]),
        ("complete", 0, True, ["accepted: there are exactly 3 solutions (checked by a check)", RULES]),
        ("refused", 1, False, ["refused: it is?false"]),
        ("late", 3, None, ["the check did not finish: stopped after 9 s"]),
        ("killed", 3, None, ["the check did not finish: killed"]),
        ("interrupted", 130, None, []),
        ("lost", 3, None, ["the check did not finish: lost"]),
    ],
)
def test_a_certificate_is_accepted_refused_or_left_open(
    given: Asked, tmp_path: Path, end: str, status: int, accepted: bool | None, lines: list[str]
) -> None:
    path = tmp_path / "certificate"
    path.write_text(Certificate("a format", "an id", "complete", 3, {}).text, encoding="utf-8")
    command = ["check-certificate", "10/01", str(path), "--timeout", "9"]
    done, runner, _ = given(*command, runs=lambda _: RUNS[end])
    assert (done.exit_code, done.stdout.splitlines()) == (status, lines)
    assert runner.limits == Limits(None, 9.0)
    assert runner.asked[0].request == CheckCertificate(path.read_text(encoding="utf-8"))
    done, _, _ = given(*command, "--json", runs=lambda _: RUNS[end])
    assert done.exit_code == status
    if status != 130:
        record = json.loads(done.stdout)
        assert (record["accepted"], record["reason"] is None) == (accepted, accepted is True)
        assert record["trusts"] == ((list(TRUSTED) if end == "unsolvable" else []) if accepted else None)
        assert (record["format"], record["count"]) == ((None, None) if accepted is None else ("a format", 3))


@pytest.mark.parametrize(("end", "status"), [("refused", 2), ("late", 3)])
def test_what_is_no_certificate_is_bad_input_once_the_check_has_read_it(
    given: Asked, tmp_path: Path, end: str, status: int
) -> None:
    path = tmp_path / "certificate"
    path.write_text("{}", encoding="utf-8")
    done, _, _ = given("check-certificate", "10/01", str(path), runs=lambda _: RUNS[end])
    assert isinstance(done.exception, InputError) == (status == 2)
    assert status == 2 or done.exit_code == status
