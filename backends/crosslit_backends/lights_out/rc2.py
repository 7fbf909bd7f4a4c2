"""The fewest presses of a Lights Out board by MaxSAT."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from crosslit.base.grid import Grid
from crosslit.contract import NO_PRESSES, Backend, GaveUp, Task
from crosslit.kinds import Puzzle
from crosslit_backends.base import Engine
from crosslit_backends.sat.pysat import PySat, defer_sigint


class Rc2(Engine):
    """RC2 of python-sat: core-guided MaxSAT, with a soft clause against the press of each cell.

    It raises a lower bound core by core until a solution reaches it, so its first solution has the fewest presses. A.
    Ignatiev, A. Morgado and J. Marques-Silva, "RC2: an efficient MaxSAT solver", JSAT 11 (2019).

    Examples:
        >>> from crosslit.formats import read
        >>> from crosslit.registry import all_encodings
        >>> task = Task(encoding=all_encodings()["lights-out", "cnf", "full-direct"])
        >>> [grid.count() for grid in Rc2().fewest(read("10000/11110/11111/11110/10000"), task)], task.bound
        ([6], 6)
    """

    name = "rc2"
    summary = "MaxSAT by PySAT, core-guided: the fewest presses"
    kinds = frozenset({"lights-out", "modular-lights-out"})
    package, install = PySat.package, PySat.install
    targets = frozenset({"cnf"})
    groups = frozenset({"sat", "default"})
    trusted_base = frozenset({"pysat", "cdcl"})
    preload = ("pysat.examples.rc2", "numpy")

    def fewest(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield one solution, with the fewest presses, and report bounds during the search."""
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        class Telling(RC2):  # type: ignore[misc]
            def process_core(self) -> None:
                super().process_core()
                task.improve_bound(self.cost)

        formula = task.encode(puzzle)
        if formula.extend is not None:
            raise GaveUp(NO_PRESSES)
        task.stats.update(formula.sizes)
        task.phase("load")
        soft = WCNF()
        soft.extend(formula.clauses())
        # Each press costs 1, so the least cost is the number of presses. A cell has a variable for each number of them.
        for cell, weight in enumerate(formula.layout.weights, 1):
            if weight:
                soft.append([-cell], weight)
        solver: Any = Telling(soft, solver=_ENGINE)
        try:
            task.phase("solve")
            with defer_sigint():
                model = solver.compute()
            task.phase("decode")
            if model is not None:
                yield formula.grid(model)
        finally:
            with defer_sigint():
                solver.delete()
                del solver  # here, because Python drops an interrupt raised in a destructor


_ENGINE = "glucose3"  # RC2's own default

BACKENDS: list[Backend] = [Rc2()]
