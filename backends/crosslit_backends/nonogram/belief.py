"""Nonograms by belief propagation: a backend that finds solutions and proves nothing."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Task
from crosslit.kinds import Nonogram
from crosslit_backends.native import Native
from crosslit_backends.nonogram.certificate import clues_that_cannot_be

if TYPE_CHECKING:
    from crosslit_backends.nonogram.message_passing import Beliefs

TRIES = ((0.0, 100), (0.002, 300), (0.005, 200), (0.01, 150), (0.002, 300), (0.002, 300), (0.0005, 1200))
"""Growth of the reinforcement, and number of rounds, for each try.

Without reinforcement, hard pictures with one solution converge more often.
"""


class Belief(Native):
    """Belief propagation between rows and columns, rounded to a picture after every round.

    The rule checker accepts a picture before it becomes a solution. There are several tries, most of them with
    reinforcement, which may find different solutions. The backend always ends by giving up, because it cannot know
    whether there are more.

    Examples:
        >>> from crosslit.formats import read
        >>> next(Belief().solutions(read("2,1|1,2"), Task())).text()
        '11/01'
    """

    name = "belief"
    summary = "nonograms: belief propagation, which finds solutions and never claims to have all"
    kinds = frozenset({"nonogram"})
    groups = frozenset({"belief"})
    # the order encoder reads its lines
    trusted_base = frozenset({"belief", "nonogram-order"})
    preload = ("numpy",)

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield the solutions that the tries find, and always give up after the last try."""
        from crosslit_encoders.nonogram.order import open_lines

        from crosslit_backends.nonogram.message_passing import Beliefs

        # Messages are defined only for clues that fit their lines.
        if clues_that_cannot_be(puzzle):
            raise GaveUp("the clues contradict each other, and belief propagation proves nothing")
        found: set[Grid] = set()
        nothing = [0] * puzzle.rows
        sides = open_lines(puzzle, nothing, nothing)
        task.stats["rounds"] = 0
        for seed, (growth, rounds) in enumerate(TRIES):
            # Each try has other noise, which breaks ties between solutions in another way.
            picture = self._converge(puzzle, Beliefs(*sides, growth, seed), rounds, task)
            if picture is not None and picture not in found:
                found.add(picture)
                yield picture
        raise GaveUp(f"its {len(TRIES)} tries have ended, and it cannot know whether there are other solutions")

    def _converge(self, puzzle: Nonogram, beliefs: Beliefs, rounds: int, task: Task) -> Grid | None:
        """Return the first rounded picture that obeys the rules, or None after the given number of rounds."""
        import numpy as np

        filled = np.zeros(0, bool)
        for _ in range(rounds):
            beliefs.exchange()
            task.stats["rounds"] = int(task.stats["rounds"]) + 1
            before, filled = filled, beliefs.cells > 0
            if not np.array_equal(before, filled):
                packed = np.packbits(filled, bitorder="little").tobytes()
                picture = Grid(puzzle.rows, puzzle.columns, packed)
                if next(puzzle.violations(picture), None) is None:
                    return picture
        return None


BACKENDS: list[Backend] = [Belief()]
