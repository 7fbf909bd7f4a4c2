"""Extreme alignment with colours: the leftmost and the rightmost placement of a line's blocks, and a search."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial

from crosslit.base.grid import Grid
from crosslit.base.layout import DIGITS
from crosslit.contract import Backend, Task, Trace
from crosslit.kinds.nonogram.colours import LETTERS, Block, ColouredNonogram
from crosslit_backends.native import Native
from crosslit_backends.nonogram.alignment import teller, turned

Masks = list[int]
"""The possible colours of cells, each as bits; bit 0 stands for an empty cell."""


class ColouredAlignment(Native):
    """Extreme alignment with a complete backtracking search: `alignment` of nonograms, with colours.

    The leftmost placement of a line is found by pushing blocks right: each *avoids* cells that cannot have its colour,
    and is *aligned* to cells that cannot be empty and that no block covers yet. A block of another colour than such a
    cell can have begins behind it. The rightmost is the same on the mirrored line. A cell that a block covers in both
    has its colour; a colour is possible where a block of it is between its two extremes.

    At a fixpoint of all lines the first open cell is tried with each of its colours; so every solution is found once.

    Examples:
        >>> from crosslit.formats import read
        >>> [grid.text() for grid in ColouredAlignment().solutions(read("coloured-nonogram:1a 1b,1b|1a,2b"), Task())]
        ['12/02']
    """

    name = "coloured-alignment"
    summary = "coloured nonograms: extreme alignment with backtracking"
    kinds = frozenset({"coloured-nonogram"})
    trusted_base = frozenset({"coloured-alignment"})

    def solutions(self, puzzle: ColouredNonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, by depth-first search."""
        trace, stats = task.trace, {"lines": 0, "nodes": 0, "backtracks": 0}
        for colour in range(1, puzzle.colours + 1):
            # its own sums, so that no mistake of `coloured-line` is repeated here
            rows, columns = (
                sum(length for clue in clues for length, of in clue if of == colour)
                for clues in (puzzle.row_clues, puzzle.column_clues)
            )
            if rows != columns:
                task.stats.update(stats, refuted_by=f"the sums of colour {LETTERS[colour - 1]} differ")
                if trace:
                    trace("sums", {"rows": rows, "columns": columns})
                return
        every = (1 << puzzle.colours + 1) - 1
        size, lines = puzzle.rows * puzzle.columns, puzzle.rows + puzzle.columns
        stack: list[tuple[Masks, list[int], tuple[int, int] | None]] = [([every] * size, [*range(lines)], None)]
        try:
            while stack:
                masks, dirty, guess = stack.pop()
                stats["nodes"] += 1
                if trace and guess:
                    cell, colour = guess
                    value = f"of colour {LETTERS[colour - 1]}" if colour else "empty"
                    trace("guess", {"cell": divmod(cell, puzzle.columns), "value": value, "left": len(stack)})
                if not _propagate(puzzle, masks, dirty, stats, trace):
                    stats["backtracks"] += 1
                    if trace:
                        trace("backtrack", {"left": len(stack)})
                    continue
                first = next((place for place, mask in enumerate(masks) if mask & mask - 1), None)
                if first is None:
                    yield puzzle.layout.pack([mask.bit_length() - 1 for mask in masks])
                    continue
                row, column = divmod(first, puzzle.columns)
                for colour in range(puzzle.colours + 1):  # the last one pushed is tried first
                    if masks[first] >> colour & 1:
                        branch = [*masks[:first], 1 << colour, *masks[first + 1 :]]
                        stack.append((branch, [row, puzzle.rows + column], (first, colour)))
        finally:
            task.stats.update(stats)


def _propagate(
    puzzle: ColouredNonogram, masks: Masks, dirty: list[int], stats: dict[str, int], trace: Trace | None
) -> bool:
    """Align lines, ``dirty`` ones first, until none changes; return False on a contradiction."""
    queue, rows = dict.fromkeys(dirty), puzzle.rows
    lines = puzzle.lines()
    while queue:
        line = next(iter(queue))
        del queue[line]
        stats["lines"] += 1
        is_row = line < rows
        clue, cells = lines[line]
        before = [masks[cell] for cell in cells]
        if trace:
            place = {"axis": "row" if is_row else "column", "line": line if is_row else line - rows}
            trace("line", {**place, "clue": [*map(str, clue)], "known": _known(before)})
        after = align(clue, before, trace)
        if after is None:
            if trace:
                trace("contradiction", {})
            return False
        if trace:
            trace("settled", {"known": _known(after)})
        for across, (cell, old, new) in enumerate(zip(cells, before, after, strict=True)):
            if old != new:
                masks[cell] = new
                queue[rows + across if is_row else across] = None
    return True


def _known(masks: Masks) -> str:
    return "".join("?" if mask & mask - 1 else DIGITS[mask.bit_length() - 1] for mask in masks)


def align(clue: Sequence[Block], masks: Masks, trace: Trace | None = None) -> Masks | None:
    """Return the colours of a line's cells that both extreme placements leave; None if the blocks do not fit.

    The trace receives the starts of the blocks in both placements whenever they move.

    Examples:
        >>> align((Block(2, 1), Block(2, 2)), [0b111] * 5)
        [3, 2, 7, 4, 5]
        >>> align((Block(1, 1), Block(1, 1)), [0b11, 0b10])
    """
    length = len(masks)
    turn = partial(turned, [size for size, _ in clue], length)
    front = _leftmost(clue, masks, teller(trace, "front") if trace else None)
    back = None if front is None else _leftmost(clue[::-1], masks[::-1], teller(trace, "back", turn) if trace else None)
    if front is None or back is None:
        return None
    possible, sure = [1] * length, [0] * length
    for (size, colour), first, last in zip(clue, front, turn(back), strict=True):
        for cell in range(first, last + size):
            possible[cell] |= 1 << colour
        for cell in range(last, first + size):
            sure[cell] = 1 << colour
    left = [mask & (only or may) for mask, only, may in zip(masks, sure, possible, strict=True)]
    return left if all(left) else None


def _leftmost(clue: Sequence[Block], masks: Masks, report: Callable[[str, list[int]], None] | None) -> list[int] | None:
    """Return the starts of the leftmost placement that the possible colours allow; None if there is none."""
    # Invariant: each start is at most that of its block in any arrangement, and it only grows. So the loop ends, with
    # the leftmost arrangement or none.
    starts, why = [0] * len(clue), "pack"
    while True:
        end, covered = 0, 0
        for place, (size, colour) in enumerate(clue):
            start = max(starts[place], end + (place > 0 and clue[place - 1].colour == colour))
            # past the last cell under the block that cannot have its colour
            while why != "pack" and start + size <= len(masks):
                wrong = next((c for c in range(start + size - 1, start - 1, -1) if not masks[c] >> colour & 1), None)
                if wrong is None:
                    break
                start = wrong + 1
            end = start + size
            if end > len(masks):
                return None
            starts[place] = start
            covered |= (1 << end) - (1 << start)
        if report:
            report(why, starts)
        if why == "pack":
            why = "avoid"
            continue
        cell = next((c for c, mask in enumerate(masks) if not mask & 1 and not covered >> c & 1), None)
        if cell is None:
            return starts
        # The last block that begins before this cell covers it, or begins behind it if an earlier one does.
        before = sum(start <= cell for start in starts) - 1
        if before < 0:
            return None
        fits = masks[cell] >> clue[before].colour & 1
        starts[before] = cell - clue[before].length + 1 if fits else cell + 1
        if report:
            report("align", starts)


BACKENDS: list[Backend] = [ColouredAlignment()]
