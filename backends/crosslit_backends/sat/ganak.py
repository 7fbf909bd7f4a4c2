"""Ganak: exact model counting of a CNF formula."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crosslit.contract import Backend, Task
from crosslit.kinds import Puzzle
from crosslit_backends.base import Engine

if TYPE_CHECKING:
    from crosslit_encoders.formula import Formula


class Ganak(Engine):
    """Ganak through pyganak: #SAT by component caching, after Arjun has simplified the formula.

    S. Sharma, S. Roy, M. Soos and K. S. Meel, "GANAK: a scalable probabilistic exact model counter", IJCAI 2019; later
    versions are exact. It counts the values of the cells, which some formulas complete in several ways.
    """

    name = "ganak"
    summary = "#SAT: exact model counting with component caching"
    package = "pyganak"
    extra = "ganak"
    targets = frozenset({"cnf"})
    groups = frozenset({"sat"})
    trusted_base = frozenset({"cdcl"})
    preload = ("pyganak", "numpy")

    def count(self, puzzle: Puzzle, task: Task) -> int:
        """Return the number of solutions, the models of the formula projected to the cells."""
        from pyganak import Counter

        formula: Formula = task.encode(puzzle)
        task.stats.update(formula.sizes)
        task.phase("load")
        counter = Counter(seed=0)
        counter.new_vars(formula.variables)  # a free variable doubles the count
        counter.set_sampling_set(range(1, formula.cells + 1))
        counter.add_clauses(formula.clauses())
        task.phase("solve")
        with _quiet():
            return int(counter.count())


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence standard output: the engine prints there when a formula has no models."""
    # The engine writes to descriptor 1 itself, so replacing `sys.stdout` would not silence it.
    try:
        kept = os.fdopen(os.dup(1), "wb")
    except OSError:  # already closed
        yield
        return
    with kept, Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept.fileno(), 1)


BACKENDS: list[Backend] = [Ganak()]
