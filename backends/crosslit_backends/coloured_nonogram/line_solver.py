"""The complete line solver with colours: for each colour the cells that have it in some arrangement."""

from __future__ import annotations

from crosslit.kinds.coloured_nonogram.puzzle import Clue

Can = tuple[int, ...]
"""For each colour, the background first, the cells that can have it, as bits; cell 0 is the lowest."""


def solve_line(clue: Clue, length: int, can: Can) -> Can | None:
    """Return the cells that each colour has in some arrangement of a line's blocks; None if there is none.

    Bit p is cell p, and also the boundary in front of it. For the gap before each block, a bit set has the boundaries
    that the gap can reach when the blocks before are somewhere on its left: cells that can be empty carry a boundary to
    the next one, by the carry of an addition. A block begins where enough cells can have its colour; after a block of
    the same colour the gap has a cell. The same from the right, and together they give every possible cell. This is
    `crosslit_backends.nonogram.line_solver` with a bit set for each colour.

    Examples:
        >>> from crosslit.kinds.coloured_nonogram.puzzle import read_clue
        >>> [f"{cells:04b}" for cells in solve_line(read_clue("2a 1b"), 4, (0b1111, 0b1111, 0b1111))]
        ['1101', '0111', '1100']
        >>> [f"{cells:03b}" for cells in solve_line(read_clue("1a 1a"), 3, (0b111, 0b111))]
        ['010', '101']
        >>> solve_line(read_clue("2a 1b"), 3, (0b111, 0b101, 0b111)) is None
        True
    """
    clear = can[0]
    starts: dict[tuple[int, int], int] = {}
    gaps = [_reach(1, clear)]
    for place, block in enumerate(clue):
        if block not in starts:
            starts[block] = _runs(can[block.colour], block.length)
        gaps.append(_reach((_begin(clue, place, gaps[-1], clear) & starts[block]) << block.length, clear))
    if not gaps[-1] >> length & 1:
        return None
    after, found = _reach_back(1 << length, clear), [0] * len(can)
    found[0] = clear & gaps[-1] & after >> 1
    for place in range(len(clue) - 1, -1, -1):
        block = clue[place]
        if place + 1 < len(clue) and clue[place + 1].colour == block.colour:
            after = after >> 1 & clear
        begun = _begin(clue, place, gaps[place], clear) & starts[block] & after >> block.length
        found[block.colour] |= _spread(begun, block.length)
        after = _reach_back(begun, clear)
        found[0] |= clear & gaps[place] & after >> 1
    return tuple(found)


def _begin(clue: Clue, place: int, gap: int, clear: int) -> int:
    """Return the boundaries where a block can begin, given those that the gap before it can reach."""
    return (gap & clear) << 1 if place and clue[place].colour == clue[place - 1].colour else gap


def _reach(boundaries: int, clear: int) -> int:
    seeds = boundaries & clear
    return boundaries | (((clear + seeds) ^ clear | seeds) & clear) << 1


def _reach_back(boundaries: int, clear: int) -> int:
    fill, step = boundaries >> 1 & clear, 1
    while clear:  # until no run has as many cells as the step
        fill |= clear & fill >> step
        clear &= clear >> step
        step <<= 1
    return boundaries | fill


def _runs(cells: int, length: int) -> int:
    """Return the first cells of all runs of a length."""
    covered = 1
    while covered < length and cells:
        step = min(covered, length - covered)
        cells &= cells >> step
        covered += step
    return cells


def _spread(cells: int, length: int) -> int:
    """Return the cells of the runs of a length that begin at some cells."""
    covered = 1
    while covered < length and cells:
        step = min(covered, length - covered)
        cells |= cells << step
        covered += step
    return cells
