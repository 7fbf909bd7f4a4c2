"""Who beats whom, puzzle by puzzle, and whether that could be chance.

Two tests stand beside each other: the signed-rank test of Wilcoxon (1945) on the logarithms of the times, and the sign
test, which asks of each puzzle only who was faster and so needs fewer assumptions. Both p-values are adjusted for the
number of pairs by Holm (1979). `ASSUMPTIONS` says what they rest on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis.intervals import MIN_VALUES, Interval
from crosslit.campaigns.analysis.needs import scipy_part
from crosslit.campaigns.results.table import Table

TIE_SHARE = 0.05
"""Two times tie that differ by no more than this share of the longer one,"""
TIE_SECONDS = 1e-3
"""or by no more than this: less is noise."""

MIN_SECONDS = 1e-6
"""Shorter times count as this: a phase that a solver does not have takes none, and has no logarithm."""
MAX_EXACT = 50
"""The number of puzzles up to which the p-value of the signed-rank test is exact."""

ASSUMPTIONS = (
    "Pairs are compared over the puzzles that both were asked. Times within 5% (of the longer one) or 1 ms of each"
    " other tie, and so do two unsolved runs; both tests leave ties out. They take the puzzles for independent draws:"
    " for puzzles that were made alike, or chosen by hand, the p-values are too small.",
    "The signed-rank test also takes the differences of the logarithms of the times to be symmetric, and counts an"
    " unsolved run as twice the limit or twice the longer time, a convention; the sign test needs neither. The p-values"
    " are adjusted for the number of pairs (Holm). A small one is no large difference, a large one no equality.",
    "The ratio is the geometric mean over the puzzles that both solved; the numbers of wins count the others too.",
)
"""The assumptions of the tests, a paragraph each."""


@dataclass(frozen=True, kw_only=True)
class PairComparison:
    """Two contestants on the puzzles that both were asked.

    Args:
        a, b: their labels.
        puzzles: how many both were asked.
        wins_a, wins_b, ties: how many of these each won.
        both_solved: how many both solved.
        ratio: the geometric mean of a's time over b's where both solved: below 1, a is faster; None if there are none.
        interval: of the ratio, 95%, that of Student for the mean of the logarithms; None where both solved fewer than
            six puzzles.
        statistic: of the signed-rank test, the lesser rank sum; None where the two only tie.
        p: of that test, two-sided; 1 where the two only tie, None where both were asked nothing.
        p_adjusted: for the number of pairs.
        p_sign, p_sign_adjusted: of the sign test.
    """

    a: str
    b: str
    puzzles: int
    wins_a: int
    wins_b: int
    ties: int
    both_solved: int
    ratio: float | None
    interval: Interval | None
    statistic: float | None
    p: float | None
    p_adjusted: float | None
    p_sign: float | None
    p_sign_adjusted: float | None


def beats(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a is faster than b by more than the tolerance, or alone solved it; False where either was not asked.

    Examples:
        >>> import numpy as np
        >>> beats(np.array([1.0, 1.0, 1.0, np.inf]), np.array([1.04, 2.0, np.inf, np.inf])).tolist()
        [False, True, True, False]
    """
    solved_a, solved_b = np.isfinite(a), np.isfinite(b)
    gap = np.where(solved_b, b, 0.0) - np.where(solved_a, a, 0.0)
    faster = gap > np.maximum(TIE_SHARE * np.where(solved_b, b, 0.0), TIE_SECONDS)
    return np.asarray(solved_a & (np.isinf(b) | (solved_b & faster)))


def paired(table: Table) -> list[PairComparison]:
    """Every two of the ranked contestants, in their order."""
    ranked = table.ranked
    labels = [contestant.label for contestant in ranked.contestants]
    found = [
        compare_pair(labels[a], labels[b], ranked.seconds[:, [a, b]], ranked.limit)
        for a, b in combinations(range(len(labels)), 2)
    ]
    adjusted, sign = holm([pair.p for pair in found]), holm([pair.p_sign for pair in found])
    return [
        dataclasses.replace(pair, p_adjusted=one, p_sign_adjusted=other)
        for pair, one, other in zip(found, adjusted, sign, strict=True)
    ]


def holm(p: Sequence[float | None]) -> list[float | None]:
    """The p-values adjusted for their number (Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, 1979).

    Those that are None are no tests, and stay None.

    Examples:
        >>> holm([0.01, 0.04, None, 0.03])
        [0.03, 0.06, None, 0.06]
    """
    order = sorted((value, at) for at, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    most = 0.0
    for rank, (value, at) in enumerate(order):
        # Adjusted values never decrease, so that they keep the order of the p-values.
        most = max(most, min(1.0, (len(order) - rank) * value))
        adjusted[at] = most
    return adjusted


def compare_pair(a: str, b: str, seconds: NDArray[np.float64], limit: float) -> PairComparison:
    """Compare two contestants; p-values are not adjusted.

    Args:
        a: label of the first one.
        b: label of the second one.
        seconds: of shape (puzzles, 2): their times; inf where unsolved, nan where not asked.
        limit: of each run, in seconds.
    """
    seconds = seconds[~np.isnan(seconds).any(axis=1)]
    seconds = seconds[np.lexsort(seconds.T)]  # so that rounding does not depend on the order of the puzzles
    first, second = seconds.T
    won, lost = beats(first, second), beats(second, first)
    # several threads may need more CPU time than the limit, which is one of wall time, and are faster than no answer
    beyond = 2 * max(limit, float(seconds[np.isfinite(seconds)].max(initial=0.0)))
    logs = np.log(np.maximum(np.where(np.isinf(seconds), beyond, seconds), MIN_SECONDS))
    differences = logs[:, 0] - logs[:, 1]
    solved = np.isfinite(seconds).all(axis=1)
    # Ties are left out, as Wilcoxon left out differences of zero.
    statistic, p = _signed_rank(differences[won | lost])
    wins_a, wins_b = int(won.sum()), int(lost.sum())
    asked = bool(len(seconds))
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
        p=p if asked else None,
        p_adjusted=None,
        p_sign=_sign(wins_a, wins_b) if asked else None,
        p_sign_adjusted=None,
    )


def _ratio_interval(logs: NDArray[np.float64]) -> Interval | None:
    """The interval of Student for the mean of some logarithms, as one of ratios."""
    count = len(logs)
    if count < MIN_VALUES:
        return None
    half = float(scipy_part("special").stdtrit(count - 1, 0.975)) * logs.std(ddof=1) / np.sqrt(count)
    return Interval(float(np.exp(logs.mean() - half)), float(np.exp(logs.mean() + half)))


def _signed_rank(differences: NDArray[np.float64]) -> tuple[float | None, float]:
    """The statistic, and a two-sided p-value, exact of up to `MAX_EXACT` differences; none of them is 0."""
    count = len(differences)
    if not count:
        return None, 1.0
    stats = scipy_part("stats")
    if count <= MAX_EXACT and len(np.unique(np.abs(differences))) < count:
        return _with_equal_ranks(differences, stats.rankdata(np.abs(differences)))
    found = stats.wilcoxon(differences, method="exact" if count <= MAX_EXACT else "auto")
    return float(found.statistic), float(found.pvalue)


def _with_equal_ranks(differences: NDArray[np.float64], ranks: NDArray[np.float64]) -> tuple[float, float]:
    """The exact test where ranks are equal, for which SciPy goes through all signs, or approximates."""
    steps = np.rint(2 * ranks).astype(int)  # equal ones share the mean of theirs, which may be a half
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
    return float(scipy_part("stats").binomtest(wins_a, wins_a + wins_b).pvalue)
