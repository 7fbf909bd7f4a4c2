"""Playing on a page, with hints and steps."""

from __future__ import annotations

import random

import pytest

from crosslit import Grid, fewest, load, solutions, solve
from crosslit.kinds.lights_out.board import ModularLightsOut
from tests.pages.conftest import FIVE, HEART, MANY, SMALL, UNSOLVABLE, Open, Opened, record

pytestmark = pytest.mark.slow  # a browser


def play_by_hints(page: Opened, most: int) -> int:
    """Follow hints until the page says that it is solved; return their number."""
    for made in range(most):
        if page.status.startswith("Solved"):
            return made
        said = page.press("hint")
        page.press("do-it")
    assert page.status.startswith("Solved"), said
    return most


def test_a_board_is_solved_by_hints_only(opened: Open) -> None:
    page = opened(record(FIVE))
    assert page.press("hint") == "Press row 1, column 1. 6 presses left, the fewest from here."
    assert play_by_hints(page, 20) == 6
    assert page.status == "Solved: all lights are out after 6 presses, the fewest."
    assert page.cells("lit") == "00000/00000/00000/00000/00000"


def test_the_fewest_presses_left_from_any_state(opened: Open) -> None:
    page = opened(record(FIVE))
    rng = random.Random(8)
    pressed = 0
    for _ in range(8):
        at = rng.randrange(25)
        pressed ^= 1 << at
        page.cell(*divmod(at, 5)).click()
        now = load(FIVE).pressed(Grid.from_bits(5, 5, pressed))  # type: ignore[union-attr]
        assert page.cells("lit") == now.lit.text
        assert f" {fewest(now).count()} press" in page.press("hint")  # type: ignore[union-attr]


def test_undo_redo_and_reset(opened: Open) -> None:
    page = opened(record(FIVE))
    lit = page.cells("lit")
    for cell in ((0, 0), (2, 3), (4, 4)):
        page.cell(*cell).click()
    pressed = page.cells("lit")
    for _ in range(4):
        page.press("undo")
    assert (page.cells("lit"), page.counter) == (lit, "0 moves · 15 lights on")
    for _ in range(4):
        page.press("redo")
    assert (page.cells("lit"), page.counter[:7]) == (pressed, "3 moves")
    page.press("undo")
    page.cell(1, 1).click()
    page.press("redo")
    assert page.cells("pressed") == "10000/01000/00010/00000/00000"
    page.press("reset")
    assert page.cells("lit") == lit


def test_a_nonogram_is_solved_by_hints_after_a_mistake(opened: Open) -> None:
    puzzle = load(HEART)
    page = opened(record(HEART))
    page.cell(0, 0).click()  # empty in the solution
    assert page.press("check") == "1 cell marked: there the nearest solution differs."
    assert page.cells("wrong").startswith("10000/")
    assert page.press("hint") == "No solution has all of your cells. In the nearest, row 1, column 1 is empty."
    page.press("do-it")
    assert page.press("check") == "No mistake: these cells can be completed."
    assert page.press("hint") == "Row 1, column 2 is filled."
    play_by_hints(page, 26)
    assert page.cells("filled") == solve(puzzle).text  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["1,1,1|1,1,1", MANY])
def test_hints_where_there_are_several_solutions(opened: Open, text: str) -> None:
    known = record(text)
    page = opened(known)
    page.cell(1, 1).click()
    said = page.press("hint")
    assert said == "Row 1, column 2 is empty." if known["complete"] else said.endswith("others may differ.")
    page.cell(1, 0).click()  # two filled cells in one row
    claimed = "No solution" if known["complete"] else "No solution on this page"
    assert page.press("hint").startswith(f"{claimed} has all of your cells.")
    play_by_hints(page, 40)
    assert not list(load(text).violations(Grid.from_text(page.cells("filled"))))


def test_nothing_is_claimed_where_the_search_ran_out_of_time(opened: Open) -> None:
    late = {"solutions": [], "complete": False, "known": "The search ended early (timeout), after 0 solutions."}
    page = opened(*({**record(text), **late} for text in (FIVE, HEART)))
    for number in range(2):
        page.choose("chooser", number)
        page.press("tab-play")
        assert page.text("#facts").endswith(late["known"])
        assert page.press("hint") == "No hint: this page has no solution of this puzzle."
        assert "No mistake" not in page.press("check")
        page.press("tab-solutions")
        assert page.text("#words") == late["known"]
    page.press("tab-play")
    for at in solve(load(HEART)).cells():  # type: ignore[union-attr]
        page.cell(*at).click()
    assert page.status == "Solved: every clue is met."


@pytest.mark.parametrize(("text", "marks"), [(UNSOLVABLE, "even"), ("0,2|2,0", "clash")])
def test_what_cannot_be_solved_says_why(opened: Open, text: str, marks: str) -> None:
    why = record(text)["why"]
    page = opened(record(text))
    assert page.text(".notice") == why["words"]
    if marks == "even":
        assert page.cells("even") == Grid.from_bits(4, 4, sum(1 << light for light in why["marked"])).text
    else:
        clues = "[...document.querySelectorAll('.clash')].map((clue) => clue.getAttribute('aria-label'))"
        assert sorted(page.script(f"return {clues}")) == ["column 1: 2", "row 1: 0"]
    assert page.press("hint") == "No hint: there is no solution."
    page.press("tab-solutions")
    assert page.text("#words") == why["words"]


def test_the_keyboard_is_enough(opened: Open) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def send(*keys: str) -> None:
        ActionChains(page.driver).send_keys(*keys).perform()

    def focused() -> str:
        name = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"
        return str(page.script(f"return {name}"))

    page = opened(record(FIVE), record(HEART))
    send(Keys.TAB, Keys.TAB)
    assert focused() == "tab-play"
    send(Keys.TAB)
    assert focused() == "row 1, column 1: lit"
    send(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.SPACE)
    assert focused() == "row 2, column 2: dark, pressed"
    send("u", Keys.HOME, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_LEFT)
    assert (focused(), page.counter[:7]) == ("row 1, column 1: lit", "0 moves")
    send(*"hdhdhdhdhdhd")
    assert page.status.startswith("Solved")
    ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    send(Keys.ARROW_RIGHT)
    assert (focused(), page.text("#words")[:13]) == ("tab-solutions", "Solution 1 of")
    page.choose("chooser", 1)
    page.press("tab-play")
    page.script("document.querySelector('.cell').focus()")
    send("x", Keys.ARROW_RIGHT, Keys.ENTER, Keys.ARROW_RIGHT, "0", Keys.SPACE)
    assert (page.cells("crossed")[:5], page.cells("filled")[:5]) == ("10100", "01000")


@pytest.mark.parametrize("text", ["4/wrap=klein/00_/000/000", "4/press=hexagons/000/000/000", "3/wrap=moebius/000/000"])
def test_a_board_of_several_states_is_solved_by_presses_and_hints(opened: Open, text: str) -> None:
    board = load(f"modular-lights-out:{text}")
    assert isinstance(board, ModularLightsOut)
    board = board.pressed(board.layout.pack([int(cell % 3 == 1) for cell in range(board.rows * board.columns)]))
    page = opened(record(board.text), width=390, touch=True)
    numbers = "return [...document.querySelectorAll('.cell')].map(cell => cell.textContent || '_').join('')"
    pressed = [0] * (board.rows * board.columns)
    for at in (0, 0, 3, 5, 1, 1):
        page.cell(*divmod(at, board.columns)).click()
        pressed[at] += 1
        assert page.script(numbers) == "".join(board.pressed(board.layout.pack(pressed)).lines)
    page.press("undo")
    pressed[1] -= 1
    left = board.pressed(board.layout.pack(pressed))
    least = min(grid.count() for grid in solutions(left))
    assert f"{least} presses left, the fewest from here" in page.press("hint")
    page.press("reset")
    assert play_by_hints(page, 60) > 0
    fewest = min(grid.count() for grid in solutions(board))
    assert page.status == f"Solved: all lights are out after {fewest} presses, the fewest."
    assert {*page.script(numbers)} <= {"0", "_"}


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
