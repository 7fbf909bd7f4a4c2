"""Medians and confidence intervals of times, which may be inf for runs that hit their limit."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslit.errors import Unavailable, install_hint

TAIL = 0.025
"""The probability on each side of an interval of 95%."""
MIN_VALUES = 6
"""The minimum number of values for an interval: even the interval from the smallest to the largest of n values contains
the median only with a probability of 1 - 2^(1 - n), 94% for five."""


class Interval(NamedTuple):
    """A confidence interval of 95%; an end that is censored is inf."""

    low: float
    high: float


def medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the medians over the last axis, inf if at least half of the values are inf.

    For an even number of values, it is the mean of the middle two, which is inf if one of them is.
    """
    count = values.shape[-1]
    middle = [(count - 1) // 2, count // 2]
    # Only the middle two have to be in their places, so a full sort is not needed.
    pair = np.partition(values, middle, axis=-1)[..., middle]
    return np.asarray(pair.mean(axis=-1))


def median_interval(values: ArrayLike) -> Interval | None:
    """Return the interval of the median between two order statistics; None for fewer than six values.

    It assumes only independent values, which may be inf: each exceeds the true median with a probability of 1/2, so the
    k-th smallest exceeds it with the probability of fewer than k heads in n tosses of a coin (Conover, *Practical
    Nonparametric Statistics*, 1999, section 3.2).
    """
    known = np.sort(np.asarray(values, dtype=float))
    # The smallest k with P(X <= k) of at least 2.5%. So P(X <= k - 1), with which the k-th value lies above the median,
    # is below that.
    rank = int(np.searchsorted(scipy_part("special").bdtr(np.arange(known.size), known.size, 0.5), TAIL))
    return Interval(float(known[rank - 1]), float(known[-rank])) if rank else None


def scipy_part(name: str) -> Any:
    """Return a subpackage of SciPy; the extra ``report`` installs it. Not ``stats``, which takes a second to import."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError:
        raise Unavailable(f"the analysis of campaigns needs SciPy: {install_hint('report')}") from None
