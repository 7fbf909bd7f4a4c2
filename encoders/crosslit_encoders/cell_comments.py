"""Comments in a formula that name the variables of the cells."""

from __future__ import annotations

from collections.abc import Iterator


def cell_comments(rows: int, columns: int, first: int, extended: bool) -> Iterator[str]:
    """Yield comments that name the variables of the cells, a line for each row: a board may have millions of cells."""
    for row in range(rows):
        start = first + row * columns
        yield f"cells of row {row + 1}, left to right: variables {start} to {start + columns - 1}"
    if extended:
        yield "only these cells have variables: they determine the rest of the solution"
