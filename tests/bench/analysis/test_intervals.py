"""Intervals of medians against a count of all cases, and against SciPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from crosslit_bench.analysis.statistics import median_interval
from scipy import stats

from tests.bench.tables import INF


def test_every_order_of_above_and_below() -> None:
    # six values: all are on one side of the median in 2 of 64 cases; of nine, the second is above it in 10 of 512
    assert median_interval([3.0, 1.0, 2.0, 6.0, 5.0, 4.0]) == (1.0, 6.0)
    assert median_interval(np.arange(9.0)) == (1.0, 7.0)
    for count in (6, 9, 12):
        found = median_interval(np.arange(float(count)))
        assert found is not None
        sides = itertools.product([0, 1], repeat=count)
        outside = sum(not found.low < sum(below) <= found.high for below in sides)
        assert outside / 2**count <= 0.05


def test_the_interval_is_that_of_scipy() -> None:
    for count in (7, 20, 45, 200):
        values = np.random.default_rng(count).lognormal(size=count)
        low = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
        assert median_interval(values) == pytest.approx(tuple(low))


def test_a_censored_end_is_inf() -> None:
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0, INF]) == (1.0, INF)
    assert median_interval([INF] * 9) == (INF, INF)


@pytest.mark.parametrize("count", range(6))
def test_fewer_than_six_values_have_no_interval(count: int) -> None:
    assert median_interval([1.0] * count) is None
