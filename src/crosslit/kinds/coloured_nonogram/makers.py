"""Families of random coloured nonograms."""

from __future__ import annotations

import itertools
import random

from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.contract.family import Chance, Maker, between, pick, shuffled
from crosslit.kinds.coloured_nonogram.puzzle import Block, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.makers import Axes, changed, rearranged


def random_colours(rng: random.Random, rows: int, columns: int, colours: int, density: float) -> Grid:
    """Return a picture whose cells are not empty with a probability."""
    cells = [between(rng, 1, colours) if rng.random() < density else 0 for _ in range(rows * columns)]
    return Layout(rows, columns, colours + 1).pack(cells)


def random_picture(rng: random.Random, rows: int, columns: int, colours: int, density: float = 0.6) -> ColouredNonogram:
    """Return the puzzle of a random picture: it has that solution, and maybe others.

    Examples:
        >>> random_picture(random.Random(1), 2, 4, 2).text
        'coloured-nonogram:1b 1a 1b,1a 1b|1b,1a,1a,2b'
    """
    return ColouredNonogram.of(random_colours(rng, rows, columns, colours, density), usual_palette(colours))


def _colours(chance: Chance) -> int:
    return pick(chance.rng, (1, 2, 2, 3, 3, 4))


def _picture(chance: Chance, most: int | None = None) -> ColouredNonogram:
    shape = chance.shape(1, most)
    # Thin pictures of more than a few cells have thousands of solutions.
    densities = (0.3, 0.5, 0.7, 0.9) if shape[0] * shape[1] <= 25 else (0.7, 0.8, 0.9)
    return random_picture(chance.rng, *shape, _colours(chance), pick(chance.rng, densities))


def _strip(chance: Chance) -> ColouredNonogram | None:
    return None if chance.square else random_picture(chance.rng, *chance.strip(), _colours(chance), 0.7)


def _drawn(chance: Chance) -> ColouredNonogram:
    """Return a picture of overlapping rectangles, as people draw them; in some, every cell has a colour."""
    rng, (rows, columns), colours = chance.rng, chance.shape(), _colours(chance)
    ground = between(rng, 0, 1)
    lines = [[ground] * columns for _ in range(rows)]
    for _ in range(between(rng, 2, 6)):
        top, left = between(rng, 0, rows - 1), between(rng, 0, columns - 1)
        bottom, right = between(rng, top, rows - 1), between(rng, left, columns - 1)
        colour = between(rng, 0, colours)
        for row in range(top, bottom + 1):
            lines[row][left : right + 1] = [colour] * (right + 1 - left)
    grid = Layout(rows, columns, colours + 1).pack([*itertools.chain(*lines)])
    return ColouredNonogram.of(grid, usual_palette(colours))


def _unequal(rng: random.Random, axes: Axes) -> None:
    """Change the length or the colour of a block, or add one: the sums of a colour differ then."""
    line = between(rng, 0, len(axes[0]) - 1)
    clue, colours = axes[0][line], max((block.colour for clue in axes[0] for block in clue), default=1)
    if not clue or rng.random() < 0.2:
        axes[0][line] = (*clue, Block(1, between(rng, 1, colours)))
        return
    place = between(rng, 0, len(clue) - 1)
    length, colour = clue[place]
    other = colour % colours + 1
    block = Block(length, other) if other != colour and rng.random() < 0.6 else Block(length + 1, colour)
    axes[0][line] = (*clue[:place], block, *clue[place + 1 :])


def _too_long(rng: random.Random, axes: Axes) -> None:
    line = between(rng, 0, len(axes[0]) - 1)
    clue = axes[0][line] or (Block(1, 1),)
    more = len(axes[1]) - ColouredNonogram.space(clue) + pick(rng, (1, 1, 2, 1000))
    axes[0][line] = (Block(clue[0].length + more, clue[0].colour), *clue[1:])


def _ones(chance: Chance) -> ColouredNonogram:
    """Return a puzzle of single cells of several colours, one in each row and each column: up to n! solutions."""
    size, colours = chance.side(1, 5), _colours(chance)
    clues = [(Block(1, between(chance.rng, 1, colours)),) for _ in range(size)]
    return ColouredNonogram(clues, shuffled(chance.rng, clues), usual_palette(colours))


MAKERS = (
    Maker("random picture", _picture, True),
    Maker("drawn rectangles", _drawn, True),
    Maker("sums of a colour differ", lambda chance: changed(chance, _picture(chance, 12), _unequal), False),
    Maker("strip", _strip, True),
    Maker("clues rearranged", lambda chance: changed(chance, _picture(chance, 12), rearranged)),
    Maker("all ones", _ones, True),
    Maker("clue too long", lambda chance: changed(chance, _picture(chance, 12), _too_long), False),
)


def makers() -> tuple[Maker, ...]:
    """Return the families of random coloured nonograms."""
    return MAKERS
