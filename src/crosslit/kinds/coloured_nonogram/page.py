"""The data of a nonogram for its page, and the solvers whose steps the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslit.kinds.nonogram.puzzle import Nonogram


def page(puzzle: Nonogram) -> Mapping[str, Any]:
    """Return the clues."""
    return {"row_clues": puzzle.row_clues, "column_clues": puzzle.column_clues}


def stories(_: Nonogram) -> tuple[tuple[str, str, str], ...]:
    """Return the solvers whose steps a page shows."""
    return (("alignment", "alignment: every move of the limits", "alignment: line by line"),)
