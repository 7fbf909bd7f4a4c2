"""The data of a coloured nonogram for its page, and the solvers whose steps the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram


def page(puzzle: ColouredNonogram) -> Mapping[str, Any]:
    """Return the palette, and the clues as pairs of a length and the number of a colour."""
    return {"palette": puzzle.palette, "row_clues": puzzle.row_clues, "column_clues": puzzle.column_clues}


def stories(_: ColouredNonogram) -> tuple[tuple[str, str, str], ...]:
    """Return the solvers whose steps a page shows."""
    return (("coloured-alignment", "alignment: every move of the limits", "alignment: line by line"),)
