"""A user's solver as a Crosslit backend, with a bug that tests on a few boards do not show.

It tries only first rows whose presses are contiguous. That solves many boards but misses solutions of others:
`crosslit compare` shows which.
"""

from crosslit import Grid
from crosslit.contract import Backend


class OwnSolver(Backend):
    """Light chasing from first rows with contiguous presses."""

    name = "own-solver"
    summary = "Lights Out: light chasing from contiguous first rows"
    kinds = frozenset({"lights-out"})
    trusted_base = frozenset({"own-solver"})  # it shares no code with other backends

    def version(self):
        """Return the version, which is shown with every run."""
        return "1.0"

    def solutions(self, puzzle, task):
        """Yield solutions; returning claims that there are no more."""
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
