"""The PySAT solvers that work: one class, a table of the differences between them, their interrupts and proofs."""

from __future__ import annotations

import itertools
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, TypeVar

from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp, Task
from crosslit.judging.certificates import MAX_SOLUTIONS, refutation
from crosslit.kinds import Puzzle
from crosslit_backends.base import Engine


@contextmanager
def defer_sigint() -> Iterator[None]:
    """Defer an interrupt until PySAT has returned; an isolated run is killed instead.

    In the main thread PySAT handles an interrupt by a ``longjmp`` out of the engine. If the engine is allocating
    memory, the process then hangs forever. In a process with other threads, the wrong thread may jump. A solver that is
    interrupted while it is being freed is freed twice. PySAT calls an internal function to check whether it is in the
    main thread; replacing that function prevents the jump.
    """
    from pysat.solvers import MainThread

    # Python runs handlers in the main thread only. A handler that is not callable (the default, or ignored) is none of
    # Python's.
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    # The interrupt is only noted here; its handler runs after the engine has returned.
    heard: list[tuple[int, FrameType | None]] = []
    check = MainThread.check
    signal.signal(signal.SIGINT, lambda *interrupt: heard.append(interrupt))
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = staticmethod(check)
        signal.signal(signal.SIGINT, handler)
        # Last, when everything is restored, because the handler usually raises. Several interrupts count as one.
        if heard:
            handler(*heard[0])


def refute(puzzle: Puzzle, task: Task, solutions: Sequence[Grid], engine: str) -> Certificate:
    """Return a fresh solver's proof that a puzzle's formula has no models except the given solutions.

    The solver that found the solutions took clauses between them, and its proof could be rejected; so this one starts
    with the formula and all clauses that exclude solutions. It raises GaveUp if they are too many, or not all.
    """
    from pysat.solvers import Solver

    if len(solutions) > MAX_SOLUTIONS:
        raise GaveUp(f"a proof about {len(solutions)} solutions has a clause over all cells for each: at most 10,000")
    formula = task.encode(puzzle)
    clauses = [*formula.clauses(), *([-literal for literal in formula.values(solution)] for solution in solutions)]
    with defer_sigint(), Solver(name=engine, bootstrap_with=clauses, with_proof=True) as prover:
        if prover.solve():
            raise GaveUp(f"{engine} finds another solution: {formula.grid(prover.get_model()).text[:60]}")
        proof = prover.get_proof() or []
    assert task.encoding is not None  # set, because it has encoded
    return refutation(puzzle, task.encoding.name, engine, solutions, proof)


def refute_by(puzzle: Puzzle, task: Task, solutions: Sequence[Grid], engine: str, encoding: str) -> Certificate:
    """Return the proof of `refute` for a solver without an encoding, by the named one."""
    from crosslit.registry.defaults import choose_encoding

    return refute(puzzle, replace(task, encoding=choose_encoding(puzzle, encoding)), solutions, engine)


T = TypeVar("T")

BLOCKED = 1000
"""Number of solutions excluded by clauses before a solver branches; that many clauses cost next to nothing."""

ALWAYS = [1, -1]
"""A clause that always holds: maplesat crashes the process on a formula without clauses."""

MIN_WORK, A_SOLUTION = 256, 3
"""Propagations and refutations before branching gives up: in advance, and for each solution (two are usual)."""


@dataclass(frozen=True)
class PySat(Engine):
    """A SAT solver of python-sat; blocking clauses, projected on the cells, enumerate the solutions.

    ``enum_models`` of the package blocks whole models including auxiliary variables; here a clause over the cells
    excludes just the solution found. If many such clauses would slow the solver down, it continues without them (see
    `backtrack_enumerate`).
    """

    name: str
    abilities: frozenset[str]  # of `ABILITIES`; the tests try each one, and check that no other works
    groups: frozenset[str] = frozenset({"sat"})
    trusted_base: frozenset[str] = field(default=frozenset({"pysat", "cdcl"}), init=False)

    targets = frozenset({"cnf"})
    package = "python-sat"
    install = "python-sat"
    preload = ("pysat.solvers", "numpy")

    @property
    def summary(self) -> str:  # type: ignore[override]
        """A line that describes the solver."""
        return "CDCL by PySAT, a new solver for every solution" if self.one_shot else "CDCL by PySAT, incremental"

    @property
    def one_shot(self) -> bool:
        """True if it cannot take a clause after it has solved."""
        return "clauses-later" not in self.abilities

    @property
    def branches(self) -> bool:
        """True if the enumeration backtracks after many solutions, instead of adding a clause for each."""
        # MiniSat and its descendants slow down as blocking clauses pile up.
        # Not CaDiCaL: once it has solved, its `propagate` can report false conflicts (pysathq/pysat issue 232, seen in
        # version 1.9.dev15), and blocking clauses hardly slow it.
        able = {"assumptions", "propagation", "interrupt"} <= self.abilities
        return able and not self.name.startswith("cadical")

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions; a clause over the cells excludes each before the next search."""
        formula = task.encode(puzzle)
        task.stats.update(formula.sizes)
        task.phase("load")
        blocked = [ALWAYS]
        solver = self._load(itertools.chain(formula.clauses(), blocked))
        try:
            for excluded in itertools.count():
                task.phase("solve")
                with defer_sigint():
                    found = solver.solve()
                if not found:
                    return
                task.phase("decode")
                model = solver.get_model()
                # Equal, not greater: if backtracking gives up, it is not tried a second time.
                if excluded == BLOCKED and self.branches:
                    if (yield from backtrack_enumerate(solver, model, formula.cells, formula.grid, task)):
                        return
                    continue
                yield formula.grid(model)
                task.phase("load")
                blocking = formula.blocking(model)
                # A new solver gets all clauses again; that is slow, but kissat404 aborts at a clause after solving.
                if self.one_shot:
                    blocked.append(blocking)
                    with defer_sigint():
                        solver.delete()
                    solver = self._load(itertools.chain(formula.clauses(), blocked))
                else:
                    solver.add_clause(blocking)
        finally:
            if "statistics" in self.abilities:
                task.stats.update(solver.accum_stats() or {})
            with defer_sigint():
                solver.delete()
                del solver  # here, because Python drops an interrupt raised in a destructor

    def certify(self, puzzle: Puzzle, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Return the proof of a fresh solver; see `crosslit_backends.sat.pysat`."""
        if "proof" not in self.abilities:
            raise GaveUp(f"{self.name} writes no proof that can be checked: glucose4, cadical195 and others do")
        return refute(puzzle, task, solutions, self.name)

    def _load(self, clauses: Iterable[list[int]]) -> Any:
        from pysat.solvers import Solver

        return Solver(name=self.name, bootstrap_with=clauses)


def backtrack_enumerate(
    solver: Any, model: list[int], cells: int, read: Callable[[list[int]], T], task: Task
) -> Generator[T, None, bool]:
    """Yield the remaining solutions by chronological backtracking, without a clause for each.

    The cells that unit propagation leaves open are assumed to have their values in the last model, in the order of
    their variables; then the assumptions are reversed one by one, from last to first. The core of each refutation
    becomes a clause, which unit propagation knows from then on. If that takes much work for few solutions (unit
    propagation is too weak for this formula), it returns False, leaving clauses that exclude the part already searched.
    """
    assumed: list[int] = []
    # Invariant: under the prefix before an index that is not in `untried`, the opposite of its literal has been
    # searched.
    untried: list[int] = []  # indices whose opposite is still to be tried
    fixed: set[int] = set()  # literals that hold in all remaining solutions: `propagate` does not report them
    found = work = 0
    task.phase("solve")
    while True:
        model = model[:cells]  # all of them, which are in the clauses that exclude solutions
        while True:
            if work > A_SOLUTION * found + MIN_WORK:
                # Each clause says: under this prefix, only the literal that is assumed now remains. The rest of the
                # branch is left to the solver, with the model that was not yielded.
                task.phase("load")
                for index in sorted(set(range(len(assumed))).difference(untried)):  # its opposite has been searched
                    solver.add_clause([-literal for literal in assumed[:index]] + [assumed[index]])
                return False
            work += 1
            with defer_sigint():
                propagated = solver.propagate(assumed)[1]
            known = fixed.union(propagated, assumed)  # `propagate` may omit some of the literals just assumed
            undecided = next((literal for literal in model if literal not in known), None)
            if undecided is None:
                break
            untried.append(len(assumed))
            assumed.append(undecided)
        found += 1
        task.phase("decode")
        yield read(model)
        task.phase("solve")
        while True:
            if not untried:
                return True
            # The last index first, so that everything behind it has been searched already.
            index = untried.pop()
            assumed[index:] = [-assumed[index]]
            with defer_sigint():
                possible = solver.solve(assumptions=assumed)
            if possible:
                break
            # Without the clauses of the cores, cells that never vary are refuted again under every prefix: on ten
            # independent switches that gave 19 solutions a second, where blocking gives 5,700.
            work += 1
            if core := solver.get_core():
                solver.add_clause([-literal for literal in core])
                fixed.update(-literal for literal in core if len(core) == 1)
        model = solver.get_model()


ABILITIES = {
    "clauses-later": "takes clauses after solving; otherwise each further solution needs a new solver",
    "assumptions": "solves under assumptions, and returns a core of contradicting ones",
    "statistics": "counts conflicts, decisions and propagations",
    "propagation": "unit propagation by itself, from given literals",
    "conflict-budget": "stops soon after a number of conflicts (the Glucose family checks only at restarts)",
    "interrupt": "stops at the request of another thread",
    "proof": "writes a DRAT proof, whose lemmas are RUP and lead to a conflict",
}

_DEFAULT = frozenset({"sat", "default"})  # groups
_USUAL = frozenset({"clauses-later", "assumptions", "statistics"})
_CADICAL = _USUAL | {"propagation", "conflict-budget", "proof"}
_MINISAT = _USUAL | {"propagation", "conflict-budget", "interrupt"}
_GLUCOSE = _MINISAT | {"proof"}

# Omitted: `cryptominisat`, which needs another package. A missing ability that others of the family have is a trap:
# PySAT refuses some, but kissat404 ignores assumptions and aborts the process at a later clause, maplesat numbers the
# variables of its proof one too high, and the newer CaDiCaLs do not react to an interrupt.
SOLVERS = [
    PySat("cadical103", _CADICAL - {"propagation"}),
    PySat("cadical153", _CADICAL),
    PySat("cadical195", _CADICAL, _DEFAULT),
    PySat("cadical300", _CADICAL),
    PySat("ergo", _GLUCOSE),
    PySat("gluecard3", _GLUCOSE),
    PySat("gluecard4", _GLUCOSE),
    PySat("glucose3", _GLUCOSE),
    PySat("glucose4", _GLUCOSE, _DEFAULT),
    PySat("glucose42", _GLUCOSE),
    PySat("kissat404", frozenset()),
    PySat("lingeling", _USUAL | {"proof"}),
    PySat("maplechrono", _GLUCOSE),
    PySat("maplecm", _GLUCOSE),
    PySat("maplesat", _GLUCOSE - {"proof"}),
    PySat("mergesat3", _MINISAT),
    PySat("minicard", _MINISAT),
    PySat("minisat22", _MINISAT),
    PySat("minisat-ep", _MINISAT),
    PySat("minisat-gh", _MINISAT),
]
