"""The report in a real browser: it sorts, filters and opens, fits a phone, and runs and loads nothing of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import figures
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report import html
from crosslit_bench.results.frame import Results

from crosslit import Grid, LightsOut, solutions
from crosslit.contract.run import Run
from tests.bench.report.test_document import hostile
from tests.bench.reports import PICTURE, campaign, named, solved, unsolved
from tests.browser import emulate

pytestmark = pytest.mark.slow  # a browser

TIMES = {"board 2": 0.5, "board 10": 0.03, "Board 1": 2.0, "late board": None, "picture": 0.0004}
LONG = ["a", "b"] + [f"engine{at}/some-encoding:option={at}" for at in range(12)]


class Report:
    """A report in the browser, as a reader sees it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    @property
    def names(self) -> list[str]:
        """Of the puzzles that are shown, from top to bottom."""
        rows = "[...document.querySelectorAll('#puzzles > tbody > tr[id]')].filter(row => row.checkVisibility())"
        return list(self.script(f"return {rows}.map(row => row.cells[0].textContent)"))

    def heading(self, name: str) -> Any:
        heads = self.driver.find_elements("css selector", "#puzzles > thead th")
        return next(head for head in heads if head.text.split("\u00a0")[0].split(" ↕")[0] == name)

    def sort(self, name: str) -> str:
        """Press a heading; how it is sorted then."""
        head = self.heading(name)
        self.script("arguments[0].querySelector('button').click()", head)
        return str(head.get_attribute("aria-sort"))

    def set(self, name: str, value: str | bool) -> str:
        """Set a filter, and return the text about the rows shown."""
        self.script(
            "const it = document.getElementById(arguments[0]);"
            "if (it.type === 'checkbox') it.checked = arguments[1]; else it.value = arguments[1];"
            "it.dispatchEvent(new Event('input', { bubbles: true }));",
            name,
            value,
        )
        return str(self.script("return document.getElementById('shown').textContent"))

    def choose(self, name: str, text: str) -> str:
        found = "[...document.getElementById(arguments[0]).options].find(one => one.text === arguments[1]).value"
        return self.set(name, self.script(f"return {found}", name, text))

    def column(self, name: str, is_shown: bool) -> str:
        """Show or hide a column, and return the text about the columns shown."""
        self.script(
            "const labels = [...document.querySelectorAll('#columns label')];"
            "const box = labels.find(label => label.textContent.trim() === arguments[0]).firstChild;"
            "box.checked = arguments[1]; box.dispatchEvent(new Event('input', { bubbles: true }));",
            name,
            is_shown,
        )
        return str(self.script("return document.getElementById('shown').textContent"))

    def text(self, name: str) -> str:
        return str(self.script("return document.getElementById(arguments[0]).textContent", name))

    @property
    def overflow(self) -> int:
        """How much wider the page is than its window."""
        return int(self.script("const it = document.documentElement; return it.scrollWidth - it.clientWidth"))

    def log(self) -> list[str]:
        return [str(entry) for entry in self.driver.get_log("browser")]


Show = Callable[..., Report]


@pytest.fixture
def show(chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    """Open a report in the browser; afterwards its console must be empty."""
    page = Report(chromium)

    def open_page(results: Results, width: int = 1280, drawn: bool = False) -> Report:
        if not drawn:
            monkeypatch.setattr(figures, "figures_of", lambda *_: [])
        path = tmp_path / "report.html"
        path.write_text(html(results), encoding="utf-8")
        emulate(chromium, width, width < 500)
        chromium.get(path.as_uri())
        return page

    page.log()
    yield open_page
    assert page.log() == []


def _pressed(at: int) -> LightsOut:
    """A board that one press puts out."""
    return LightsOut(Grid.from_text("000/000/000")).pressed(Grid.from_bits(3, 3, 1 << at))


def small(folder: Path, contestants: list[str] | None = None, wrong: str = "") -> Results:
    boards = [name for name in TIMES if name != "picture"]
    instances = [named(_pressed(at), name) for at, name in enumerate(boards)]
    instances.append(named(PICTURE, "picture", "pictures", 2))

    def run(instance: Instance, label: str) -> Run:
        time = TIMES[instance.puzzle.name]
        if label == wrong and instance.puzzle.name == "board 10":
            return solved(0.1)
        if label == "b" or time is None:
            return unsolved()
        return solved(time, *solutions(instance.puzzle))

    return campaign(folder, instances, contestants or ["a", "b"], run)


def test_a_column_of_numbers_sorts_up_and_down_with_unsolved_last(show: Show, tmp_path: Path) -> None:
    page = show(small(tmp_path))
    assert page.names == list(TIMES)
    assert page.sort("a") == "ascending"
    assert page.names == ["picture", "board 10", "board 2", "Board 1", "late board"]
    assert page.sort("a") == "descending"
    assert page.names == ["Board 1", "board 2", "board 10", "picture", "late board"]


def test_names_sort_as_people_do_and_one_heading_says_so(show: Show, tmp_path: Path) -> None:
    page = show(small(tmp_path))
    page.sort("size")
    assert page.sort("puzzle") == "ascending"
    assert page.names == ["Board 1", "board 2", "board 10", "late board", "picture"]
    assert page.heading("size").get_attribute("aria-sort") == "none"
    assert page.sort("puzzle") == "descending"
    assert page.names == ["picture", "late board", "board 10", "board 2", "Board 1"]


def test_filters_go_together(show: Show, tmp_path: Path) -> None:
    page = show(small(tmp_path, ["a", "b", "liar"], wrong="liar"))
    assert page.set("search", "BOARD 1") == "2 of 5 puzzles"
    assert page.names == ["board 10", "Board 1"]
    assert page.set("search", "") == "5 of 5 puzzles"
    assert page.choose("family", "pictures") == "1 of 5 puzzles"
    assert page.names == ["picture"]
    page.choose("family", "all")
    assert page.choose("verdict", "undecided") == "1 of 5 puzzles"
    assert page.names == ["late board"]
    page.choose("verdict", "all")
    assert page.set("search", "nothing like it") == "0 of 5 puzzles"


def test_a_row_opens_to_a_picture_and_all_runs(show: Show, tmp_path: Path) -> None:
    page = show(small(tmp_path))
    page.script("document.querySelector('#p1 button').click()")
    detail = "#p1 + tr.detail "
    loaded = "const done = arguments[0]; const image = document.querySelector('#p1 + tr.detail img');"
    wide = page.driver.execute_async_script(
        f"{loaded} const look = () => image.complete && image.naturalWidth ? done(image.naturalWidth)"
        " : setTimeout(look, 20); look();"
    )
    assert wide == 72  # three cells of 20, and two margins of 6
    assert page.script(f"return document.querySelector('{detail} img').alt").startswith("Lights Out, 3 × 3.")
    runs = page.script(f"return [...document.querySelectorAll('{detail} tbody tr')].map(row => row.innerText)")
    assert [run.split("\t")[:4] for run in runs] == [["a", "1", "complete", "0.03"], ["b", "1", "timeout", "0"]]
    page.sort("a")
    assert page.script("return document.querySelector('tr.detail').previousSibling.id") == "p1"
    page.set("search", "picture")
    assert not page.script("return document.querySelector('tr.detail').checkVisibility()")
    page.set("search", "")
    page.script("document.querySelector('#p1 button').click()")
    assert not page.script("return document.querySelector('tr.detail').checkVisibility()")
    assert page.script("return document.querySelector('#p1 button').getAttribute('aria-expanded')") == "false"


def test_a_wrong_answer_leads_to_its_puzzle(show: Show, tmp_path: Path) -> None:
    page = show(small(tmp_path, ["a", "b", "liar"], wrong="liar"))
    page.set("search", "picture")
    page.script("document.querySelector('.wrongs a').click()")
    page.driver.execute_async_script("setTimeout(arguments[0], 100)")
    assert page.script("return document.querySelector('tr.detail').previousSibling.textContent").startswith("board 10")
    assert page.script("return document.querySelector('tr.detail').checkVisibility()")


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_is_as_wide_as_its_window(show: Show, tmp_path: Path, width: int) -> None:
    page = show(small(tmp_path, LONG), width, drawn=width == 320)
    page.script("document.querySelector('#p1 button').click()")
    assert page.overflow == 0
    assert page.script("const t = document.getElementById('puzzles'); return t.clientWidth > t.parentNode.clientWidth")


@pytest.mark.parametrize("count", [5, 29])
def test_no_table_is_cut_on_paper(show: Show, tmp_path: Path, count: int) -> None:
    page = show(small(tmp_path, [f"engine{at}/some-encoding" for at in range(count)]), 1032)  # A4 without margins
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert page.overflow == 0
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_the_names_stay_in_sight_when_a_table_is_scrolled(show: Show, tmp_path: Path) -> None:
    page = show(small(tmp_path, LONG), 390)
    left = "document.querySelector('#p1 th').getBoundingClientRect().left"
    before = page.script(f"return {left}")
    page.script("document.getElementById('puzzles').parentNode.scrollLeft = 300")
    assert page.script("return document.getElementById('puzzles').parentNode.scrollLeft") == 300
    assert page.script(f"return {left}") == before


@pytest.mark.parametrize("width", [390, 1280])
def test_a_hostile_campaign_runs_and_loads_nothing_and_breaks_no_layout(show: Show, tmp_path: Path, width: int) -> None:
    page = show(hostile(tmp_path), width, drawn=width == 1280)
    for button in page.driver.find_elements("css selector", "#puzzles > tbody > tr[id] button"):
        page.script("arguments[0].click()", button)
    page.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert page.script("return [window.ran ?? null, document.scripts.length]") == [None, 2]
    loaded = page.script("return performance.getEntriesByType('resource').map(one => one.name.slice(0, 19))")
    assert set(loaded) <= {"data:image/svg+xml;"}
    assert page.overflow == 0
    assert page.script("return [...document.images].every(image => image.src.startsWith('data:image/svg+xml;base64,'))")
    assert page.script("return document.querySelectorAll('main > section').length") >= 6
