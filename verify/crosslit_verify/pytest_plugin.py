"""A pytest plugin that prints the report of a failed verification below its test.

pytest shortens the representation of ``assert crosslit.verify(...)`` to a line. pytest loads this module at every
start, so it imports nothing else of Crosslit.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:  # noqa: ARG001
    """Add a section for each false verification of a failed test."""
    outcome = yield
    # Not imported here: a test session that never verifies should not load Crosslit.
    records = sys.modules.get("crosslit_verify.records")
    if records is None:
        return
    report = outcome.get_result()
    texts = [verification.text() for verification in records.failed]
    # Also after a test that passed: what it expected to fail belongs to no later test.
    records.failed.clear()
    if report.failed:
        report.sections += [("crosslit verify", text) for text in texts]
