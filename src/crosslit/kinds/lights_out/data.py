"""Boards as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.format import pattern as pattern_of
from crosslit.kinds.lights_out.puzzle import LightsOut


def read_data(record: Mapping[str, Any], origin: str) -> LightsOut:
    """Read a board from its data, as `LightsOut.data` gives them."""
    lit, missing = _grid(record["lit"], "lit", origin), None
    if "missing" in record:
        missing = _grid(record["missing"], "missing", origin)
    wrap, press = record.get("wrap", "none"), record.get("press", "plus")
    try:
        pattern = pattern_of(press, origin) if isinstance(press, str) else tuple((row, at) for row, at in press)
        return LightsOut(lit, pattern, wrap, missing=missing)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, InputError) else InputError(origin, str(error)) from None


def _grid(lines: Any, key: str, origin: str) -> Grid:
    text = "/".join(lines) if isinstance(lines, list) and all(isinstance(line, str) for line in lines) else lines
    try:
        return Grid.from_text(text)
    except (TypeError, ValueError, AttributeError):
        raise InputError(origin, f'expected "{key}": ["10", "01"], rows of 0 and 1, found {str(lines)[:20]}') from None
