"""Coloured nonograms in a browser: the palette, hints and steps."""

from __future__ import annotations

import itertools

import pytest

from crosslit import load, solve
from tests.play.conftest import Open, Opened, record
from tests.play.test_gestures import cell, center, touch
from tests.play.test_playing import play_by_hints

pytestmark = pytest.mark.slow  # a browser

FLAG = "coloured-nonogram:white=ffffff,red=d02020,blue=2040d0;2a 2b,2a 2b,1a 2b,4b|3a 1b,2a 1b,4b,4b"
SEVERAL = "coloured-nonogram:1b 1a,1b 1a|1b,1b,1a,1a"


def coloured(page: Opened) -> str:
    """The numbers of the cells' colours, as their backgrounds show them."""
    shown = page.script(
        "return [...document.querySelectorAll('.cell')].map(cell => cell.classList.contains('filled')"
        "? getComputedStyle(cell).backgroundColor : '')"
    )
    colours = {"": "0", "rgb(208, 32, 32)": "1", "rgb(32, 64, 208)": "2"}
    return "/".join("".join(map(colours.__getitem__, shown[first : first + 4])) for first in range(0, len(shown), 4))


def test_a_phone_solves_a_coloured_nonogram_by_touch(opened: Open) -> None:
    page = opened(record(FLAG), width=390, touch=True)
    solution = solve(load(FLAG))
    assert solution is not None
    for row, line in enumerate(solution.text.split("/")):
        for value, run in itertools.groupby(range(4), line.__getitem__):
            columns = list(run)
            touch(page, center(page, f'.swatch [value="{value}"]'))
            touch(page, *dict.fromkeys([cell(page, row, columns[0], 4), cell(page, row, columns[-1], 4)]))
    assert page.status == "Solved: every clue is met."
    assert coloured(page) == solution.text
    page.driver.refresh()
    assert coloured(page) == solution.text


def test_hints_solve_a_coloured_nonogram_of_several_solutions(opened: Open) -> None:
    page = opened(record(SEVERAL))
    play_by_hints(page, 8)
    assert page.status == "Solved: every clue is met."


def test_the_last_step_shows_the_solution(opened: Open) -> None:
    page = opened(record(FLAG))
    page.press("tab-steps")
    assert page.slide("end") == "No more solutions; 1 in all"
    assert coloured(page) == "1122/1122/1022/2222"
