"""Nonograms with given properties, and the repair of pictures to uniqueness."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from crosslit.base.errors import GaveUp
from crosslit.base.grid import Grid, Layout
from crosslit.contract.family import pick, random_grid, shuffled
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.nonogram.colours import ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.families import random_colours
from crosslit.kinds.nonogram.puzzle import Nonogram

MAX_JUDGED = 625  # maximum cells of a nonogram whose difficulty is determined
MAX_TRIES = 200  # pictures made to reach a difficulty, or repairs of the given one

Difficulty = Literal["line", "probe", "search"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
"""Difficulty levels reported by `line`: decided by line solving, by probing single cells, or by guesses."""

_THINNER = {"probe": 0.4, "search": 0.4}  # densities at which a difficulty is most frequent
# of pictures of this size, repaired to uniqueness, one in 14 needs a search, and four in five need probing
_ADVICE = {"line": "density 0.6", **dict.fromkeys(("probe", "search"), "size 15 and density 0.4")}
_SOLUTIONS = 4  # maximum solutions examined to find the open cells
_CANDIDATES = 6  # cells tried in every step
# open cells: with more, trying is uninformative, and several are filled at once, because thick pictures have few
# solutions
_MANY = 40
_AT_A_TIME = 20  # one of that many open cells is filled


@dataclass(frozen=True)
class NewPuzzle:
    """A puzzle and its facts: the properties that were asked for, or measured while it was made."""

    puzzle: LightsOut | Nonogram
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NonogramMaker:
    """Nonograms of random pictures, or of one picture, with the arguments of `crosslit.generate`.

    Raises:
        ValueError: if there are no such puzzles.
    """

    rows: int
    columns: int
    density: float | None = None
    unique: bool = False
    difficulty: str | None = None
    colours: int | None = None  # None for filled cells in black
    picture: Grid | None = None

    def __post_init__(self) -> None:
        if self.difficulty not in (None, *DIFFICULTIES):
            raise ValueError(f"a difficulty is one of {', '.join(DIFFICULTIES)}, not {self.difficulty!r:.40}")
        if self.difficulty and self.rows * self.columns > MAX_JUDGED:
            raise ValueError(f"difficulty is determined only up to {MAX_JUDGED} cells")
        if self.picture is not None and (self.picture.rows, self.picture.columns) != (self.rows, self.columns):
            raise ValueError(f"the picture has another size than {self.rows} x {self.columns}")

    def __call__(self, rng: random.Random) -> NewPuzzle:
        """Return the puzzle of a picture: repaired to uniqueness if required, until it has the difficulty."""
        for attempt in range(MAX_TRIES):
            picture = start = self._draw(rng) if self.picture is None else self.picture
            if self.unique or self.difficulty:
                backend = "hybrid" if self.colours is None else "line"
                picture = repair(start, self._puzzle, backend, 0 if self.picture is None else attempt)
            puzzle = self._puzzle(picture)
            if self.difficulty is None or difficulty(puzzle) == self.difficulty:
                changed = sum(value != new for value, new in zip(start.text, picture.text, strict=True))
                unique = self.unique or self.difficulty is not None or None
                facts = {"unique": unique, "difficulty": self.difficulty, "changed": changed, "picture": picture.text}
                return NewPuzzle(puzzle, facts)
            if picture == self.picture:
                words = f"needs no change for one solution, and its difficulty is {difficulty(puzzle)}"
                raise GaveUp(f"the picture {words}")
        if self.picture is not None:
            raise GaveUp(f"none of {MAX_TRIES} repairs has the difficulty {self.difficulty}")
        advice = _ADVICE[self.difficulty or "line"]
        raise GaveUp(f"none of {MAX_TRIES} pictures has the difficulty {self.difficulty}: try {advice}")

    def _draw(self, rng: random.Random) -> Grid:
        if self.colours is not None:
            share = 0.7 if self.density is None else self.density
            return random_colours(rng, self.rows, self.columns, self.colours, share)
        usual = _THINNER.get(self.difficulty or "", 0.5)
        return random_grid(rng, self.rows, self.columns, usual if self.density is None else self.density)

    def _puzzle(self, picture: Grid) -> Nonogram:
        if self.colours is None:
            return Nonogram.of(picture)
        return ColouredNonogram.of(picture, palette=usual_palette(self.colours))


def difficulty(puzzle: Nonogram) -> str:
    """Return the difficulty of a nonogram by the backend `line`."""
    from crosslit import registry
    from crosslit.contract import Task
    from crosslit.runs.drive import drive

    choice = registry.select_one("line", puzzle, "solutions")
    task = Task(options=choice.options)
    next(drive(choice.backend, puzzle, task), None)
    return str(task.stats.get("difficulty", ""))


def repair(picture: Grid, puzzle_of: Callable[[Grid], Nonogram], backend: str, seed: int = 0) -> Grid:
    """Return a picture near ``picture`` that is the only solution of its clues, by the claim of a backend.

    If there is another solution, some cells in which it differs are tried, and the change that leaves the fewest cells
    that differ between solutions is kept; while these are many, some are filled without trying. No cell is changed
    twice, so it terminates. The number of changed cells need not be minimal.
    """
    # Its own sequence, so that the repair of a picture does not depend on how the picture was made.
    rng = random.Random(f"repair {seed}")
    layout = Layout(picture.rows, picture.columns, picture.states)
    values = [int(value) for value in picture.array().ravel()]
    changed = set[int]()

    def changed_at(cell: int) -> list[int]:
        others = [value for value in range(layout.states) if value != values[cell]]
        return [*values[:cell], others[0] if len(others) == 1 else pick(rng, others), *values[cell + 1 :]]

    def open_cells(values: list[int]) -> list[int]:
        return _open_cells(puzzle_of(layout.pack(values)), backend, values)

    left = open_cells(values)
    while left:
        free = [cell for cell in left if cell not in changed]
        if not free:
            raise GaveUp("every open cell was changed, and the clues still have several solutions")
        empty = [cell for cell in free if not values[cell]]
        # Trying six candidates for every cell did not end in a minute for 30 x 30 at density 0.35; this takes 12 s.
        if len(free) > _MANY and empty:
            for cell in shuffled(rng, empty)[: len(free) // _AT_A_TIME]:
                values = changed_at(cell)
                changed.add(cell)
            left = open_cells(values)
            continue
        tried: list[tuple[int, int, int, list[int], list[int]]] = []
        for cell in shuffled(rng, free)[:_CANDIDATES]:
            after = changed_at(cell)
            # The number of the attempt breaks ties, so that the result does not depend on the cell's place.
            tried.append((len(still := open_cells(after)), len(tried), cell, after, still))
            # Nothing can be better than no open cell.
            if not still:
                break
        _, _, cell, values, left = min(tried)
        changed.add(cell)
    return layout.pack(values)


def _open_cells(puzzle: Nonogram, backend: str, values: list[int]) -> list[int]:
    """Return the cells in which the given values differ from those of some solutions."""
    from crosslit.questions.solve import solutions

    # Two solutions show that there are several; a few more show more of the cells that vary.
    found = [grid.array().ravel().tolist() for grid in itertools.islice(solutions(puzzle, backend), _SOLUTIONS)]
    return [cell for cell, value in enumerate(values) if any(other[cell] != value for other in found)]
