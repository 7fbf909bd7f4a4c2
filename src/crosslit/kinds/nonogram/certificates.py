"""The checker of certificates for nonograms: sums of clues that contradict each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crosslit.base.errors import CertificateRejected
from crosslit.contract.certificate import Certificate, CheckResult, entry
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
    # `int` raises at more than 4,300 digits.
    if not re.fullmatch("[0-9]{1,4000}", text):
        raise CertificateRejected(f"{key!r} is not a whole number in decimal digits")
    return int(text)
