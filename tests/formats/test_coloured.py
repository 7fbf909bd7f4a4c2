"""Coloured nonograms in the formats of nonograms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crosslit import load, write
from crosslit.formats import parse_all, write_all
from crosslit.kinds.nonogram.colours import LETTERS, MAX_COLOURS, ColouredNonogram, usual_palette

NON = 'title "Two"\ncolor a #ff0000\ncolor b #00ff00\nwidth 2\nheight 2\nrows\n1a,1b\n0\ncolumns\n1a\n1b\ngoal "ab00"\n'
XML = """<puzzleset><puzzle type="grid" defaultcolor="red" backgroundcolor="white">
<color name="white" char=".">fff</color><color name="lime" char="l">00ff00</color><color name="red" char="r">f00</color>
{}<solution type="goal"><image>|rl|
|..|</image></solution></puzzle></puzzleset>"""
CLUES = """<clues type="columns"><line><count>1</count></line><line><count color="lime">1</count></line></clues>
<clues type="rows"><line><count>1</count><count color="lime">1</count></line><line/></clues>"""


def read(text: str, name: str) -> ColouredNonogram:
    (puzzle,) = parse_all(text.encode(), "here", name)
    assert isinstance(puzzle, ColouredNonogram)
    return puzzle


@pytest.mark.parametrize(
    ("name", "text"),
    [("non", NON), ("xml", XML.format(CLUES)), ("xml", XML.format(""))],
    ids=["non", "xml", "goal"],
)
def test_a_puzzle_of_two_colours_is_read(name: str, text: str) -> None:
    puzzle = read(text, name)
    assert {colour.rgb for colour in puzzle.palette} == {"ffffff", "ff0000", "00ff00"}
    assert [[puzzle.palette[block.colour].name for block in clue] for clue in puzzle.row_clues] == [["red", "lime"], []]
    assert [len(clue) for clue in puzzle.column_clues] == [1, 1]


def test_a_palette_has_the_order_of_the_file() -> None:
    text = "color b #00ff00\ncolor a #ff0000\nwidth 2\nheight 1\nrows\n1a,1b\ncolumns\n1a\n1b\n"
    assert [colour.rgb for colour in read(text, "non").palette] == ["ffffff", "00ff00", "ff0000"]


@pytest.mark.parametrize("extension", ["xml", "non", "json", "puzzles"])
def test_a_file_with_colours_round_trips(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"two.{extension}"
    usual = ColouredNonogram([[(1, 1), (1, 2)]], [[(1, 1)], [(1, 2)]])
    for puzzle in (read(XML.format(CLUES), "xml").named("Two & more"), usual):
        write(puzzle, path)
        assert load(path).text == puzzle.text


@pytest.mark.parametrize("colours", [2, 26, 27, MAX_COLOURS])
def test_no_two_colours_of_a_file_differ_in_case_only(colours: int) -> None:
    palette = [("white", "ffffff"), *((letter, f"{number:06x}") for number, letter in enumerate(LETTERS[:colours]))]
    palette[2] = ("A", "000001")
    clues = [[(1, colour)] for colour in range(1, colours + 1)]
    puzzle = ColouredNonogram(clues, clues, palette)
    (content,) = [b"".join(write_all([puzzle], "xml")).decode()]
    keys = re.findall(r'<color name="(\w+)"', content)
    assert len({key.lower() for key in keys}) == len(keys) == colours + 1
    copy = read(content, "xml")
    assert [colour.rgb for colour in copy.palette] == [colour.rgb for colour in puzzle.palette]
    assert (copy.row_clues, copy.column_clues) == (puzzle.row_clues, puzzle.column_clues)


@pytest.mark.parametrize("colour", [("a=b", "000000"), ("", "000000"), ("a", "00000"), ("a", "00000g")])
def test_a_colour_has_a_name_and_six_digits(colour: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"expected a name without =,;\| and six hexadecimal digits, not "):
        ColouredNonogram([[(1, 1)]], [[(1, 1)]], [("white", "ffffff"), colour])


@pytest.mark.parametrize("colours", [1, 2, MAX_COLOURS])
def test_a_clue_has_no_colour_beyond_the_palette(colours: int) -> None:
    ColouredNonogram([[(1, colours)]], [[(1, colours)]], usual_palette(colours))
    assert ColouredNonogram.of([[1]], palette=usual_palette(colours)).colours == colours
    with pytest.raises(ValueError, match="colour"):
        ColouredNonogram([[(1, colours + 1)]], [[(1, colours + 1)]], usual_palette(colours))
