"""The percentile bootstrap over instances: how much a figure depends on which puzzles there happened to be.

Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), chapter 13. Values may be inf (a run that hit its
limit): a statistic of ranks, such as the median, needs no more than that they are the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95
MIN_VALUES = 6
"""No interval is reported for fewer values: even that from the smallest to the largest of n values holds the median
with a probability of only 1 - 2^(1 - n), 94% for five."""

_MAX_VALUES = 4_000_000  # that are drawn at once: 32 MB


class Interval(NamedTuple):
    """A confidence interval; an end that is censored is inf."""

    low: float
    high: float


def medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The medians over the last axis, inf where half of the values or more are.

    Of an even number of values it is the mean of the middle two, which is inf if one of them is.
    """
    count = values.shape[-1]
    middle = [(count - 1) // 2, count // 2]
    pair = np.partition(values, middle, axis=-1)[..., middle]
    return np.asarray(pair.mean(axis=-1))


def quantile(values: ArrayLike, share: float) -> float:
    """Return a quantile by linear interpolation, as `numpy.quantile` does, of values that may be inf.

    Between a number and inf it is inf: that end of an interval is not known to be finite.

    Raises:
        ValueError: if there are no values.

    Examples:
        >>> quantile([1.0, 2.0, float("inf")], 0.5), quantile([1.0, 2.0, float("inf")], 0.6)
        (2.0, inf)
    """
    known = np.asarray(values, dtype=float)
    if not known.size:
        raise ValueError("no values, no quantile")
    higher = float(np.quantile(known, share, method="higher"))
    # numpy subtracts values from each other, which gives nan for inf
    return higher if math.isinf(higher) else float(np.quantile(np.minimum(known, higher), share))


def bootstrap(
    values: ArrayLike,
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]] = medians,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """The percentile bootstrap interval of a statistic.

    Args:
        values: one of each instance; inf where it is censored. Those that are nan are left out.
        statistic: over the last axis of an array of shape (resamples, instances).
        confidence: of the interval.
        resamples: how many are drawn.
        seed: of `numpy.random.default_rng`.

    Returns:
        The interval; None if there are no values. Of one value it is that value: nothing can be said of its spread.

    Examples:
        >>> bootstrap([1.0, 2.0, 3.0, float("inf")], seed=1)
        Interval(low=1.0, high=inf)
    """
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return None
    rng = np.random.default_rng(seed)
    at_once = max(1, _MAX_VALUES // known.size)
    found = [
        statistic(known[rng.integers(0, known.size, (min(at_once, resamples - first), known.size))])
        for first in range(0, resamples, at_once)
    ]
    return between(np.concatenate(found), confidence)


def between(replicates: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """The interval in which the middle of some replicates lies.

    Raises:
        ValueError: if there are none.
    """
    tail = (1 - confidence) / 2
    return Interval(quantile(replicates, tail), quantile(replicates, 1 - tail))
