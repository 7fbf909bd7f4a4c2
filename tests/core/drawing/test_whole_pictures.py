"""Whole pictures of puzzles without symmetry, as stored in ``pictures.txt``: in SVG, in text, and of contradictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosslit import Grid, load
from crosslit.contract.shapes import ASCII
from crosslit.formats.drawing import draw
from crosslit.formats.picture import svg
from crosslit.kinds import kind_of
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.view import tint
from tests.stored import check

STORED = Path(__file__).with_name("pictures.txt")

# Clues of one, of several and of no number, numbers of two digits, and every sign of a known cell.
PUZZLES = [
    ("100/0_1", ["10?", "01 "]),
    ("modular-lights-out:4/012/3_0", ["20?", "01 "]),
    ("1 2,0,3|1,2,1,2", ["1?0 ", "0101", "11?0"]),
    ("12 1,2|1 10,0,2", ["1?0", "011"]),
    ("coloured-nonogram:1b 12a,0,2a|2a 1b,0,1a 10b", ["2?0", "011", "122"]),
    ("coloured-nonogram:paper=ffe0c0,pale=fff0a0,dark=102030;1b 2a|0,1b,1a,1a", ["0221"]),
]


@pytest.mark.parametrize(("text", "lines"), PUZZLES)
def test_a_picture_has_each_cell_and_each_clue_at_its_place(text: str, lines: list[str]) -> None:
    puzzle = load(text)
    marked = Grid.from_bits(puzzle.rows, puzzle.columns, 2)
    known = draw(puzzle, lines, ASCII)
    parts = [draw(puzzle, style=ASCII), known, svg(puzzle, lines), svg(puzzle, None, marked)]
    if isinstance(puzzle, ColouredNonogram):
        parts.append(repr(tint(puzzle, known)))
    check(STORED, text, "\n\n".join(parts))


CONTRADICTIONS = [
    ("press=000,001,000/100/000", "100/000"),  # no press toggles a light of the first column
    ("press=000,001,000/100/000", "111/000"),
    ("10/01", "11/11"),
    ("01/__", "11/00"),
    ("11110", "11011"),
    ("11110", "11111"),
    ("11000", "11011"),
    ("modular-lights-out:4/press=000,002,000/010/00_", "010/000"),
    ("modular-lights-out:4/press=000,002,000/013/0_2", "111/101"),
    ("modular-lights-out:4/21", "11"),
    ("modular-lights-out:4/210/__0", "111/001"),
]


@pytest.mark.parametrize(("text", "lights"), CONTRADICTIONS)
def test_lights_that_contradict_each_other_are_drawn_and_named(text: str, lights: str) -> None:
    board = load(text)
    contradiction = kind_of(board).contradiction
    assert contradiction is not None
    check(STORED, f"{text} at {lights}", "\n".join(contradiction(board, Grid.from_text(lights), ASCII)))
