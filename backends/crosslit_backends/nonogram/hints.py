"""Likely values of the open cells of a nonogram, by belief propagation, as hints for a SAT solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from crosslit_encoders.nonogram.order import reachable_starts
from numpy.typing import NDArray

from crosslit.kinds import Nonogram

Reals = NDArray[np.float64]
Truths = NDArray[np.bool_]

EMPTY, FILLED, OPEN = 1, 2, 3  # the possible colours of a cell, as bits
MAX_MESSAGE = 6.0  # log-odds of a line's message about a cell: stronger messages are hardly ever revised
KNOWN = 15.0  # log-odds of a cell that is known to be filled
MAX_KNOWN = 300.0  # of all such cells of a line together, so that weights do not underflow
NOISE = 0.05  # standard deviation of the noise that breaks ties between the solutions of a puzzle
MAX_REINFORCEMENT = 0.9
TRIES = ((0.005, 60), (0.0, 60), (0.002, 300), (0.0005, 1200))  # growth of the reinforcement, rounds


class Lines:
    """Lines of one length by themselves, with exact marginals; their clues fit.

    The weight of an arrangement is the product of the odds of the cells that it fills. Forward and backward sums over
    the blocks give the probability of every start of every block, and from these that of every cell.
    """

    def __init__(self, clues: Sequence[Sequence[int]], cells: NDArray[np.uint32]) -> None:
        count, self._length = cells.shape
        sizes, filled = np.array([*map(len, clues)]), cells == FILLED
        blocks = np.array([block for clue in clues for block in clue])
        self._starts = reachable_starts([*map(tuple, clues)], blocks, filled, cells == EMPTY)  # (blocks, length)
        self._known = filled * np.minimum(KNOWN, MAX_KNOWN / np.maximum(filled.sum(axis=1, keepdims=True), 1))
        # All lines get equally many blocks: those that a clue lacks have one possible start each, behind the line.
        most = int(sizes.max())
        self._own = np.arange(most) < sizes[:, None]
        lengths = np.ones((count, most, 1), np.int64)
        lengths[self._own, 0] = blocks
        width = self._length + 2 * most
        can = np.zeros((count, most, width), bool)
        can[:, range(most), range(self._length + 1, width, 2)] = ~self._own
        can[self._own, : self._length] = self._starts
        self._barred = np.where(can, 0.0, -np.inf)
        # for a block that starts in a place: its end, and where the starts before and behind it end and begin;
        # for a cell: where the starts that do not cover it any more end
        shifts = (lengths, -lengths, lengths + 1, 1 - lengths)
        self._end, self._before, self._behind, self._passed = (np.clip(np.arange(width) + s, 0, width) for s in shifts)
        self._chances: Reals  # of the starts, by the last `solve`

    def solve(self, odds: Reals) -> Reals:
        """Return the probability that each cell is filled, given the log-odds of all; nan where sums underflow."""
        sums = _sums(np.pad(odds + self._known, ((0, 0), (0, self._end.shape[2] - self._length))))[:, None]
        weights = np.take_along_axis(sums, self._end, axis=2) - sums[:, :, :-1] + self._barred
        weights = np.exp(weights - weights.max(axis=2, keepdims=True))  # only ratios count
        ahead, after = np.ones_like(weights), np.ones_like(weights)
        for j in range(1, weights.shape[1]):
            total = _sums(ahead[:, j - 1] * weights[:, j - 1])
            ahead[:, j] = _scaled(np.take_along_axis(total, self._before[:, j - 1], axis=1))
        for j in reversed(range(weights.shape[1] - 1)):
            total = _sums((after[:, j + 1] * weights[:, j + 1])[:, ::-1])[:, ::-1]
            after[:, j] = _scaled(np.take_along_axis(total, self._behind[:, j], axis=1))
        chances = ahead * weights * after
        with np.errstate(invalid="ignore"):
            self._chances = chances / chances.sum(axis=2, keepdims=True)
        started = _sums(self._chances)
        covered = started[:, :, 1:] - np.take_along_axis(started, self._passed, axis=2)
        filled: Reals = covered.sum(axis=1)[:, : self._length]
        return filled

    def started(self) -> Truths:
        """Return whether each block has probably started, at its possible starts but the last, as in the encoding."""
        places = self._starts.copy()
        places[range(len(places)), self._length - 1 - places[:, ::-1].argmax(axis=1)] = False
        started: Truths = np.cumsum(self._chances[self._own], axis=1)[:, : self._length][places] > 0.5
        return started


def _sums(values: Reals) -> Reals:
    """Return the sums of the values in front of each place, and of all, along the last axis."""
    return np.concatenate([np.zeros_like(values[..., :1]), np.cumsum(values, axis=-1)], axis=-1)


def _scaled(rows: Reals) -> Reals:
    scaled: Reals = rows / np.maximum(rows.max(axis=1, keepdims=True), 1e-300)
    return scaled


def likely_literals(puzzle: Nonogram, masks: Sequence[int], turn: int = 0) -> list[int]:
    """Return likely values of all variables of the order encoding of the open cells, as literals.

    Rows and columns exchange messages about the open cells: belief propagation (Pearl, 1982) with exact lines. With
    reinforcement, a growing part of each belief is added to the input of the lines, so that beliefs that would hover
    between several solutions settle on one (Braunstein and Zecchina, "Learning by message passing in networks of
    discrete synapses", Physical Review Letters 96, 2006).

    The puzzle has one colour. The masks have the possible colours of each cell, as bits, consistent with every line by
    itself. ``turn`` is the number of earlier hints: later ones take longer, and are often better.
    """
    growth, rounds = TRIES[min(turn, len(TRIES) - 1)]
    grid = np.array(masks, np.uint32).reshape(puzzle.rows, puzzle.columns)
    count = int((grid == OPEN).sum())
    numbers = np.cumsum(grid == OPEN).reshape(grid.shape) - 1
    sides = []
    for clues, cells, variables in ((puzzle.row_clues, grid, numbers), (puzzle.column_clues, grid.T, numbers.T)):
        own = np.flatnonzero((cells == OPEN).any(axis=1))
        lines = Lines([[length for length, _ in puzzle.pairs(clues[line])] for line in own], cells[own])
        sides.append((lines, cells[own] == OPEN, variables[own]))
    noise = np.random.default_rng(0).normal(0, NOISE, count)
    field, messages = noise, np.zeros((2, count))
    for step in range(1, rounds + 1):
        for side, (lines, is_open, variables) in enumerate(sides):
            heard = messages[1 - side] + field
            chances = np.empty(count)
            chances[variables[is_open]] = lines.solve(np.where(is_open, heard[variables], 0.0))[is_open]
            chances = np.clip(chances, 1e-9, 1 - 1e-9)
            # A message leaves out what came from its receiver; otherwise the two would confirm each other.
            message = np.clip(np.nan_to_num(np.log(chances / (1 - chances)) - heard), -MAX_MESSAGE, MAX_MESSAGE)
            messages[side] = (messages[side] + message) / 2  # damped
        field = noise + MAX_REINFORCEMENT * (1 - (1 - growth) ** step) * (messages.sum(axis=0) + field)
    truths = np.concatenate([messages.sum(axis=0) + field > 0, *(lines.started() for lines, *_ in sides)])
    return [number if is_true else -number for number, is_true in enumerate(truths.tolist(), 1)]
