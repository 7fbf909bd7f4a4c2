"""The certificate that every nonogram solver can make."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp, Task
from crosslit.kinds.nonogram.puzzle import Nonogram


class RefutesByClues:
    """The certificate that every nonogram solver can make: sums or a line length that make the clues impossible."""

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """Return a certificate with the two sums, or with the clue that does not fit; of one colour only."""
        body = None if solutions or puzzle.palette else _contradiction(puzzle)
        if body is None:
            raise GaveUp("the end of its search is not evidence in itself")
        return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, body)


def _contradiction(puzzle: Nonogram) -> dict[str, str] | None:
    for axis, clues, has in (("row", puzzle.row_clues, puzzle.columns), ("column", puzzle.column_clues, puzzle.rows)):
        for line, clue in enumerate(clues, 1):
            needs = sum(clue) + len(clue) - 1
            if needs > has:
                return {"axis": axis, "line": str(line), "needs": f"{needs:d}", "has": str(has)}
    rows, columns = puzzle.sums
    return {"rows": str(rows), "columns": str(columns)} if rows != columns else None
