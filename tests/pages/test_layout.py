"""The layout of a page, and fingers and mice on it."""

from __future__ import annotations

import base64
import itertools
import re
from pathlib import Path

import pytest
from crosslit_play.document import gather

from crosslit import Grid, Nonogram, load, solve
from crosslit.contract.run import Limits
from crosslit.runs.runner import Runner
from tests.conftest import ROOT
from tests.pages.conftest import FIVE, HEART, UNSOLVABLE, Open, Opened, record

pytestmark = pytest.mark.slow  # a browser

STRIPES = ",".join([" ".join("1" * 11)] * 30) + "|" + ",".join(["30", "0"] * 10 + ["30"])


def box(page: Opened, selector: str) -> dict[str, float]:
    return dict(page.script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector))


def test_clues_stay_in_sight_on_a_phone(opened: Open) -> None:
    page = opened(record(STRIPES), width=390, touch=True)
    page.script("document.querySelector('.scroller').scrollTo(150, 400)")
    sight = box(page, ".scroller")
    column, row, corner = box(page, ".down"), box(page, ".across"), box(page, ".corner")
    assert sight["top"] - 1 <= column["top"] < column["bottom"] < sight["bottom"]
    assert sight["left"] - 1 <= row["left"] < row["right"] < sight["left"] + sight["width"] / 2
    at = "return document.elementFromPoint(arguments[0], arguments[1]).className"
    assert page.script(at, corner["left"] + 20, (corner["top"] + corner["bottom"]) / 2) == "corner"


@pytest.mark.parametrize("touch", [False, True])
def test_a_phone_needs_no_sideways_scrolling(opened: Open, touch: bool) -> None:
    wide = Nonogram.of(Grid.from_text("/".join(["10" * 20, "01" * 20] * 20))).text
    records = [record(FIVE), record(HEART), record(UNSOLVABLE), {**record(wide), "title": "W" * 300}]
    page = opened(*records, width=390, touch=touch)
    for number in range(len(records)):
        page.choose("chooser", number)
        for tab in ("play", "steps", "solutions"):
            page.press(f"tab-{tab}")
            assert page.script("return document.documentElement.scrollWidth") <= 390, (number, tab)


def sheets(page: Opened) -> int:
    printed = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    return len(re.findall(rb"/Type /Page\b", printed))


def test_every_puzzle_is_printed_on_its_own_sheet_without_controls(opened: Open) -> None:
    page = opened(record(FIVE), record(STRIPES), record("1|1"))
    screen = box(page, ".grid")
    for tab in ("solutions", "play"):
        page.press(f"tab-{tab}")
        assert sheets(page) == 3
    page.until(lambda: page.script("return document.querySelectorAll('.grid').length") == 1)
    assert box(page, ".grid") == screen
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        controls = "[...document.querySelectorAll('button:not(.cell), select, input')]"
        assert page.script(f"return {controls}.filter((it) => it.offsetParent)") == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_page_for_players_has_no_panel_that_solves(opened: Open) -> None:
    with Runner(Limits()) as runner:
        page = opened(*(gather(runner, load(text), for_players=True).record for text in (FIVE, "1|1")))
    assert page.script("return document.getElementById('tabs').offsetParent") is None
    assert page.text("#heading") == "1. Lights Out, 5 × 5"
    assert page.text("#facts") == "Put all lights out: a press toggles a cell and its four neighbours. "
    assert page.press("hint") == "No hint: this page has no solution of this puzzle."


FILLED = "return document.querySelectorAll('.cell.filled, .cell.crossed, .cell.pressed').length"


@pytest.mark.parametrize("text", [HEART, FIVE])
def test_a_page_for_players_never_shows_what_was_played_on_another(opened: Open, tmp_path: Path, text: str) -> None:
    with Runner(Limits()) as runner:
        players = [gather(runner, load(puzzle), for_players=True).record for puzzle in (text, "1|1")]
    page = opened(record(text))
    for _ in range(3):
        page.press("hint")
        page.press("do-it")
    assert page.script(FILLED) > 0
    page = opened(*players)  # in a file of the same name
    assert (page.counter[:7], page.script(FILLED)) == ("0 moves", 0)
    copy = tmp_path / "copy.html"
    page.cell(0, 0).click()
    assert page.script(FILLED) == 1
    copy.write_bytes(page.path.read_bytes())
    page.driver.get(copy.as_uri())
    assert page.script(FILLED) == 0
    page.driver.get(page.path.as_uri())
    assert page.script(FILLED) == 1  # its own state is kept


HEART_FILE = str(ROOT / "examples" / "heart.non")
SOLUTION = solve(load(HEART_FILE)).text  # type: ignore[union-attr]


def center(page: Opened, selector: str) -> tuple[float, float]:
    found = box(page, selector)
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2


def cell(page: Opened, row: int, column: int, columns: int = 11) -> tuple[float, float]:
    return center(page, f'[data-at="{row * columns + column}"]')


def touch(page: Opened, *points: tuple[float, float]) -> None:
    """Drag a finger from point to point; one point is a tap."""
    for kind, point in zip(("touchStart", *["touchMove"] * (len(points) - 1)), points, strict=True):
        event = {"type": kind, "touchPoints": [{"x": point[0], "y": point[1]}]}
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def mouse(page: Opened, *points: tuple[float, float], button: str = "left") -> None:
    """Drag the mouse from point to point, one event each."""
    held = {"button": button, "buttons": {"left": 1, "right": 2}[button], "clickCount": 1}
    kinds = ("mousePressed", *["mouseMoved"] * (len(points) - 1))
    for kind, (x, y) in zip((*kinds, "mouseReleased"), (*points, points[-1]), strict=True):
        page.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **held})


def runs(line: str) -> list[tuple[int, int]]:
    """The first and the last cell of each block."""
    blocks = [list(cells) for value, cells in itertools.groupby(range(len(line)), line.__getitem__) if value == "1"]
    return [(cells[0], cells[-1]) for cells in blocks]


def drag_rows(page: Opened, rows: range) -> None:
    for row in rows:
        for first, last in runs(SOLUTION.split("/")[row]):
            touch(page, *dict.fromkeys([cell(page, row, first), cell(page, row, last)]))


def test_a_phone_solves_a_nonogram_by_touch_drags_with_a_reload_and_redo(opened: Open) -> None:
    page = opened(record(HEART_FILE), width=390, touch=True)
    drag_rows(page, range(5))
    half = "/".join([*SOLUTION.split("/")[:5], *["0" * 11] * 5])
    assert (page.cells("filled"), page.counter) == (half, "7 moves · 45 cells filled")
    page.press("undo")
    page.driver.refresh()
    assert page.status == "Your moves from last time are back."
    assert page.counter == "6 moves · 34 cells filled"
    page.press("redo")
    assert page.cells("filled") == half
    drag_rows(page, range(5, 10))
    assert (page.cells("filled"), page.status) == (SOLUTION, "Solved: every clue is met.")


def test_a_drag_changes_only_cells_that_are_as_its_first_cell_was(opened: Open) -> None:
    page = opened(record(HEART_FILE))
    mouse(page, cell(page, 1, 5), button="right")
    mouse(page, cell(page, 1, 1), cell(page, 1, 9))
    assert page.cells("filled").split("/")[1] == "01111011110"
    mouse(page, cell(page, 1, 9), cell(page, 1, 0))  # from a filled cell on: the filled ones become unknown
    assert "1" not in page.cells("filled")
    assert page.cells("crossed").split("/")[1] == "00000100000"


@pytest.mark.parametrize("kept", ["no JSON", '{"moves":[[[999,-1,1]]],"made":1}', '{"moves":[],"made":1}', "7", "null"])
def test_what_the_browser_kept_may_be_anything(opened: Open, kept: str) -> None:
    page = opened(record(HEART_FILE))
    mouse(page, cell(page, 3, 0), cell(page, 3, 10))
    page.script("localStorage.setItem(localStorage.key(0), arguments[0])", kept)
    page.driver.refresh()
    assert page.counter == "0 moves · 0 cells filled"
