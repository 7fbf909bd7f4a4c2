"""A pytest plugin that prints the report of a failed verification below its test.

pytest shortens the representation of ``assert crosslit.verify(...)`` to a line. pytest loads this module at every
start, whether or not a test uses Crosslit, so it imports no other module. It stands in the package that costs nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

import pytest

failed: deque[Any] = deque(maxlen=8)
"""Failed verifications whose truth value was needed since the last test; each adds itself."""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:  # noqa: ARG001
    """Add a section for each false verification of a failed test."""
    outcome = yield
    if not failed:
        return
    report = outcome.get_result()
    texts = [verification.render() for verification in failed]
    # Also after a test that passed: what it expected to fail belongs to no later test.
    failed.clear()
    if report.failed:
        report.sections += [("crosslit verify", text) for text in texts]
