"""Coloured nonograms from random pictures or a given one, on request with one solution."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from crosslit.base.grid import Grid
from crosslit.kinds.nonogram.colours import Colour, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.making import random_colours
from crosslit_generate.nonogram import GeneratedNonogram, similar


def random_coloured(
    rng: random.Random, rows: int, columns: int, colours: int, density: float, unique: bool
) -> GeneratedNonogram[ColouredNonogram]:
    """Return the puzzle of a random picture, or of a similar one that is the only solution of its clues."""
    return from_picture(random_colours(rng, rows, columns, colours, density), usual_palette(colours), unique)


def from_picture(
    picture: Grid, palette: Sequence[Colour], unique: bool, on_step: Callable[[str], None] = lambda _: None
) -> GeneratedNonogram[ColouredNonogram]:
    """Return the puzzle of a picture, or on request of a similar one; see `crosslit_generate.nonogram.repair`."""
    backend = "coloured-line" if unique else None
    return similar(picture, lambda grid: ColouredNonogram.of(grid, palette=palette), backend, on_step)
