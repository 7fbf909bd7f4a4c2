"""Belief propagation between the lines of a nonogram, and hints for a SAT solver from the beliefs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from crosslit_encoders.nonogram.order import TRUE, OpenLines, open_lines, reachable_starts
from numpy.typing import NDArray

from crosslit.kinds import Nonogram

Reals = NDArray[np.float64]

MAX_MESSAGE = 6.0  # maximum log-odds in a line's message about a cell: stronger messages are hardly ever revised
KNOWN = 15.0  # log-odds of a cell that is known to be filled
MAX_KNOWN = 300.0  # for all such cells of a line together: exp() must stay finite
DAMPING = 0.5  # weight of the previous message in the next one
NOISE = 0.05  # standard deviation of the noise that breaks ties between the solutions of a puzzle
MAX_REINFORCEMENT = 0.9
TINY = 1e-300

HINT_TRIES = ((0.005, 60), (0.0, 60), (0.002, 300), (0.0005, 1200))  # growth of the reinforcement, rounds


class LineMarginals:
    """Exact marginals of each line by itself, for all rows or all columns at once.

    The weight of an arrangement is the product of the odds of the cells that it fills. Forward and backward sums over
    the blocks give the probability of every start of every block, and from these that of every cell. Lines are sorted
    by decreasing number of blocks, so that those with a j-th block are a slice. Every clue fits its line; in ``cells``,
    `TRUE` stands for a cell that must be filled, ``-TRUE`` for one that must be empty.
    """

    def __init__(self, clues: Sequence[tuple[int, ...]], cells: NDArray[np.int32]) -> None:
        self._length = cells.shape[1]
        sizes = np.array([len(clue) for clue in clues])
        lengths = np.array([block for clue in clues for block in clue], np.int64)
        self.starts = reachable_starts(clues, lengths, cells == TRUE, cells == -TRUE)
        """The possible starts of the blocks of each line, as Boolean arrays of shape (blocks, length)."""
        # The blocks of one rank are then the first rows of an array, a slice without a copy.
        self._order = np.argsort(-sizes, kind="stable")
        filled = (cells == TRUE)[self._order]
        self._known = filled * np.minimum(KNOWN, MAX_KNOWN / np.maximum(filled.sum(axis=1, keepdims=True), 1))
        first = np.cumsum(sizes) - sizes
        ranks = range(int(sizes.max(initial=0)))
        # by rank, then by line
        self._blocks = [first[self._order[: int((sizes > rank).sum())]] + rank for rank in ranks]
        # Added to logarithms of weights: an impossible start gets the weight exp(-inf) = 0.
        self._barred = [np.where(self.starts[blocks], 0.0, -np.inf) for blocks in self._blocks]
        cell = np.arange(self._length)
        spans = [lengths[blocks, None] for blocks in self._blocks]
        self._ends = [np.minimum(cell + span, self._length) for span in spans]
        self._backs = [np.maximum(cell - span, 0) for span in spans]
        self._inside = [cell >= span for span in spans]

    def solve(self, odds: Reals) -> tuple[Reals, Reals]:
        """Return the probability that each cell is filled, and that each block starts at each cell.

        The log-odds of the cells and the first result have the shape (lines, length), the second has (blocks, length).
        The cells of a line whose sums underflow keep the probabilities given by ``odds``.
        """
        odds = odds[self._order] + self._known
        sums = np.zeros((len(odds), self._length + 1))
        np.cumsum(odds, axis=1, out=sums[:, 1:])
        weights = [self._weights(sums[: len(ends)], rank) for rank, ends in enumerate(self._ends)]
        ahead = [np.ones_like(weight) for weight in weights[:1]]  # weights of the blocks before one that starts here
        for rank, weight in enumerate(weights[1:]):
            count = len(weight)
            # Entry k sums the starts below k: the block before must start below start - length, to leave a gap.
            total = np.zeros((count, self._length + 1))
            np.cumsum(ahead[-1][:count] * weights[rank][:count], axis=1, out=total[:, 1:])
            ahead.append(_scaled(np.take_along_axis(total, self._backs[rank][:count], axis=1)))
        chances = np.zeros(self.starts.shape)
        filled = np.zeros(odds.shape)  # differences from cell to cell
        lost = np.zeros(len(odds), bool)
        # Two places behind the line: a block that ends with it looks for its successor there. The last block of a line
        # finds 1, because nothing has to follow it; any other finds 0.
        behind = np.ones((len(odds), self._length + 2))  # weights of the blocks that start here or later
        for rank in reversed(range(len(weights))):
            count = len(weights[rank])
            tail = weights[rank] * np.take_along_axis(behind[:count], self._ends[rank] + 1, axis=1)
            chance = ahead[rank] * tail
            total = chance.sum(axis=1, keepdims=True)
            lost[:count] |= total[:, 0] <= TINY
            chance /= np.maximum(total, TINY)
            chances[self._blocks[rank]] = chance
            # Cells of a block become filled at its start and are so no more behind its end; the running sum comes last.
            filled[:count] += chance - np.take_along_axis(chance, self._backs[rank], axis=1) * self._inside[rank]
            behind[:count] = 0
            behind[:count, :-2] = _scaled(np.cumsum(tail[:, ::-1], axis=1)[:, ::-1])
        result = np.empty(odds.shape)
        result[self._order] = np.where(lost[:, None], 1 / (1 + np.exp(-odds)), np.cumsum(filled, axis=1))
        return result, chances

    def _weights(self, sums: Reals, rank: int) -> Reals:
        """Return the weights of the starts of all blocks of a rank, scaled so that the largest of each block is 1."""
        weights = np.take_along_axis(sums, self._ends[rank], axis=1) - sums[:, :-1] + self._barred[rank]
        # Only ratios count, since chances are normalised; unscaled weights would overflow.
        scaled: Reals = np.exp(weights - weights.max(axis=1, keepdims=True))
        return scaled


def _scaled(rows: Reals) -> Reals:
    scaled: Reals = rows / np.maximum(rows.max(axis=1, keepdims=True), TINY)
    return scaled


class Beliefs:
    """Messages between rows and columns about the open cells: belief propagation (Pearl, 1982) with exact lines.

    Messages are log-odds. With reinforcement, a growing part of each belief is added to the input of the lines, so that
    beliefs that would hover between several solutions settle on one (Braunstein and Zecchina, "Learning by message
    passing in networks of discrete synapses", Physical Review Letters 96, 2006). ``growth`` is that of the
    reinforcement in each round, from 0 to below 1; ``seed`` is that of the noise that accompanies it.
    """

    def __init__(self, across: OpenLines, down: OpenLines, growth: float = 0, seed: int = 0) -> None:
        self._lines = [LineMarginals(*side) for side in (across, down)]
        self._open = [np.abs(cells) != TRUE for _, cells in (across, down)]
        self._variables = [cells[where] - 1 for (_, cells), where in zip((across, down), self._open, strict=True)]
        count = len(self._variables[0])
        self._messages = np.zeros((2, count))
        self._growth = growth
        self._rounds = 0
        self._noise = np.random.default_rng(seed).normal(0, NOISE, count) if growth else np.zeros(count)
        self._field = self._noise
        self._chances = [np.zeros(lines.starts.shape) for lines in self._lines]

    @property
    def cells(self) -> Reals:
        """The log-odds that each open cell is filled, in the order of the cells' variables."""
        beliefs: Reals = self._messages[0] + self._messages[1] + self._field
        return beliefs

    def exchange(self) -> None:
        """Send messages from rows to columns, and back."""
        for side, lines in enumerate(self._lines):
            heard = self._messages[1 - side] + self._field
            odds = np.zeros(self._open[side].shape)
            odds[self._open[side]] = heard[self._variables[side]]
            filled, self._chances[side] = lines.solve(odds)
            chance = np.empty(len(heard))
            chance[self._variables[side]] = filled[self._open[side]]
            # The logarithm must stay finite.
            chance = np.clip(chance, 1e-9, 1 - 1e-9)
            # A message leaves out what came from its receiver; otherwise the two would confirm each other.
            message = np.clip(np.log(chance / (1 - chance)) - heard, -MAX_MESSAGE, MAX_MESSAGE)
            self._messages[side] = DAMPING * self._messages[side] + (1 - DAMPING) * message
        self._rounds += 1
        if self._growth:
            strength = MAX_REINFORCEMENT * (1 - (1 - self._growth) ** self._rounds)
            self._field = self._noise + strength * self.cells

    def phases(self) -> list[int]:
        """Return a literal for every variable of the formula that `crosslit_encoders.nonogram.order.residue` makes."""
        true = [self.cells > 0]
        for lines, chances in zip(self._lines, self._chances, strict=True):
            starts = lines.starts.copy()
            blocks = starts.any(axis=1)
            starts[blocks, starts.shape[1] - 1 - starts[blocks, ::-1].argmax(axis=1)] = False  # the last is a constant
            # s(j, p) is "starts at or before p", so its chance is a running sum.
            true.append(np.cumsum(chances, axis=1)[starts] > 0.5)
        truths = np.concatenate(true)
        numbers = np.arange(1, len(truths) + 1)
        literals: list[int] = np.where(truths, numbers, -numbers).tolist()
        return literals


def phase_hints(
    puzzle: Nonogram, filled: Sequence[int], empty: Sequence[int], rows: Sequence[int], turn: int = 0
) -> list[int]:
    """Return likely values of all variables of `crosslit_encoders.nonogram.order.residue`, as literals.

    The arguments are those of `residue`, and the number of earlier hints: later ones take longer, and are often better.
    """
    growth, rounds = HINT_TRIES[min(turn, len(HINT_TRIES) - 1)]
    beliefs = Beliefs(*open_lines(puzzle, filled, empty, rows), growth)
    for _ in range(rounds):
        beliefs.exchange()
    return beliefs.phases()
