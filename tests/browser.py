"""A headless Chromium, where there is one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

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


NAMES = (
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
"""Commands that are Chromium or Chrome, on the PATH or elsewhere."""


def find() -> tuple[str, str]:
    """Return the paths of a browser and of its driver; empty for one that is missing.

    GitHub's runners name the folder of a driver in CHROMEWEBDRIVER, and that driver is Chrome's. Elsewhere the driver
    is the distribution's, for its Chromium. A snap cannot read profiles in the folder for temporary files.
    """
    given = os.environ.get("CHROMEWEBDRIVER", "")
    driver = shutil.which("chromedriver", path=given) if given else None
    names = NAMES if driver else (*NAMES[2:], *NAMES)
    found = (path for path in map(shutil.which, names) if path and not path.startswith("/snap/"))
    return next(found, ""), driver or shutil.which("chromedriver") or ""


@pytest.fixture(scope="package")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The driver of a browser with an empty profile."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser, driver = find()
    if not (browser and driver):
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


def emulate(driver: Any, width: int, touch: bool = False) -> None:
    """Set the width of its window in pixels, as on a phone or on a desk."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": touch}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": touch})


if __name__ == "__main__":  # `python -m tests.browser` tells a script whether it must install one
    print(*find())
    sys.exit(not all(find()))
