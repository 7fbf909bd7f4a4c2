"""Pages in a browser; and no page may complain in its console."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crosslit_play.document import gather, html

from crosslit import load
from crosslit.contract.run import Limits
from crosslit.runs.runner import Runner
from tests.browser import chromium, emulate

__all__ = ["chromium"]

FIVE = "10000/11110/11111/11110/10000"
SMALL = "1 1,1 1,1,1|1 1,1,2,1"
HEART = "1 1,5,5,3,1|2,4,4,4,2"
UNSOLVABLE = "1000/0000/0000/0000"
MANY = "1,1,1,1,1|1,1,1,1,1"


@functools.cache
def record(text: str) -> dict[str, Any]:
    with Runner(Limits(None, 20)) as runner:
        return gather(runner, load(text)).record


class Opened:
    """A page in the browser, as a reader sees it."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver = driver
        self.path = path

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def press(self, name: str) -> str:
        """Press the button with this id, and return the message of the page."""
        self.script("document.getElementById(arguments[0]).click()", name)
        return self.status

    def text(self, selector: str) -> str:
        return str(self.script("return document.querySelector(arguments[0]).textContent", selector))

    @property
    def status(self) -> str:
        return str(self.script("return document.querySelector('[role=status]')?.textContent ?? ''"))

    @property
    def counter(self) -> str:
        """The number of moves, and of lights or filled cells."""
        return self.text(".counter")

    def cell(self, row: int, column: int) -> Any:
        columns = self.script(
            "return document.querySelectorAll('.line:not(.heads)')[0].querySelectorAll('.cell').length"
        )
        return self.driver.find_element("css selector", f'[data-at="{row * columns + column}"]')

    def cells(self, name: str) -> str:
        """The cells of the grid that have a class, as rows of 0 and 1."""
        rows = (
            "[...document.querySelectorAll('.line:not(.heads)')].map(line => [...line.querySelectorAll('.cell')]"
            ".map(cell => Number(cell.classList.contains(arguments[0]))).join('')).join('/')"
        )
        return str(self.script(f"return {rows}", name))

    def slide(self, to: int | str) -> str:
        """Move the slider of the steps, and return its text."""
        move = (
            "const s = document.getElementById('slider');"
            "s.value = arguments[0] === 'end' ? s.max : arguments[0]; s.dispatchEvent(new Event('input'));"
        )
        self.script(move, to)
        return self.text("#words")

    def choose(self, name: str, number: int) -> None:
        change = "c.value = arguments[1]; c.dispatchEvent(new Event('change'))"
        self.script(f"const c = document.getElementById(arguments[0]); {change}", name, number)

    def until(self, true: Callable[[], bool]) -> None:
        """Wait for events that the browser sends in its own time."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10, 0.05).until(lambda _: true())

    def log(self) -> list[str]:
        return [json.dumps(entry) for entry in self.driver.get_log("browser")]


Open = Callable[..., Opened]


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Open the page of some records in the browser; afterwards its console must be empty."""
    page = Opened(chromium, tmp_path / "page.html")

    def open_page(*records: dict[str, Any], width: int = 1280, touch: bool = False) -> Opened:
        page.path.write_text(html(records), encoding="utf-8")
        emulate(chromium, width, touch)
        chromium.get(page.path.as_uri())
        return page

    page.log()
    yield open_page
    page.script("localStorage.clear()")  # all files share it
    assert page.log() == []
