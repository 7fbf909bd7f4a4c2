"""A template: one backend and one encoding of your own. Copy the folder, rename, and replace what is between the lines.

`crosslit check-backend template` and `crosslit check-backend glucose4/template` say whether they keep their contracts.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

from crosslit import Grid, LightsOut
from crosslit.contract import Backend, Encoding, Option, Options, Task
from crosslit.puzzles import Puzzle


class Template:
    """A backend. Cheap to build: import an engine inside the methods, and keep no state between calls."""

    name = "template"  # as in a spec: lower case, digits and -
    summary = "Lights Out: every first row, chased down"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out"})  # or "nonogram", or both
    targets: ClassVar[frozenset[str]] = frozenset()  # {"cnf"} or {"cp-sat"}: takes encodings; empty: reads the puzzle
    groups: ClassVar[frozenset[str]] = frozenset()  # {"native"}: `--backends native` means this one too
    trusted_base: ClassVar[frozenset[str]] = frozenset(
        {"template"}
    )  # whose code it shares: who shares it does not vouch for it
    options: ClassVar[dict[str, Option]] = {}  # {"seed": Option("random seed; default 0", 0, 9)}: template:seed=3
    preload: ClassVar[tuple[str, ...]] = ()  # imported before the clock starts: the engine's package

    def version(self) -> str:
        """Of the engine, without importing it; raise `crosslit.contract.Unavailable` where it is not installed."""
        return "1.0"

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Why this puzzle is beyond it, at next to no cost; None if it is not."""
        usual = isinstance(puzzle, LightsOut) and not puzzle.settings and puzzle.missing is None
        return None if usual else "it knows the usual rules alone"

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield every solution once; to return is to claim that there are no more, to raise `GaveUp` is not."""
        task.phase("solve")  # "encode", "load", "solve", "decode": where the time goes
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
    import numpy as np  # here: `crosslit --help` imports this module, and must not wait for numpy
    from crosslit_encoders.formula import Formula
    from crosslit_encoders.lights_out_system import light_xors

    # ----------------------------------------------------------------------------------------------------------------
    clauses = [
        [-(cell + 1) if wrong >> place & 1 else cell + 1 for place, cell in enumerate(cells)]
        for cells, value in light_xors(board)  # one XOR a light: each wrong combination of its presses is one clause
        for wrong in range(1 << len(cells))
        if wrong.bit_count() % 2 != value
    ]
    if [] in clauses:  # a light that no press reaches: there is no solution, and an empty clause is not allowed
        clauses = [[1], [-1]]
    # ----------------------------------------------------------------------------------------------------------------
    literals = np.array([literal for clause in clauses for literal in clause], np.int32)
    ends = np.cumsum([len(clause) for clause in clauses], dtype=np.int64)
    return Formula(board.rows, board.columns, board.rows * board.columns, literals, ends)


BACKENDS: list[Backend] = [Template()]
ENCODINGS = [
    Encoding("template", "lights-out", "cnf", encode, frozenset({"light-xors", "template"}), "one XOR a light, naively")
]
