"""Comments of a formula that tell which variables the cells are."""

from __future__ import annotations

from collections.abc import Iterator


def cell_comments(rows: int, columns: int, first: int, extended: bool) -> Iterator[str]:
    """Lines that tell which variables the cells are: one line a row, for a board may have millions of cells.

    Examples:
        >>> list(cell_comments(2, 3, 1, False))
        ['cells of row 1, left to right: variables 1 to 3', 'cells of row 2, left to right: variables 4 to 6']
    """
    for row in range(rows):
        start = first + row * columns
        yield f"cells of row {row + 1}, left to right: variables {start} to {start + columns - 1}"
    if extended:
        yield "these cells alone have variables: the rest of the solution follows from them"
