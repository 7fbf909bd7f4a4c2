"""Families of random nonograms, of one colour and of several."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

from crosslit.base.grid import Grid, Layout
from crosslit.contract.family import Chance, RandomFamily, between, happens, pick, random_grid, shuffled
from crosslit.contract.puzzle import SYMMETRIES
from crosslit.kinds.nonogram.colours import Block, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram
from crosslit.kinds.nonogram.text import parse

Axes = list[list[Clue]]
"""The clues of rows and columns, or of columns and rows."""

_SMALL = 36  # cells: no picture of that size has clues with too many solutions
_THIN = 64  # cells: larger thin pictures have too many solutions
_LARGE = 400  # cells: beyond, even half-filled pictures have too many, and counting takes long
_MODEST = 12  # rows and columns for which a proof that there is no solution may need a search


def random_nonogram(rng: random.Random, rows: int, columns: int, density: float = 0.5) -> Nonogram:
    """Return the nonogram of a random picture: it has that solution, and maybe others."""
    return Nonogram.of(random_grid(rng, rows, columns, density))


def pigeonhole(columns: int, *, empty: bool = False) -> Nonogram:
    """Return a nonogram whose clues are all 1, with one row too many for its columns: it has no solution.

    The sums of the clues show that at once. Resolution needs exponentially many steps (Haken 1985), and so does a
    clause-learning solver. With ``empty``, another column without a block makes the picture square.
    """
    return Nonogram([(1,)] * (columns + 1), [(1,)] * columns + [()] * empty)


def _density(rng: random.Random, cells: int) -> float:
    """Return a density that leaves few solutions: thin pictures of 10 x 10 have thousands, those of 5 x 5 a few."""
    # Measured at 10 x 10: 60% of the pictures of density 0.2 have more than 1,000 solutions, and 13% of density 0.35;
    # from 0.5 on, none of 15.
    if cells <= _SMALL:
        return pick(rng, (0.2, 0.35, 0.5, 0.5, 0.65, 0.8))
    if cells <= _THIN:
        return pick(rng, (0.42, 0.5, 0.6, 0.7))
    return pick(rng, (0.5, 0.6, 0.7) if cells <= _LARGE else (0.7, 0.8))


def _some_picture(chance: Chance, longest: int | None = None) -> Grid:
    rows, columns = chance.shape(1, longest)
    return random_grid(chance.rng, rows, columns, _density(chance.rng, rows * columns))


def _thin_or_thick(chance: Chance) -> Nonogram:
    rows, columns = chance.shape()
    density = pick(chance.rng, (0.1, 0.9)) if rows * columns <= _SMALL else 0.9
    return Nonogram.of(random_grid(chance.rng, rows, columns, density))


def _strip(chance: Chance) -> Nonogram | None:
    if chance.square:
        return None
    return Nonogram.of(
        random_grid(chance.rng, *chance.strip(pick(chance.rng, (1, 1, 2))), pick(chance.rng, (0.4, 0.7)))
    )


def _empty_and_full(chance: Chance) -> Nonogram:
    """Return a picture in which some rows and columns, or all, are empty or full."""
    rng, grid = chance.rng, _some_picture(chance)
    full = (1 << grid.columns) - 1
    rows = [pick(rng, (row, row, 0, full)) for row in grid.row_bits()]
    turned = Grid.from_rows(rows, grid.columns).transposed()
    full = (1 << grid.rows) - 1
    columns = [pick(rng, (column, column, column, 0, full)) for column in turned.row_bits()]
    return Nonogram.of(Grid.from_rows(columns, grid.rows).transposed())


def _drawn(chance: Chance) -> Nonogram:
    """Return a picture of overlapping filled and cleared rectangles: long blocks, as people draw them."""
    shape = chance.shape()
    return Nonogram.of(_rectangles(chance.rng, shape, lambda number: int(number % 3 != 2)))


def _rectangles(
    rng: random.Random, shape: tuple[int, int], colour_of: Callable[[int], int], ground: int = 0, states: int = 2
) -> Grid:
    """Return a picture of rectangles, one over the other, on a ground; each has a colour by its number."""
    rows, columns = shape
    lines = [[ground] * columns for _ in range(rows)]
    for number in range(between(rng, 2, 6)):
        top, left = between(rng, 0, rows - 1), between(rng, 0, columns - 1)
        bottom, right = between(rng, top, rows - 1), between(rng, left, columns - 1)
        colour = colour_of(number)
        for row in range(top, bottom + 1):
            lines[row][left : right + 1] = [colour] * (right + 1 - left)
    return Layout(rows, columns, states).pack([*itertools.chain(*lines)])


def _symmetric(chance: Chance) -> Nonogram:
    """Return a picture that equals its mirror image, or itself upside down."""
    rng, grid = chance.rng, _some_picture(chance)
    lines, turn = grid.lines(), happens(rng, 0.5)
    for number in range(grid.rows):
        lines[grid.rows - 1 - number] = lines[number][:: -1 if turn else 1]
    return Nonogram.of(Grid.from_text("/".join(lines)))


def _ones(chance: Chance) -> Nonogram:
    """Return a puzzle with only the clues 1 and 0: up to 120 solutions at 5 x 5."""
    # At most 5, because an n x n puzzle of this family has n! solutions.
    size = chance.side(1, 5)
    # A permutation matrix: every row and every column has one filled cell.
    rows = shuffled(chance.rng, [1 << column for column in range(size)])
    if not chance.square and happens(chance.rng, 0.5):
        rows.insert(between(chance.rng, 0, size), 0)
        rows = rows[: chance.max_side]
    return Nonogram.of(Grid.from_rows(rows, size))


def _pigeonhole(chance: Chance) -> Nonogram:
    """Return clues of 1 with one row too many, for which a solver that does not compare sums must search."""
    size = chance.side(1, 7)
    nonogram = pigeonhole(size - 1, empty=chance.square or size == 1)
    turned = not happens(chance.rng, 0.5)
    return Nonogram(nonogram.column_clues, nonogram.row_clues) if turned else nonogram


def _two_ones(chance: Chance) -> Nonogram | None:
    """Return a puzzle with `1 1` in every row or column: on long lines extreme alignment settles little of it."""
    if chance.max_side < 3:
        return None
    rng = chance.rng
    columns = between(rng, 3, min(chance.max_side, 6) if chance.square else chance.max_side)
    rows = columns if chance.square else between(rng, 1, min(chance.max_side, 4))
    lines = []
    for _ in range(rows):
        first = between(rng, 0, columns - 3)
        lines.append(1 << first | 1 << between(rng, first + 2, columns - 1))
    grid = Grid.from_rows(lines, columns)
    return Nonogram.of(grid if happens(rng, 0.5) else grid.transposed())


def _tight(chance: Chance) -> Nonogram:
    """Return blocks that fill their rows from end to end, or all but one cell: the last one just fits."""
    rng = chance.rng
    rows, columns = chance.shape()
    lines = []
    for _ in range(rows):
        room, line = columns - (happens(rng, 0.4)), ""
        while len(line) < room:
            left = room - len(line)
            line += "1" * between(rng, 1, min(left, 4)) + "0"
        lines.append(line[:room].ljust(columns, "0") if happens(rng, 0.5) else line[:room].rjust(columns, "0"))
    grid = Grid.from_text("/".join(lines))
    return Nonogram.of(grid if happens(rng, 0.5) or chance.square else grid.transposed())


def _changed(chance: Chance, change: Callable[[random.Random, Axes], None], longest: int | None = None) -> Nonogram:
    return changed(chance, Nonogram.of(_some_picture(chance, longest)), change)


def changed(chance: Chance, puzzle: Nonogram, change: Callable[[random.Random, Axes], None]) -> Nonogram:
    """Return a puzzle after a change to the rows' or the columns' clues."""
    axes = [list(puzzle.row_clues), list(puzzle.column_clues)]
    turn = happens(chance.rng, 0.5)
    change(chance.rng, axes[::-1] if turn else axes)
    return puzzle.with_clues(*axes)


def _unequal(rng: random.Random, axes: Axes) -> None:
    """Lengthen or shorten one block by a cell, remove it, or add one."""
    clues = axes[0]
    line = between(rng, 0, len(clues) - 1)
    clue = clues[line]
    if not clue or (happens(rng, 0.3) and _room(clue, len(axes[1])) >= 2):
        clues[line] = (*clue, 1)
        return
    block = between(rng, 0, len(clue) - 1)
    length = clue[block] + (1 if _room(clue, len(axes[1])) and happens(rng, 0.5) else -1)
    clues[line] = (*clue[:block], *([length] if length else []), *clue[block + 1 :])


def rearranged(rng: random.Random, axes: Axes) -> None:
    """Reorder the clues or their blocks, so that the sums stay equal."""
    clues = axes[0]
    if happens(rng, 0.5):
        clues[:] = shuffled(rng, clues)
    else:
        line = between(rng, 0, len(clues) - 1)
        clues[line] = tuple(shuffled(rng, clues[line]))


def _moved(rng: random.Random, axes: Axes) -> None:
    """Move a cell of a block to a block of another line, or to a new one if that was empty."""
    clues, length = axes[0], len(axes[1])
    giving = [line for line, clue in enumerate(clues) if clue]
    taking = [line for line, clue in enumerate(clues) if _room(clue, length)]
    if not giving or not taking:
        return
    source, target = pick(rng, giving), pick(rng, taking)
    if source == target:
        return
    less = clues[source][-1] - 1
    clues[source] = (*clues[source][:-1], *([less] if less else []))
    clues[target] = (*clues[target][:-1], clues[target][-1] + 1) if clues[target] else (1,)


def _too_long(rng: random.Random, axes: Axes) -> None:
    """Make a clue that does not fit its line; sometimes one on each axis, so that the sums may be equal."""
    for clues, others in (axes, axes[::-1])[: between(rng, 1, 2)]:
        line, length = between(rng, 0, len(clues) - 1), len(others)
        clue = clues[line]
        more = _room(clue, length) + pick(rng, (1, 1, 1, 2, 1000))
        clues[line] = (*clue[:-1], clue[-1] + more) if clue else (more,)
        # Many blocks of 1 do not fit in another way than one long block: the gaps between them make them too long.
        if happens(rng, 0.3):
            clues[line] = (1,) * (length // 2 + 1 + length % 2)


def _room(clue: Clue, length: int) -> int:
    """Return the number of cells of a line that its blocks and the gaps between them leave."""
    return length - sum(clue) - max(len(clue) - 1, 0)


def _guesses(chance: Chance) -> Nonogram | None:
    """Return, now and then, one of the few known puzzles, turned or mirrored."""
    known = [puzzle for puzzle in map(parse, _NEED_GUESSES) if puzzle.rows <= chance.max_side]
    # Rarely, because there are only two of them.
    if not known or happens(chance.rng, 0.8):
        return None
    puzzle = pick(chance.rng, known)
    return puzzle.image(pick(chance.rng, SYMMETRIES))


# Each has one solution, which line solving and probing of single cells do not find. They are random pictures changed by
# `repair`: of those with 12 rows and columns, one in fifty is like this, of smaller ones hardly any.
_NEED_GUESSES = (
    "1 1 1,1,1 2,2 1 1,1 1 1,2 1,2 3 1,2 1 1 1,2 2 2,3 2,1 1 2,5|3 1,2 1,1 2 1,3,1 1 2 1,2 2,1 1 1 1,3 2,"
    "2 1,1 1 2 1,2 1,1 3 1",
    "1 1 1 1,2 1,4 3 1,1 3 2 1,1 3,2 2 1 1,1 2 3 3,1 1 2,1 1 2 2,1 1 1 1 1 1,4 1 1,4 1 1,3 3,4 1 1,"
    "1 1 1 2|1 1 1,1 1 1 2,2 3 1,1 2 2 1,2 1 1 2,2 1 3,2 2 1,1 1 1 2,3 1 3 3,1 1 1 1 1,1 1 1 2,"
    "1 1 2 2 1 1,5 2,1 1 1 1,1 2 1 1",
)


FAMILIES = (
    RandomFamily("random picture", lambda chance: Nonogram.of(_some_picture(chance)), True),
    RandomFamily("sums differ", lambda chance: _changed(chance, _unequal), False),
    RandomFamily("strip", _strip, True),
    RandomFamily("clue too long", lambda chance: _changed(chance, _too_long), False),
    RandomFamily("empty and full lines", _empty_and_full, True),
    RandomFamily("clues rearranged", lambda chance: _changed(chance, rearranged, _MODEST)),
    RandomFamily("blocks that just fit", _tight, True),
    RandomFamily("all ones", _ones, True),
    RandomFamily("drawn rectangles", _drawn, True),
    RandomFamily("one cell moved", lambda chance: _changed(chance, _moved, _MODEST)),
    RandomFamily("symmetric picture", _symmetric, True),
    RandomFamily("pigeonhole", _pigeonhole, False),
    RandomFamily("1 1 on every line", _two_ones, True),
    RandomFamily("very thin or thick picture", _thin_or_thick, True),
    RandomFamily("needs guesses", _guesses, True),
)


def random_colours(rng: random.Random, rows: int, columns: int, colours: int, density: float) -> Grid:
    """Return a picture whose cells are not empty with a probability."""
    cells = [between(rng, 1, colours) if happens(rng, density) else 0 for _ in range(rows * columns)]
    return Layout(rows, columns, colours + 1).pack(cells)


def random_picture(rng: random.Random, rows: int, columns: int, colours: int, density: float = 0.6) -> ColouredNonogram:
    """Return the puzzle of a random picture: it has that solution, and maybe others.

    Examples:
        >>> random_picture(random.Random(1), 2, 4, 2).text
        'coloured-nonogram:1b 1a 1b,1a 1b|1b,1a,1a,2b'
    """
    return ColouredNonogram.of(random_colours(rng, rows, columns, colours, density), palette=usual_palette(colours))


def _some_colours(chance: Chance) -> int:
    return pick(chance.rng, (1, 2, 2, 3, 3, 4))


def _coloured_picture(chance: Chance, longest: int | None = None) -> ColouredNonogram:
    shape = chance.shape(1, longest)
    # Thin pictures of more than a few cells have thousands of solutions.
    densities = (0.3, 0.5, 0.7, 0.9) if shape[0] * shape[1] <= 25 else (0.7, 0.8, 0.9)
    return random_picture(chance.rng, *shape, _some_colours(chance), pick(chance.rng, densities))


def _coloured_strip(chance: Chance) -> ColouredNonogram | None:
    return None if chance.square else random_picture(chance.rng, *chance.strip(), _some_colours(chance), 0.7)


def _coloured_drawn(chance: Chance) -> ColouredNonogram:
    """Return a picture of overlapping rectangles, as people draw them; in some, every cell has a colour."""
    rng, shape, colours = chance.rng, chance.shape(), _some_colours(chance)
    palette = usual_palette(colours)
    grid = _rectangles(rng, shape, lambda _: between(rng, 0, colours), between(rng, 0, 1), len(palette))
    return ColouredNonogram.of(grid, palette=palette)


def _coloured_changed(chance: Chance, change: Callable[[random.Random, Axes], None]) -> Nonogram:
    return changed(chance, _coloured_picture(chance, _MODEST), change)


def _coloured_unequal(rng: random.Random, axes: Axes) -> None:
    """Change the length or the colour of a block, or add one: the sums of a colour differ then."""
    line = between(rng, 0, len(axes[0]) - 1)
    clue, colours = axes[0][line], max((block.colour for clue in itertools.chain(*axes) for block in clue), default=1)
    if not clue or happens(rng, 0.2):
        axes[0][line] = (*clue, Block(1, between(rng, 1, colours)))
        return
    place = between(rng, 0, len(clue) - 1)
    length, colour = clue[place]
    other = colour % colours + 1
    block = Block(length, other) if other != colour and happens(rng, 0.6) else Block(length + 1, colour)
    axes[0][line] = (*clue[:place], block, *clue[place + 1 :])


def _coloured_too_long(rng: random.Random, axes: Axes) -> None:
    line = between(rng, 0, len(axes[0]) - 1)
    clue = axes[0][line] or (Block(1, 1),)
    more = len(axes[1]) - ColouredNonogram.space(clue) + pick(rng, (1, 1, 2, 1000))
    axes[0][line] = (Block(clue[0].length + more, clue[0].colour), *clue[1:])


def _coloured_ones(chance: Chance) -> ColouredNonogram:
    """Return a puzzle of single cells of several colours, one in each row and each column: up to n! solutions."""
    size, colours = chance.side(1, 5), _some_colours(chance)
    clues = [(Block(1, between(chance.rng, 1, colours)),) for _ in range(size)]
    return ColouredNonogram(clues, shuffled(chance.rng, clues), palette=usual_palette(colours))


COLOURED_FAMILIES = (
    RandomFamily("random picture", _coloured_picture, True),
    RandomFamily("drawn rectangles", _coloured_drawn, True),
    RandomFamily("sums of a colour differ", lambda chance: _coloured_changed(chance, _coloured_unequal), False),
    RandomFamily("strip", _coloured_strip, True),
    RandomFamily("clues rearranged", lambda chance: _coloured_changed(chance, rearranged)),
    RandomFamily("all ones", _coloured_ones, True),
    RandomFamily("clue too long", lambda chance: _coloured_changed(chance, _coloured_too_long), False),
)
