"""Fixtures of the tests of campaigns."""

from __future__ import annotations

import pytest


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of figures are empty: to draw them is half the time of a page."""
    for form, canvas in (("svg", "FigureCanvasSVG"), ("pdf", "FigureCanvasPdf")):
        monkeypatch.setattr(f"matplotlib.backends.backend_{form}.{canvas}.print_{form}", lambda *_, **__: None)
