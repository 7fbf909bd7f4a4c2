"""The open cells of a nonogram's rows, searched first by the compiled kernel and then by a SAT solver."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crosslit.contract import Task
from crosslit.kinds import Nonogram
from crosslit_backends.compiled import STEP
from crosslit_backends.nonogram.kernel import KernelSearch, Sides, Status
from crosslit_backends.nonogram.probing import MAX_SEEN, symmetries
from crosslit_backends.sat.pysat import BLOCKED, PySat, backtrack_enumerate, defer_sigint
from crosslit_backends.sat.pysat import SOLVERS as ENGINES

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula

FEW = 64
"""Open cells that the kernel searches to the end, in less time than it takes to prepare turns."""
FIRST_WORK = 5_000
"""Work of the kernel for each open cell, about 5 us. It decides most puzzles."""
WORK, TURN = 2_000, 300
"""Work of the kernel for each clause of the encoding, about 2 us, in each of its turns; conflicts of SAT between them.

To read a clause takes a SAT solver about 1 us. What the kernel solves in its second turn, SAT often searches for long;
what SAT solves in few conflicts, the kernel would not.
"""
PIECE = 100
"""Conflicts until a pause while the kernel searches too: a few milliseconds."""


@dataclass
class Known:
    """The filled and the empty cells of each row, as bits, and as the kernel has them if it runs."""

    puzzle: Nonogram
    filled: list[int]
    empty: list[int]
    sides: Sides | None = None

    @classmethod
    def of(cls, puzzle: Nonogram, search: KernelSearch) -> Known | None:
        """Return what a search has settled without a guess; None on a contradiction."""
        sides = search.root()
        return None if sides is None else cls(puzzle, *search.rows(sides), sides)

    def count(self, rows: Iterable[int]) -> int:
        """Return the number of open cells in some rows."""
        return sum(self.mask(row).bit_count() for row in rows)

    def mask(self, row: int) -> int:
        """Return the open cells of a row, as bits."""
        return (1 << self.puzzle.columns) - 1 & ~(self.filled[row] | self.empty[row])

    def open_cells(self, row: int) -> Iterator[int]:
        """Yield the open cells of a row, as columns."""
        cells = self.mask(row)
        while cells:
            low = cells & -cells
            cells ^= low
            yield low.bit_length() - 1


class Residue:
    """The open cells of some rows.

    Args:
        known: the settled cells.
        rows: the rows to solve; they share no column with the other open cells.
        task: the task of the run.
        whole: whether the rows contain all open cells; only then are symmetric solutions sought first.
        search: the kernel's search of these rows, before the first guess; None leaves everything to the SAT solver.
    """

    def __init__(
        self, known: Known, rows: Sequence[int], task: Task, *, whole: bool, search: KernelSearch | None = None
    ) -> None:
        self.puzzle = known.puzzle
        self.known = known
        self.rows = rows
        self.task = task
        self.whole = whole
        self.search = search
        self.solver: Any = None
        self.count = known.count(rows)
        stats = task.stats
        stats["open_cells"] = int(stats["open_cells"]) + self.count

    @cached_property
    def open(self) -> list[Any]:
        """The open cells, row * columns + column, when the SAT solver begins."""
        columns = self.puzzle.columns
        return [row * columns + column for row in self.rows for column in self.known.open_cells(row)]

    def free(self) -> None:
        """Free the solver, and store its counts in the stats."""
        if self.solver is None:
            return
        stats = self.task.stats
        conflicts = (self.solver.accum_stats() or {}).get("conflicts", 0)
        stats["conflicts"] = int(stats["conflicts"]) + conflicts
        with defer_sigint():
            self.solver.delete()
            self.solver = None  # here, because Python drops an interrupt raised in a destructor

    def batches(self) -> Generator[bytes, None, None]:
        """Yield all solutions of the rows, packed: their filled cells, in a grid of the puzzle's shape."""
        search, task = self.search, self.task
        if search is None:
            yield from self._packed(self._by_sat([]))
            return
        first = FIRST_WORK * self.count
        if (yield from searched(search, first)):
            return
        work = WORK * self.clauses()
        if (yield from searched(search, work - first)):
            return
        # The values that hold without any guess need no variables.
        known = type(self.known).of(self.puzzle, search)
        if known is None:
            return
        self.known = known
        if not self.open:
            yield from self._packed(iter([self.settled()]))
        elif "engine" in task.options:  # it cannot pause
            yield from self._packed(self._by_sat(self.completed()))
        # Searches of several parts share the kernel's memo of lines, so only one may run at a time.
        elif self.whole and task.cores > 1:
            from crosslit_backends.nonogram.probing import first_to_end

            task.threads = task.stats["searches"] = 2
            yield from first_to_end(search, self._packed(self._by_sat(self.completed(), piece=PIECE)))
        else:
            solutions = self._packed(self._by_sat(self.completed(), piece=TURN))
            yield from in_turns(search, work, solutions, self._go_on)

    def clauses(self) -> int:
        """Return the number of clauses of the encoding, before the kernel guesses."""
        assert self.search is not None
        assert self.known.sides is not None
        return self.search.encode(self.known.sides)[2]

    def completed(self) -> list[list[tuple[int, int]]]:
        """Return the combinations of values that the kernel's search has completed."""
        assert self.search is not None
        return excluded(self.search.decisions())

    def _packed(self, solutions: Iterator[int | None]) -> Iterator[bytes]:
        size = self.puzzle.layout.size
        return (b"" if bits is None else bits.to_bytes(size, "little") for bits in solutions)

    def _by_sat(
        self, excluded: list[list[tuple[int, int]]], *, piece: int | None = None
    ) -> Generator[int | None, None, None]:
        """Yield, as bits, all solutions that contain none of the excluded combinations of values.

        With ``piece`` it yields None before it searches, and whenever it has found nothing for so many conflicts.
        """
        task = self.task
        formula = self._load(excluded, piece=piece)
        solver = self.solver
        switch = self._symmetric(formula) if self.whole else None
        if piece:
            yield None
        bits = self.bits()
        settled = self.settled()
        branches = True
        blocked = 0

        def read(model: list[int]) -> int:
            return settled + sum(bit for literal, bit in zip(model, bits, strict=False) if literal > 0)

        while True:
            task.phase("solve")
            with defer_sigint():
                found = solver.solve(assumptions=[switch] if switch else [])
            if found is None:
                yield None
                continue
            if not found:
                if switch is None:
                    return
                solver.add_clause([-switch])  # no more symmetric ones
                switch = None
                continue
            task.phase("decode")
            model = solver.get_model()
            if branches and switch is None and blocked >= BLOCKED and self._branches():
                solver.piece = None  # a pause would be taken for the answer that there is no solution
                if (yield from backtrack_enumerate(solver, model, formula.cells, read, task)):
                    return
                branches = False
                continue
            yield read(model)
            blocked += 1
            task.phase("load")
            solver.add_clause(formula.blocking(model))
            # Not every engine of PySAT has phases.
            with suppress(NotImplementedError):
                solver.set_phases(model)

    def _branches(self) -> bool:
        engine = self.task.options.get("engine") or self.solver.name
        return any(isinstance(known, PySat) and known.branches for known in ENGINES if known.name == engine)

    def _load(self, excluded: list[list[tuple[int, int]]], *, piece: int | None) -> Formula:
        """Encode the open cells, and create a solver with the clauses."""
        from pysat.solvers import Solver

        from crosslit_backends.nonogram.probing import Alternation

        task, stats = self.task, self.task.stats
        task.phase("encode")
        formula, hints = self.formula()
        for key, count in (("variables", formula.variables), ("clauses", len(formula))):
            stats[key] = int(stats[key]) + count
        task.phase("load")
        if engine := task.options.get("engine"):
            self.solver = Solver(name=engine, bootstrap_with=formula.clauses())
        else:
            self.solver = Alternation(formula, hints, piece=piece)
        self._exclude(excluded)
        return formula

    def formula(self) -> tuple[Formula, Callable[[int], Sequence[int]]]:
        """Return the formula of the open cells, and the hints for its variables."""
        from crosslit_encoders.nonogram.order import residue

        from crosslit_backends.nonogram.message_passing import phase_hints

        puzzle, known = self.puzzle, self.known
        rows = [row for row in self.rows if next(known.open_cells(row), None) is not None]
        if self.search is not None and known.sides is not None:
            formula = encoded(self.search, known.sides)
        else:
            formula = residue(puzzle, known.filled, known.empty, rows)
        opened = (puzzle, list(known.filled[: puzzle.rows]), list(known.empty[: puzzle.rows]), rows)
        return formula, lambda turn: phase_hints(*opened, turn)

    def _exclude(self, excluded: list[list[tuple[int, int]]]) -> None:
        for values in excluded:
            literals = [self.literal(cell, value) for cell, value in values]
            # A combination with a value that is known to be wrong is excluded already.
            if not any(literal is False for literal in literals):
                self.solver.add_clause([-literal for literal in literals if literal is not True])

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The variables of the formula, from 1, of the open cells."""
        return {variable: number for number, variable in enumerate(self.open, 1)}

    def literal(self, cell: int, value: int) -> int | bool:
        """Return the literal that says a cell has a value, or whether it has one that is known."""
        number = self.numbers.get(cell)
        return self._value(cell) == value if number is None else number if value else -number

    def bits(self) -> list[int]:
        """Return the bits of a solution that each variable of the formula sets."""
        return [1 << cell for cell in self.open]

    def _go_on(self) -> None:
        """Let the SAT solver search without pauses for what the kernel has not searched."""
        self._exclude(self.completed())
        self.solver.piece = None

    def settled(self) -> int:
        """Return the bits of the settled cells."""
        return sum(self.known.filled[row] << row * self.puzzle.columns for row in self.rows)

    def _value(self, cell: int) -> bool:
        """Return the value of a settled cell."""
        row, column = divmod(cell, self.puzzle.columns)
        return bool(self.known.filled[row] >> column & 1)

    def _symmetric(self, formula: Formula) -> int | None:
        """Return a variable that, if assumed, equates every open cell to its images; None without a symmetry."""
        switch = None
        columns, numbers = self.puzzle.columns, self.numbers
        # One implication for each cell suffices: the inverse of a symmetry is one as well, and gives the other
        # direction.
        for symmetry in symmetries(self.puzzle):
            switch = formula.variables + 1
            for cell, number in numbers.items():
                row, column = symmetry(divmod(cell, columns))
                image = numbers.get(row * columns + column)
                if image is None:  # a settled cell: line solving does not always settle symmetric cells together
                    value = self._value(row * columns + column)
                    self.solver.add_clause([-switch, number if value else -number])
                elif image != number:
                    self.solver.add_clause([-switch, -number, image])
        return switch


def encoded(search: KernelSearch, sides: Sides) -> Formula:
    """Return the clauses of `crosslit_encoders.nonogram.order.residue` for the rows of a search, in another order.

    Or those of ``coloured_order``: then ``sides`` are the possible colours of each cell.
    """
    import numpy as np
    from crosslit_encoders.formula import Formula

    cells, variables, clauses, used = search.encode(sides)
    literals, ends = np.empty(used, np.int32), np.empty(clauses, np.int64)
    search.encode(sides, literals.ctypes.data, ends.ctypes.data)
    return Formula(1, cells, variables, literals, ends)


def searched(search: KernelSearch, work: int, known: Collection[bytes] = frozenset()) -> Generator[bytes, None, bool]:
    """Yield solutions of a search, without the known ones, until so much work finds none; return whether it is done."""
    status, found, left, size = Status.SPENT, 0, work, search.size
    while left > 0 and status is not Status.EXHAUSTED:
        status, packed = search.run(splits=False, capacity=found, work=min(STEP, left))
        found, left = found + len(packed) // size, work if packed else left - STEP
        if known:
            each = (packed[start : start + size] for start in range(0, len(packed), size))
            packed = b"".join(solution for solution in each if solution not in known)
        if packed:
            yield packed
    return status is Status.EXHAUSTED


def in_turns(
    search: KernelSearch, work: int, solutions: Iterator[bytes], go_on: Callable[[], None]
) -> Generator[bytes, None, None]:
    """Yield all solutions: of a first turn of the SAT solver, of the kernel until so much work finds none, of the rest.

    Args:
        search: the kernel's search, which had its first turn.
        work: of its second turn.
        solutions: those of the SAT solver, packed; an empty one when it is ready, and when its first turn is over.
        go_on: excludes from the solutions what the kernel has searched, and ends the pauses.
    """
    next(solutions)
    known: set[bytes] = set()
    while packed := next(solutions, None):
        yield packed
        known.add(packed)
        if len(known) > MAX_SEEN:  # no use in another search, and too many to remember
            break
    if packed is None or (not packed and (yield from searched(search, work, known))):
        return
    go_on()
    yield from filter(None, solutions)


def excluded(decisions: list[tuple[int, int, int]], opposite: int = 1) -> list[list[tuple[int, int]]]:
    """Return the combinations of values that a search has completed.

    Args:
        decisions: guesses, and values that follow because their opposites have been searched.
        opposite: 0 if the latter are given as the values that have been searched.

    Examples:
        >>> excluded([(7, 1, False), (5, 1, True), (8, 0, True), (9, 1, False)])
        [[(7, 0)], [(5, 1), (8, 0), (9, 0)]]
    """
    found, guesses = [], []
    for cell, value, is_guess in decisions:
        if is_guess:
            guesses.append((cell, value))
        else:
            # The opposite of a decided value, under the guesses before it, has been searched.
            found.append([*guesses, (cell, value ^ opposite)])
    return found
