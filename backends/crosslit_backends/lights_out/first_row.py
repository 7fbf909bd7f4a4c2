"""First-row enumeration: every first row of presses, chased down the board."""

from __future__ import annotations

import functools
from collections.abc import Generator, Iterator, Mapping
from operator import xor
from typing import Any

from crosslit.algebra.chase import why_no_chase
from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.base import Native
from crosslit_backends.lights_out.enumeration import chased, row_text

MAX_COLUMNS = 32  # about a second
_BLOCK = 16  # low cells of a first row: all their values are one block, which fits the cache


class FirstRow(Native):
    """First-row enumeration over all 2^columns first rows ("light chasing").

    The first row forces each further row: only a press below can still put out a light. A first row solves the board if
    the last row ends dark. All 2^columns first rows are tried, so all solutions are found. Up to 16 columns each of
    them is chased down the board: 2^columns * rows operations on whole rows. On wider boards the lights that it leaves
    are the XOR of what each of its cells leaves: one operation of an array for each first row.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> [grid.text for grid in FirstRow().solutions(read("11/11"), Task())]
        ['11/11']
    """

    name = "first-row"
    summary = "Lights Out: all 2^columns first rows, chased"
    kinds = frozenset({"lights-out"})
    trusted_base = frozenset({"chase"})
    seldom = ("numpy",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for boards without a chase, and for more than `MAX_COLUMNS`."""
        assert isinstance(puzzle, LightsOut)
        if refusal := why_no_chase(puzzle):
            return refusal
        return f"2^{puzzle.columns} first rows: more than 2^{MAX_COLUMNS}" if puzzle.columns > MAX_COLUMNS else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in the order of their first rows as integers."""
        lit = puzzle.lit.row_bits()
        by_blocks = puzzle.columns > _BLOCK and not task.trace
        for first in _in_blocks(puzzle, lit) if by_blocks else _one_by_one(puzzle, lit, task):
            yield Grid.from_rows(chased(puzzle, lit, first)[0], puzzle.columns)
        task.stats["first_rows"] = 1 << puzzle.columns


def _one_by_one(board: LightsOut, lit: list[int], task: Task) -> Iterator[int]:
    """Yield the first rows that leave no light, ascending: the plain form of `_in_blocks`."""
    columns = board.columns
    for first in range(1 << columns):
        presses, left = chased(board, lit, first)
        if task.trace:
            end = f"{row_text(left, columns)} lit" if left else "no light: a solution"
            words = f"first row {row_text(first, columns)}: chased, it leaves {end}"
            task.trace(words, Grid.from_rows(presses, columns).text)
        if left == 0:
            yield first


def _in_blocks(board: LightsOut, lit: list[int]) -> Iterator[int]:
    """Yield the first rows that leave no light, ascending.

    The lights left are those of the empty first row, XOR what each pressed cell changes. So the lights left by all
    values of the low cells are one block, and the block of each value of the high cells differs by one XOR.
    """
    import numpy as np  # here, since loading the backend must not import it

    changes = [chased(board, [0] * len(lit), 1 << cell)[1] for cell in range(board.columns)]
    low = np.array([chased(board, lit, 0)[1]], np.uint32)
    for change in changes[:_BLOCK]:
        low = np.concatenate([low, low ^ np.uint32(change)])
    for high in range(1 << (board.columns - _BLOCK)):
        pressed = (change for cell, change in enumerate(changes[_BLOCK:]) if high >> cell & 1)
        dark = low == np.uint32(functools.reduce(xor, pressed, 0))
        if dark.any():  # which most blocks are not, and this is faster than to look for the places
            yield from (high << _BLOCK | place for place in np.flatnonzero(dark).tolist())


BACKENDS: list[Backend] = [FirstRow()]
