"""What people type, or a program has written, is read in one way, which is said if there are others, or refused."""

from __future__ import annotations

import dataclasses
import random
import re
from pathlib import Path

import pytest

from crosslit import InputError, Nonogram, load
from crosslit.formats import FORMATS, parse_all, read, read_all, write_all
from crosslit.kinds.lights_out.families import random_board
from tests.conftest import ROOT

CLUES = "2 1,1,0,3|1 1,2,1,1"
"""A nonogram of four rows and four columns, of which the texts below are spellings."""

SPELLINGS = {
    "CSPLib": '[{"rows": 4, "row_rule_len": 2, "row_rules": [[2,1],[0,1],[0,0],[0,3]], "col_rule_len": 2, "cols": 4, '
    '"col_rules": [[1,1],[0,2],[0,1],[0,1]]}]',
    "padded JSON": '{"columns": [[1,1],[2,0],[1,0],[1,0]], "rows": [[2,1],[1,0],[0,0],[3,0]]}',
    "padding in the middle": '{"rows": [[2,0,1],[0,1,0],0,3], "columns": [[1,0,1],2,1,1]}',
    "other keys": '{"ver": [[1,1],[2],[1],[1]], "hor": [[2,1],[1],[],[3]]}',
    "MiniZinc": "% [[9]]\ncol = 4; row = 4;\ncol_rules = [|1,1\n|0,2|0,1|0,1|];\n"
    "row_rules = [| 2,1 | 0,1 | 0,0 | 0,3 |];",
    "array2d": "rows = 4;\nrow_rule_len = 2;\nrow_rules = array2d(1..rows, 1..row_rule_len, [2,1,\n 0,1, 0,0, 0,3]);\n"
    "cols = 4;\ncol_rules = array2d(1..cols, 1..2, [1,1,0,2,0,1,0,1]);\n",
    "camel case": "rowClues = [[2,1],[1],[],[3]]\ncolClues = [[1,1],[2],[1],[1]]",
    "Python": "# a [[1]] remark\nrows = 4\nrow_rules = [\n    [2, 1],\n    [0, 1],\n    [0, 0],\n    [0, 3]\n]\n"
    "col_rules = [[1, 1], [0, 2], [0, 1], [0, 1]]\n",
    "tuples": "cols = ((1, 1), (2,), (1,), (1,))\nrows = ((2, 1), (1,), (), (3,))\n",
    "JavaScript": "/* it's [[1]] */\nconst columns = [[1,1],[2],[1],[1]]; // x[0][1]\n"
    "let rows = [[2,1],[1],[],[3]];\nf(a[0][1]);",
    "Java": "int[][] row_rules = {{2,1},{0,1},{0,0},{0,3}};\nint[][] colRules = new int[][] {{1,1},{0,2},{0,1},{0,1}};",
    "Essence": "language Essence 1.3\n$ a remark\n"
    "letting row_rules be [[2,1;int(1..2)],[0,1;int(1..2)],[0,0],[0,3];int(1..4)]\n"
    "letting col_rules be [[1,1],[0,2],[0,1],[0,1]]",
    "Picat": "problem(1,R,C) => Rows = [[2,1],[1],[],[3]], Cols = [[1,1],[2],[1],[1]].",
    "MathProg": "data;\nparam m := 4;\nparam row : 1 2 :=\n 1 2 1\n 2 1 .\n 3 . .\n 4 3 . ;\n"
    "param col : 1 2 :=\n1 1 1\n2 2 .\n"
    "3 1 .\n4 1 . ;\nend;\n",
    "texts": 'rows = ["2 1", "1", "0", "3"]\ncolumns = ["1 1", "2", "1", "1"]',
    "on one line": "row=[[2,1],[1],[],[3]];column=[[1,1],[2],[1],[1]]",
    "headings": "My puzzle\n\nROWS\n[ 2 1 ]\n[ 1 ]\n[ ]\n[ 3 ]\nCOLUMNS\n[ 1 1 ]\n[ 2 ]\n[ 1 ]\n[ 1 ]\n",
    "sections": "[clues]\ncolumns = 1 1, 2, 1, 1\nrows = 2 1, 1, 0, 3\n",
    "commas": "row_rules\n2, 1,\n1,\n0,\n3\n\ncol_rules\n1, 1,\n2,\n1,\n1\n",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_lists_with_names_are_read_without_a_word(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    (puzzle,) = parse_all(SPELLINGS[name].encode(), name)
    assert (puzzle.text, capfd.readouterr().err) == (CLUES, "")


GUESSED = {
    "2 4\n1\n4\n2\n1\n1\n1\n": ("nin, columns first (the clues fit only so)", "2,1,1,1|1,4"),
    "2 4\n2\n1\n1\n1\n1\n4\n": ("nin, rows first (the clues fit only so)", "2,1,1,1|1,4"),
    "4 2\n1\n4\n2\n1\n1\n1\n": ("nin, rows first (the clues fit only so)", "1,4|2,1,1,1"),
    "2 2\n2\n1\n1\n2\n": ("nin, rows first (the columns may come first too)", "2,1|1,2"),
    "2 3\n1\n9\n9\n9\n9\n": ("nin, rows first (the clues fit in neither order)", "1,9,9|9,9"),
    "4 2\n1\n4\n#\n2\n1\n1\n1\n": ("mk, columns first (the clues fit only so)", "2,1,1,1|1,4"),
    "4\n2\n1\n4\n\n2\n1\n1\n1\n": ("cwd, columns first (the clues fit only so)", "2,1,1,1|1,4"),
    "c by hand\nnonogram 2 4\n1 0\n4 0\n2 0 1 0 1 0\n1 0\n": (
        "zero, rows first (the clues fit only so)",
        "1,4|2,1,1,1",
    ),
    "1\n2 4\n1 0\n4 0\n2 0 1 0 1 0\n1 0\n": ("zero, rows first (the clues fit only so)", "1,4|2,1,1,1"),
    "1\n4\n\n2\n1\n1\n1\n": ("typed, rows first (the columns may come first too)", "1,4|2,1,1,1"),
    "* rows\n1\n4\n&\n2\n1\n1\n1\n": ("typed, rows first (the columns may come first too)", "1,4|2,1,1,1"),
    ":\n1\n4\n:\n2\n1\n1\n1\n": ("typed, rows first (the columns may come first too)", "1,4|2,1,1,1"),
    "2 # a title\n1\n\n1\n2\n": ("typed, rows first (the columns may come first too)", "2,1|1,2"),
    "1,4\n2,1,1,1\n": ("clues, rows first (the columns may come first too)", "1,4|2,1,1,1"),
    "A D\nB A A A\n\nA\nA\n": ("clues, rows first (the columns may come first too)", "1,4|2,1,1,1; 1|1"),
    "1 1\n2\n\n3\n2\n": ("typed, rows first (the clues fit in neither order)", "1 1,2|3,2"),
    "f([[1],[4]], [[2],[1],[1],[1]], X).": ("lists, rows first (the columns may come first too)", "1,4|2,1,1,1"),
    "[[1],[4]]\n[[2],[1],[1],[1]]": ("json, rows first (the columns may come first too)", "1,4|2,1,1,1"),
}
"""Files that do not say whether rows or columns come first, each with what is said and what is read."""


@pytest.mark.parametrize("text", GUESSED)
def test_a_guessed_order_is_the_one_that_fits_and_is_said(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    said, form = GUESSED[text]
    origin = f"file {[*GUESSED].index(text)}"  # a file is named once
    assert "; ".join(puzzle.text for puzzle in parse_all(text.encode(), origin)) == form
    assert capfd.readouterr().err == f"crosslit: {origin}: read as {said}\n"


CERTAIN = {
    "Rows:\n1\n4\n\nColumns:\n2\n1\n1\n1\n": "1,4|2,1,1,1",
    "Columns:\n2\n1\n1\n1\n\nRows:\n1\n4\n": "1,4|2,1,1,1",
    "1,4|2,1,1,1\n": "1,4|2,1,1,1",
    "# a remark\n110\n011\n": "110/011",
    "110 # first\n011\n": "110/011",
    "1 # a title\n0\n1\n": "1/0/1",
    "grid = [[1,0,1],[1,1,1],[0,0,1]]": "101/111/001",
    "[[true,false],[false,false]]": "10/00",
    "board = [[True, False, True], [False, False, True]]": "101/001",
    "[[0,1,0]]": "010",
    '{"lit": [[1,1],[0,true],[0,0]]}': "11/01/00",
    '{"lit": [[1,0]], "missing": [[0,1]]}': "1_",
    "[[3],[1,1,1]]": "3|1,1,1",
    "row = array2d(1..2, 1..1, [2, 1]); col = [[1], [123456789]]": "2,1|1,123456789",
    "XOX\nOXO\n": "101/010",
    "0 1\n1 1\n": "01/11",
    "XX.X/X.XX": "1101/1011",
    '{"id": 3, "kind": "nonogram", "rows": [[2], [1]], "columns": [[1], [2]], "text": "2,1|1,2"}\n': "2,1|1,2",
    '{"kind": "lights-out", "lit": ["10", "01"], "wrap": "torus"}\n': "wrap=torus/10/01",
    "f([[2],[1],[1],[1]], [])\nrows = [[1],[4]]": "1,4|2,1,1,1",
    "cols = [[2],[1],[1],[1]]\nf([[1],[4]])": "1,4|2,1,1,1",
    "rows = [[1],[4]]\nf([[2],[1],[1],[1]])": "1,4|2,1,1,1",
}


@pytest.mark.parametrize("text", CERTAIN)
def test_a_text_with_one_meaning_is_read_without_a_word(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert [puzzle.text for puzzle in parse_all(text.encode(), "here")] == [CERTAIN[text]]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("text", ["[[1,1],[1,1]]", "[[1, 0, 1], [0, 1, 0]]", "grid = [[1],[0]]", "((0,1),(1,0))"])
def test_two_lists_of_0_and_1_are_refused_with_both_ways_named(text: str) -> None:
    with pytest.raises(InputError, match="a board or a nonogram: for the board type") as caught:
        list(parse_all(text.encode(), "here"))
    board, clues = str(caught.value).partition("the board type ")[2].split(", for the nonogram type ")
    assert load(board).shape == (2, len(board) // 2)
    assert isinstance(load(clues.partition(" (taken")[0].strip("'")), Nonogram)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [[1,2],[3]]\ny = [[1]]\nz = [[2],[3]]", "here:1: expected two lists of clues"),
        ("\n\nrows = [[12345678901]]; cols = [[1]]", "here:3: row 1: expected positive whole numbers"),
        ("[[1,true],[2]]", "here: row 2: expected positive whole numbers"),
        ('{"rows": [[1]]}', "here: expected two lists of clues"),
        ("[[1,2],[3,x]]", "here: expected JSON: Expecting value, column 11"),
        ('{"hor": [[2],[1]],[3]], "ver": [[1],[2]]}', "here: expected JSON: Expecting property name enclosed in"),
        ("rows = [[1], [2, a]]; cols = [[1], [2]]", "here: expected two lists of clues"),
        ("row = array2d(1..1, 1..1,\n[1]);\ncol = [[1234567890]]", "here:3: column 1: expected positive"),
        ("rows = [1]\n[1]\ncols = [1]\n[1]", "here: expected two lists of clues"),
        ("rows = 3;\n", "here: expected a puzzle: a board such as 01/10"),
        ("HELLO\nWORLD\n", "here: expected a puzzle: a board such as 01/10"),
        ("1\nl\n\n1\n1", "here:2: row 2: expected positive whole numbers, found 'l'"),
        ("1\n1\n2", "here: expected the clues of rows, a blank line"),
        ("10\n\n01\n", "here:2: expected a row of cells, found an empty one"),
        ("5", "here: expected a puzzle: a board such as"),
        ("1,2", "here: expected a puzzle: a board such as"),
        ("12 x\n3", "here: expected a puzzle: a board such as"),
        ("1\n2\nx\ny", "here: expected a puzzle: a board such as"),  # no more lines of clues than others
        ("1\n2\n3\nx\ny", "here:4: column 1: expected positive whole numbers, found 'x' (taken for the format cwd;"),
    ],
)
def test_a_text_that_is_no_puzzle_is_refused_in_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        list(parse_all(text.encode(), "here"))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


NON = "width 2\nheight 2\n{}\nrows\n1\n{}\n1\n\ncolumns\n1\n1\n{}\n"


LINES = [(line, place) for line in ("", "difficulty 3", "# a remark", "#", "solved-by Jan 2") for place in range(3)]


@pytest.mark.parametrize(("line", "place"), [*LINES, ("hints\n7\n8", 0), ("hints\n7\n8", 2)])
def test_what_is_not_known_in_non_is_ignored(line: str, place: int) -> None:
    text = NON.format(*(line if place == at else "" for at in range(3)))
    assert [puzzle.text for puzzle in parse_all(text.encode(), "here")] == ["1,1|1,1"]


@pytest.mark.parametrize("goal", ["3003", '"0x x0"', "01\n40"])
def test_every_cell_of_a_goal_but_0_is_filled(goal: str) -> None:
    assert [p.text for p in parse_all(NON.format("", "", f"goal {goal}").encode(), "here")] == ["1,1|1,1"]


def test_a_missing_file_is_one_message_with_the_nearest_that_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "heart.non").write_text("rows\n1\ncolumns\n1\n", encoding="utf-8")
    nearest = {
        "levels/hart.non": "no such file; did you mean levels/heart.non?",
        "level/heart.non": "no such file; did you mean levels?",
        "levels": "is a folder: name a file in it, such as levels/heart.non",
        ".": "is a folder: it contains no puzzle files",
        "qqqqqq.nin": "no such file; expected a board such as 01/10",
        "10x10": "no such file; expected a board such as 01/10",
        "1,2": "no such file; expected a board such as 01/10",
    }
    for source, message in nearest.items():
        with pytest.raises(InputError) as caught:
            list(read_all(source))
        assert str(caught.value).startswith(f"{source}: {message}")


@pytest.mark.parametrize("size", [(1, 1), (1, 5), (2, 3), (4, 1)])
@pytest.mark.parametrize("titled", [False, True])
def test_boards_one_a_line_are_not_the_rows_of_one_board(size: tuple[int, int], titled: bool) -> None:
    rng = random.Random(7)
    for count in (1, 3):
        boards = [dataclasses.replace(random_board(rng, *size), name="a | b" * titled) for _ in range(count)]
        assert list(parse_all(b"".join(write_all(boards, "lines")), "there")) == boards


@pytest.mark.parametrize("name", ["non", "xml", "lines"])
@pytest.mark.parametrize("title", ["a|b", "x # y", "10/01", "rows", "<puzzle"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_title_does_not_determine_the_format(name: str, title: str, mark: bytes) -> None:
    pack = [Nonogram([[1], [2]], [[2], [1]], title), Nonogram([[1]], [[1]], title)]
    found = list(parse_all(mark + b"".join(write_all(pack, name)), "there"))
    assert [(puzzle, puzzle.name) for puzzle in found] == [(puzzle, title) for puzzle in pack]


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if known.writes])
@pytest.mark.parametrize(
    "text",
    ["0|0", "0|1", "0|2", "1,0|1,0", "0|0,0", "0,0,0|0", "1|1,3", "1,1,1,1,1,1,1,1,1,1|1,1,1,1,1,1,1,1,1,1"],
)
def test_extreme_clues_are_read_in_the_format_in_which_they_were_written(name: str, text: str) -> None:
    try:
        written = b"".join(write_all([read(text)], name))
    except ValueError:  # a format of boards, or of one size
        return
    for content in (written, written.replace(b"\n", b"\r\n")):
        assert [puzzle.text for puzzle in parse_all(content, "there")] == [text]


def test_puzzles_without_clues_keep_their_shape_in_a_file_of_several() -> None:
    empty = [Nonogram([[]], [[], []]), Nonogram([[], []], [[]])]
    assert list(parse_all(b"".join(write_all(empty, "zero")), "there")) == empty


@pytest.mark.parametrize(
    ("text", "board"),
    [
        *((text, "010/110/001") for text in ("0 1 0\n1 1 0\n0 0 1\n", "0,1,0\n1,1,0\n0,0,1", ". X .\nX X .\n. . X")),
        *(("o1o\n11o\noo1", "010/110/001"), ("# . _\n. # .\n", "10_/010"), ("1 1\n1 0\n", "11/10")),
        ("wrap=torus\n1 1 1\n0 1 1\n", "wrap=torus/111/011"),
    ],
)
def test_cells_with_signs_between_them_are_a_board(text: str, board: str) -> None:
    assert [puzzle.text for puzzle in parse_all(text.encode(), "there")] == [board]


def test_one_line_of_clues_for_each_axis_is_no_clue_for_each_line() -> None:
    assert [puzzle.text for puzzle in parse_all(b"1,1\n\n1,1\n", "there")] == ["1,1|1,1"]
    boards = [read("1_"), read("01")]
    assert list(parse_all(b"".join(write_all(boards, "lines")), "there")) == boards
    assert [puzzle.text for puzzle in parse_all(b"# two\n\n1|1\n10/01\n", "there")] == ["1|1", "10/01"]


def test_blanks_are_the_empty_cells_of_a_drawn_picture() -> None:
    for text in ("  X\nX X\n X\n", "001/101/010"):
        assert [puzzle.text for puzzle in parse_all(text.encode(), "there", "picture")] == ["1,1 1,1|1,1,2"]


ROW = re.compile(r"^\| `(\w+)` \|.*\| `([^`]+)`[^|]*\|$", re.MULTILINE)


def test_the_page_has_an_example_of_every_format() -> None:
    page = (ROOT / "docs" / "how-to" / "puzzles.md").read_text(encoding="utf-8")
    examples = dict(ROW.findall(page.replace("\\|", "¦")))
    assert list(FORMATS) == sorted(examples, key=list(FORMATS).index)
    for name, example in examples.items():
        if "..." not in example and name != "taai":
            text = example.replace("⏎", "\n").replace("¦", "|")
            found = list(FORMATS[name].parse_all(text, name))
            assert all((puzzle.rows, puzzle.columns) == (2, 2) for puzzle in found)
