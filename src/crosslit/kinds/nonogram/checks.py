"""The checkers of nonograms: of certificates by sums, and of batches of pictures."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from crosslit.base.errors import CertificateRejected
from crosslit.contract.certificate import Certificate, CheckResult, entry
from crosslit.kinds.batch import record_bytes
from crosslit.kinds.nonogram.puzzle import Nonogram

BY = "sums of the clues"


def check_sums(puzzle: Nonogram, certificate: Certificate) -> CheckResult:
    """Check the two sums ``rows`` and ``columns``, or ``axis``, ``line`` (from 1), ``needs`` and ``has`` of one clue.

    The numbers are text in decimal digits. They must be those of the puzzle, and contradict each other.
    """
    if certificate.claim != "unsolvable":
        raise CertificateRejected("sums of clues only prove that there is no solution")
    keys = certificate.body.keys()
    if keys == {"rows", "columns"}:
        _differ(puzzle, certificate)
    elif keys == {"axis", "line", "needs", "has"}:
        _does_not_fit(puzzle, certificate)
    else:
        raise CertificateRejected("its body has either rows and columns, or axis, line, needs and has")
    return CheckResult("unsolvable", 0, BY)


def _differ(puzzle: Nonogram, certificate: Certificate) -> None:
    rows, columns = _filled(puzzle.row_clues), _filled(puzzle.column_clues)
    _compare(certificate, {"rows": rows, "columns": columns})
    if rows == columns:
        raise CertificateRejected(f"the rows and the columns both need {rows} filled cells")


def _does_not_fit(puzzle: Nonogram, certificate: Certificate) -> None:
    axis = entry(certificate, "axis", str)
    if axis not in ("row", "column"):
        raise CertificateRejected("an axis is row or column")
    clues, has = (puzzle.row_clues, puzzle.columns) if axis == "row" else (puzzle.column_clues, puzzle.rows)
    line = _number(certificate, "line")
    if not 1 <= line <= len(clues):
        raise CertificateRejected(f"there is no {axis} {line}")
    # Blocks are separated by one cell, and there is none after the last.
    needs = sum(block + 1 for block in clues[line - 1]) - 1
    _compare(certificate, {"needs": needs, "has": has})
    if needs <= has:
        raise CertificateRejected(f"the clue of {axis} {line} needs {needs} cells, and the line has {has}")


def _filled(clues: Sequence[Sequence[int]]) -> int:
    return sum(block for clue in clues for block in clue)


def _compare(certificate: Certificate, true: dict[str, int]) -> None:
    for key, number in true.items():
        if _number(certificate, key) != number:
            raise CertificateRejected(f"{key} differs from the clues")


def _number(certificate: Certificate, key: str) -> int:
    text = entry(certificate, key, str)
    # `isdigit` accepts digits of other scripts; more than 4,300 digits would make `int` raise.
    if not (text.isascii() and text.isdigit() and len(text) <= 4000):
        raise CertificateRejected(f"{key!r} is not a whole number in decimal digits")
    return int(text)


def all_drawn(puzzle: Nonogram, packed: bytes) -> bool:
    """Return whether every grid has the blocks of all clues."""
    import numpy as np

    rows, columns, size = puzzle.rows, puzzle.columns, record_bytes(puzzle)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, size), axis=1, bitorder="little")
    if bits[:, rows * columns :].any():
        return False
    cells = bits[:, : rows * columns].reshape(-1, rows, columns)
    return _fit(cells, puzzle.row_clues) and _fit(cells.transpose(0, 2, 1), puzzle.column_clues)


_MAX_TABLE = 14  # cells of a line; longer ones have too many arrangements
_MIN_GRIDS = 1 << 6  # fewer are not worth the tables


def _fit(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues."""
    import numpy as np

    length = cells.shape[2]
    if length > _MAX_TABLE or len(cells) < _MIN_GRIDS:
        return _has_blocks(cells, clues)
    numbers = np.einsum("ijk,k->ij", cells, (1 << np.arange(length)).astype(np.uint16))
    return all(_table(clue, length)[numbers[:, line]].all() for line, clue in enumerate(clues))


@functools.lru_cache(256)
def _table(clue: tuple[int, ...], length: int) -> Any:
    import numpy as np

    table = np.zeros(1 << length, bool)
    table[list(_lines(clue, length))] = True
    return table


def _lines(clue: tuple[int, ...], length: int) -> Iterator[int]:
    """Yield each line with the blocks of a clue, as a number whose bit i is cell i.

    Examples:
        >>> sorted(f"{line:04b}" for line in _lines((2, 1), 4))
        ['1011']
    """
    if not clue:
        yield 0
        return
    block, *others = clue
    for start in range(length - sum(clue) - len(others) + 1):
        behind = start + block + 1
        for line in _lines(tuple(others), length - behind):
            yield (1 << block) - 1 << start | line << behind


def _has_blocks(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues.

    A change of value starts a block, and the next one ends it: if every line has two changes per block, the changes of
    all lines in sequence are the blocks in the order of the clues.
    """
    import numpy as np

    grids, lines, length = cells.shape
    # An empty cell at both ends, so that blocks at the edges begin and end with a change too.
    padded = np.zeros((grids, lines, length + 2), np.int8)
    padded[:, :, 1:-1] = cells
    changes = padded[:, :, 1:] != padded[:, :, :-1]
    if (np.count_nonzero(changes, axis=2) != [2 * len(clue) for clue in clues]).any():
        return False
    # Every line has an even number of changes here, so they pair up across the ends of lines.
    at = np.flatnonzero(changes)
    blocks = np.array([block for clue in clues for block in clue], np.int64)
    return bool(((at[1::2] - at[::2]).reshape(grids, -1) == blocks).all())
