"""Mistakes of newcomers, each with its message: one line with the expected input, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command

EXPLAIN = "crosslit: `crosslit explain PUZZLE` says why a puzzle has no solution\n"

# the words of a command, and its standard error
MISTAKES: list[tuple[list[str], str]] = [
    (
        ["solve", "FILE"],
        "crosslit: FILE:4: expected 3 row and 3 column clues, found 3 (taken for the format nin; "
        "`crosslit convert --from` names another)\n",
    ),
    (["solve", "FILE2"], "crosslit: FILE2: no such file; did you mean FILE?\n"),
    (["solve", "DIR"], "crosslit: DIR: is a folder: it contains no puzzle files\n"),
    (
        ["verify", "--kind", "nonogram", "--", "sh solver.sh"],
        "crosslit: sh solver.sh: no such command, or not executable; write its words without quotes around them all\n",
    ),
    (["bench", "statsu"], "No such command 'statsu'. Did you mean 'status'?"),
    (["FILE"], "No such command 'FILE'; did you mean `crosslit show FILE`?"),
    (["1,2|2,1"], "No such command '1,2|2,1'; did you mean `crosslit show '1,2|2,1'`?"),
    (
        ["generate", "lights-out", "--size", "5x"],
        "Invalid value for '--size': expected ROWSxCOLUMNS such as 5x7, or 5 for 5x5, found '5x'.",
    ),
    (
        ["count", "1|1", "--backend", "fronteir"],
        "crosslit: backend 'fronteir': there is no 'fronteir'; did you mean frontier?\n",
    ),
    (
        ["solve", "10/11", "--solver", "x=python s.py {cnff}", "--backend", "x"],
        "crosslit: --solver: solver x: expected {cnf} or {out} in the command, found {cnff}\n",
    ),
    (["solve", "10/11", "--bakend", "gauss"], "Did you mean"),
    *(
        (["convert", puzzle, "x.puzzles", "--from", "xls"], "crosslit: format 'xls': expected one of board, ")
        for puzzle in ("1|1", "10/01", "modular-lights-out:3/00", "coloured-nonogram:1a|1a")
    ),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=lambda value: " ".join(value) if value[0] else "")
def test_a_mistake_gets_a_clear_line(crosslit: Command, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "DIR").mkdir()
    (tmp_path / "FILE").write_text("3 3\n1\n1\n1 1\n", encoding="utf-8")
    done = crosslit(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    if message.startswith("crosslit: "):
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("puzzle", "reasons"),
    [
        ("9,1|1,1", "row 1: 9 (needs 9 cells, the line has 2); the rows need 10 cells, the columns 2"),
        ("1|0", "the rows need 1 cell, the columns 0"),
    ],
)
def test_clues_that_do_not_fit_are_named(crosslit: Command, puzzle: str, reasons: str) -> None:
    done = crosslit("solve", puzzle)
    assert (done.returncode, done.stdout) == (0, "no solution (claimed by hybrid)\n")
    assert done.stderr == f"crosslit: {reasons}\n{EXPLAIN}"
