"""A plugin of pytest: the whole report of a verification below the test that it fails.

pytest shortens the representation of ``assert crosslit.verify(...)`` to a line. It loads this at every start, so that
nothing of Crosslit is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:  # noqa: ARG001
    """Add a section for each verification that a failed test has found to be false."""
    outcome = yield
    records = sys.modules.get("crosslit.verification.records")
    if records is None:
        return
    report = outcome.get_result()
    texts = [verification.text() for verification in records.failed]
    records.failed.clear()
    if report.failed:
        report.sections += [("crosslit verify", text) for text in texts]
