"""Coloured nonograms from random pictures or a given one, on request with one solution."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

from crosslit.answer import Layout
from crosslit.errors import GaveUp
from crosslit.grid import Grid
from crosslit.kinds.chance import pick, shuffled
from crosslit.kinds.coloured_nonogram.makers import random_colours
from crosslit.kinds.coloured_nonogram.puzzle import Colour, ColouredNonogram, usual_palette
from crosslit_generate.nonogram import GeneratedNonogram

_SOLUTIONS = 4  # that show which cells vary
_CANDIDATES = 6  # cells tried for each change


def random_coloured(
    rng: random.Random, rows: int, columns: int, colours: int, density: float, unique: bool
) -> GeneratedNonogram[ColouredNonogram]:
    """Return the puzzle of a random picture, or of a similar one that is the only solution of its clues."""
    return from_picture(random_colours(rng, rows, columns, colours, density), usual_palette(colours), unique)


def from_picture(
    picture: Grid, palette: Sequence[Colour], unique: bool, on_step: Callable[[str], None] = lambda _: None
) -> GeneratedNonogram[ColouredNonogram]:
    """Return the puzzle of a picture; with ``unique``, cells in which solutions differ are changed until none does.

    Of some such cells and other colours, the change that leaves the fewest differing cells is kept. No cell is changed
    twice, so it terminates; the number of changed cells need not be minimal.

    Raises:
        GaveUp: if every open cell was changed, and there are still several solutions.
    """
    layout = Layout(picture.rows, picture.columns, len(palette))
    values, changed = [int(value) for value in picture.array().ravel()], set[int]()
    rng = random.Random("repair 0")

    def varying(cells: Sequence[int]) -> set[int]:
        from crosslit.questions.solve import solutions

        puzzle = ColouredNonogram.of(layout.pack(cells), palette)
        found = [grid.array().ravel() for grid in itertools.islice(solutions(puzzle, "coloured-line"), _SOLUTIONS)]
        return {cell for cell in range(len(cells)) if any(other[cell] != cells[cell] for other in found)}

    varied = varying(values) if unique else set()
    while varied:
        on_step(f"repair, {len(varied)} cells open")
        free = sorted(varied - changed)
        if not free:
            raise GaveUp("every open cell was changed, and the clues still have several solutions")
        tried: list[tuple[int, int, int, list[int], set[int]]] = []
        for cell in shuffled(rng, free)[:_CANDIDATES]:
            colour = pick(rng, [value for value in range(len(palette)) if value != values[cell]])
            after = [*values[:cell], colour, *values[cell + 1 :]]
            tried.append((len(left := varying(after)), len(tried), cell, after, left))
            if not left:
                break
        _, _, cell, values, varied = min(tried)
        changed.add(cell)
    grid = layout.pack(values)
    return GeneratedNonogram(ColouredNonogram.of(grid, palette), grid, len(changed))
