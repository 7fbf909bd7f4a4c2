"""A solver of your own as a Crosslit backend; this one has a bug that tests on a few boards do not show.

It chases only those first rows that are one run of neighbouring presses. That solves many boards, and misses solutions
of others: `crosslit compare` says which.
"""

from crosslit import Grid


class OwnSolver:
    """First-row enumeration over runs of neighbouring presses."""

    name = "own-solver"
    summary = "Lights Out: first rows that are one run of presses, chased"
    kinds = frozenset({"lights-out"})
    targets = frozenset()  # it reads the puzzle itself: no encoding
    groups = frozenset()
    trusted_base = frozenset({"own-solver"})  # it shares no code with any other
    options = {}  # noqa: RUF012
    preload = ()  # nothing to import before the clock starts

    def version(self):
        """Shown beside every run."""
        return "1.0"

    def unsupported_reason(self, puzzle, options):
        """Every board is welcome."""

    def solutions(self, puzzle, task):
        """Yield solutions; to return is to claim that there are no more."""
        columns = puzzle.columns
        runs = {(1 << stop) - (1 << start) for stop in range(columns + 1) for start in range(stop + 1)}
        for first in sorted(runs):
            presses, above, row = [], 0, first
            for lights in puzzle.lit.row_bits():
                presses.append(row)
                spread = row ^ (row << 1) ^ (row >> 1)
                above, row = row, (lights ^ above ^ spread) & (1 << columns) - 1
            if row == 0:
                yield Grid.from_rows(presses, columns)


BACKENDS = [OwnSolver()]
