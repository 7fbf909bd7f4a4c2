"""Places of things on the page: wide windows, phones and paper."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from crosslit_play.record import gather

from crosslit import load
from crosslit.contract.run import Limits
from crosslit.runs.runner import Runner
from tests.browser import emulate
from tests.conftest import ROOT
from tests.play.conftest import FIVE, HEART, Open, Opened, record

pytestmark = pytest.mark.slow  # a browser

STRIPES = ",".join([" ".join("1" * 11)] * 30) + "|" + ",".join(["30", "0"] * 10 + ["30"])


def box(page: Opened, selector: str) -> dict[str, float]:
    return dict(page.script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector))


def test_controls_are_next_to_a_small_board_of_large_cells(opened: Open) -> None:
    page = opened(record(FIVE), record(str(ROOT / "examples" / "heart.non")))
    for least in (80, 50):
        assert 0 < box(page, ".side")["left"] - box(page, ".grid")["right"] < 64
        assert box(page, ".cell")["width"] > least
        page.choose("chooser", 1)


def test_cells_grow_with_the_window(opened: Open) -> None:
    page = opened(record(str(ROOT / "examples" / "heart.non")), width=920)
    small = box(page, ".cell")["width"]
    emulate(page.driver, 1280)
    page.until(lambda: box(page, ".cell")["width"] > small + 10)


def test_clues_stay_in_sight_on_a_phone(opened: Open) -> None:
    page = opened(record(FIVE), width=390, touch=True)
    page.follow(STRIPES.replace(" ", "+"))
    page.script("document.querySelector('.scroller').scrollTo(150, 400)")
    sight = box(page, ".scroller")
    column, row, corner = box(page, ".down"), box(page, ".across"), box(page, ".corner")
    assert sight["top"] - 1 <= column["top"] < column["bottom"] < sight["bottom"]
    assert sight["left"] - 1 <= row["left"] < row["right"] < sight["left"] + sight["width"] / 2
    at = "return document.elementFromPoint(arguments[0], arguments[1]).className"
    assert page.script(at, corner["left"] + 20, (corner["top"] + corner["bottom"]) / 2) == "corner"


def test_a_puzzle_is_printed_on_one_page_without_controls(opened: Open) -> None:
    page = opened(record(FIVE))
    page.follow(STRIPES.replace(" ", "+"))
    screen = box(page, ".grid")
    printed = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    page.until(lambda: box(page, ".grid") == screen)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = (
            "return [...document.querySelectorAll('button:not(.cell), select, input')].filter(it => it.offsetParent)"
        )
        assert page.script(shown) == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_every_puzzle_of_a_page_is_printed_on_its_own_sheet_and_solutions_on_one(opened: Open) -> None:
    page = opened(record(FIVE), record(str(ROOT / "examples" / "heart.non")), record("1|1"))
    for tab, sheets in (("play", 3), ("solutions", 1)):
        page.press(f"tab-{tab}")
        printed = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
        assert len(re.findall(rb"/Type /Page\b", printed)) == sheets
    page.press("tab-play")
    page.until(lambda: page.script("return document.querySelectorAll('.grid').length") == 1)


def test_a_page_for_players_has_no_panel_that_solves(opened: Open) -> None:
    with Runner(Limits()) as runner:
        page = opened(*(gather(runner, load(text), for_players=True).record for text in (FIVE, "1|1")))
    assert page.text("#tabs") == "PlayDrawNew"
    assert page.text("#heading") == "Lights Out, 5 × 5"
    assert page.text("#facts") == "Put all lights out: a press toggles a cell and its four neighbours."
    assert page.press("hint") == "No hint: this page was made without solutions."


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
    assert (page.presses[:7], page.script(FILLED)) == ("0 moves", 0)
    copy = tmp_path / "copy.html"
    page.cell(0, 0).click()
    assert page.script(FILLED) == 1
    copy.write_bytes(page.path.read_bytes())
    page.driver.get(copy.as_uri())
    assert page.script(FILLED) == 0
    page.driver.get(page.path.as_uri())
    assert page.script(FILLED) == 1  # its own state is kept


@pytest.mark.parametrize("texts", [[HEART], [HEART, FIVE, "1|1"]])
def test_the_sheets_of_a_page_for_players_are_empty_whatever_was_played(opened: Open, texts: list[str]) -> None:
    with Runner(Limits()) as runner:
        page = opened(*(gather(runner, load(text), for_players=True).record for text in texts))
    page.cell(0, 0).click()
    assert page.script(FILLED) == 1
    page.script("window.dispatchEvent(new Event('beforeprint'))")
    assert page.script("return document.querySelectorAll('.sheet .grid').length") == len(texts)
    assert page.script(FILLED) == 0
    page.script("window.dispatchEvent(new Event('afterprint'))")
    assert page.script(FILLED) == 1
    printed = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert len(re.findall(rb"/Type /Page\b", printed)) == len(texts)
