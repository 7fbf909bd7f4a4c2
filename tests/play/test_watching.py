"""The steps of solvers, played in a real browser."""

from __future__ import annotations

import random

import pytest
from crosslit_play.trace import words

from crosslit import Grid, load, solutions, solve
from tests.play.conftest import FIVE, HEART, MANY, SMALL, Open, record, steps

pytestmark = pytest.mark.slow  # a browser


def test_the_steps_of_a_nonogram(opened: Open) -> None:
    page = opened(record(SMALL))
    page.press("tab-steps")
    told = steps(load(SMALL), "alignment")
    said = [page.text("#said")]
    page.driver.find_element("id", "next").click()
    said += [page.text("#said"), *(page.press("next") for _ in told[2:])]
    assert [text.lower() for text in said] == [words(step).strip().lower() for step in told]
    assert page.cells("filled") == solve(load(SMALL)).text  # type: ignore[union-attr]
    page.press("first")
    assert "1" not in page.cells("filled")
    page.press("last")
    assert page.cells("filled") == solve(load(SMALL)).text  # type: ignore[union-attr]


def test_the_limits_of_a_line_are_drawn(opened: Open) -> None:
    page = opened(record(HEART))
    page.press("tab-steps")
    told = steps(load(HEART), "alignment")
    number = next(at for at, step in enumerate(told) if step["step"] == "back" and len(step["starts"]) == 2)
    page.slide(number)
    boxes = "[...strip.querySelectorAll('.box')].map(box => Number(box.classList.contains('block'))).join('')"
    strips = f"return [...document.querySelectorAll('.strip')].map(strip => {boxes})"
    front, _, back = page.script(strips)
    assert (front, back) == ("10100", "00101")


def test_steps_with_guesses_are_the_same_in_any_order(opened: Open) -> None:
    puzzle = load(MANY)
    page = opened(record(MANY))
    page.press("tab-steps")
    told = record(MANY)["stories"][0]["steps"]
    there = {at: step["cells"] for at, step in enumerate(told) if step["step"] == "solution"}
    assert len(there) == 16
    order = list(there)
    random.Random(1).shuffle(order)
    for at in order:
        page.slide(at)
        assert page.cells("filled") == there[at]
        assert not list(puzzle.violations(Grid.from_text(there[at])))
    assert "Cut off" in page.text("#panel")


def test_what_plays_stops_when_one_goes_away(opened: Open) -> None:
    page = opened(record(HEART), record(FIVE))
    page.press("tab-steps")
    page.press("play-steps")
    page.choose("chooser", 1)
    page.choose("chooser", 0)
    assert page.text("#play-steps") == "Play"


def test_what_was_known_is_known_again_after_a_guess(opened: Open) -> None:
    """Every step that starts a line lists its known cells, which the picture must show, on every branch."""
    page = opened(record(MANY))
    page.press("tab-steps")
    told = record(MANY)["stories"][0]["steps"]
    first = next(at for at, step in enumerate(told) if step["step"] == "solution")
    lines = [at for at, step in enumerate(told) if step["step"] == "line" and at > first]
    for at in random.Random(3).sample(lines, 25):
        page.slide(at)
        grids = [page.cells(name).split("/") for name in ("filled", "crossed")]
        if told[at]["axis"] == "column":
            grids = [["".join(column) for column in zip(*grid, strict=True)] for grid in grids]
        filled, crossed = (grid[told[at]["line"]] for grid in grids)
        shown = ["1" if one == "1" else "0" if two == "1" else "?" for one, two in zip(filled, crossed, strict=True)]
        assert "".join(shown) == told[at]["known"], at


def test_the_steps_of_a_board(opened: Open) -> None:
    page = opened(record(FIVE))
    page.press("tab-steps")
    answers = [grid.text for grid in solutions(load(FIVE), "polynomial")]
    assert page.slide("end") == "No more solutions; 4 in all"
    assert (page.cells("pressed"), page.cells("lit")) == (answers[-1], "/".join(["00000"] * 5))
    page.slide(12)  # the chase of the first solution, at its end
    assert (page.cells("pressed"), page.cells("lit")) == (answers[0], "/".join(["00000"] * 5))
    page.choose("which-story", 1)
    assert page.slide(4) == "Chase: press 10001 in row 5, below what is still lit in row 4"
    assert page.slide(5) == "First row 00000: chased, it leaves 01101 lit"
    assert page.cells("lit") == "00000/00000/00000/00000/01101"


def test_the_steps_of_an_elimination(opened: Open) -> None:
    text = "press=king/wrap=torus/1_1/000/010"
    page = opened(record(text))
    page.press("tab-steps")
    told = record(text)["stories"][0]["steps"]
    at, step = next((at, step) for at, step in enumerate(told) if step["step"] == "impossible")
    page.slide(at)
    row, column = step["light"]
    assert page.cells("wrong") == Grid.from_bits(3, 3, 1 << row * 3 + column).text
    assert page.cells("settled").count("1") == sum("press" in before for before in told[:at])


def test_steps_play_by_themselves(opened: Open) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    page = opened(record("1|1"))
    page.press("tab-steps")
    page.press("play-steps")
    WebDriverWait(page.driver, 20, 0.1).until(lambda _: page.text("#said").startswith("No more solutions"))
    WebDriverWait(page.driver, 20, 0.1).until(lambda _: page.text("#play-steps") == "Play")
