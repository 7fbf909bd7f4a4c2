"""Nonograms by line solving, probing, and CDCL on the cells still open."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.kinds import Nonogram
from crosslit_backends import compiled
from crosslit_backends.native import Native
from crosslit_backends.nonogram import kernel, residue
from crosslit_backends.nonogram.certificate import RefutesByClues
from crosslit_backends.nonogram.kernel import KernelSearch
from crosslit_backends.nonogram.line import REFUTED, Search
from crosslit_backends.nonogram.lines import Cell, Counts, Lines
from crosslit_backends.nonogram.residue import Known, Residue
from crosslit_backends.sat.pysat import SOLVERS as ENGINES
from crosslit_backends.sat.pysat import PySat

if TYPE_CHECKING:
    from crosslit.contract import Certificate

IN_ADVANCE, PER_SETTLED_CELL = 64, 1 / 4
"""Probing budget: lines solved and values tried, in advance and for each settled cell; see `Presolve`."""

PROVER = "glucose4"


class Hybrid(RefutesByClues, compiled.KernelBackend):
    """Line solving, probing, some search, and CDCL on the cells that are still open.

    The cheapest methods come first: the sums of the clues, then line solving, then probing. Open cells that no chain of
    lines connects are solved separately. The compiled kernel searches them to the end if they are few (`residue.FEW`),
    else as long as it finds solutions quickly (`residue.WORK`). Only then are they encoded, by the order encoding over
    the starts that their blocks still have, and given to a SAT solver. If that does not decide soon (`residue.TURN`),
    the kernel has a second turn, and the SAT solver the rest. A puzzle that needs no SAT solver imports none.

    Without the kernel, or with ``kernel=no``, probing ends when it no longer pays (`Presolve`), and the SAT solver
    searches.

    If Glucose finds no solution within `alternation.BUDGET` conflicts, it alternates with CaDiCaL, which prefers the
    values that belief propagation considers likely. That finds two solutions of the survey's Faase in 13 s of CPU time;
    without hints, neither engine finds one in minutes.

    If turns or reflections of the picture leave the clues unchanged, symmetric pictures are sought first: there are far
    fewer of them, and a unique solution must be one of them. That finds two solutions of the survey's Knotty in a
    second, where order encoding and CDCL by themselves take minutes without finding the first.

    After a solution the solver prefers its values, because the next one is usually near it. A clause over the open
    cells excludes each solution; engines that many such clauses slow down continue without them after a while
    (`crosslit_backends.sat.pysat.backtrack_enumerate`).

    The difficulty in the stats is ``line`` if line solving (or the sums) decides the puzzle, ``probe`` if probing does,
    and ``search`` if it takes a guess or the SAT solver.

    Examples:
        >>> from crosslit.formats import read
        >>> task = Task(options={"engine": "cadical195"})
        >>> sorted(grid.text() for grid in Hybrid().solutions(read("1,1|1,1"), task))
        ['01/10', '10/01']
        >>> task.stats["difficulty"], task.stats["open_cells"]
        ('search', 4)
    """

    name = "hybrid"
    summary = "nonograms: line solving, probing, and CDCL by PySAT on the cells still open"
    kinds = frozenset({"nonogram"})
    trusted_base = frozenset({"line solving", "kernel", "pysat", "cdcl", "nonogram-order"})
    options: ClassVar[Mapping[str, Option]] = {
        "engine": Option(
            "the only SAT solver, by its PySAT name; default glucose4, later in turns with cadical195",
            choices=tuple(engine.name for engine in ENGINES if not (isinstance(engine, PySat) and engine.one_shot)),
        ),
        "kernel": compiled.OPTION,
    }
    refuted = REFUTED
    unordered = True
    seldom = (*compiled.KernelBackend.seldom, "pysat.solvers", "crosslit_backends.nonogram.message_passing")

    def version(self) -> str:
        """Return the versions of Crosslit and python-sat, and whether the kernel is compiled."""
        return f"{Native.version(self)}, {ENGINES[0].version()}, {compiled.implementation()}"

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions."""
        for packed in self.batches(puzzle, task):
            yield from kernel.grids(puzzle, packed)

    def batches(self, puzzle: Nonogram, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed, in no particular order."""
        counts = Counts()
        stats = task.stats
        stats["open_cells"] = stats["variables"] = stats["clauses"] = stats["conflicts"] = 0
        try:
            if puzzle.is_refuted:
                stats["refuted_by"] = self.refuted
            else:
                yield from self.searched(puzzle, task, counts)
        finally:
            counts.first_found()
            stats.update(lines=counts.lines, probes=counts.probes, difficulty=counts.difficulty)

    def searched(self, puzzle: Nonogram, task: Task, counts: Counts) -> Generator[bytes, None, None]:
        """Yield all solutions of a puzzle whose sums agree."""
        if not compiled.is_used(puzzle, task.options):
            yield from self._by_python(puzzle, task, counts)
        elif kernel.has_room(puzzle):
            with KernelSearch(puzzle, counts) as search:
                yield from self._by_kernel(puzzle, task, search)

    def _by_kernel(self, puzzle: Nonogram, task: Task, search: KernelSearch) -> Generator[bytes, None, None]:
        if (yield from self.few(task, search)):
            return
        known = Known.of(puzzle, search)
        if known is None:
            return
        parts = search.parts()
        try:
            # A symmetry may exchange parts, so it is used only where one search has all open cells.
            whole = len(parts) == 1
            residues = [Residue(known, part.own, task, whole=whole, search=part) for part in parts]
            yield from self.multiplied(known, residues, search.counts)
        finally:
            for part in parts:
                part.close()

    def few(self, task: Task, search: KernelSearch) -> Generator[bytes, None, bool]:
        """Search until only a guess could continue; if few cells are open then, yield all solutions and return True."""
        count = yield from search.until_a_guess()
        if 0 < count <= residue.FEW:
            task.stats["open_cells"], search.counts.difficulty = count, "search"
            yield from search.batches()
        return count <= residue.FEW

    def _by_python(self, puzzle: Nonogram, task: Task, counts: Counts) -> Generator[bytes, None, None]:
        presolve = Presolve(puzzle, counts)
        if not presolve.settle():
            return
        known = Known(puzzle, presolve.filled[: puzzle.rows], presolve.empty[: puzzle.rows])
        parts = presolve.parts()
        if len(parts) == 1:  # with the settled rows
            parts = [list(range(puzzle.rows))]
        if parts:
            residues = [Residue(known, part, task, whole=len(parts) == 1) for part in parts]
            yield from self.multiplied(known, residues, counts)
        else:
            yield Grid.from_rows(known.filled, puzzle.columns).packed

    def multiplied(self, known: Known, residues: Sequence[Residue], counts: Counts) -> Generator[bytes, None, None]:
        """Yield all combinations of the solutions of residues."""
        # Set here, because guesses of the SAT solver do not count as nodes.
        counts.difficulty = "search"
        try:
            if len(residues) == 1:
                yield from residues[0].batches()
            else:
                settled = Grid.from_rows(known.filled, known.puzzle.columns).packed
                yield from kernel.combined(settled, [residue.batches() for residue in residues], len(settled))
        finally:
            for residue in residues:
                residue.free()

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Certify with the clues' sums, or with a fresh solver's proof about the whole puzzle in the order encoding.

        The proof comes from the engine of the run, or from glucose4 if that engine writes no proofs. Line solving plays
        no part in it.
        """
        # Sums that differ, or a clue that does not fit, are a shorter certificate than a proof.
        with suppress(GaveUp):
            return super().certify(puzzle, task, solutions)
        return self.proof(puzzle, task, solutions)

    def proof(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Certify with a solver's proof."""
        from crosslit_backends.sat.pysat import refute_by

        engine = task.options.get("engine", PROVER)
        proves = {solver.name for solver in ENGINES if isinstance(solver, PySat) and "proof" in solver.abilities}
        return refute_by(puzzle, task, solutions, engine if engine in proves else PROVER, "order")


class Presolve(Search):
    """Line solving and some probing, before a SAT solver takes over.

    A SAT solver does the work of probing faster, except that setting one up costs about as much as 64 lines solved or
    values tried. So probing may cost that much, which often settles all or a good part of the open cells, plus one line
    or value for every four cells that it settles. (Probing all cells to a standstill took four times as long as no
    probing, over the survey's puzzles; see ``docs/experiments.md``.) The bound is a count and not a time, so that a run
    is reproducible.
    """

    def __init__(self, puzzle: Nonogram, counts: Counts) -> None:
        lines = puzzle.rows + puzzle.columns
        super().__init__(Lines(puzzle, counts), [0] * lines, [0] * lines, range(puzzle.rows))
        self._began = self._before = 0  # cost, and settled cells, before the first probe

    def settle(self) -> bool:
        """Settle cells within that budget; return False on a contradiction."""
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
        """Yield the open cells in the order of `Search`, as long as it pays to probe them."""
        for cell in super().order():
            if not self._pays():
                return
            yield cell


BACKENDS: list[Backend] = [Hybrid()]
