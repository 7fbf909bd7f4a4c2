"""A template for your own backend and encoding. Copy the folder, rename both, and replace the code between the lines.

`crosslit check-backend template` and `crosslit check-backend glucose4/template` check them against their contracts.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from crosslit import Grid, LightsOut
from crosslit.contract import Backend, Encoding, Options, Task
from crosslit.kinds import Puzzle


class Template(Backend):
    """A backend. Keep it cheap to create: import an engine inside the methods, and keep no state between calls."""

    name = "template"  # as in a spec: lower case, digits and -
    summary = "Lights Out: light chasing from every first row"
    kinds = frozenset({"lights-out"})  # or "nonogram", or both
    # names of the code it relies on: two backends that share an entry are not independent
    trusted_base = frozenset({"template"})
    # These have defaults in `Backend`:
    # targets = frozenset({"cnf"})  # or {"cp-sat"}: it uses encodings, and does not read the puzzle itself
    # groups = frozenset({"native"})  # `--backends native` includes it
    # options = {"seed": Option("random seed; default 0", 0, 9)}  # template:seed=3
    # preload = ("an_engine",)  # packages to import before the clock starts

    def version(self) -> str:
        """Return the engine's version without importing it; raise `crosslit.contract.Unavailable` if not installed."""
        return "1.0"

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Return why the puzzle is unsupported, or None. Must be cheap."""
        usual = isinstance(puzzle, LightsOut) and not puzzle.settings and puzzle.missing is None
        return None if usual else "it supports only the usual rules"

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield every solution once; returning claims that there are no more, raising `GaveUp` does not."""
        task.phase("solve")  # "encode", "load", "solve" or "decode": the phase to which the time is added
        # ------------------------------------------------------------------------------------------------------------
        for first in range(1 << puzzle.columns):
            presses, above, row = [], 0, first
            for lights in puzzle.lit.row_bits():
                presses.append(row)
                toggled = lights ^ above ^ row ^ (row << 1) ^ (row >> 1)
                above, row = row, toggled & (1 << puzzle.columns) - 1
            if row == 0:
                yield Grid.from_rows(presses, puzzle.columns)
        # ------------------------------------------------------------------------------------------------------------


def encode(board: LightsOut) -> Any:
    """Return a formula whose models are the solutions; cell (r, c) is variable 1 + r * columns + c."""
    from crosslit_encoders.formula import Formula  # here: `crosslit --help` must not wait for numpy, which it imports
    from crosslit_encoders.lights_out.cnf import light_xors

    # ----------------------------------------------------------------------------------------------------------------
    clauses = [
        [-(cell + 1) if wrong >> place & 1 else cell + 1 for place, cell in enumerate(cells)]
        for cells, value in light_xors(board)  # one XOR per light: a clause for each wrong combination of its presses
        for wrong in range(1 << len(cells))
        if wrong.bit_count() % 2 != value
    ]
    if [] in clauses:  # a lit cell that no press reaches: unsolvable, but an empty clause is not allowed
        clauses = [[1], [-1]]
    # ----------------------------------------------------------------------------------------------------------------
    return Formula.of(board.rows, board.columns, clauses)


BACKENDS: list[Backend] = [Template()]
ENCODINGS = [
    Encoding("template", "lights-out", "cnf", encode, frozenset({"light-xors", "template"}), "one naive XOR per light")
]
