"""Nonograms by line solving and probing, and CDCL on what is still open."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from crosslit.contract import Backend, GaveUp, Option, Options, Task
from crosslit.grid import Grid
from crosslit.puzzles import Nonogram, Puzzle
from crosslit_backends import line_kernel
from crosslit_backends.certifying import RefutesByClues
from crosslit_backends.line_kernel import KernelSearch, Status
from crosslit_backends.line_search import REFUTED, Search
from crosslit_backends.line_state import Cell, Counts, Lines
from crosslit_backends.native import Native
from crosslit_backends.pysat import SOLVERS as ENGINES
from crosslit_backends.pysat import PySat
from crosslit_backends.residue import Known, Residue

if TYPE_CHECKING:
    from crosslit.certificates import Certificate

IN_ADVANCE = 64
PER_SETTLED_CELL = 1 / 4
"""What probing may cost, in lines solved and values tried: in all, and more for each cell that it settles."""

PROVER = "glucose4"


class Hybrid(RefutesByClues, Native):
    """Line solving, probing, some search, and CDCL on the cells that are still open.

    What settles most cells cheaply comes first: the sums of the clues, then line solving, then probing. Cells that are
    open then, and that no chain of lines connects, are solved apart. The compiled kernel searches them for as long as
    it finds solutions quickly (`residue.SEARCH`). Only then are they encoded, by the order encoding over the starts
    that their blocks still have, and given to a SAT solver. A puzzle that needs no SAT solver imports none.

    Without the kernel, or with ``kernel=no``, probing ends when it no longer pays (`Presolve`), and the SAT solver
    searches.

    Where Glucose finds no solution within `alternation.BUDGET` conflicts, it takes turns with CaDiCaL, which prefers
    the values that belief propagation holds likely. That finds two solutions of the survey's Faase in 13 s of CPU time;
    without hints, neither engine finds one in minutes.

    Where turning or reflecting the picture leaves the clues as they are, pictures that look the same when so turned
    are sought first: there are far fewer of them, and the solution of a puzzle with just one must be one of them. That
    finds two solutions of the survey's Knotty in a second, where order encoding and CDCL alone look for the first for
    minutes.

    After a solution the solver is told to try the values that it had, for another is most often near it. Every solution
    is excluded by a clause over the open cells; after many, engines that such clauses slow down go on without them
    (`crosslit_backends.pysat.backtrack_enumerate`).

    The word for difficulty in the stats is ``line`` if line solving decides the puzzle (or its sums do), ``probe`` if
    probing does, and ``search`` if it takes a guess or the SAT solver.

    Examples:
        >>> from crosslit.formats import read
        >>> task = Task(options={"engine": "cadical195"})
        >>> sorted(grid.text() for grid in Hybrid().solutions(read("1,1|1,1"), task))
        ['01/10', '10/01']
        >>> task.stats["difficulty"], task.stats["open_cells"]
        ('search', 4)
    """

    name = "hybrid"
    summary = "nonograms: line solving, probing, and CDCL by PySAT on what is still open"
    kinds: ClassVar[frozenset[str]] = frozenset({"nonogram"})
    trusted_base: ClassVar[frozenset[str]] = frozenset({"line", "kernel", "pysat", "cdcl", "nonogram-order"})
    options: ClassVar[Mapping[str, Option]] = {
        "engine": Option(
            "the one SAT solver, by its PySAT name; default glucose4, and cadical195 with hints where that takes long",
            choices=tuple(engine.name for engine in ENGINES if not (isinstance(engine, PySat) and engine.one_shot)),
        ),
        "kernel": line_kernel.OPTION,
    }
    unordered: ClassVar[bool] = True
    preload: ClassVar[tuple[str, ...]] = ("pysat.solvers", "numpy")

    def version(self) -> str:
        """Return that of Crosslit, and that of python-sat; whether there is a kernel."""
        return f"{super().version()}, {ENGINES[0].version()}, {line_kernel.implementation()}"

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:
        """Return why the kernel cannot search this puzzle, where it must."""
        return line_kernel.refusal(puzzle, options)

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions."""
        for packed in self.batches(puzzle, task):
            yield from line_kernel.grids(puzzle, packed)

    def batches(self, puzzle: Nonogram, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed, in no order."""
        counts = Counts()
        stats = task.stats
        stats["open_cells"] = stats["variables"] = stats["clauses"] = stats["conflicts"] = 0
        try:
            if puzzle.is_refuted:
                stats["refuted_by"] = REFUTED
            elif not line_kernel.is_used(puzzle, task.options):
                yield from self._by_python(puzzle, task, counts)
            elif line_kernel.has_room(puzzle):
                with KernelSearch(puzzle, counts) as search:
                    yield from self._by_kernel(puzzle, task, search)
        finally:
            counts.first_found()
            stats.update(lines=counts.lines, probes=counts.probes, difficulty=counts.difficulty)

    def _by_kernel(self, puzzle: Nonogram, task: Task, search: KernelSearch) -> Generator[bytes, None, None]:
        status, found = Status.SPENT, b""
        while status is Status.SPENT:
            status, found = search.run(splits=False, guesses=False)
        if found:
            yield found
        if status is not Status.STILL:
            return
        known = Known(puzzle, *search.rows())
        parts = search.parts()
        try:
            residues = [Residue(known, part.own, task, symmetric=len(parts) == 1, search=part) for part in parts]
            yield from self._multiplied(known, residues, search.counts)
        finally:
            for part in parts:
                part.close()

    def _by_python(self, puzzle: Nonogram, task: Task, counts: Counts) -> Generator[bytes, None, None]:
        presolve = Presolve(puzzle, counts)
        if not presolve.settle():
            return
        known = Known(puzzle, presolve.filled[: puzzle.rows], presolve.empty[: puzzle.rows])
        parts = presolve.parts()
        if len(parts) == 1:  # with the rows that are settled
            parts = [list(range(puzzle.rows))]
        if parts:
            residues = [Residue(known, part, task, symmetric=len(parts) == 1) for part in parts]
            yield from self._multiplied(known, residues, counts)
        else:
            yield Grid.from_rows(known.filled, puzzle.columns).packed

    def _multiplied(self, known: Known, residues: list[Residue], counts: Counts) -> Generator[bytes, None, None]:
        counts.difficulty = "search"
        settled = Grid.from_rows(known.filled, known.puzzle.columns).packed
        try:
            if len(residues) == 1:
                yield from residues[0].batches()
            else:
                yield from line_kernel.combined(settled, [residue.batches() for residue in residues], len(settled))
        finally:
            for residue in residues:
                residue.free()

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """The clues' sums, or the proof of a fresh solver about the whole puzzle by the order encoding.

        By the engine of the run, or glucose4 where that writes no proofs. Line solving has no part in it.
        """
        from crosslit_backends.refuting import refute_by

        with suppress(GaveUp):
            return super().certify(puzzle, task, solutions)
        engine = task.options.get("engine", PROVER)
        proves = {solver.name for solver in ENGINES if isinstance(solver, PySat) and "proof" in solver.abilities}
        return refute_by(puzzle, task, solutions, engine if engine in proves else PROVER, "order")


class Presolve(Search):
    """What line solving and some probing settle.

    A SAT solver does what probing does, and faster, but for what it costs to set one up at all: about as much as 64
    lines solved or values tried. So much may probing cost, to settle what little is left or a good deal of it; and for
    every four cells that it settles, one line or value more. (All cells probed to a standstill took four times as long
    as none, over the survey's puzzles; ``docs/experiments.md``.) Counts bound it, not time: a run can be repeated.
    """

    def __init__(self, puzzle: Nonogram, counts: Counts) -> None:
        lines = puzzle.rows + puzzle.columns
        super().__init__(Lines(puzzle, counts), [0] * lines, [0] * lines, range(puzzle.rows))
        self._began = self._before = 0  # what had been spent, and settled, before the first probe

    def settle(self) -> bool:
        """Settle what can be settled for that; False on a contradiction."""
        counts = self.lines.counts
        if not self.propagate((1 << self.lines.rows) - 1, (1 << self.lines.columns) - 1):
            return False
        self._began, self._before = counts.lines + counts.probes, self.gained
        outcome = "moved"
        while outcome == "moved" and self._pays() and self.count_open():
            outcome = self.probe_all()
        return outcome != "impossible"

    def _pays(self) -> bool:
        counts = self.lines.counts
        allowed = IN_ADVANCE + PER_SETTLED_CELL * (self.gained - self._before)
        return counts.lines + counts.probes - self._began < allowed

    def order(self) -> Iterator[Cell]:
        """The open cells in the order of `Search`, for as long as it pays to probe them."""
        for cell in super().order():
            if not self._pays():
                return
            yield cell


BACKENDS: list[Backend] = [Hybrid()]
