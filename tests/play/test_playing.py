"""Pages in a real browser: actions of a player, and messages of the page."""

from __future__ import annotations

import random

import pytest

from crosslit import Grid, Nonogram, fewest, load, solutions, solve
from crosslit.kinds.lights_out.modular import ModularLightsOut
from tests.conftest import Command
from tests.play.conftest import FIVE, HEART, MANY, UNSOLVABLE, Open, Opened, record

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


def test_a_solution_that_may_not_be_the_fewest_says_so(opened: Open) -> None:
    large = record("/".join(["1" * 30] * 30))
    assert (large["nullity"], large["kernel"]) == (20, None)
    page = opened(large)
    assert page.press("hint").endswith("left, which may not be the fewest.")
    left = [int(page.press("hint").split(". ")[1].split()[0]) for _ in range(3) if page.press("do-it") is not None]
    assert left == [left[0], left[0] - 1, left[0] - 2]
    assert "Whether fewer could is not known here" in page.press("check")


def test_undo_and_reset(opened: Open) -> None:
    page = opened(record(FIVE))
    lit = page.cells("lit")
    for cell in ((0, 0), (2, 3), (4, 4)):
        page.cell(*cell).click()
    assert page.presses.startswith("3 moves")
    assert page.press("undo") == "Undone."
    page.press("undo")
    page.press("undo")
    assert (page.cells("lit"), page.presses) == (lit, "0 moves · 15 lights on")
    assert page.press("undo") == "Nothing to undo."
    page.cell(1, 1).click()
    page.press("reset")
    assert page.cells("lit") == lit


def test_mistakes_are_said_on_demand(opened: Open) -> None:
    page = opened(record(FIVE))
    assert page.press("check") == "No mistake: 0 presses made, 6 left, and the fewest from the start are 6."
    page.cell(2, 2).click()
    said = page.press("check")
    assert said == "1 press made, 7 left: 2 more than the fewest from the start, 6. Marked: 1 cell to press again."
    assert page.cells("wrong") == "00000/00000/00100/00000/00000"
    page.press("undo")
    assert "1" not in page.cells("wrong")
    for _ in range(2):
        page.cell(2, 2).click()
    said = page.press("check")
    assert said == "2 presses made, 6 left: 2 more than the fewest from the start, 6."


def test_a_nonogram_is_solved_by_hints_after_a_mistake(opened: Open) -> None:
    puzzle = load(HEART)
    page = opened(record(HEART))
    page.cell(0, 0).click()  # empty in the solution
    assert page.press("check") == "1 cell wrong, marked."
    assert page.cells("wrong").startswith("10000/")
    assert page.press("hint") == "A mistake: row 1, column 1 is empty in the solution."
    page.press("do-it")
    assert page.press("check") == "No mistake: these cells can be completed."
    assert "settles it" in page.press("hint")
    play_by_hints(page, 26)
    assert page.cells("filled") == solve(puzzle).text  # type: ignore[union-attr]


@pytest.mark.parametrize("complete", [True, False])
def test_hints_where_there_are_several_solutions(opened: Open, complete: bool) -> None:
    known = record("1,1,1|1,1,1" if complete else MANY)
    assert known["complete"] == complete
    page = opened(known)
    size = known["rows"]
    page.cell(1, 1).click()
    assert "have your cells" in page.press("hint") or "has your cells" in page.status or "settles" in page.status
    page.cell(1, 0).click()  # two filled cells in one row
    said = page.press("check")
    assert said.startswith("No solution has all of your cells")
    if not complete:
        assert "row 2 cannot be completed" in said
        page.press("undo")
    play_by_hints(page, size * size + 5)
    assert not list(load(known["text"]).violations(Grid.from_text(page.cells("filled"))))


def test_nothing_is_claimed_where_the_search_ran_out_of_time(opened: Open) -> None:
    late = {"solutions": [], "complete": False, "more": False, "stopped": "timeout"}
    page = opened({**record(FIVE), **late}, {**record(HEART), **late})
    assert "is not known: the search ended early (timeout)" in page.text("#facts")
    assert "No solution of this board is known" in page.press("hint")
    page.press("tab-solutions")
    assert "No solution was found: the search ended early (timeout)." in page.text("#panel")
    page.choose("chooser", 1)
    page.press("tab-play")
    play_by_hints(page, 30)  # the page searches by itself


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (UNSOLVABLE, "every press toggles an even number of the"),
        ("1 1,1 1,1,1|1 1,1 1,2,1", "its rows need 6 filled cells, its columns 7"),
        ("3,1|1,1", "this clue cannot be: row 1: 3 (needs 3 cells, the line has 2)"),
        ("0,2|2,0", "these clues contradict each other: row 1: 0; column 1: 2"),
    ],
)
def test_what_cannot_be_solved_says_why(opened: Open, text: str, why: str) -> None:
    page = opened(record(text))
    assert why in page.text(".notice")
    assert page.press("hint").startswith("No hint")
    page.press("tab-solutions")
    assert why in page.text("#panel")
    if text == UNSOLVABLE:
        page.press("tab-play")
        marked = Grid.from_text(page.cells("even"))
        assert load(text).contradicts(marked)  # type: ignore[arg-type]


def test_another_board(opened: Open) -> None:
    page = opened(record(FIVE))
    page.script("document.querySelector('.another').open = true")
    page.script("document.getElementById('new-rows').value = 4; document.getElementById('new-columns').value = 4")
    page.press("dark")
    page.press("edit")
    page.cell(0, 0).click()
    assert "cannot be solved" in page.text(".notice")
    assert page.text(".own").startswith("A board of your own, 4 × 4: no solution.")
    assert load(UNSOLVABLE).contradicts(Grid.from_text(page.cells("even")))  # type: ignore[arg-type]
    page.press("edit")
    page.script("document.getElementById('new-rows').value = 7; document.getElementById('new-columns').value = 6")
    page.press("random")
    lit = load(page.cells("lit"))
    assert (lit.rows, lit.columns) == (7, 6)
    assert play_by_hints(page, 43) == fewest(lit).count()  # type: ignore[union-attr, arg-type]
    assert page.text(".own").startswith("A board of your own, 7 × 6: 1 solution.")
    page.press("given")
    assert page.text(".own") == ""
    assert page.cells("lit") == FIVE


def test_all_solutions_and_where_they_differ(opened: Open) -> None:
    page = opened(record(FIVE), record("1,1,2|1,2,1"), record(MANY))
    page.press("tab-solutions")
    assert "There are 4 solutions, all shown." in page.text("#panel")
    assert "They differ in 20 cells" in page.text("#panel")
    assert page.script("return document.querySelectorAll('figure').length") == 5
    page.choose("chooser", 1)
    found = [grid.bits for grid in solutions(load("1,1,2|1,2,1"))]
    assert f"They differ in {(found[0] ^ found[1]).bit_count()} cells" in page.text("#panel")
    page.choose("chooser", 2)
    assert "There are more than 16 solutions; these are 16 of them." in page.text("#panel")


def test_a_drawn_nonogram_is_a_puzzle(opened: Open, crosslit: Command) -> None:
    page = opened(record(FIVE))
    page.press("tab-draw")
    page.script(
        "for (const [id, size] of [['draw-rows', 3], ['draw-columns', 4]]) { const input = document.getElementById(id);"
        "input.value = size; input.dispatchEvent(new Event('change')) }"
    )
    for cell in ((0, 0), (0, 1), (1, 1), (2, 0), (2, 3)):
        page.cell(*cell).click()
    page.cell(2, 0).click()
    drawn = Grid.from_text("1100/0100/0001")
    line = page.script("return document.getElementById('one-line').value")
    assert line == Nonogram.of(drawn).text
    done = crosslit("solve", line, "--json")
    assert drawn.text in done.stdout
    assert page.press("unique") == "Unique: there is one solution, and lines settle every cell."
    page.press("play-it")
    assert play_by_hints(page, 13) <= 12
    assert page.cells("filled") == drawn.text


def test_the_line_is_copied(opened: Open) -> None:
    from selenium.webdriver.common.keys import Keys

    page = opened(record(FIVE))
    page.press("tab-draw")
    page.cell(0, 0).click()
    line = page.script("return document.getElementById('one-line').value")
    assert page.press("copy") in ("Copied.", "")  # the clipboard answers later
    page.press("clear")
    page.script("document.getElementById('one-line').readOnly = false; document.getElementById('one-line').value = ''")
    field = page.driver.find_element("id", "one-line")
    field.send_keys(Keys.CONTROL, "v")
    assert field.get_attribute("value") == line


def test_the_keyboard_is_enough(opened: Open) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def send(*keys: str) -> None:
        ActionChains(page.driver).send_keys(*keys).perform()

    def focused() -> str:
        return str(
            page.script(
                "return document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
            )
        )

    page = opened(record(FIVE))
    send(Keys.TAB)
    assert focused() == "Play"
    send(Keys.TAB)
    assert focused() == "row 1, column 1: lit"
    send(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.SPACE)
    assert focused() == "row 2, column 2: dark, pressed"
    assert page.presses.startswith("1 move ")
    send("u", Keys.HOME, Keys.ARROW_UP, Keys.ARROW_UP)
    assert (focused(), page.presses[:7]) == ("row 1, column 1: lit", "0 moves")
    send(*"hdhdhdhdhdhd")
    assert page.status.startswith("Solved")
    ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    assert focused() == "Play"


def test_the_keyboard_goes_through_the_tabs(opened: Open) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = opened(record(HEART))
    ActionChains(page.driver).send_keys(Keys.TAB, Keys.ARROW_RIGHT).perform()
    assert page.script("return document.querySelector('[aria-selected=true]').id") == "tab-steps"
    ActionChains(page.driver).send_keys(Keys.ARROW_LEFT, Keys.TAB, "x", Keys.ARROW_RIGHT, Keys.ENTER).perform()
    assert page.cells("crossed").startswith("10000")
    assert page.cells("filled").startswith("01000")


@pytest.mark.parametrize("touch", [False, True])
def test_a_phone_needs_no_sideways_scrolling(opened: Open, touch: bool) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    wide = Nonogram.of(Grid.from_text("/".join(["10" * 20, "01" * 20] * 20)), "W" * 300).text
    page = opened(
        record(FIVE), record(HEART), record(UNSOLVABLE), {**record(wide), "name": "W" * 300}, width=390, touch=touch
    )
    for number in range(4):
        page.choose("chooser", number)
        for tab in ("play", "steps", "solutions", "draw"):
            page.press(f"tab-{tab}")
            assert page.script("return document.documentElement.scrollWidth") <= 390, (number, tab)
            if tab == "steps":  # a picture fits, without its clues where they leave no room
                box = "const box = document.querySelector('.scroller'); return box.scrollWidth - box.clientWidth"
                WebDriverWait(page.driver, 10, 0.1).until(lambda _, box=box: page.script(box) <= 0, str(number))


@pytest.mark.parametrize("text", ["4/wrap=klein/00_/000/000", "6/press=hexagons/000/000/000", "3/wrap=moebius/000/000"])
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
    assert play_by_hints(page, 60) > 0
    assert {*page.script(numbers)} <= {"0", "_"}
