"""Pairs computed by hand, by SciPy, and by all assignments of signs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from crosslit_bench.analysis.scores import beats, holm, paired
from crosslit_bench.results.frame import TimeTable
from hypothesis import given
from scipy import stats

from tests.bench.analysis.test_scores import tables
from tests.bench.tables import INF, NAN, table

BY_HAND = [
    [1.0, 2.0],  # a
    [1.0, 1.05],  # a tie: they differ by 0.05, and 5% of 1.05 is 0.0525
    [1.0, 1.06],  # a: by 0.06, and 5% is 0.053
    [0.0002, 0.0009],  # a tie: by 0.7 ms
    [INF, 9.0],  # b
    [INF, INF],  # a tie
    [3.0, NAN],  # not asked of b
]


def test_wins_by_hand() -> None:
    some = table(BY_HAND)
    (pair,) = paired(some)
    assert (pair.puzzles, pair.wins_a, pair.wins_b, pair.ties, pair.both_solved) == (6, 2, 1, 3, 4)
    assert pair.ratio == pytest.approx((1 / 2 * 1 / 1.05 * 1 / 1.06 * 2 / 9) ** (1 / 4))
    assert pair.interval is None  # of four puzzles
    # ties aside: log 1/2 = -0.69, log 1/1.06 = -0.06, log 20/9 = 0.80: ranks 2 and 1 for a, 3 for b; the lesser is 3
    assert pair.statistic == 3.0
    assert pair.p == 1.0  # of the 8 ways to sign ranks 1, 2, 3 all have a lesser sum of 3 or less
    assert pair.p_sign == 1.0


def test_an_answer_that_took_long_is_better_than_none() -> None:
    # CPU time of many threads: 30 s under a limit of 10, and b has no answer; a gains there and loses elsewhere
    (pair,) = paired(table([[30.0, INF], [3.0, 1.0]]))
    assert (pair.wins_a, pair.wins_b, pair.statistic) == (1, 1, 1.0)


@pytest.mark.parametrize("equal", [False, True])
def test_the_signed_rank_test_counts_all_signs(equal: bool) -> None:
    rng = np.random.default_rng(4)
    times = np.exp(rng.normal(size=(8, 2)))
    times[:, 1] *= 1.8
    times[2, 1] = INF
    if equal:  # powers of two, so that differences of logarithms are equal to the last digit
        times = 2.0 ** rng.integers(-3, 3, (8, 2))
        times[:, 1] *= np.where(times[:, 0] == times[:, 1], 2.0, 1.0)
    (pair,) = paired(table(times))
    logs = np.log(np.where(np.isinf(times), 20.0, times))
    differences = logs[:, 0] - logs[:, 1]
    assert pair.ties == 0
    ranks = stats.rankdata(np.abs(differences))
    assert (len(set(ranks)) < 8) == equal
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product([0, 1], repeat=8)]
    seen = ranks[differences > 0].sum()
    lesser = min(seen, 36 - seen)
    p = sum(min(one, 36 - one) <= lesser for one in sums) / 2**8
    assert (pair.statistic, pair.p) == (lesser, pytest.approx(p))
    assert pair.p_sign == pytest.approx(stats.binomtest(pair.wins_a, 8).pvalue)


@pytest.mark.parametrize(("count", "method"), [(50, "exact"), (51, "approx"), (80, "approx")])
def test_the_signed_rank_test_of_many_puzzles_is_that_of_scipy(count: int, method: str) -> None:
    """Up to fifty without equal differences, whose ranks are equal, and beyond with many of them."""
    rng = np.random.default_rng(count)
    logs = (
        rng.choice([-1, 1, 1], 50) * np.arange(1, 51) / 8 if method == "exact" else rng.choice([-2, -1, 1, 2, 3], count)
    )
    (pair,) = paired(table(np.stack([2.0**logs, np.ones(count)], axis=1), limit=1e3))
    other = stats.wilcoxon(logs, correction=False, method=method)
    assert (pair.statistic, pair.p) == pytest.approx((other.statistic, other.pvalue))


def test_a_contestant_that_was_not_asked_is_not_beaten() -> None:
    assert beats(np.array([1.0, 1.0, NAN, INF]), np.array([NAN, INF, 1.0, NAN])).tolist() == [False, True, False, False]


def test_where_there_is_nothing_to_test() -> None:
    assert paired(table([[1.0, NAN], [NAN, 1.0]])) == []
    (ties,) = paired(table([[1.0, 1.0], [INF, INF]]))
    assert (ties.ties, ties.statistic, ties.p, ties.p_adjusted, ties.p_sign) == (2, None, 1.0, 1.0, 1.0)
    (one,) = paired(table([[1.0, 9.0]]))
    assert (one.p, one.p_sign) == (1.0, 1.0)
    (unsolved,) = paired(table([[INF, 1.0], [1.0, INF]]))
    assert (unsolved.ratio, unsolved.interval, unsolved.wins_a, unsolved.wins_b) == (None, None, 1, 1)
    (zero,) = paired(table([[0.0, 1.0], [0.0, 0.0]]))
    assert zero.ratio is not None
    assert zero.ratio > 0


def test_holm_by_hand() -> None:
    # in order 0.01, 0.02, 0.03, 0.4, times 4, 3, 2, 1, and never less than the one before
    assert holm([0.03, 0.01, 0.4, 0.02]) == pytest.approx([0.06, 0.04, 0.4, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_disqualified_are_in_no_pair() -> None:
    some = table([[0.1, 1.0, 2.0]], wrong=["a"])
    assert [(pair.a, pair.b, pair.wins_a) for pair in paired(some)] == [("b", "c", 1)]


@given(tables())
def test_a_pair_turned_round_is_the_same(some: TimeTable) -> None:
    turned = some.among(columns=range(len(some.contestants))[::-1])
    others = {(pair.b, pair.a): pair for pair in paired(turned)}
    for pair in paired(some):
        other = others[pair.a, pair.b]
        assert (pair.wins_a, pair.wins_b, pair.p, pair.p_sign) == pytest.approx(
            (other.wins_b, other.wins_a, other.p, other.p_sign)
        )
        assert (pair.ratio is None) == (other.ratio is None)
        if pair.ratio is not None and other.ratio is not None:
            assert math.log(pair.ratio) == pytest.approx(-math.log(other.ratio), abs=1e-9)


@pytest.mark.parametrize("count", [5, 6, 40])
def test_the_interval_of_the_ratio_is_that_of_scipy_from_six_puzzles_on(count: int) -> None:
    times = np.random.default_rng(5).lognormal(size=(count, 2))
    (pair,) = paired(table(times, limit=1e3))
    if count < 6:
        assert pair.interval is None
        return
    other = stats.ttest_1samp(np.log(times[:, 0] / times[:, 1]), 0).confidence_interval()
    assert pair.interval is not None
    assert np.log(pair.interval) == pytest.approx(tuple(other))
