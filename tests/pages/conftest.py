"""A headless Chromium for pages, where there is one; and no page may complain in its console."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crosslit import load
from crosslit.isolation import Runner
from crosslit.pages import gather, html
from crosslit.records import Limits

FIVE = "10000/11110/11111/11110/10000"
SMALL = "1 1,1 1,1,1|1 1,1,2,1"
HEART = "1 1,5,5,3,1|2,4,4,4,2"
UNSOLVABLE = "1000/0000/0000/0000"
MANY = "1,1,1,1,1|1,1,1,1,1"

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


@functools.cache
def record(text: str) -> dict[str, Any]:
    with Runner(Limits(None, 20)) as runner:
        return gather(runner, load(text)).record


@pytest.fixture(scope="package")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The driver of a browser with an empty profile."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("there is no chromium with its chromedriver (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    profile = tmp_path_factory.mktemp("profile")
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # its caches and its crash reporter stay in the profile too
    home = {"HOME": str(profile), "XDG_CONFIG_HOME": str(profile), "XDG_CACHE_HOME": str(profile)}
    service = webdriver.ChromeService(executable_path=driver, env={**os.environ, **home})
    running = webdriver.Chrome(options=options, service=service)
    try:
        yield running
    finally:
        running.quit()


class Opened:
    """A page in the browser, by what a reader sees of it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def press(self, name: str) -> str:
        """Press the button of an id; what the page then says."""
        said = "return document.querySelector('[role=status]')?.textContent ?? ''"
        return str(self.script(f"document.getElementById(arguments[0]).click(); {said}", name))

    def text(self, selector: str) -> str:
        return str(self.script("return document.querySelector(arguments[0]).textContent", selector))

    @property
    def status(self) -> str:
        return str(self.script("return document.querySelector('[role=status]')?.textContent ?? ''"))

    @property
    def presses(self) -> str:
        """How many moves were made, and what else is counted."""
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
        """Move the slider of the steps; what is said there."""
        move = (
            "const s = document.getElementById('slider');"
            "s.value = arguments[0] === 'end' ? s.max : arguments[0]; s.dispatchEvent(new Event('input'));"
        )
        self.script(move, to)
        return self.text("#said")

    def choose(self, name: str, number: int) -> None:
        change = "c.value = arguments[1]; c.dispatchEvent(new Event('change'))"
        self.script(f"const c = document.getElementById(arguments[0]); {change}", name, number)

    def log(self) -> list[str]:
        return [json.dumps(entry) for entry in self.driver.get_log("browser")]


Open = Callable[..., Opened]


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Open the page of some records in the browser; afterwards its console must be empty."""
    page = Opened(chromium)

    def open_page(*records: dict[str, Any], width: int = 1280, touch: bool = False) -> Opened:
        path = tmp_path / "page.html"
        path.write_text(html(records), encoding="utf-8")
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": touch}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        chromium.get(path.as_uri())
        return page

    page.log()
    yield open_page
    assert page.log() == []
