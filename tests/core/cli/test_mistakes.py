"""Mistakes of newcomers, each with its message: one line with the expected input, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command

EXAMPLES = (
    "a board such as 01/10, or a nonogram such as '2,1|1,2' (rows|columns), or a file with one clue per line and a "
    "blank line between rows and columns"
)
NEITHER = f"no such file; expected {EXAMPLES}"
EXPLAIN = "crosslit: `crosslit explain PUZZLE` says why a puzzle has no solution\n"

# what people type, or the content of a file, and the puzzle that it is read as
READ = {
    "2\n1\n\n1\n2\n": "2,1|1,2",
    "Rows:\n2\n1\nColumns:\n1\n2\n": "2,1|1,2",
    "columns\n1\n2\n\nrows\n2\n1\n": "2,1|1,2",
    "2\n0\n1,1\n\n1,1\n1\n1\n": "2,0,1 1|1 1,1,1",
    "2, 1\n1, 2\n": "2,1|1,2",
    "[[2, 1], [1, 2]]\n": "2,1|1,2",
    "[[2], [1]]\n[[1], [2]]\n": "2,1|1,2",
    '{"rows": [[2], [1]], "columns": [[1], [2]]}\n': "2,1|1,2",
    '{"id": 3, "kind": "nonogram", "rows": [[2], [1]], "columns": [[1], [2]], "text": "2,1|1,2"}\n': "2,1|1,2",
    '{"kind": "lights-out", "lit": ["10", "01"], "wrap": "torus"}\n': "wrap=torus/10/01",
    "X.X\n.X.\n": "101/010",
    "O.O\n.O.\n": "101/010",
    "XOX\nOXO\n": "101/010",
    "[[2,1],[1,2]]": "2,1|1,2",
    '{"rows": [[2], [1]], "columns": [[1], [2]]}': "2,1|1,2",
    "XX.X/X.XX": "1101/1011",
    "OO.O/O.OO": "1101/1011",
    "xo/ox": "10/01",
}


@pytest.mark.parametrize("source", READ)
def test_what_people_type_is_read(crosslit: Command, tmp_path: Path, source: str) -> None:
    if source.endswith("\n"):
        (tmp_path / "file.txt").write_text(source, encoding="utf-8")
    given = "file.txt" if source.endswith("\n") else source
    done = crosslit("convert", given, "-", "--to", "lines", cwd=tmp_path)
    assert done.stderr == "" or "rows first (the columns may come first too)" in done.stderr
    assert done.stdout.partition(" # ")[0].rstrip() == READ[source]


# name and content of a file, or None; the words of the command; its standard error
MISTAKES: list[tuple[str | None, list[str], str]] = [
    ("", ["solve", "FILE"], "crosslit: FILE: the file is empty"),
    (" \n\n", ["solve", "FILE"], "crosslit: FILE: the file is empty"),
    (None, ["solve", ""], f"crosslit: : {NEITHER}"),
    (
        "hello\n",
        ["solve", "FILE"],
        f"crosslit: FILE: expected a puzzle: {EXAMPLES}; `crosslit convert --help` lists all formats",
    ),
    (
        "3 3\n1\n1\n1 1\n",
        ["solve", "FILE"],
        "crosslit: FILE:4: expected 3 row and 3 column clues, found 3 (taken for the format nin; "
        "`crosslit convert --from` names another)",
    ),
    (
        "2 2\n1\n1\n#\n1\n1\n1\n",
        ["solve", "FILE"],
        "crosslit: FILE:7: expected 2 row and 2 column clues, found 5 (taken for the format mk; "
        "`crosslit convert --from` names another)",
    ),
    (
        "1 2\n1 x\n",
        ["solve", "FILE"],
        f"crosslit: FILE: expected a puzzle: {EXAMPLES}; `crosslit convert --help` lists all formats",
    ),
    (
        "101\n10\n",
        ["solve", "FILE"],
        "crosslit: FILE:2: expected 3 cells as in the first row, found 2 (taken for the format board; "
        "`crosslit convert --from` names another)",
    ),
    (
        "[[2,1],[1,x]]\n",
        ["solve", "FILE"],
        "crosslit: FILE:1: expected JSON: Expecting value, column 11 (taken for the format json; "
        "`crosslit convert --from` names another)",
    ),
    (
        '{"rows": [[1]]}\n',
        ["solve", "FILE"],
        "crosslit: FILE:1: expected two lists of clues, of rows and of columns, or one of the rows of a board, such as "
        "[[2], [1]] [[1], [2]]; found 1 such list(s) (taken for the format json; "
        "`crosslit convert --from` names another)",
    ),
    *((None, ["solve", source], f"crosslit: {source}: {NEITHER}") for source in ("5x5", "2 1,1 3")),
    (None, ["solve", "nowhere.non"], f"crosslit: nowhere.non: {NEITHER}"),
    ("1|1\n", ["solve", "FILE2"], "crosslit: FILE2: no such file; did you mean FILE?"),
    ("1|1\n", ["solve", "DIR"], "crosslit: DIR: is a folder: name a file in it, such as DIR/FILE"),
    (None, ["solve", "DIR"], "crosslit: DIR: is a folder: it contains no puzzle files"),
    (None, ["solve", "1,a|1"], "crosslit: puzzle: row 2: expected positive whole numbers, found 'a'"),
    (None, ["solve", "1,,1|1"], "crosslit: puzzle: row 2: expected a clue, found nothing (an empty line is written 0)"),
    (
        None,
        ["solve", "1|1|1"],
        "crosslit: puzzle: expected rows and columns, separated by | or on two lines; found 3 part(s)",
    ),
    (None, ["solve", "10/1"], "crosslit: puzzle: expected 2 cells as in the first row, found 1 in row 2"),
    (
        None,
        ["verify", "--kind", "nonogram", "--", "sh solver.sh"],
        "crosslit: sh solver.sh: no such command, or not executable; write its words without quotes around them all",
    ),
    (None, ["sovle", "10/11"], "No such command 'sovle'. Did you mean 'solve'?"),
    (None, ["bench", "statsu"], "No such command 'statsu'. Did you mean 'status'?"),
    ("1|1\n", ["FILE"], "No such command 'FILE'; did you mean `crosslit show FILE`?"),
    (None, ["1,2|2,1"], "No such command '1,2|2,1'; did you mean `crosslit show '1,2|2,1'`?"),
    (None, ["frobnicate"], "No such command 'frobnicate'."),
    (
        None,
        ["compare", "10/11", "--timeout", "5s"],
        "Invalid value for '--timeout': '5s' is not a valid float range.",
    ),
    (
        None,
        ["generate", "lights-out", "--size", "5x"],
        "Invalid value for '--size': expected ROWSxCOLUMNS such as 5x7, or 5 for 5x5, found '5x'.",
    ),
    (
        None,
        ["count", "1|1", "--backend", "fronteir"],
        "crosslit: backend 'fronteir': there is no 'fronteir'; did you mean frontier?",
    ),
    (
        None,
        ["compare", "10/11", "--backends", "cpsat:seed=x"],
        "crosslit: backend 'cpsat:seed=x': expected a whole number from 0 to 2147483647 in seed=x",
    ),
    (
        None,
        ["solve", "10/11", "--solver", "x=python s.py {cnff}", "--backend", "x"],
        "crosslit: --solver: solver x: expected {cnf} or {out} in the command, found {cnff}",
    ),
    (None, ["solve", "10/11", "--bakend", "gauss"], "Did you mean"),
    (None, ["convert", "10/11", "x.foo"], "crosslit: x.foo: expected --to with one of "),
    *(
        (None, ["convert", puzzle, "x.puzzles", "--from", "xls"], "crosslit: format 'xls': expected one of board, ")
        for puzzle in ("1|1", "10/01", "modular-lights-out:3/00", "coloured-nonogram:1a|1a")
    ),
    (None, ["show", "9,1|1,1", "--solution"], "crosslit: there is no solution to draw (claimed by hybrid)\n"),
]


@pytest.mark.parametrize(
    ("content", "words", "message"), MISTAKES, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_a_mistake_gets_a_clear_line(
    crosslit: Command, tmp_path: Path, content: str | None, words: list[str], message: str
) -> None:
    (tmp_path / "DIR").mkdir()
    if content is not None:
        (tmp_path / ("DIR/FILE" if "DIR" in words else "FILE")).write_text(content, encoding="utf-8")
    done = crosslit(*words, cwd=tmp_path)
    assert done.returncode in (2, 3), done
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    if message.startswith("crosslit: ") and not message.endswith("\n"):
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("puzzle", "reasons"),
    [
        ("9,1|1,1", "row 1: 9 (needs 9 cells, the line has 2); the rows need 10 cells, the columns 2"),
        ("1 1,1|1", "row 1: 1 1 (needs 3 cells, the line has 1); the rows need 3 cells, the columns 1"),
        ("1,1|1,3", "column 2: 3 (needs 3 cells, the line has 2); the rows need 2 cells, the columns 4"),
        ("1|0", "the rows need 1 cell, the columns 0"),
        ("0,1 1,0|1,1,0", ""),
    ],
)
def test_clues_that_do_not_fit_are_named(crosslit: Command, puzzle: str, reasons: str) -> None:
    done = crosslit("solve", puzzle)
    assert (done.returncode, done.stdout) == (0, "no solution (claimed by hybrid)\n")
    assert done.stderr == (f"crosslit: {reasons}\n" if reasons else "") + EXPLAIN


def test_an_unsolvable_board_is_referred_to_explain(crosslit: Command) -> None:
    assert crosslit("solve", "10").stderr == EXPLAIN


def test_a_square_is_meant_by_one_number(crosslit: Command) -> None:
    words = ("generate", "lights-out", "--size")
    assert crosslit(*words, "4").stdout == crosslit(*words, "4x4").stdout
