"""The certificate that every nonogram solver can make."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp, Task
from crosslit.kinds.nonogram.puzzle import Nonogram

NO_SEARCH = "the end of its search is not evidence in itself"


class RefutesByClues:
    """The certificate that every nonogram solver can make: sums or a line length that make the clues impossible."""

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """Return a certificate with the two sums, or with the clue that does not fit."""
        body = None if solutions else clues_that_cannot_be(puzzle)
        if body is None:
            raise GaveUp(NO_SEARCH)
        return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, body)


def clues_that_cannot_be(puzzle: Nonogram) -> dict[str, str] | None:
    """Return the body of a certificate of sums, or None if the sums prove nothing."""
    for axis, clues, has in (("row", puzzle.row_clues, puzzle.columns), ("column", puzzle.column_clues, puzzle.rows)):
        for line, clue in enumerate(clues, 1):
            needs = sum(clue) + len(clue) - 1
            if needs > has:
                return {"axis": axis, "line": str(line), "needs": f"{needs:d}", "has": str(has)}
    rows, columns = puzzle.sums
    return {"rows": str(rows), "columns": str(columns)} if rows != columns else None
