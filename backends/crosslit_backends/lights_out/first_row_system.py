"""The linear system of the first row of presses, by elimination."""

from __future__ import annotations

from crosslit.gf2.elimination import LinearSystem


def first_row_system(rows: int, columns: int, residue: int, stay: bool = True) -> LinearSystem:
    """Return the linear system of the first row: unknown c is the press in column c.

    Each light of the last row gives an equation. They come from the chase from an unknown first row, with rows kept as
    matrices over the unknowns: rows * columns operations on integers of ``columns`` bits.

    Examples:
        >>> first_row_system(4, 4, 0).nullity
        4
    """
    # Row c is a bit mask of the unknowns: first each press itself, at the end each light of the last row.
    above, row = [0] * columns, [1 << column for column in range(columns)]
    for _ in range(rows):
        left, right = [0, *row[:-1]], [*row[1:], 0]
        own = row if stay else [0] * columns
        above, row = row, [a ^ b ^ c ^ d for a, b, c, d in zip(above, own, left, right, strict=True)]
    system = LinearSystem(columns)
    for column, equation in enumerate(row):
        system.add(equation, residue >> column & 1)
    return system
