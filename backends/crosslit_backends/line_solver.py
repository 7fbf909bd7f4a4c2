"""The complete line solver: what all arrangements of a line's blocks agree on, computed on whole lines as integers."""

from __future__ import annotations

from crosslit.puzzles.nonogram import Clue

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def solve_line(clue: Clue, length: int, filled: int, empty: int) -> tuple[int, int] | None:
    """Settle exactly what all arrangements of a line's blocks agree on.

    The line gets an empty cell before and one behind it, so that every block lies between two gaps of at least one
    cell. For gap j, the cells that can belong to it with the blocks before it somewhere on their left are a bit set:
    the starts of block j are the cells next to gap j from which enough cells are not empty; behind them lie the first
    cells of gap j + 1, and the gap grows from those over cells that are not filled. It grows by one addition, whose
    carry sweeps a run: ``((run + seed) ^ run | seed) & run``. The same on the mirrored line gives the cells that can
    belong to gap j with the blocks after it on their right. A cell in both, for any j, is empty in some arrangement; a
    block that lies between such gaps is filled in some arrangement. All others are settled.

    For k blocks of at most L cells this takes O(k log L) operations on integers of the line's length.

    The bit sets of starts follow dynamic programming over blocks and cells (K. J. Batenburg, W. A. Kosters: Solving
    nonograms by combining relaxations, Pattern Recognition 42, 2009); the carry is that of bit-parallel string
    matching (G. Myers: A fast bit-vector algorithm for approximate string matching, Journal of the ACM 46, 1999).

    Args:
        clue: block lengths, left to right.
        length: of the line, in cells.
        filled: bits of the cells known to be filled; cell 0 is the lowest bit.
        empty: bits of the cells known to be empty.

    Returns:
        The filled and the empty cells, the known ones included; None if the blocks do not fit.

    Examples:
        >>> [f"{cells:05b}" for cells in solve_line((1, 1), 5, 0b00100, 0b00000)]
        ['00100', '01010']
        >>> [f"{cells:05b}" for cells in solve_line((3,), 5, 0b00000, 0b00000)]
        ['00100', '00000']
        >>> solve_line((2, 2), 4, 0, 0) is None
        True
    """
    if sum(clue) + len(clue) - 1 > length:  # also what keeps absurdly long blocks away from the shifts below
        return None
    width = length + 2
    every = (1 << width) - 1
    fillable = every >> 2 << 1 & ~(empty << 1)
    clear = every & ~(filled << 1)
    starts = _starts(clue, fillable)

    # gap by gap from the left: the cells each can have
    gap = ((clear + 1) ^ clear | 1) & clear
    left = [gap]
    for block in clue:
        seed = ((gap << 1 & starts[block]) << block) & clear
        gap = ((clear + seed) ^ clear | seed) & clear
        left.append(gap)
    if not gap >> length + 1:
        return None

    # likewise from the right, on the mirrored line; all gaps in one integer, so that one call mirrors them back
    mirrored_clear = _mirror(clear, width)
    gap = ((mirrored_clear + 1) ^ mirrored_clear | 1) & mirrored_clear
    right = gap
    if clue:
        mirrored_starts = {block: _mirror(cells, width) >> block - 1 for block, cells in starts.items()}
        for block in reversed(clue):
            seed = ((gap << 1 & mirrored_starts[block]) << block) & mirrored_clear
            gap = ((mirrored_clear + seed) ^ mirrored_clear | seed) & mirrored_clear
            right = right << width | gap
    right = _mirror(right, width * len(left))

    after = right & every
    can_be_empty = left.pop() & after
    can_be_filled = 0
    for block in reversed(clue):
        gap = left.pop()
        body = gap << 1 & starts[block] & after >> block
        covered = 1
        while covered << 1 <= block:
            body |= body << covered
            covered <<= 1
        can_be_filled |= body | body << block - covered
        right >>= width
        after = right & every
        can_be_empty |= gap & after
    return (every & ~can_be_empty) >> 1, (every >> 2) & ~(can_be_filled >> 1)


def _starts(clue: Clue, fillable: int) -> dict[int, int]:
    """For every block length of the clue, the cells from which so many cells in a row can be filled."""
    starts = {}
    for block in set(clue):
        cells = fillable
        covered = 1
        while covered << 1 <= block:
            cells &= cells >> covered
            covered <<= 1
        starts[block] = cells & cells >> block - covered
    return starts


def _mirror(cells: int, length: int) -> int:
    size = length + 7 >> 3
    return int.from_bytes(cells.to_bytes(size, "little").translate(_REVERSED), "big") >> 8 * size - length
