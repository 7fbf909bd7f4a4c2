"""A base class for engines that build their objects from a finite-domain model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid
from crosslit.contract import NO_PRESSES, GaveUp, Task
from crosslit.kinds import Puzzle
from crosslit_backends.base import Engine

if TYPE_CHECKING:
    from crosslit_encoders.finite_domain import Model, Values


class ModelEngine(Engine, ABC):
    """An engine that enumerates the values of a model's cells, or finds a solution with the fewest true cells."""

    groups: frozenset[str]

    @abstractmethod
    def search(self, model: Model, task: Task, minimize: bool) -> Generator[Values, None, None]:
        """Load the model, begin phase ``solve``, and yield the values of the cells in each solution.

        With ``minimize``, yield solutions of ever fewer true cells; the last has the fewest. By returning, it claims
        that there are no more. The method frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in the order of the search."""
        yield from self._grids(task.encode(puzzle), task, minimize=False)

    def fewest(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions of ever fewer presses: the number of presses is the objective."""
        model = task.encode(puzzle)
        if model.extend is not None:
            raise GaveUp(NO_PRESSES)
        best = None
        for grid in self._grids(model, task, minimize=True):
            yield (best := grid)
        # The search has ended, which claims that the last solution is the best.
        if best is not None:
            task.improve_bound(best.count())

    def _grids(self, model: Model, task: Task, minimize: bool) -> Generator[Grid, None, None]:
        task.stats.update(model.sizes)
        task.phase("load")
        # closed here: Python loses an interrupt that is raised while it collects a generator
        with closing(self.search(model, task, minimize)) as found:
            for values in found:
                task.phase("decode")
                yield model.grid(values)
                task.phase("solve")
