"""Probing of the cells that line solving leaves open: two searches at once, and the symmetries of the clues.

Two SAT solvers take turns, or one searches while the kernel runs in a thread. Both list the same solutions.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from crosslit.contract.puzzle import SYMMETRIES, Symmetry
from crosslit.kinds import Nonogram
from crosslit_backends.nonogram.kernel import KernelSearch, Status
from crosslit_backends.sat.pysat import defer_sigint

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula


Cell = tuple[int, int]

# CaDiCaL keeps the phases that it is given; Glucose soon replaces them by its own
FIRST, HINTED = "glucose4", "cadical195"

BUDGET, HINTED_BUDGET = 20_000, 30_000
"""Conflicts in the first turn of each engine.

A conflict takes CaDiCaL about four times as long, and most puzzles beyond line solving take Glucose fewer than this.
"""


class Alternation:
    """Two engines behind the methods of a PySAT solver that `Residue` uses.

    The first engine searches for `BUDGET` conflicts. Then the second, which prefers the hinted values, and the first
    take turns whose budgets double, so the total time is at most a few times that of the faster engine. Each hinted
    turn gets new hints, which take longer to make each time: literals for all variables of the formula, given the
    number of hinted turns so far. The engine that finds a solution continues without limits: other solutions are often
    near it, and hints do not help to prove that there are none.
    """

    def __init__(self, formula: Formula, hints: Callable[[int], Sequence[int]], *, piece: int | None = None) -> None:
        self._formula = formula
        self._hints = hints
        self.piece = piece
        """Conflicts until a pause; None for no pauses."""
        self._added: list[list[int]] = []
        self._engines = [_engine(FIRST, formula)]
        self._current = self._engines[0]
        self._found = False
        self._turn = self._spent = 0  # of the answer sought now, and the conflicts of the turn
        self.name = FIRST
        """The engine that gave the last answer."""

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Return whether there is a model under the assumptions; None is a pause, after which the call is repeated."""
        while not self._found:
            hinted = self._turn % 2
            budget = (HINTED_BUDGET if hinted else BUDGET) << self._turn // 2
            if not self._spent:
                self._take_turn(self._turn // 2 if hinted else None)
            step = min(budget, self.piece or budget)
            self._spent += step
            answer = self._search(assumptions, step)
            if answer is not None:
                self._found, self._turn, self._spent = answer, 0, 0
                return answer
            if self._spent >= budget:
                self._turn, self._spent = self._turn + 1, 0
            if self.piece:
                return None
        return self._search(assumptions, self.piece)

    def _search(self, assumptions: Sequence[int], budget: int | None) -> bool | None:
        if budget is None:
            return bool(self._current.solve(assumptions=list(assumptions)))
        self._current.conf_budget(budget)
        answer: bool | None = self._current.solve_limited(assumptions=list(assumptions))
        return answer

    def _take_turn(self, hinted: int | None) -> None:
        if hinted is not None:
            if len(self._engines) == 1:
                self._engines.append(_engine(HINTED, self._formula))
                # It is made at its first turn, since most puzzles never need it, and then lacks the clauses added so
                # far.
                for clause in self._added:
                    self._engines[1].add_clause(clause)
            self._engines[1].set_phases(self._hints(hinted))
        self._current = self._engines[0 if hinted is None else 1]
        self.name = FIRST if hinted is None else HINTED

    def add_clause(self, clause: list[int]) -> None:
        """Add a clause to the formula."""
        if self._found:
            self._current.add_clause(clause)  # the other engine is no longer used
            return
        self._added.append(clause)
        for engine in self._engines:
            engine.add_clause(clause)

    def accum_stats(self) -> dict[str, int]:
        """Return the number of conflicts of both engines."""
        return {"conflicts": sum((engine.accum_stats() or {}).get("conflicts", 0) for engine in self._engines)}

    def delete(self) -> None:
        """Free both engines."""
        while self._engines:
            self._engines.pop().delete()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._current, name)


def _engine(name: str, formula: Formula) -> Any:
    from pysat.solvers import Solver

    with defer_sigint():
        return Solver(name=name, bootstrap_with=formula.clauses())


MAX_SEEN = 1 << 16  # solutions; a search that has found more needs no second one
WITHOUT_END = 1 << 60  # work
SWITCH = 0.0005  # seconds that the kernel's thread waits for its turn in Python, instead of 5 ms


class _Thread(threading.Thread):
    """The kernel's search: it holds Python's lock only between two of its calls."""

    def __init__(self, search: KernelSearch) -> None:
        super().__init__(daemon=True)
        self._search = search
        self._halted = False
        self._batches: SimpleQueue[bytes] = SimpleQueue()
        self._error: BaseException | None = None
        self.found = 0
        self.is_complete = False

    def run(self) -> None:
        try:
            status = Status.SPENT
            while status is not Status.EXHAUSTED and not self._halted and self.found <= MAX_SEEN:
                status, packed = self._search.run(splits=False, capacity=self.found, work=WITHOUT_END)
                self.found += len(packed) // self._search.size
                self._batches.put(packed)
            self.is_complete = status is Status.EXHAUSTED
        except BaseException as error:
            self._error = error

    def batches(self) -> Iterator[bytes]:
        """Yield what it has found since the last time.

        Raises:
            BaseException: what has ended the thread.
        """
        with suppress(Empty):
            while True:
                yield self._batches.get_nowait()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Stop it; the search can go on later."""
        self._halted = True
        while self.is_alive():
            self._search.halt()
            self.join(0.001)


def first_to_end(search: KernelSearch, other: Iterator[bytes]) -> Generator[bytes, None, None]:
    """Yield each remaining solution of a search once, until it or the other search has found all.

    Args:
        search: the kernel's search.
        other: the same solutions one by one, packed; it yields nothing when it has made ready and when it pauses.
    """
    size = search.size
    ours: set[bytes] = set()  # found by the kernel
    theirs: set[bytes] = set()  # found by the other search only
    kernel = _Thread(search)
    interval = sys.getswitchinterval()

    def fresh(packed: bytes) -> bytes:
        found = [packed[start : start + size] for start in range(0, len(packed), size)]
        if len(ours) <= MAX_SEEN:
            ours.update(found)
        return b"".join(solution for solution in found if solution not in theirs)

    has_all = True
    next(other)  # by itself: new pages of memory take several times as long in a process with two busy threads
    try:
        sys.setswitchinterval(SWITCH)
        kernel.start()
        for packed in other:
            yield from filter(None, map(fresh, kernel.batches()))
            if packed and packed not in ours:
                theirs.add(packed)
                yield packed
            if not kernel.is_alive():
                has_all = kernel.is_complete
                break
    finally:
        kernel.stop()
        sys.setswitchinterval(interval)
    yield from filter(None, map(fresh, kernel.batches()))
    while not has_all:  # it has found more than `MAX_SEEN`
        status, packed = search.run(splits=False, capacity=kernel.found)
        if left := fresh(packed):
            yield left
        has_all = status is Status.EXHAUSTED


def symmetries(puzzle: Nonogram) -> Iterator[Callable[[Cell], Cell]]:
    """Yield every turn or reflection that leaves the clues unchanged, except the identity, as a map of cells.

    Empty lines around the picture do not count: the box from the first line with a block to the last is turned. A
    symmetry maps solutions to solutions. So a unique solution is invariant under all symmetries, and any solution that
    is not comes with its images.
    """
    top, height = _extent([bool(clue) for clue in puzzle.row_clues])
    left, width = _extent([bool(clue) for clue in puzzle.column_clues])
    if not height or not width:
        return  # at most one picture, the empty one
    box = Nonogram(puzzle.row_clues[top : top + height], puzzle.column_clues[left : left + width])

    def image(symmetry: Symmetry, cell: Cell) -> Cell:
        # Within the box. A turn leaves it unchanged only if it is square, so its height and width may be exchanged
        # here.
        row, column = symmetry.axes(cell[0] - top, cell[1] - left)
        row = height - 1 - row if symmetry.flip else row
        return top + row, left + (width - 1 - column if symmetry.mirror else column)

    yield from (partial(image, symmetry) for symmetry in SYMMETRIES if box.image(symmetry) == box)


def _extent(present: list[bool]) -> tuple[int, int]:
    """Return the first index that is true, and the distance from there past the last."""
    if True not in present:
        return 0, 0
    first = present.index(True)
    return first, len(present) - present[::-1].index(True) - first
