"""Medians, tests and correlations from their definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scipy import stats


class Estimate(NamedTuple):
    """A number and its interval."""

    value: float
    low: float
    high: float


def median(values: Sequence[float]) -> float:
    """Return the mean of the middle two of the sorted values."""
    known = sorted(values)
    return (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2


def median_interval(values: Sequence[float], tail: float) -> tuple[float, float] | None:
    """Return the k-th smallest and largest; fewer than k heads have a probability below the tail."""
    known, below, k = sorted(values), 0.0, 0
    for heads in range(len(known)):
        below += math.comb(len(known), heads) / 2 ** len(known)  # P(fewer than heads + 1)
        if below >= tail:
            break
        k = heads + 1
    return (known[k - 1], known[-k]) if k else None


def sign_test(first: int, second: int) -> float:
    """Return the two-sided probability of heads and tails so unequal."""
    tosses, fewer = first + second, min(first, second)
    return min(1.0, 2 * sum(math.comb(tosses, heads) for heads in range(fewer + 1)) / 2**tosses)


def signed_rank(differences: Sequence[float], max_exact: int) -> float:
    """Return the two-sided p-value of the test of Wilcoxon; no difference is 0."""
    if not differences:
        return 1.0
    twice = [round(2 * rank) for rank in stats.rankdata([abs(value) for value in differences])]
    positive = sum(rank for rank, value in zip(twice, differences, strict=True) if value > 0)
    lesser = min(positive, sum(twice) - positive)
    if len(differences) > max_exact:
        variance = sum((rank / 2) ** 2 for rank in twice) / 4
        return float(2 * stats.norm.cdf((lesser / 2 - sum(twice) / 4) / math.sqrt(variance)))
    sums = Counter({0: 1})
    for rank in twice:
        sums = Counter({total: sums[total] + sums[total - rank] for total in {*sums, *(one + rank for one in sums)}})
    return min(1.0, 2 * sum(count for total, count in sums.items() if total <= lesser) / 2 ** len(twice))


def holm(p: Sequence[float]) -> list[float]:
    """Return each p-value times the number of those that are not smaller, none below a smaller one's."""
    adjusted, least = list(p), 0.0
    for place, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        least = max(least, min(1.0, (len(p) - place) * p[at]))
        adjusted[at] = least
    return adjusted


def ratio(logs: Sequence[float], least: int) -> Estimate | None:
    """Return the ratio of the mean of some logarithms, with Student's interval (nan for fewer than the least)."""
    if not logs:
        return None
    count, mean = len(logs), math.fsum(logs) / len(logs)
    if count < least:
        return Estimate(math.exp(mean), math.nan, math.nan)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in logs) / (count - 1))
    half = float(stats.t.ppf(0.975, count - 1)) * deviation / math.sqrt(count)
    return Estimate(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return Pearson's correlation of the ranks, and its two-sided p-value by Student's t."""
    ranks = stats.rankdata(first), stats.rankdata(second)
    rho = float(stats.pearsonr(*ranks).statistic)
    freedom = len(first) - 2
    if abs(rho) >= 1 - 1e-12:
        return round(rho), 0.0
    return rho, float(2 * stats.t.sf(abs(rho) * math.sqrt(freedom / (1 - rho**2)), freedom))
