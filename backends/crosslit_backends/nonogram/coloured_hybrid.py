"""Coloured nonograms by line solving, probing, and CDCL on the cells still open."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit_backends import compiled
from crosslit_backends.nonogram.coloured_line import REFUTED, KernelColours, Search, has_room
from crosslit_backends.nonogram.hybrid import Hybrid
from crosslit_backends.nonogram.lines import Counts
from crosslit_backends.nonogram.residue import Known, Residue, encoded, excluded

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula

    from crosslit.contract import Certificate

CLAUSES = 5
"""Clauses for each open cell that measure the kernel's turns.

There are 11 to 18, but SAT decides most published puzzles in less time than so long a turn takes.
"""


class ColouredHybrid(Hybrid):
    """Line solving, probing and some search with colours, and CDCL on the cells that are still open.

    This is `hybrid` of nonograms with the kernel of `coloured-line`, and the same turns. There are no parts, no
    symmetries, no hints and no second thread. Without the kernel, or with ``kernel=no``, the SAT solver searches after
    line solving.

    Examples:
        >>> from crosslit.formats import read
        >>> task = Task()
        >>> sorted(grid.text() for grid in ColouredHybrid().solutions(read("coloured-nonogram:1a 1b,1b|1a,2b"), task))
        ['12/02']
        >>> task.stats["difficulty"]
        'line'
    """

    name = "coloured-hybrid"
    summary = "coloured nonograms: line solving, probing, and CDCL by PySAT on the cells still open"
    kinds = frozenset({"coloured-nonogram"})
    refuted = REFUTED
    trusted_base = frozenset(
        {"coloured-line", "kernel", "pysat", "cdcl", "coloured-nonogram-order-cnf", "coloured-nonogram-clauses"}
    )

    def solutions(self, puzzle: ColouredNonogram, task: Task) -> Generator[Grid, None, None]:  # type: ignore[override]
        """Yield all solutions."""
        for packed in self.batches(puzzle, task):
            yield from puzzle.layout.answers(packed)

    def searched(  # type: ignore[override]
        self, puzzle: ColouredNonogram, task: Task, counts: Counts
    ) -> Generator[bytes, None, None]:
        """Yield all solutions of a puzzle whose sums agree."""
        if not has_room(puzzle):
            task.stats["refuted_by"] = self.refuted
        elif compiled.is_used(puzzle, task.options):
            with KernelColours(puzzle, counts) as search:
                if (yield from self.few(task, search)):
                    return
                known = KnownColours.of(puzzle, search)
                if known is not None:
                    residue = ColouredResidue(known, range(puzzle.rows), task, whole=False, search=search)
                    yield from self.multiplied(known, [residue], counts)
        else:
            lines = Search(puzzle, counts)
            if lines.propagate(range(puzzle.rows + puzzle.columns)):
                cells = range(puzzle.rows * puzzle.columns)
                masks = [sum(1 << colour for colour in lines.colours(cell)) for cell in cells]
                known = KnownColours(puzzle, [], [], masks=masks)
                residue = ColouredResidue(known, range(puzzle.rows), task, whole=False)
                if residue.count:
                    yield from self.multiplied(known, [residue], counts)
                else:
                    yield lines.solution().packed

    def certify(self, puzzle: ColouredNonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:  # type: ignore[override]
        """Certify with a fresh solver's proof about the whole puzzle in the order encoding."""
        return self.proof(puzzle, task, solutions)


@dataclass
class KnownColours(Known):
    """The possible colours of each cell, as bits."""

    masks: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, puzzle: ColouredNonogram, search: KernelColours) -> KnownColours | None:  # type: ignore[override]
        """Return what a search has settled without a guess; None on a contradiction."""
        masks = search.masks()
        return None if masks is None else cls(puzzle, [], [], masks=masks)

    def count(self, rows: Iterable[int]) -> int:  # noqa: ARG002  (all of them)
        """Return the number of open cells."""
        return sum(mask & mask - 1 > 0 for mask in self.masks)


class ColouredResidue(Residue):
    """The open cells of all rows, with a variable for each possible colour of each of them."""

    puzzle: ColouredNonogram
    known: KnownColours

    @cached_property
    def open(self) -> list[tuple[int, int]]:
        """The open cells, row * columns + column, each with every possible colour."""
        opened = ((cell, mask) for cell, mask in enumerate(self.known.masks) if mask & mask - 1)
        return [(cell, colour) for cell, mask in opened for colour in range(self.puzzle.states) if mask >> colour & 1]

    def clauses(self) -> int:
        """Return about the number of clauses of the encoding."""
        return CLAUSES * self.count

    def completed(self) -> list[list[tuple[int, int]]]:
        """Return the combinations of colours that the kernel's search has completed."""
        assert self.search is not None
        return excluded(self.search.decisions(), opposite=0)

    def formula(self) -> tuple[Formula, Callable[[int], Sequence[int]]]:
        """Return the formula of the open cells; there are no hints."""
        if self.search is not None:
            return encoded(self.search, (array("I", self.known.masks).tobytes(),)), lambda _: []
        from crosslit_encoders.nonogram.coloured_order import residue

        return residue(self.puzzle, self.known.masks), lambda _: []

    def literal(self, cell: int, value: int) -> int | bool:
        """Return the literal that says a cell has a colour, or whether it has one that is known."""
        return self.numbers.get((cell, value)) or self.known.masks[cell] == 1 << value

    def bits(self) -> list[int]:
        """Return the bits of a solution that each variable of the formula sets."""
        width = self.puzzle.layout.width
        return [colour << cell * width for cell, colour in self.open]

    def settled(self) -> int:
        """Return the bits of the settled cells."""
        width = self.puzzle.layout.width
        masks = enumerate(self.known.masks)
        return sum(mask.bit_length() - 1 << cell * width for cell, mask in masks if not mask & mask - 1)


BACKENDS: list[Backend] = [ColouredHybrid()]
