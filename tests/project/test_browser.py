"""The search for a browser, on the runners and distributions that have one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import find


@pytest.mark.parametrize(
    ("programs", "given", "expected"),
    [
        (["bin/chromium", "bin/google-chrome", "bin/chromedriver"], "", ("bin/chromium", "bin/chromedriver")),
        (["bin/google-chrome-stable", "bin/chromedriver"], "", ("bin/google-chrome-stable", "bin/chromedriver")),
        (["bin/chromium", "bin/google-chrome", "own/chromedriver"], "own", ("bin/google-chrome", "own/chromedriver")),
        (["bin/chromium"], "", ("bin/chromium", "")),
        ([], "own", ("", "")),
    ],
)
def test_a_browser_is_found_with_the_driver_of_its_version(
    programs: list[str], given: str, expected: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in programs:
        path = tmp_path / program
        path.parent.mkdir(exist_ok=True)
        path.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("CHROMEWEBDRIVER", str(tmp_path / given) if given else "")
    assert find() == tuple(path and str(tmp_path / path) for path in expected)
