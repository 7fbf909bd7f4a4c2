"""Detection of the format without an extension: every written file is read in its format."""

from __future__ import annotations

import dataclasses
import random

import pytest

from crosslit import Nonogram
from crosslit.formats import FORMATS, parse_all, read, write_all
from crosslit.kinds.lights_out.families import random_board


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
