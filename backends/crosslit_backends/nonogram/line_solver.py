"""The complete line solver: cells on which all arrangements agree, by bit operations on whole lines."""

from __future__ import annotations

from crosslit.kinds.nonogram.puzzle import Clue

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def solve_line(clue: Clue, length: int, filled: int, empty: int) -> tuple[int, int] | None:
    """Settle exactly the cells on which all arrangements of a line's blocks agree; see `LineSolver`.

    The known cells are given, and all settled ones returned, as bits with cell 0 lowest: the filled and the empty ones.
    None means that the blocks do not fit.
    """
    return LineSolver(clue, length).solve(filled, empty)


class LineSolver:
    """Complete line solving for one clue, on lines of one length.

    The line gets an empty cell before and after it, so that every block lies between two gaps of at least one cell. For
    gap j, a bit set holds the cells that can belong to it when the blocks before it are somewhere on their left. The
    starts of block j are the cells next to gap j from which enough cells are not empty. After the block come the first
    cells of gap j + 1, and the gap grows from those over cells that are not filled. One addition does this, whose carry
    sweeps a run: ``((run + seed) ^ run | seed) & run``. The same on the mirrored line gives the cells that can belong
    to gap j when the blocks after it are on their right. A cell in both sets, for any j, is empty in some arrangement;
    a block between such gaps is filled in some arrangement. All other cells are settled.

    For k blocks of at most L cells this takes O(k log L) operations on integers of the line's length.

    The bit sets of starts follow dynamic programming over blocks and cells (K. J. Batenburg, W. A. Kosters: Solving
    nonograms by combining relaxations, Pattern Recognition 42, 2009); the carry is that of bit-parallel string matching
    (G. Myers: A fast bit-vector algorithm for approximate string matching, Journal of the ACM 46, 1999).
    """

    __slots__ = ("_clue", "_every", "_fits", "_inner", "_levels", "_reversed", "_width")

    def __init__(self, clue: Clue, length: int) -> None:
        self._fits = sum(clue) + len(clue) - 1 <= length  # this also keeps absurdly long blocks away from the shifts
        self._clue = clue
        self._reversed = clue[::-1]
        self._width = length + 2
        self._every = (1 << self._width) - 1
        self._inner = self._every >> 2 << 1
        longest = max(clue, default=0).bit_length() if self._fits else 0
        # the lengths from 2^level to less than twice that, each with the excess over 2^level
        self._levels = [
            (1 << level, [(block, block - (1 << level)) for block in sorted(set(clue)) if block >> level == 1])
            for level in range(longest)
        ]

    def solve(self, filled: int, empty: int) -> tuple[int, int] | None:
        """Settle a line, like `solve_line`."""
        if not self._fits:
            return None
        clue, width, every = self._clue, self._width, self._every
        clear = every & ~(filled << 1)

        # for every block length, the cells from which that many cells in a row can be filled
        cells = self._inner & ~(empty << 1)
        starts = {}
        for covered, blocks in self._levels:
            for block, longer in blocks:
                # Two runs of 2^level cells that touch or overlap make one run of any length up to twice that.
                starts[block] = cells & cells >> longer
            cells &= cells >> covered

        # gap by gap from the left: the cells of each gap
        gap = ((clear + 1) ^ clear | 1) & clear
        left = [gap]
        for block in clue:
            seed = ((gap << 1 & starts[block]) << block) & clear
            gap = ((clear + seed) ^ clear | seed) & clear
            left.append(gap)
        if not gap >> width - 1:
            return None

        # the same from the right, on the mirrored line; everything to be mirrored goes into one integer, to need only
        # one call
        packed = clear
        for cells in starts.values():
            packed = packed << width | cells
        packed = _mirror(packed, width * (len(starts) + 1))
        # Mirroring also reverses the order, so `clear`, which went in first, is now the lowest.
        mirrored_clear = packed & every
        mirrored_starts = {}
        for block in starts:
            packed >>= width
            # A start becomes the last cell of its block; the block's start on the mirrored line is block - 1 cells
            # before.
            mirrored_starts[block] = (packed & every) >> block - 1
        gap = ((mirrored_clear + 1) ^ mirrored_clear | 1) & mirrored_clear
        right = gap
        for block in self._reversed:
            seed = ((gap << 1 & mirrored_starts[block]) << block) & mirrored_clear
            gap = ((mirrored_clear + seed) ^ mirrored_clear | seed) & mirrored_clear
            right = right << width | gap
        right = _mirror(right, width * len(left))

        after = right & every
        can_be_empty = left.pop() & after
        can_be_filled = 0
        for block in self._reversed:
            gap = left.pop()
            # Starts of the block between gap j from the left and gap j + 1 from the right, then the cells that they
            # cover.
            body = gap << 1 & starts[block] & after >> block
            covered = 1
            while covered << 1 <= block:
                body |= body << covered
                covered <<= 1
            # The rest is shorter than what is covered already, so one more shift suffices.
            can_be_filled |= body | body << block - covered
            right >>= width
            after = right & every
            can_be_empty |= gap & after
        return (every & ~can_be_empty) >> 1, (every >> 2) & ~(can_be_filled >> 1)


def _mirror(cells: int, length: int) -> int:
    size = length + 7 >> 3
    return int.from_bytes(cells.to_bytes(size, "little").translate(_REVERSED), "big") >> 8 * size - length
