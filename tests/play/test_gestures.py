"""Drags with a finger and with a mouse, redo, and moves that are kept over a reload, with real events."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from crosslit import load, solve
from tests.conftest import ROOT
from tests.play.conftest import FIVE, Open, Opened, record
from tests.play.test_playing import FLAG, coloured

pytestmark = pytest.mark.slow  # a browser

HEART = str(ROOT / "examples" / "heart.non")
SOLUTION = solve(load(HEART)).text  # type: ignore[union-attr]


def center(page: Opened, selector: str) -> tuple[float, float]:
    place = (
        "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]"
    )
    x, y = page.script(place, selector)
    return x, y


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
    page = opened(record(HEART), width=390, touch=True)
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


def test_a_fast_drag_of_the_mouse_fills_every_cell_on_its_line(opened: Open) -> None:
    page = opened(record(HEART))
    mouse(page, *(cell(page, 3, column) for column in (0, 4, 7, 10)))
    assert page.cells("filled").split("/")[3] == "1" * 11
    assert page.counter == "1 move · 11 cells filled"
    page.press("reset")
    mouse(page, cell(page, 0, 2), cell(page, 5, 3), cell(page, 6, 10))  # stays in column 3, where it began
    assert page.cells("filled") == "/".join(["00100000000"] * 7 + ["0" * 11] * 3)
    mouse(page, cell(page, 9, 9), cell(page, 9, 7), button="right")
    assert page.cells("crossed").split("/")[9] == "00000001110"


def test_a_drag_changes_only_cells_that_are_as_its_first_cell_was(opened: Open) -> None:
    page = opened(record(HEART))
    mouse(page, cell(page, 1, 5), button="right")
    mouse(page, cell(page, 1, 1), cell(page, 1, 9))
    assert page.cells("filled").split("/")[1] == "01111011110"
    mouse(page, cell(page, 1, 9), cell(page, 1, 0))  # from a filled cell on: the filled ones become unknown
    assert "1" not in page.cells("filled")
    assert page.cells("crossed").split("/")[1] == "00000100000"


def test_two_fingers_take_back_the_drag_of_the_first(opened: Open) -> None:
    page = opened(record(HEART), width=390, touch=True)
    touch(page, cell(page, 0, 0))
    touch(page, cell(page, 0, 1))
    page.press("undo")
    (x, y), (u, v) = cell(page, 2, 2), cell(page, 6, 6)
    one, other = {"x": x, "y": y, "id": 0}, {"x": u, "y": v, "id": 1}
    for kind, points in (("touchStart", [one]), ("touchStart", [one, other]), ("touchEnd", [])):
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert page.counter == "1 move · 1 cell filled"
    page.press("redo")
    assert page.cells("filled").startswith("11")


def test_moves_on_a_board_are_kept_too(opened: Open) -> None:
    page = opened(record(FIVE), width=390, touch=True)
    for at in ((0, 0), (2, 2), (4, 1)):
        touch(page, cell(page, *at, 5))
    page.press("undo")
    lit = page.cells("lit")
    page.driver.refresh()
    assert (page.cells("lit"), page.counter[:7]) == (lit, "2 moves")
    page.press("redo")
    assert page.cells("pressed") == "10000/00000/00100/00000/01000"


@pytest.mark.parametrize("kept", ["no JSON", '{"moves":[[[999,-1,1]]],"made":1}', '{"moves":[],"made":1}', "7", "null"])
def test_what_the_browser_kept_may_be_anything(opened: Open, kept: str) -> None:
    page = opened(record(HEART))
    mouse(page, cell(page, 3, 0), cell(page, 3, 10))
    page.script("localStorage.setItem(localStorage.key(0), arguments[0])", kept)
    page.driver.refresh()
    assert page.counter == "0 moves · 0 cells filled"


def test_without_storage_the_page_works_as_before(opened: Open) -> None:
    page = opened(record(HEART))
    forbid: dict[str, Any] = {
        "source": "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden') } })"
    }
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", forbid)
    try:
        page.driver.refresh()
        mouse(page, cell(page, 3, 0), cell(page, 3, 10))
        assert page.counter == "1 move · 11 cells filled"
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        page.driver.refresh()
    assert page.counter == "0 moves · 0 cells filled"


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
