"""Coloured nonograms as JSON values, on their pages, and their default backends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslit.base.errors import InputError
from crosslit.contract.kind import Row
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram


def read_data(record: Mapping[str, Any], origin: str) -> ColouredNonogram:
    """Read a coloured nonogram from its data, as `ColouredNonogram.data` gives them."""
    rows, columns = record["rows"], record["columns"]
    try:
        numbers = [number for clue in (*rows, *columns) for block in clue for number in block]
        # `type` and not `isinstance`: true and false are integers for Python.
        if any(type(number) is not int for number in numbers):
            raise InputError(origin, "expected clues as lists of pairs, a length and the number of a colour")
        return ColouredNonogram(rows, columns, record["palette"])
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(origin, f"expected a palette, rows and columns: {error}") from None


def page(puzzle: ColouredNonogram) -> Mapping[str, Any]:
    """Return the palette, and the clues as pairs of a length and the number of a colour."""
    return {"palette": puzzle.palette, "row_clues": puzzle.row_clues, "column_clues": puzzle.column_clues}


def stories(_: ColouredNonogram) -> tuple[tuple[str, str, str], ...]:
    """Return the solvers whose steps a page shows."""
    return (("coloured-alignment", "alignment: every move of the limits", "alignment: line by line"),)


TABLE: dict[str, Row] = {
    "solutions": Row(("coloured-line",), ("glucose4", "cpsat", "default")),
    "list": Row(("coloured-line",), ("cadical195", "cpsat", "default")),
    "few": Row(("coloured-line",), quick=144),
    "count": Row(("coloured-line",), ("brute", "cadical195", "*")),
    # only SAT solvers answer these, so another encoding is the most independent check
    "backbone": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    "reveal": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    "mus": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    "audit": Row(("coloured-line", "glucose4", "cpsat")),
    "verify": Row(("coloured-line",), ("minisat22/order", "coloured-alignment"), quick=100, quick_formula=100),
}


def defaults(_: ColouredNonogram, purpose: str) -> Row | None:
    """Return the default backends for a puzzle and a purpose."""
    return TABLE.get(purpose)
