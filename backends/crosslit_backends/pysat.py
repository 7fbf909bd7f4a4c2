"""Every PySAT solver that works, by one class and one table of what sets each apart."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from types import FrameType
from typing import Any, ClassVar

from crosslit.contract import Backend, Option, Task, Unavailable
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle


@dataclass(frozen=True)
class PySat:
    """A SAT solver of python-sat; solutions are enumerated by blocking clauses, projected on the cells.

    ``enum_models`` of the package blocks whole models, auxiliary variables included; here a clause over the cells
    excludes just the solution found.

    Args:
        name: of the solver, as PySAT knows it.
        one_shot: it cannot take a clause after it has solved, so every further solution is a new solver.
        counts: it tells conflicts, decisions and propagations.
        default: it belongs to the group ``default``.
    """

    name: str
    one_shot: bool = False
    counts: bool = True
    default: bool = False
    trusts: frozenset[str] = field(default=frozenset({"pysat", "cdcl"}), init=False)

    accepts: ClassVar[frozenset[str]] = frozenset({"cnf"})
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out", "nonogram"})
    options: ClassVar[Mapping[str, Option]] = {}
    modules: ClassVar[tuple[str, ...]] = ("pysat.solvers", "numpy")

    @property
    def summary(self) -> str:
        """One line for people."""
        return "CDCL by PySAT, a new solver for every solution" if self.one_shot else "CDCL by PySAT, incremental"

    @property
    def groups(self) -> frozenset[str]:
        """``sat``, and ``default`` for some."""
        return frozenset({"sat", "default"} if self.default else {"sat"})

    def version(self) -> str:
        """That of python-sat, which holds the solver's source."""
        try:
            return f"python-sat {version('python-sat')}"
        except PackageNotFoundError:
            raise Unavailable("python-sat is not installed: pip install python-sat") from None

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Nothing: the limits of a run tell."""
        return None

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """All solutions, each excluded by a clause over the cells before the next is sought."""
        formula = task.encode(puzzle)
        task.stats.update(variables=formula.variables, clauses=len(formula), literals=len(formula.literals))
        task.phase("load")
        # maplesat crashes the process when it solves a formula without clauses: a variable of no concern gives it one
        blocked: list[list[int]] = [] if len(formula) else [[formula.variables + 1]]
        solver = self._load(chain(formula.clauses(), blocked))
        try:
            while True:
                task.phase("solve")
                with held():
                    found = solver.solve()
                if not found:
                    return
                task.phase("decode")
                model = solver.get_model()
                yield formula.grid(model)
                task.phase("load")
                blocking = formula.blocking(model)
                if self.one_shot:
                    blocked.append(blocking)
                    with held():
                        solver.delete()
                    solver = self._load(chain(formula.clauses(), blocked))
                else:
                    solver.add_clause(blocking)
        finally:
            if self.counts:
                task.stats.update(solver.accum_stats() or {})
            with held():
                solver.delete()
                del solver  # here, for Python drops an interrupt that it hears in a destructor

    def _load(self, clauses: Iterable[list[int]]) -> Any:
        from pysat.solvers import Solver

        return Solver(name=self.name, bootstrap_with=clauses)


@contextmanager
def held() -> Iterator[None]:
    """Hold an interrupt back until PySAT has returned; a run in a process of its own is killed instead.

    PySAT itself answers one in the main thread by a long jump out of the engine, wherever it is: inside an allocation,
    that hangs the process for good, and where a process has other threads, one of those may jump. It asks a function of
    its own for the thread, so that is replaced. And a solver that is interrupted while it is freed is freed twice.
    """
    from pysat.solvers import MainThread

    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    heard: list[tuple[int, FrameType | None]] = []
    check = MainThread.check
    signal.signal(signal.SIGINT, lambda *interrupt: heard.append(interrupt))
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = staticmethod(check)
        signal.signal(signal.SIGINT, handler)
        if heard:
            handler(*heard[0])


# Left out: `cryptominisat`, which needs a package of its own. Of those below, kissat404 may abort when a clause comes
# after solving.
BACKENDS: list[Backend] = [
    PySat("cadical103"),
    PySat("cadical153"),
    PySat("cadical195", default=True),
    PySat("cadical300"),
    PySat("ergo"),
    PySat("gluecard3"),
    PySat("gluecard4"),
    PySat("glucose3"),
    PySat("glucose4", default=True),
    PySat("glucose42"),
    PySat("kissat404", one_shot=True, counts=False),
    PySat("lingeling"),
    PySat("maplechrono"),
    PySat("maplecm"),
    PySat("maplesat"),
    PySat("mergesat3"),
    PySat("minicard"),
    PySat("minisat22"),
    PySat("minisat-ep"),
    PySat("minisat-gh"),
]
