"""Pictures: their content, their syntax, and their size."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from crosslit import Grid, LightsOut, load, solve
from crosslit.contract.shapes import ASCII, CELL, INK, LIT, PRESS
from crosslit.formats.drawing import difference, draw
from crosslit.formats.picture import svg
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.view import draw_lights
from tests.conftest import random_board, random_grid, random_nonogram

SVG = "{http://www.w3.org/2000/svg}"


def filled(picture: str) -> Counter[str]:
    """The areas in cells of each colour of rectangles, discs counted as one."""
    areas: Counter[str] = Counter()
    for element in ET.fromstring(picture):
        if element.tag == f"{SVG}rect":
            areas[element.attrib["fill"]] += round(float(element.attrib["width"]) / CELL + 0.1)
        elif element.tag == f"{SVG}circle":
            areas[element.attrib["fill"]] += 1
    return areas


def test_every_filled_cell_is_in_the_picture_of_a_solution() -> None:
    rng = random.Random(1)
    for rows, columns in [(1, 1), (1, 7), (7, 1), (5, 5), (6, 11)]:
        puzzle = random_nonogram(rng, rows, columns)
        solution = solve(puzzle)
        assert solution is not None
        picture = svg(puzzle, solution.lines())
        assert filled(picture)[INK] == solution.count()
        words = [element.text for element in ET.fromstring(picture) if element.tag == f"{SVG}text"]
        clues = [*puzzle.row_clues, *puzzle.column_clues]
        assert sorted(filter(None, words)) == sorted(str(n) for clue in clues for n in clue or (0,))


def test_every_light_and_press_is_in_the_picture_of_a_board() -> None:
    rng = random.Random(2)
    for rows, columns in [(1, 1), (2, 5), (4, 4)]:
        board = random_board(rng, rows, columns)
        presses = random_grid(rng, rows, columns)
        areas = filled(svg(board, presses.lines()))
        assert (areas[LIT], areas[PRESS]) == (board.lit.count(), presses.count())


def test_what_is_missing_is_not_drawn() -> None:
    board = load("1_0/___")
    assert svg(board).count("<rect") == 1 + 2  # the paper, and two lights
    assert draw_lights(LightsOut(Grid.from_text("10"), missing=Grid.from_text("01")), Grid.from_text("10")) == "██"
    assert draw_lights(ModularLightsOut.parse("modular-lights-out:3/1_2"), Grid.from_text("100"), ASCII) == "1   ."


def test_a_hostile_name_stays_text() -> None:
    board = LightsOut(Grid.from_text("1"), name="</title><script>alert(1)</script>\x00\x1b\ud800&")
    picture = svg(board)
    picture.encode()
    assert ET.fromstring(picture)[0].text == "</title><script>alert(1)</script>???&: Lights Out, 1 x 1"


def test_what_no_page_shows_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 1,000,000 cells, not 1 x 1000001"):
        svg(LightsOut(Grid.from_bits(1, 1_000_001, 5)))


def test_lines_of_another_shape_are_refused() -> None:
    for lines in (["1"], ["11", "1"], []):
        with pytest.raises(ValueError, match="another shape"):
            svg(load("10/01"), lines)


def test_a_difference_of_two_solutions() -> None:
    lines = difference(Grid.from_text("10/01"), Grid.from_text("11/01"))
    assert lines == ["1?", "01"]
    assert draw(load("10/01"), lines).split("\n") == ["()?", "· ()"]
