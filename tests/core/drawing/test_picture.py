"""Pictures: their content, their syntax, and their size."""

from __future__ import annotations

import importlib
import io
import random
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from crosslit import Grid, LightsOut, Nonogram, load, solve
from crosslit.contract.shapes import ASCII, CELL, INK, LIT, PRESS, UNICODE, Style
from crosslit.formats.drawing import difference, draw_lines, draw_values, encode_lines, small
from crosslit.formats.picture import png, svg
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.view import draw_lights
from tests.conftest import random_board, random_grid, random_nonogram, random_rules

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


def test_png_has_the_size_of_the_scene() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    rng = random.Random(3)
    puzzle = random_rules(rng, 3, 4)
    data = png(puzzle, ["10? ", "0101", "????"])
    with image.open(io.BytesIO(data)) as picture:
        assert picture.size == (2 * (4 * 20 + 12), 2 * (3 * 20 + 12))
        assert picture.getpixel((0, 0)) == (255, 255, 255)
        assert len(picture.getcolors(10_000)) > 4


def test_the_pixels_of_a_png_are_those_of_its_cells_lines_and_clues() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    lines = ["1011", "0001", "1100"]
    puzzle = Nonogram.of(Grid.from_text("/".join(lines)))
    with image.open(io.BytesIO(png(puzzle, lines))) as picture:
        left, top = (picture.width // 2 - 4 * 20 - 6, picture.height // 2 - 3 * 20 - 6)
        centres = [[(2 * (left + 20 * c + 10), 2 * (top + 20 * r + 10)) for c in range(4)] for r in range(3)]
        found = ["".join(str(int(sum(picture.getpixel(place)) < 300)) for place in row) for row in centres]
        assert found == lines
        for x1, y1, x2, y2 in ((0, 0, 80, 0), (0, 60, 80, 60), (0, 0, 0, 60), (80, 0, 80, 60), (0, 20, 80, 20)):
            places = [(left + x1 + (x2 - x1) * at / 8, top + y1 + (y2 - y1) * at / 8) for at in (1, 3, 5, 7)]
            assert all(sum(picture.getpixel((2 * x, 2 * y))) < 600 for x, y in places), (x1, y1, x2, y2)
        clues = picture.crop((0, 2 * top, 2 * left - 2, picture.height)).convert("L")
        rows = [clues.crop((0, 40 * row, clues.width, 40 * row + 40)).getextrema()[0] for row in range(3)]
        assert max(rows) < 150  # a number next to each row


def test_a_large_picture_has_smaller_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    module = importlib.import_module("crosslit.formats.picture")  # its name in the package is that of its function
    assert module._MAX_PIXELS < image.MAX_IMAGE_PIXELS
    monkeypatch.setattr(module, "_MAX_PIXELS", 800_000)
    with image.open(io.BytesIO(png(LightsOut(Grid.from_bits(25, 30, 5))))) as picture:
        width, height = picture.size
        assert 500 < width < 30 * 40
        assert width * height < 801_000  # each side is rounded


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
    assert draw_values(load("10/01"), lines).split("\n") == ["()?", "· ()"]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 4), (9, 5), (8, 8), (5, 13)])
def test_small_pictures_hold_every_cell(rows: int, columns: int) -> None:
    grid = random_grid(random.Random(rows * columns), rows, columns)
    blocks = small(grid, columns)
    assert blocks is not None
    counts = Counter(blocks)
    assert counts["▀"] + counts["▄"] + 2 * counts["█"] == grid.count()
    dots = small(grid, (columns + 1) // 2)
    if columns > 1:
        assert dots is not None
        assert sum((ord(character) - 0x2800).bit_count() for character in dots if character != "\n") == grid.count()
        assert max(map(len, dots.split("\n"))) <= (columns + 1) // 2
    assert small(grid, (columns + 1) // 2 - 1) is None


@pytest.mark.parametrize(("style", "encoding"), [(UNICODE, "utf-8"), (ASCII, "ascii")])
def test_encoded_lines_are_the_lines_encoded(style: Style, encoding: str) -> None:
    rng = random.Random(1)
    for puzzle in (*(random_board(rng, 3, columns) for columns in range(1, 20)), load("1_0/_11"), load("1 1,0|1,0,1")):
        grid = random_grid(rng, puzzle.rows, puzzle.columns)
        for solution in (grid, None):
            lines = [line.encode(encoding) for line in draw_lines(puzzle, solution, style)]
            assert list(encode_lines(puzzle, solution, style, encoding)) == lines
