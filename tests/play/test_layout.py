"""The page in wide windows, on phones and on paper, for players, and with hostile puzzles."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from crosslit_play.document import gather

from crosslit import Grid, Nonogram, load
from crosslit.contract.run import Limits
from crosslit.runs.runner import Runner
from tests.browser import emulate
from tests.conftest import ROOT
from tests.play.conftest import FIVE, HEART, UNSOLVABLE, Open, Opened, record

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
    assert sheets(page) == len(texts)


HOSTILE = (
    "</script><script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "{{script}}\u2028\u2029<!--<script>",
    "\ud800",
)


def test_hostile_words_are_only_text(opened: Open) -> None:
    none = record(UNSOLVABLE)
    records = [
        {**none, "title": name, "known": name, "goal": name, "why": {"words": name, "marked": []}} for name in HOSTILE
    ]
    page = opened(*records)
    for number, name in enumerate(HOSTILE):
        page.choose("chooser", number)
        for tab in ("steps", "solutions", "play"):
            page.script("document.getElementById(arguments[0]).click()", f"tab-{tab}")
        if name.isprintable():
            assert (page.text("#heading"), page.text(".notice")) == (f"{number + 1}. {name}", name)
    page.script("window.dispatchEvent(new Event('beforeprint'))")
    assert page.script(
        "return [window.ran ?? null, document.querySelectorAll('img').length, document.scripts.length]"
    ) == [None, 0, 2]


def test_the_policy_stops_other_scripts_and_the_page_loads_nothing(opened: Open) -> None:
    page = opened(record(HEART))
    assert page.script("return performance.getEntriesByType('resource').length") == 0
    page.script(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
        "const i = document.createElement('div'); i.setAttribute('onclick', 'window.ran = 1');"
        "document.body.append(i); i.click();"
    )
    assert page.script("return window.ran ?? null") is None
    assert all("Content Security Policy" in entry for entry in page.log())  # empties it too
