"""Fixtures of the tests of campaigns."""

from __future__ import annotations

from tests.browser import chromium

__all__ = ["chromium"]
