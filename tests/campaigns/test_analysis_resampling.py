"""The bootstrap against every resample there is, and against SciPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crosslit.campaigns.analysis.bootstrap import Interval, between, bootstrap, medians, quantile
from tests.campaigns.tables import INF, NAN


def test_every_resample_of_three_values() -> None:
    # Of 1, 2, inf there are 27 resamples of three. Their median is 1 where 1 comes twice or more: 1 + 3 * 2 = 7 of 27;
    # inf likewise 7; 2 in the other 13. In order: 1 at the places 0 to 6, 2 at 7 to 19, inf at 20 to 26.
    every = np.array(list(itertools.product([1.0, 2.0, INF], repeat=3)))
    found = np.sort(medians(every))
    assert found.tolist() == [1.0] * 7 + [2.0] * 13 + [INF] * 7
    # 95%: places 0.025 * 26 = 0.65 and 25.35; 40%: 0.3 * 26 = 7.8 and 18.2; 48%: 0.26 * 26 = 6.76, so 1 + 0.76 * 1
    assert between(found, 0.95) == (1.0, INF)
    assert between(found, 0.40) == (2.0, 2.0)
    assert between(found, 0.48).low == pytest.approx(1.76)
    assert between(found, 0.48).high == INF  # place 19.24, between 2 and inf: not known to be finite
    # and what is drawn by chance comes near: the shares of the three medians are 7, 13 and 7 of 27
    drawn: list[np.ndarray] = []

    def noting(values: np.ndarray) -> np.ndarray:
        drawn.append(medians(values))
        return drawn[-1]

    bootstrap([1.0, 2.0, INF], noting, resamples=20_000, seed=3)
    shares = [float(np.mean(np.concatenate(drawn) == value)) for value in (1.0, 2.0, INF)]
    assert shares == pytest.approx([7 / 27, 13 / 27, 7 / 27], abs=0.015)


@pytest.mark.parametrize(("statistic", "seed"), [(np.median, 1), (np.mean, 2), (np.std, 3)])
def test_the_interval_is_that_of_scipy(statistic: object, seed: int) -> None:
    values = np.random.default_rng(seed).lognormal(size=25)
    other = stats.bootstrap(
        (values,), statistic, method="percentile", n_resamples=9999, batch=9999, rng=np.random.default_rng(seed)
    )
    ours = bootstrap(values, lambda drawn: statistic(drawn, axis=-1), resamples=9999, seed=seed)  # type: ignore[operator]
    # SciPy draws the same indices from the same generator, so that only the last digits may differ
    assert ours == pytest.approx(tuple(other.confidence_interval), rel=1e-9)


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(INF)), min_size=1, max_size=12), st.floats(0, 1))
def test_quantiles_are_those_of_numpy_where_it_has_them(values: list[float], share: float) -> None:
    ours = quantile(values, share)
    assert ours == ours
    finite = [value for value in values if value < INF]
    if len(finite) == len(values):
        assert ours == pytest.approx(float(np.quantile(values, share)), rel=1e-6, abs=1e-6)
    else:
        place = share * (len(values) - 1)
        assert (ours == INF) == (place > len(finite) - 1 + 1e-9) or abs(place - len(finite) + 1) < 1e-6


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=12))
def test_medians_are_those_of_numpy(values: list[float]) -> None:
    assert medians(np.array([values]))[0] == pytest.approx(float(np.median(values)))


def test_the_median_of_an_even_number_with_inf_is_inf() -> None:
    assert medians(np.array([[1.0, INF], [INF, INF]])).tolist() == [INF, INF]


def test_values_that_say_nothing() -> None:
    assert bootstrap([]) is None
    assert bootstrap([NAN]) is None
    assert bootstrap([2.0, NAN]) == Interval(2.0, 2.0)
    assert bootstrap([INF] * 5) == Interval(INF, INF)
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(0).lognormal(size=30)
    assert bootstrap(values, seed=5) == bootstrap(values, seed=5)
    assert bootstrap(values, resamples=50, seed=5) != bootstrap(values, resamples=50, seed=6)
    assert bootstrap(values, confidence=0.5).low > bootstrap(values).low  # type: ignore[union-attr]


def test_drawing_in_pieces_leaves_no_gap() -> None:
    found = bootstrap(np.arange(9000.0), resamples=1000, seed=1)  # more than are drawn at once
    assert found is not None
    assert found.low < 4499.5 < found.high
