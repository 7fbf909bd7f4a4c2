"""Smallest sets of contradicting constraints (MUS), by an incremental SAT solver under assumptions."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Task, answer_layout
from crosslit.kinds import Puzzle
from crosslit_backends.sat.pysat import ALWAYS, SOLVERS, PySat, defer_sigint

NEEDED = frozenset({"assumptions", "clauses-later"})
"""The abilities that this search needs."""

_NO_PARTS = "the encoding has clauses that belong to no single constraint"


@dataclass(frozen=True)
class MusSolver(PySat):
    """A solver that keeps learned clauses between questions under assumptions.

    Examples:
        >>> from crosslit.formats import read
        >>> from crosslit.registry import all_backends, all_encodings
        >>> puzzle, solver = read("0,2|2,0"), all_backends()["glucose4"]
        >>> task = Task("mus", encoding=all_encodings()[puzzle.kind, "cnf", "order"])
        >>> [grid.text for grid in solver.mus(puzzle, task)]
        ['1010']
    """

    def mus(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield ever fewer constraints that contradict each other, by `smallest`; each has a selector."""
        formula = task.encode(puzzle)
        if formula.owners is None:
            raise GaveUp(_NO_PARTS)
        rows, columns = shape = answer_layout("mus", puzzle)[:2]
        first = formula.variables + 1
        selectors = range(first, first + rows * columns)
        candidates = range(rows * columns) if task.candidates is None else list(_bits(task.candidates))
        clauses = _selected(formula, {owner: selectors[owner] for owner in candidates})
        with self._session(clauses, selectors[-1], task) as session:
            for found in smallest(session, [selectors[owner] for owner in candidates], task):
                yield _grid(shape, (selector - first for selector in found))

    @contextmanager
    def _session(self, clauses: Iterable[list[int]], variables: int, task: Task) -> Iterator[Session]:
        """Open the solver with these clauses over as many variables."""
        task.phase("load")
        solver = self._load(chain(clauses, [ALWAYS]))
        try:
            yield Session(solver, variables, task)
        finally:
            if "statistics" in self.abilities:
                task.stats.update(solver.accum_stats() or {})
            with defer_sigint():
                solver.delete()


@dataclass
class Session:
    """An open solver and its task."""

    solver: Any
    variables: int
    task: Task

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Return whether there is a model in which these literals are true."""
        self.task.phase("solve")
        with defer_sigint():
            return bool(self.solver.solve(assumptions=list(assumptions)))

    def true(self, literals: Iterable[int]) -> list[int]:
        """Return those of the literals that are true in the last model."""
        model = set(self.solver.get_model())
        return [literal for literal in literals if literal in model]

    def core(self) -> list[int]:
        """Return the assumptions that contradict each other, after a `solve` without a model."""
        return list(dict.fromkeys(self.solver.get_core() or []))

    def imply(self, clause: list[int]) -> int:
        """Return a new literal that implies a clause."""
        self.variables += 1
        self.solver.add_clause([-self.variables, *clause])
        return self.variables

    def prefer(self, literals: list[int]) -> None:
        """Make the solver try these values first, if it can."""
        with suppress(NotImplementedError):
            self.solver.set_phases(literals)


def smallest(session: Session, selectors: list[int], task: Task) -> Iterator[list[int]]:
    """Yield ever smaller sets of selectors that the clauses contradict, each minimal; the last is the smallest.

    The first comes from a core by deletion. Then follow the implicit hitting sets of Ignatiev, Previti, Liffiton,
    Marques-Silva, "Smallest MUS extraction with minimal hitting set dualization", CP 2015: a contradicting set must
    contain a selector of each correction set (the complement of a largest satisfiable set), so a smallest hitting set
    of some of them is a lower bound; if it is contradicting, it is the answer.
    """
    from pysat.examples.hitman import Hitman

    # All of them together are satisfiable: there is no such set.
    if session.solve(selectors):
        return
    best = _minimal(session, session.core())
    yield best
    with Hitman(htype="sorted") as hitman:
        while True:
            with defer_sigint():
                hit = hitman.get() or []
            task.improve_bound(len(hit))
            # Every contradicting set hits every correction set, so none is smaller than the smallest hitting set.
            if len(hit) >= len(best):
                return
            chosen = dict.fromkeys(hit)
            while session.solve(chosen):  # as many disjoint correction sets at a time as there are
                correction = _correction(session, selectors, list(chosen))
                with defer_sigint():
                    hitman.hit(correction)
                chosen.update(dict.fromkeys(correction))
            found = _minimal(session, session.core())
            if len(found) < len(best):
                best = found
                yield best


def _minimal(session: Session, core: list[int]) -> list[int]:
    """Remove the unnecessary selectors of a core."""
    needed: list[int] = []
    # Invariant: `needed` and `core` together contradict each other. A selector without which they do not is in every
    # contradicting subset of them.
    while core:
        selector = core.pop()
        if session.solve([*needed, *core]):
            needed.append(selector)
        else:
            kept = set(session.core())
            core = [other for other in core if other in kept]
    return sorted(needed, key=abs)


def _correction(session: Session, selectors: list[int], chosen: list[int]) -> list[int]:
    """Return the complement of a largest satisfiable set that contains the chosen ones, given a model of one."""
    satisfied = dict.fromkeys([*chosen, *session.true(selectors)])
    # Every model satisfies one more of them at least, so this ends.
    while open_ := [selector for selector in selectors if selector not in satisfied]:
        session.prefer(open_)
        if not session.solve([*satisfied, session.imply(open_)]):
            return open_
        satisfied.update(dict.fromkeys(session.true(selectors)))
    raise AssertionError("all selectors together were satisfied after they were not")


def _selected(formula: Any, selectors: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield the clauses that hold for every choice, and those of constraints, which hold only if selected."""
    for owner, clause in zip(formula.owners().tolist(), formula.clauses(), strict=True):
        if owner in selectors:
            yield [-selectors[owner], *clause]
        elif owner < 0:
            yield clause


def _bits(grid: Grid) -> Iterator[int]:
    return (row * grid.columns + column for row, column in grid.cells())


def _grid(shape: tuple[int, int], bits: Iterable[int]) -> Grid:
    return Grid.from_bits(*shape, sum(1 << bit for bit in bits))


# Lingeling removes variables that no clause needs, and aborts the process if a later clause or assumption has one of
# them; python-sat has no way to keep them.
BACKENDS: list[Backend] = [
    MusSolver(solver.name, solver.abilities, solver.groups)
    if solver.abilities >= NEEDED and solver.name != "lingeling"
    else solver
    for solver in SOLVERS
]
