"""The steps of solvers, and the solutions one after the other, played in a real browser."""

from __future__ import annotations

import random

import pytest

from crosslit import Grid, load, solutions, solve
from tests.play.conftest import FIVE, HEART, MANY, SMALL, Open, record

pytestmark = pytest.mark.slow  # a browser

DARK = "/".join(["00000"] * 5)


def test_the_steps_of_a_nonogram(opened: Open) -> None:
    page = opened(record(SMALL))
    page.press("tab-steps")
    steps = record(SMALL)["stories"][0]["steps"]
    shown = [page.text("#words"), *(page.press("next") for _ in steps[1:])]
    assert shown == [step["words"] for step in steps]
    assert page.text(".count") == f"{len(steps)} of {len(steps)}"
    assert page.cells("filled") == solve(load(SMALL)).text  # type: ignore[union-attr]
    page.press("first")
    assert page.cells("now") == "1111/0000/0000/0000"
    assert page.text(".clue.now") == "11"
    page.press("last")
    assert page.cells("filled") == solve(load(SMALL)).text  # type: ignore[union-attr]


def test_steps_with_guesses_are_the_same_in_any_order(opened: Open) -> None:
    page = opened(record(MANY))
    page.press("tab-steps")
    story = record(MANY)["stories"][0]
    cells, there = [-1] * 25, {}
    for at, step in enumerate(story["steps"]):
        for cell, value in step.get("cells", {}).items():
            cells[cell] = value
        there[at] = ["".join(str(int(value == shown)) for value in cells) for shown in (1, 0)]
    for at in random.Random(1).sample(sorted(there), 40):
        page.slide(at)
        assert [page.cells(name).replace("/", "") for name in ("filled", "crossed")] == there[at], at
    hidden = page.script("return [...document.querySelectorAll('.side .fine')].map(it => it.hidden)")
    assert hidden == [story["whole"]]


def test_the_steps_of_a_board(opened: Open) -> None:
    page = opened(record(FIVE))
    page.press("tab-steps")
    answers = [grid.text for grid in solutions(load(FIVE), "polynomial")]
    assert page.slide("end") == "No more solutions; 4 in all"
    assert (page.cells("pressed"), page.cells("lit")) == (answers[-1], DARK)
    page.slide(12)  # the chase of the first solution, at its end
    assert (page.cells("pressed"), page.cells("lit")) == (answers[0], DARK)
    page.choose("story", 1)
    assert page.text("#words") == "First row 00000: chased, it leaves 01101 lit"
    assert page.cells("lit") == "00000/00000/00000/00000/01101"


def test_the_steps_of_an_elimination(opened: Open) -> None:
    text = "press=king/wrap=torus/1_1/000/010"
    page = opened(record(text))
    page.press("tab-steps")
    steps = record(text)["stories"][0]["steps"]
    at = next(at for at, step in enumerate(steps) if "bad" in step)
    page.slide(at)
    assert page.cells("wrong") == Grid.from_bits(3, 3, 1 << steps[at]["light"]).text
    assert page.cells("settled").count("1") == sum("press" in step for step in steps[:at])


def test_all_solutions_and_where_they_differ(opened: Open) -> None:
    page = opened(record(FIVE), record("1,1,2|1,2,1"), record(MANY), record(HEART))
    page.press("tab-solutions")
    shown = set()
    for number in range(4):
        assert page.slide(number).startswith(f"Solution {number + 1} of 4: ")
        assert page.text("#words").endswith("The solutions differ in 20 cells, tinted.")
        assert page.cells("lit") == DARK
        shown.add(page.cells("pressed"))
    assert shown == {grid.text for grid in solutions(load(FIVE))}
    page.choose("chooser", 1)
    found = [grid.bits for grid in solutions(load("1,1,2|1,2,1"))]
    assert page.cells("varies") == Grid.from_bits(3, 3, found[0] ^ found[1]).text
    page.choose("chooser", 2)
    assert (page.text("#words")[:16], page.text(".count")) == ("Solution 1 of 16", "1 of 16")
    page.choose("chooser", 3)
    assert page.text("#words") == "Solution 1 of 1: 16 filled cells."


def test_steps_play_by_themselves_until_one_goes_away(opened: Open) -> None:
    page = opened(record("1|1"), record(HEART))
    page.press("tab-steps")
    page.press("play")
    page.until(lambda: page.text("#words").startswith("No more solutions"))
    page.until(lambda: page.text("#play") == "Play")
    page.choose("chooser", 1)
    page.press("play")
    assert page.text("#play") == "Stop"
    page.choose("chooser", 0)
    page.choose("chooser", 1)
    assert page.text("#play") == "Play"
