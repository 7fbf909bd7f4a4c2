"""Nonograms of one or several colours by line solving, probing, some search, and CDCL on the cells still open."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.kinds import Nonogram
from crosslit_backends import compiled
from crosslit_backends.base import Native
from crosslit_backends.nonogram.kernel import Counts, KernelSearch, Status
from crosslit_backends.nonogram.line import REFUTED, Search
from crosslit_backends.sat.pysat import BLOCKED, backtrack_enumerate, defer_sigint, refute_by
from crosslit_backends.sat.pysat import SOLVERS as ENGINES

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula

    from crosslit.contract import Certificate

FIRST, SECOND = "glucose4", "cadical195"
FEW = 64
"""Open cells that the kernel searches to the end, in less time than it takes to prepare turns."""
WORK, TURN = 2_000, 300
"""Work of the kernel for each clause of the encoding, about 2 us, in each of its turns; conflicts of SAT between them.

To read a clause takes a SAT solver about 1 us. What the kernel solves in its second turn, SAT often searches for long;
what SAT solves in few conflicts, the kernel would not.
"""
FIRST_BUDGET, SECOND_BUDGET = 20_000, 30_000
"""Conflicts in the first long turn of each SAT solver. Most puzzles that need SAT take Glucose fewer than this."""
MAX_SEEN = 1 << 16
"""Solutions of the SAT solver's first turn; a search that has found more needs no second turn of the kernel."""


class Hybrid(compiled.KernelBackend):
    """Line solving, probing, some search, and CDCL on the cells that are still open.

    The cheapest methods come first: the sums of the clues, then line solving, then probing. The compiled kernel
    searches the open cells to the end if they are few (`FEW`), else as long as it finds solutions quickly (`WORK`).
    Only then are they encoded, by the order encoding over the starts that their blocks still have, and given to a SAT
    solver. If that does not decide soon (`TURN`), the kernel has a second turn, and SAT the rest: Glucose and CaDiCaL
    in turns (`Engines`), or the one that the options name. CaDiCaL prefers the values that belief propagation considers
    likely: that decides Faase of the survey in 15 s, which neither engine by itself decides in minutes. Without the
    kernel, or with ``kernel=no``, SAT searches after line solving. A puzzle that needs no SAT solver imports none.

    A clause over the open cells excludes each solution; engines that many such clauses slow down continue without them
    after a while (`crosslit_backends.sat.pysat.backtrack_enumerate`).

    The difficulty in the stats is ``line`` if line solving (or the sums) decides the puzzle, ``probe`` if probing does,
    and ``search`` if it takes a guess or the SAT solver.

    Examples:
        >>> from crosslit.formats import read
        >>> task = Task(options={"engine": "cadical195"})
        >>> sorted(grid.text for grid in Hybrid().solutions(read("1,1|1,1"), task))
        ['01/10', '10/01']
        >>> task.stats["difficulty"], task.stats["open_cells"]
        ('search', 4)
    """

    name = "hybrid"
    summary = "nonograms: line solving, probing, and CDCL by PySAT on the cells still open"
    kinds = frozenset({"nonogram", "coloured-nonogram"})
    trusted_base = frozenset(
        {"line solving", "kernel", "pysat", "cdcl"}
        | {"nonogram-order", "coloured-nonogram-order-cnf", "coloured-nonogram-clauses"}
    )
    options: ClassVar[Mapping[str, Option]] = {
        "engine": Option(
            f"the only SAT solver, by its PySAT name; default {FIRST}, later in turns with {SECOND}",
            choices=tuple(engine.name for engine in ENGINES if not engine.one_shot),
        ),
        "kernel": compiled.OPTION,
    }
    seldom = (*compiled.KernelBackend.seldom, "pysat.solvers", "crosslit_backends.nonogram.hints")

    def version(self) -> str:
        """Return the versions of Crosslit and python-sat, and whether the kernel is compiled."""
        return f"{Native.version(self)}, {ENGINES[0].version()}, {compiled.implementation()}"

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions."""
        for packed in self.batches(puzzle, task):
            yield from puzzle.layout.grids(packed)

    def batches(self, puzzle: Nonogram, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed, in no particular order."""
        counts, stats = Counts(), task.stats
        stats["open_cells"] = stats["variables"] = stats["clauses"] = stats["conflicts"] = 0
        try:
            if puzzle.is_refuted:
                stats["refuted_by"] = REFUTED
                return
            search = _by_kernel if compiled.is_used(puzzle, task.options) else _by_python
            yield from search(puzzle, task, counts)
        finally:
            counts.first_found()
            stats.update(lines=counts.lines, probes=counts.probes, difficulty=counts.difficulty)

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Certify with the clues' sums, or with a fresh solver's proof about the whole puzzle in the order encoding.

        The proof comes from the engine of the run, or from glucose4 if that engine writes no proofs. Line solving plays
        no part in it.
        """
        with suppress(GaveUp):  # sums that differ, or a clue that does not fit, are a shorter certificate than a proof
            return super().certify(puzzle, task, solutions)
        engine = task.options.get("engine", FIRST)
        return refute_by(puzzle, task, solutions, engine if "proof" in _abilities(engine) else FIRST, "order")


def _by_python(puzzle: Nonogram, task: Task, counts: Counts) -> Generator[bytes, None, None]:
    lines = Search(puzzle, counts)
    if not lines.propagate(range(puzzle.rows + puzzle.columns)):
        return
    cells = range(puzzle.rows * puzzle.columns)
    masks = array("I", [sum(1 << colour for colour in lines.colours(cell)) for cell in cells])
    if _count_open(masks):
        yield from filter(None, _by_sat(task, counts, Residue(puzzle, masks)))
    else:
        yield lines.solution().packed


def _by_kernel(puzzle: Nonogram, task: Task, counts: Counts) -> Generator[bytes, None, None]:
    with KernelSearch(puzzle, counts) as search:
        count = yield from search.until_a_guess()
        task.stats["open_cells"] = count
        if not count:
            return
        counts.difficulty = "search"  # guesses of the SAT solver do not count as nodes
        masks = search.masks()
        work = WORK * search.encode(masks)[2] if masks and count > FEW else 0
        if work and (yield from searched(search, work)):
            return
        masks = search.masks()  # without what has been excluded since, under no guess
        if masks is None or _count_open(masks) <= FEW:
            yield from search.batches()
            return
        known: set[bytes] = set()
        for packed in _by_sat(task, counts, Residue(puzzle, masks, search)):
            if packed:
                known.add(packed)
                yield packed
            elif len(known) <= MAX_SEEN and (yield from searched(search, work, known)):
                return


def searched(search: KernelSearch, work: int, known: Collection[bytes] = frozenset()) -> Generator[bytes, None, bool]:
    """Yield solutions of a search, without the known ones, until so much work finds none; return whether it is done."""
    status, left, size = Status.SPENT, work, search.size
    while left > 0 and status is not Status.EXHAUSTED:
        status, packed = search.run(work=min(compiled.STEP, left))
        left = work if packed else left - compiled.STEP
        if known:
            each = (packed[start : start + size] for start in range(0, len(packed), size))
            packed = b"".join(solution for solution in each if solution not in known)
        if packed:
            yield packed
    return status is Status.EXHAUSTED


def _by_sat(task: Task, counts: Counts, residue: Residue) -> Generator[bytes | None, None, None]:
    """Yield all solutions, and None once if the first turn ends without a decision: then the kernel searches again.

    What the kernel has searched is excluded, before the first turn and after that one.
    """
    stats = task.stats
    counts.difficulty = "search"
    stats["open_cells"] = residue.count
    task.phase("encode")
    formula = residue.formula()
    stats.update(variables=formula.variables, clauses=len(formula))
    task.phase("load")
    engines = Engines(formula, task.options.get("engine"), residue.hints)
    paused, blocked = False, 0
    try:
        engines.add(residue.searched())
        while True:
            task.phase("solve")
            found = engines.solve()
            if found is None:
                if not paused:
                    paused = True
                    yield None
                    engines.add(residue.searched())
                continue
            if not found:
                return
            task.phase("decode")
            model = engines.solver.get_model()
            if blocked == BLOCKED and engines.branches:
                if (yield from backtrack_enumerate(engines.solver, model, formula.cells, residue.read, task)):
                    return
            else:
                yield residue.read(model)
                task.phase("load")
                engines.add([formula.blocking(model)])
                with suppress(NotImplementedError):  # not every engine of PySAT has phases
                    engines.solver.set_phases(model)  # the next solution is usually near
            blocked += 1
    finally:
        stats["conflicts"] = engines.close()


class Engines:
    """Glucose and CaDiCaL in turns of ever more conflicts, or one engine.

    Some puzzles take one of them a hundred times as long as the other, so together they take at most a few times as
    long as the faster one. The first that finds a solution after the short first turn goes on without limit: other
    solutions are often near. CaDiCaL is made at its first turn, since most puzzles never need it.
    """

    def __init__(self, formula: Formula, engine: str | None, hints: Callable[[int], list[int]]) -> None:
        self._formula, self._hints, self._added = formula, hints, list[list[int]]()
        self._solvers: dict[str, Any] = {}
        self._turns, self._hinted = turns(engine), itertools.count()
        self._take_turn()

    def _take_turn(self) -> None:
        from pysat.solvers import Solver

        name, self._budget = next(self._turns)
        if name not in self._solvers:
            with defer_sigint():
                clauses = itertools.chain(self._formula.clauses(), self._added)
                self._solvers[name] = Solver(name=name, bootstrap_with=clauses)
        self.solver: Any = self._solvers[name]
        if name == SECOND and self._budget > TURN:
            self.solver.set_phases(self._hints(next(self._hinted)))
        self.branches = any(engine.branches for engine in ENGINES if engine.name == name)

    def solve(self) -> bool | None:
        """Return whether there is a model; None at the end of a turn, after which the call is repeated."""
        with defer_sigint():
            if self._budget:
                self.solver.conf_budget(self._budget)
                found: bool | None = self.solver.solve_limited()
            else:
                found = self.solver.solve()
        if found is None:
            self._take_turn()
        elif self._budget > TURN:
            self._budget = 0
        return found

    def add(self, clauses: Iterable[list[int]]) -> None:
        """Add clauses."""
        for clause in clauses:
            self._added.append(clause)
            for solver in self._solvers.values():
                solver.add_clause(clause)

    def close(self) -> int:
        """Free the engines; return the number of conflicts."""
        conflicts, self.solver = 0, None
        with defer_sigint():
            while self._solvers:
                _, solver = self._solvers.popitem()
                conflicts += solver.accum_stats()["conflicts"]
                solver.delete()
                del solver  # here, because Python drops an interrupt raised in a destructor
        return conflicts


def turns(engine: str | None) -> Iterator[tuple[str, int]]:
    """Yield whose turn it is, and the conflicts in it; 0 for any number."""
    if engine is not None:
        if "conflict-budget" in _abilities(engine):
            yield engine, TURN
        yield engine, 0
        return
    yield FIRST, TURN
    for doubled in itertools.count():
        yield FIRST, FIRST_BUDGET << doubled
        yield SECOND, SECOND_BUDGET << doubled


def _abilities(engine: str) -> frozenset[str]:
    return next(known.abilities for known in ENGINES if known.name == engine)


class Residue:
    """The open cells of a puzzle, their formula, and what the kernel has searched of them.

    A cell of two colours has one variable, of more colours one for each that it can have.
    """

    def __init__(self, puzzle: Nonogram, masks: array[int], search: KernelSearch | None = None) -> None:
        self.puzzle, self.masks, self.search = puzzle, masks, search
        self.count = _count_open(masks)
        layout, states = puzzle.layout, range(1 if puzzle.states == 2 else 0, puzzle.states)
        opened = [(cell, mask) for cell, mask in enumerate(masks) if _is_open(mask)]
        coloured = [(cell, colour) for cell, mask in opened for colour in states if mask >> colour & 1]
        self._variables = {value: number for number, value in enumerate(coloured, 1)}
        self._bits = [colour << cell * layout.width for cell, colour in coloured]
        settled = layout.pack([0 if _is_open(mask) else mask.bit_length() - 1 for mask in masks])
        self._settled = int.from_bytes(settled.packed, "little")

    def formula(self) -> Formula:
        """Return the formula of the open cells."""
        if self.search is not None:
            return encoded(self.search, self.masks)
        puzzle: Any = self.puzzle
        if puzzle.states > 2:
            from crosslit_encoders.nonogram.clauses import residue

            return residue(puzzle, list(self.masks))
        from crosslit_encoders.nonogram import order

        if puzzle.palette:  # one colour of it
            clues = [[length for length, _ in clue] for clue, _ in puzzle.lines()]
            puzzle = Nonogram(clues[: puzzle.rows], clues[puzzle.rows :])
        rows = range(0, len(self.masks), puzzle.columns)
        lines = [self.masks[start : start + puzzle.columns] for start in rows]
        filled, empty = (
            [sum((mask == value) << place for place, mask in enumerate(line)) for line in lines] for value in (2, 1)
        )
        own = [row for row, line in enumerate(lines) if any(mask == 3 for mask in line)]
        return order.residue(puzzle, filled, empty, own)

    def hints(self, turn: int) -> list[int]:
        """Return likely values of the variables, given the number of earlier hints; none of several colours."""
        if self.puzzle.states > 2:
            return []
        from crosslit_backends.nonogram.hints import likely_literals

        return likely_literals(self.puzzle, self.masks, turn)

    def read(self, model: list[int]) -> bytes:
        """Return the solution of a model, packed."""
        cells = self._settled + sum(bit for literal, bit in zip(model, self._bits, strict=False) if literal > 0)
        return cells.to_bytes(self.puzzle.layout.size, "little")

    def searched(self) -> Iterator[list[int]]:
        """Yield clauses that exclude the combinations of colours that the kernel's search has completed."""
        for values in [] if self.search is None else excluded(self.search.decisions()):
            literals = [self._literal(cell, colour) for cell, colour in values]
            # A combination with a colour that is known to be wrong is excluded already.
            if not any(literal is False for literal in literals):
                yield [-literal for literal in literals if literal is not True]

    def _literal(self, cell: int, colour: int) -> int | bool:
        """Return the literal that says a cell has a colour, or whether it has one that is known."""
        if self.puzzle.states == 2 and not colour and (cell, 1) in self._variables:
            return -self._variables[cell, 1]
        return self._variables.get((cell, colour)) or self.masks[cell] == 1 << colour


def _is_open(mask: int) -> bool:
    return mask.bit_count() > 1


def _count_open(masks: Sequence[int]) -> int:
    return sum(map(_is_open, masks))


def encoded(search: KernelSearch, masks: array[int]) -> Formula:
    """Return the clauses of the encoders' `residue` for these possible colours, in another order."""
    import numpy as np
    from crosslit_encoders.formula import Formula

    cells, variables, clauses, used = search.encode(masks)
    literals, ends = np.empty(used, np.int32), np.empty(clauses, np.int64)
    search.encode(masks, literals.ctypes.data, ends.ctypes.data)
    return Formula(1, cells, variables, literals, ends)


def excluded(decisions: Iterable[tuple[int, int, int]]) -> list[list[tuple[int, int]]]:
    """Return the combinations of colours that a search has completed, given its guesses and what it has searched.

    Examples:
        >>> excluded([(7, 0, False), (5, 1, True), (8, 0, True), (9, 0, False)])
        [[(7, 0)], [(5, 1), (8, 0), (9, 0)]]
    """
    found, guesses = [], []
    for cell, colour, is_guess in decisions:
        if is_guess:
            guesses.append((cell, colour))
        else:
            found.append([*guesses, (cell, colour)])
    return found


BACKENDS: list[Backend] = [Hybrid()]
