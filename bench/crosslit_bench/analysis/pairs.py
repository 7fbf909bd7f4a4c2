"""Paired comparisons of contestants, puzzle by puzzle, with significance tests.

There are two tests: the signed-rank test of Wilcoxon (1945) on the logarithms of the times, and the sign test, which
uses only the winner on each puzzle and so needs fewer assumptions. Both p-values are adjusted for the number of pairs
(Holm 1979). docs/reference/campaigns.md lists their assumptions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crosslit_bench.analysis.intervals import MIN_VALUES, Interval, scipy_part
from crosslit_bench.results.frame import Table

TIE_SHARE = 0.05
"""Two times tie if they differ by at most this share of the longer one, which is within the noise."""
TIE_SECONDS = 1e-3
"""Two times tie, too, if they differ by at most this."""

MIN_SECONDS = 1e-6
"""The minimum time in tests: a phase that a solver lacks takes none, and 0 has no logarithm."""
MAX_EXACT = 50
"""The maximum number of puzzles for an exact p-value of the signed-rank test."""


@dataclass(frozen=True, kw_only=True)
class PairComparison:
    """A comparison of two contestants on the puzzles that both were asked."""

    a: str  # the label of the first contestant
    b: str
    puzzles: int  # number of puzzles that both were asked
    wins_a: int  # number of these that the first won
    wins_b: int
    ties: int
    both_solved: int  # number of puzzles that both solved
    ratio: float | None  # geometric mean of a's time over b's on these, below 1 if a is faster; None if there are none
    # 95% interval of the ratio, Student's for the mean of the logarithms; None if both solved fewer than six puzzles
    interval: Interval | None
    statistic: float | None  # the lesser rank sum of the signed-rank test; None if all puzzles are ties
    p: float  # two-sided p-value of that test; 1 if all puzzles are ties
    p_adjusted: float  # the same, adjusted for the number of pairs
    p_sign: float  # the p-value of the sign test
    p_sign_adjusted: float


def beats(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the puzzles that a wins: faster by more than a tie, or the only one to solve it.

    It is False if either was not asked.
    """
    solved_a, solved_b = np.isfinite(a), np.isfinite(b)
    gap = np.where(solved_b, b, 0.0) - np.where(solved_a, a, 0.0)
    faster = gap > np.maximum(TIE_SHARE * np.where(solved_b, b, 0.0), TIE_SECONDS)
    return np.asarray(solved_a & (np.isinf(b) | (solved_b & faster)))


def paired(table: Table) -> list[PairComparison]:
    """Return the comparisons of all pairs of ranked contestants with common puzzles, in their order."""
    ranked = table.ranked
    labels = [contestant.label for contestant in ranked.contestants]
    found = [
        compare_pair(labels[a], labels[b], ranked.seconds[:, [a, b]], ranked.limit)
        for a, b in combinations(range(len(labels)), 2)
    ]
    return adjusted([pair for pair in found if pair.puzzles])


def adjusted(pairs: Sequence[PairComparison]) -> list[PairComparison]:
    """Return comparisons with p-values adjusted for their number."""
    rank, sign = holm([pair.p for pair in pairs]), holm([pair.p_sign for pair in pairs])
    return [
        dataclasses.replace(pair, p_adjusted=p_value, p_sign_adjusted=other)
        for pair, p_value, other in zip(pairs, rank, sign, strict=True)
    ]


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found = list(p)
    highest = 0.0
    for rank, (value, index) in enumerate(sorted((value, index) for index, value in enumerate(p))):
        # Adjusted values never decrease, so that they keep the order of the p-values.
        highest = max(highest, min(1.0, (len(p) - rank) * value))
        found[index] = highest
    return found


def compare_pair(a: str, b: str, seconds: NDArray[np.float64], limit: float) -> PairComparison:
    """Compare two contestants as the only pair, so the adjusted p-values are the p-values.

    Their times have the shape (puzzles, 2): inf if unsolved, nan if not asked. The limit is that of each run, in
    seconds.
    """
    seconds = seconds[~np.isnan(seconds).any(axis=1)]
    seconds = seconds[np.lexsort(seconds.T)]  # makes rounding independent of the order of the puzzles
    first, second = seconds.T
    won, lost = beats(first, second), beats(second, first)
    # twice the longest time, because the CPU time of several threads may exceed a limit of wall time
    beyond = 2 * max(limit, float(seconds[np.isfinite(seconds)].max(initial=0.0)))
    logs = np.log(np.maximum(np.where(np.isinf(seconds), beyond, seconds), MIN_SECONDS))
    differences = logs[:, 0] - logs[:, 1]
    solved = np.isfinite(seconds).all(axis=1)
    # Ties are left out, as Wilcoxon left out differences of zero.
    statistic, p = _signed_rank(differences[won | lost])
    wins_a, wins_b = int(won.sum()), int(lost.sum())
    p_sign = _sign(wins_a, wins_b)
    return PairComparison(
        a=a,
        b=b,
        puzzles=len(seconds),
        wins_a=wins_a,
        wins_b=wins_b,
        ties=len(seconds) - wins_a - wins_b,
        both_solved=int(solved.sum()),
        ratio=float(np.exp(differences[solved].mean())) if solved.any() else None,
        interval=_ratio_interval(differences[solved]),
        statistic=statistic,
        p=p,
        p_adjusted=p,
        p_sign=p_sign,
        p_sign_adjusted=p_sign,
    )


def _ratio_interval(logs: NDArray[np.float64]) -> Interval | None:
    """Return the interval of a geometric mean, from Student's interval for the mean of its logarithms."""
    count = len(logs)
    if count < MIN_VALUES:
        return None
    half = float(scipy_part("special").stdtrit(count - 1, 0.975)) * logs.std(ddof=1) / np.sqrt(count)
    return Interval(float(np.exp(logs.mean() - half)), float(np.exp(logs.mean() + half)))


def _signed_rank(differences: NDArray[np.float64]) -> tuple[float | None, float]:
    """Return the statistic and the two-sided p-value, exact for at most `MAX_EXACT` differences; none is 0."""
    count = len(differences)
    if not count:
        return None, 1.0
    _, place, equal = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(equal) - (equal - 1) / 2)[place]  # the mean of their places for equal differences
    if count <= MAX_EXACT:
        return _exact(differences, ranks)
    mean = count * (count + 1) / 4
    deviation = np.sqrt((4 * mean * (2 * count + 1) - (equal**3 - equal).sum() / 2) / 24)
    lesser = float(min(ranks[differences > 0].sum(), ranks[differences < 0].sum()))
    return lesser, 2 * float(scipy_part("special").ndtr((lesser - mean) / deviation))


def _exact(differences: NDArray[np.float64], ranks: NDArray[np.float64]) -> tuple[float, float]:
    """Return the exact test, also with equal ranks."""
    steps = np.rint(2 * ranks).astype(int)  # twice the ranks, because the mean of equal ranks may end in 1/2
    chance = np.zeros(steps.sum() + 1)
    chance[0] = 1.0
    # The exact distribution of the sum of positive ranks: each rank is added with a probability of 1/2.
    for step in steps:
        chance[step:] = (chance[step:] + chance[: len(chance) - step]) / 2
        chance[:step] /= 2
    positive = int(steps[differences > 0].sum())
    lesser = min(positive, len(chance) - 1 - positive)
    # The distribution is symmetric, so both tails together are twice one of them.
    return lesser / 2, min(1.0, 2 * float(chance[: lesser + 1].sum()))


def _sign(wins_a: int, wins_b: int) -> float:
    if not wins_a + wins_b:
        return 1.0
    # Heads and tails are equally likely, so both tails together are twice one of them.
    return min(1.0, 2 * float(scipy_part("special").bdtr(min(wins_a, wins_b), wins_a + wins_b, 0.5)))
