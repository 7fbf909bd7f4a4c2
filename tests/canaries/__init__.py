"""Faults of other people's software that Crosslit works around: each test asserts the right behaviour.

A test fails, as expected, while the fault is there. Once it is mended, ``pytest -m canary -rX`` prints a line for it,
``mended upstream: the workaround at FILE can go``, and no run fails. The nightly job shows these lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def canary(file: str, workaround: str = "the workaround") -> Callable[[Any], Any]:
    """Mark a test of the right behaviour: an assertion that fails is expected, any other error is not."""
    reason = f"mended upstream: {workaround} at {file} can go"
    expected = pytest.mark.xfail(raises=AssertionError, strict=False, reason=reason)
    return lambda test: pytest.mark.canary(expected(test))
