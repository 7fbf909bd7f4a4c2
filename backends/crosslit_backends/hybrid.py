"""Nonograms by line solving and probing, and CDCL on what is still open."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.grid import Grid
from crosslit.puzzles import Nonogram
from crosslit_backends.certifying import RefutesByClues
from crosslit_backends.interrupts import defer_sigint
from crosslit_backends.line_search import Search, combinations
from crosslit_backends.line_state import Cell, Counts, Lines
from crosslit_backends.native import Native
from crosslit_backends.pysat import BLOCKED, PySat, backtrack_enumerate
from crosslit_backends.pysat import SOLVERS as ENGINES
from crosslit_backends.symmetry import symmetries

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula

    from crosslit.certificates import Certificate

IN_ADVANCE = 64
PER_SETTLED_CELL = 1 / 4
"""What probing may cost, in lines solved and values tried: in all, and more for each cell that it settles."""

PROVER = "glucose4"


class Hybrid(RefutesByClues, Native):
    """Line solving, some probing, and CDCL on the cells that are still open.

    What settles most cells cheaply comes first: the sums of the clues, then line solving, then probing for as long as
    it pays (`Presolve`). Only the cells that are open then are encoded, by the order encoding over the starts that
    their blocks still have, and given to a SAT solver; open cells that no chain of lines connects are solved apart.
    A puzzle that needs no SAT solver imports none.

    Where Glucose finds no solution within `alternation.BUDGET` conflicts, it takes turns with CaDiCaL, which prefers
    the values that belief propagation holds likely. That finds two solutions of the survey's Faase in 13 s of CPU time;
    without hints, neither engine finds one in minutes.

    Where turning or reflecting the picture leaves the clues as they are, pictures that look the same when so turned
    are sought first: there are far fewer of them, and the solution of a puzzle with just one must be one of them. That
    finds two solutions of the survey's Knotty in a second, where order encoding and CDCL alone look for the first for
    minutes.

    After a solution the solver is told to try the values that it had, for another is most often near it. Every solution
    is excluded by a clause over the open cells; after many, engines that such clauses slow down go on without them
    (`crosslit_backends.pysat.branched`).

    The word for difficulty in the stats is ``line`` if line solving decides the puzzle (or its sums do), ``probe`` if
    some probing does, and ``search`` if it takes the SAT solver.

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
    trusted_base: ClassVar[frozenset[str]] = frozenset({"line", "pysat", "cdcl", "nonogram-order"})
    options: ClassVar[Mapping[str, Option]] = {
        "engine": Option(
            "the one SAT solver, by its PySAT name; default glucose4, and cadical195 with hints where that takes long",
            choices=tuple(engine.name for engine in ENGINES if not (isinstance(engine, PySat) and engine.one_shot)),
        )
    }
    preload: ClassVar[tuple[str, ...]] = ("pysat.solvers", "numpy")

    def version(self) -> str:
        """That of Crosslit, and that of python-sat."""
        return f"{super().version()}, {ENGINES[0].version()}"

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """All solutions: those that the clues' symmetries leave as they are first."""
        counts = Counts()
        stats = task.stats
        stats["open_cells"] = stats["variables"] = stats["clauses"] = stats["conflicts"] = 0
        try:
            if sum(map(sum, puzzle.row_clues)) != sum(map(sum, puzzle.column_clues)):
                stats["refuted_by"] = "the sums of row and column clues differ"
                return
            known = Presolve(puzzle, counts)
            if not known.settle():
                return
            parts = known.parts()
            if not parts:
                yield Grid.from_rows(known.filled[: puzzle.rows], puzzle.columns)
                return
            counts.difficulty = "search"
            yield from self._search(puzzle, known, parts, task)
        finally:
            counts.first_found()
            stats.update(lines=counts.lines, probes=counts.probes, difficulty=counts.difficulty)

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

    def _search(
        self, puzzle: Nonogram, known: Presolve, parts: list[list[int]], task: Task
    ) -> Generator[Grid, None, None]:
        residues = [Residue(puzzle, known, part, task, symmetric=len(parts) == 1) for part in parts]
        rows = known.filled[: puzzle.rows]
        try:
            for solutions in combinations([residue.solutions() for residue in residues]):
                for part, solution in zip(parts, solutions, strict=True):
                    for row, filled in zip(part, solution, strict=True):
                        rows[row] = filled
                yield Grid.from_rows(rows, puzzle.columns)
        finally:
            for residue in residues:
                residue.free()


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


class Residue:
    """The open cells of some rows, in the hands of a SAT solver.

    Args:
        puzzle: whose solutions are sought.
        known: what is known of it.
        rows: those to solve; they share no column with the other open cells.
        task: of the run.
        symmetric: whether to seek symmetric solutions first; the rows then hold all open cells.
    """

    def __init__(self, puzzle: Nonogram, known: Presolve, rows: Sequence[int], task: Task, *, symmetric: bool) -> None:
        self.puzzle = puzzle
        self.known = known
        self.rows = rows
        self.task = task
        self.symmetric = symmetric
        self.solver: Any = None

    def free(self) -> None:
        """Free the solver, and leave its counts in the stats."""
        if self.solver is None:
            return
        stats = self.task.stats
        conflicts = (self.solver.accum_stats() or {}).get("conflicts", 0)
        stats["conflicts"] = int(stats["conflicts"]) + conflicts
        with defer_sigint():
            self.solver.delete()
            self.solver = None  # here, for Python drops an interrupt that it hears in a destructor

    def solutions(self) -> Generator[list[int], None, None]:
        """All solutions of the rows, as their filled cells."""
        task = self.task
        formula = self._load()
        solver = self.solver
        switch = self._symmetric(formula) if self.symmetric else None
        cells = [(index, 1 << column) for index, row in enumerate(self.rows) for column in self._open(row)]
        settled = [self.known.filled[row] for row in self.rows]
        branches = True
        excluded = 0

        def read(model: list[int]) -> list[int]:
            rows = settled.copy()
            for literal, (index, bit) in zip(model, cells, strict=False):
                if literal > 0:
                    rows[index] |= bit
            return rows

        while True:
            task.phase("solve")
            with defer_sigint():
                found = solver.solve(assumptions=[switch] if switch else [])
            if not found:
                if switch is None:
                    return
                solver.add_clause([-switch])  # no more symmetric ones
                switch = None
                continue
            task.phase("decode")
            model = solver.get_model()
            if branches and switch is None and excluded >= BLOCKED and self._branches():
                if (yield from backtrack_enumerate(solver, model, formula.cells, read, task)):
                    return
                branches = False
                continue
            yield read(model)
            excluded += 1
            task.phase("load")
            solver.add_clause(formula.blocking(model))
            with suppress(NotImplementedError):
                solver.set_phases(model)

    def _branches(self) -> bool:
        engine = self.task.options.get("engine") or self.solver.name
        return any(isinstance(known, PySat) and known.branches for known in ENGINES if known.name == engine)

    def _open(self, row: int) -> Iterator[int]:
        """The open cells of a row, as columns."""
        cells = (1 << self.puzzle.columns) - 1 & ~(self.known.filled[row] | self.known.empty[row])
        while cells:
            low = cells & -cells
            cells ^= low
            yield low.bit_length() - 1

    def _load(self) -> Formula:
        """Encode the open cells, and make a solver of the clauses."""
        from crosslit_encoders.nonogram_order import residue
        from pysat.solvers import Solver

        from crosslit_backends.alternation import Alternation
        from crosslit_backends.message_passing import phase_hints

        task, stats, rows = self.task, self.task.stats, self.puzzle.rows
        task.phase("encode")
        still_open = (self.puzzle, self.known.filled[:rows], self.known.empty[:rows], self.rows)
        formula = residue(*still_open)
        for key, count in (("open_cells", formula.cells), ("variables", formula.variables), ("clauses", len(formula))):
            stats[key] = int(stats[key]) + count
        task.phase("load")
        if engine := task.options.get("engine"):
            self.solver = Solver(name=engine, bootstrap_with=formula.clauses())
        else:
            self.solver = Alternation(formula, lambda turn: phase_hints(*still_open, turn))
        return formula

    def _symmetric(self, formula: Formula) -> int | None:
        """A new variable that, assumed, equates every open cell to its images; None if the clues have no symmetry."""
        switch = None
        known = self.known
        opened = [(row, column) for row in self.rows for column in self._open(row)]
        numbers = {cell: number for number, cell in enumerate(opened, 1)}
        for symmetry in symmetries(self.puzzle):
            switch = formula.variables + 1
            for cell, number in numbers.items():
                row, column = symmetry(cell)
                image = numbers.get((row, column))
                if image is None:  # settled, as no symmetry of the probes is asked for
                    self.solver.add_clause([-switch, number if known.filled[row] >> column & 1 else -number])
                elif image != number:
                    self.solver.add_clause([-switch, -number, image])
        return switch


BACKENDS: list[Backend] = [Hybrid()]
