"""CryptoMiniSat: CDCL with native parity constraints."""

from __future__ import annotations

import signal
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.kinds import Puzzle
from crosslit_backends.base import Engine

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula


class CryptoMiniSat(Engine):
    """CryptoMiniSat through pycryptosat: CDCL with Gauss-Jordan elimination of parity constraints during the search.

    M. Soos, K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009. Blocking clauses,
    projected on the cells, enumerate the solutions.
    """

    name = "cryptominisat"
    summary = "CDCL with native XOR and Gauss-Jordan elimination, incremental"
    package = "pycryptosat"
    extra = "cms"
    targets = frozenset({"cnf", "cnf-xor"})
    # not in `default`, which would then differ between environments
    groups = frozenset({"sat"})
    trusted_base = frozenset({"cdcl"})
    options: ClassVar[Mapping[str, Option]] = {"gauss": Option("0: no Gauss-Jordan elimination; default 1", 0, 1)}
    preload = ("pycryptosat", "numpy")

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions; a clause over the cells excludes each before the next search."""
        formula: Formula = task.encode(puzzle)
        task.stats.update(formula.sizes)
        task.phase("load")
        solver: Any = self._load(formula, task)
        try:
            while True:
                task.phase("solve")
                found, values = solver.solve()
                if found is None:
                    # no limit was set, so this was an interrupt: the engine stops at it, but hides it from Python
                    signal.raise_signal(signal.SIGINT)
                    raise GaveUp("CryptoMiniSat was interrupted")
                if not found:
                    return
                task.phase("decode")
                # the answer ends with the highest variable that the engine has seen
                model = [place if value else -place for place, value in enumerate(values[1:], 1)]
                yield formula.grid(model)
                task.phase("load")
                solver.add_clause(formula.blocking(model))
        finally:
            del solver

    def _load(self, formula: Formula, task: Task) -> Any:
        import numpy as np
        from pycryptosat import Solver

        solver = Solver() if task.options.get("gauss", True) else Solver(options={"maxmatrixrows": "0"})
        if len(formula):  # one buffer in which 0 ends every clause
            solver.add_clauses(np.insert(formula.literals, formula.ends, 0))
        for variables, value in formula.xors:
            solver.add_xor_clause(variables, bool(value))
        return solver


BACKENDS: list[Backend] = [CryptoMiniSat()]
