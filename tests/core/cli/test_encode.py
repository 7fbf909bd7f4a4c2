"""``encode`` and ``decode``: formulas for other solvers, and their answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from crosslit_encoders.cp_model import _parse

from tests.conftest import ROOT, Command

BOARD = str(ROOT / "examples" / "board-5x5.txt")
ASCII = {**os.environ, "PYTHONIOENCODING": "ascii"}


def test_encode_prints_dimacs_and_which_variables_the_cells_are(crosslit: Command) -> None:
    done = crosslit("encode", "10")
    assert done.returncode == 0
    comments, clauses = done.stdout.split("p cnf 2 4\n")
    assert comments.splitlines()[1:] == [
        "c encoding full-direct to cnf",
        "c puzzle 10",
        "c cells of row 1, left to right: variables 1 to 2",
    ]
    assert clauses == "1 -2 0\n-1 2 0\n1 2 0\n-1 -2 0\n"


def test_a_file_is_written_whole_or_not_at_all(crosslit: Command, tmp_path: Path) -> None:
    goal = tmp_path / "board.cnf"
    done = crosslit("encode", BOARD, "-o", str(goal))
    assert done.stdout == f"{goal}: cnf by full-direct, 25 variables, 256 clauses, 1152 literals\n"
    whole = goal.read_text(encoding="utf-8")
    assert whole == crosslit("encode", BOARD).stdout
    (tmp_path / "link.cnf").symlink_to(goal)
    record = json.loads(crosslit("encode", "1|1", "-o", str(tmp_path / "link.cnf"), "--json").stdout)
    assert (record["encoding"], record["target"], record["clauses"]) == ("order", "cnf", 2)
    assert goal.read_text(encoding="utf-8") != whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.cnf", "link.cnf"]
    for path in (tmp_path / "none" / "x.cnf", tmp_path):
        done = crosslit("encode", BOARD, "-o", str(path))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"crosslit: {path}: ")
    assert crosslit("encode", "10", "-o", "/dev/null").returncode == 0


def test_cp_sat_models_by_extension(crosslit: Command, tmp_path: Path) -> None:
    from ortools.sat.python import cp_model

    for name in ("board.pbtxt", "board.pb"):
        assert crosslit("encode", "11/11", "-o", str(tmp_path / name)).returncode == 0
    model = cp_model.CpModel()
    _parse((tmp_path / "board.pbtxt").read_text(encoding="utf-8"), model.proto)
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    assert list(solver.response_proto.solution) == [1, 1, 1, 1]
    text = (tmp_path / "board.pbtxt").read_text(encoding="utf-8")
    assert text.startswith("# crosslit ")
    assert "# cells of row 2, left to right: variables 2 to 3\n" in text
    binary = (tmp_path / "board.pb").read_bytes()
    assert model.export_to_file(str(tmp_path / "again.pb"))
    assert binary == (tmp_path / "again.pb").read_bytes()
    assert crosslit("encode", "11/11", "--encoding", "xor").stdout == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'PUZZLE'"),
        (["10", "--formula-sizes", "--list"], "one of -o, --list and --formula-sizes at a time"),
        (["10", "--json"], "--json needs -o"),
        (["10", "--target", "linear-xor"], "'linear-xor' is not one of 'cnf', 'cnf-xor', 'mzn', "),
        (
            ["10", "--encoding", "full-direct", "-o", "x.pb"],
            "no encoding 'full-direct' of lights-out puzzles to cp-sat",
        ),
        (["10", "--target", "cnf", "-o", "x.pb"], "a protobuf holds a CP-SAT model, and full-direct makes cnf"),
        (
            ["10", "--encoding", "order"],
            "no encoding 'order' of lights-out puzzles to cnf; there are full-direct (cnf)",
        ),
        (
            ["1|1", "--encoding", "order", "--target", "cnf-xor"],
            "no encoding 'order' of nonogram puzzles to cnf-xor; there are",
        ),
        (["no-such-file"], "no such file"),
    ],
)
def test_what_cannot_be_encoded(crosslit: Command, tmp_path: Path, arguments: list[str], message: str) -> None:
    done = crosslit("encode", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_list_of_encodings(crosslit: Command) -> None:
    listed = [json.loads(line) for line in crosslit("encode", "--list", "--json").stdout.splitlines()]
    assert {"kind": "nonogram", "target": "cnf", "name": "order", "default": True} in [
        {key: record[key] for key in ("kind", "target", "name", "default")} for record in listed
    ]
    assert "one parity constraint per light" in crosslit("encode", "--list").stdout
    assert "lights-out" not in crosslit("encode", "1|1", "--list").stdout


def test_the_sizes_of_all_encodings(crosslit: Command) -> None:
    records = [json.loads(line) for line in crosslit("encode", BOARD, "--formula-sizes", "--json").stdout.splitlines()]
    sizes = {(record["target"], record["encoding"]): record for record in records}
    direct = sizes["cnf", "full-direct"]
    assert (direct["variables"], direct["clauses"], direct["literals"], direct["error"]) == (25, 256, 1152, None)
    assert direct["seconds"] > 0
    assert sizes["cp-sat", "xor"]["constraints"] == 25
    assert "full-direct" in crosslit("encode", BOARD, "--formula-sizes").stdout
    wide = "press=" + ",".join(["1" * 17]) + "/" + "0" * 40
    (record,) = [
        json.loads(line)
        for line in crosslit("encode", wide, "--formula-sizes", "--json").stdout.splitlines()
        if '"full-direct"' in line
    ]
    assert "17 variables" in record["error"]


@pytest.mark.parametrize("answer", ["s SATISFIABLE\nv 1 2 -3\nv -4 0\n", "SAT\n1 2 -3 -4 0\n", "v 1 2 -3 -4 0\n"])
def test_decode(crosslit: Command, answer: str) -> None:
    done = crosslit("decode", "00/11", "-", input=answer, env=ASCII)
    assert (done.returncode, done.stdout, done.stderr) == (0, "()()\n. .\n", "")


def test_decode_in_json(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text("v 1 2 3 4 0\n", encoding="utf-8")
    record = json.loads(crosslit("decode", "11/11", str(path), "--json").stdout)
    assert (record["status"], record["solution"], record["violations"]) == ("solved", "11/11", [])
    done = crosslit("decode", "10/01", str(path), "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["status"], len(record["violations"])) == (1, "wrong", 2)
    assert record["broken_constraint"]


def test_a_model_that_breaks_the_rules(crosslit: Command) -> None:
    done = crosslit("decode", "10/01", "-", input="v 1 2 3 4 0\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "crosslit: standard input: not a solution: row 1, column 2 stays lit, and 1 more; "
        "the model breaks the clause -1 -2 -4 0\n"
    )


def test_no_solution_and_no_answer(crosslit: Command) -> None:
    done = crosslit("decode", "10/01", "-", input="s UNSATISFIABLE\n")
    assert (done.returncode, done.stdout) == (0, "no solution (claimed by the solver)\n")
    done = crosslit("decode", "10/01", "-", input="s UNKNOWN\n")
    assert (done.returncode, done.stdout) == (3, "undecided (the solver does not know)\n")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "no model: expected lines that begin with v"),
        ("SATISFIABLE\n", "no model"),
        ("v 1 2", "does not end with 0"),
        ("v 1 2 0", "partial"),
        ("v 1 2 3 4 5 0", "variable 5"),
        ("v 1 2 3 -99999999999999999999 0", "variable 99999999999999999999"),
        ("v 1 2 3 -9223372036854775808 0", "variable 9223372036854775808"),
        ("\0\xff rubbish", "no model"),
    ],
)
def test_what_cannot_be_decoded(crosslit: Command, answer: str, message: str) -> None:
    done = crosslit("decode", "10/01", "-", input=answer)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_model_without_end_is_refused(crosslit: Command) -> None:
    done = crosslit("decode", "10/01", "/dev/zero")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crosslit: /dev/zero: expected at most 134217728 bytes\n"
    with Path("/dev/zero").open("rb") as zeros:
        done = crosslit("decode", "10/01", "-", stdin=zeros)
    assert (done.returncode, done.stderr) == (2, "crosslit: standard input: expected at most 134217728 bytes\n")


def test_decode_wants_a_file_and_a_cnf(crosslit: Command) -> None:
    done = crosslit("decode", "10/01", "no-such-file")
    assert (done.returncode, done.stderr) == (2, "crosslit: no-such-file: No such file or directory\n")
    done = crosslit("decode", "10/01", "-", "--encoding", "xor", input="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "answers of CP-SAT cannot be read, and xor makes cp-sat" in done.stderr
