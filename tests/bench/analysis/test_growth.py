"""Growth of times that were made to grow in a known way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis import statistics
from crosslit_bench.analysis.growth import Fit, _unsolved_from, fit, fits, has_wall, is_series
from crosslit_bench.analysis.statistics import Interval
from scipy import optimize, stats

from tests.bench.tables import INF, NAN, table

SIZES = np.repeat(np.arange(4.0, 24.0), 3)


def grown(
    slope: float, noise: float, *, limit: float = INF, seed: int = 0, start: float = 0.002, sizes: np.ndarray = SIZES
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    seconds = start * np.exp(slope * (sizes - 4) + noise * rng.standard_normal(len(sizes)))
    return np.where(seconds > limit, INF, seconds)


@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_without_censoring_the_line_is_that_of_least_squares(noise: float) -> None:
    seconds = grown(0.4, noise)
    slope, intercept = np.polyfit(SIZES, np.log(seconds), 1)
    found = fit(SIZES, seconds, 1e9, floor=1e-9)
    assert found.model == "exponential"
    assert (found.slope, found.intercept) == pytest.approx((slope, intercept), rel=1e-6)
    assert found.rate == pytest.approx(math.log(2) / slope, rel=1e-6)
    residual = np.log(seconds) - intercept - slope * SIZES
    assert found.sigma**2 == pytest.approx(np.mean(residual**2) + statistics.NOISE**2, rel=1e-6)
    likelihood = (
        stats.norm.logpdf(residual, scale=found.sigma).sum() - len(SIZES) * (statistics.NOISE / found.sigma) ** 2 / 2
    )
    assert found.aic["exponential"] == pytest.approx(6 - 2 * likelihood)


def test_with_censoring_the_line_is_that_of_a_general_optimizer() -> None:
    seconds, limit, floor = grown(0.6, 0.5, limit=5.0, start=2e-4), 5.0, 1e-3
    right, left = np.isinf(seconds), seconds < floor
    exact = ~right & ~left

    def cost(at: np.ndarray) -> float:
        line, sigma = at[0] + at[1] * SIZES, math.exp(at[2])
        gained = stats.norm.logpdf(np.log(seconds[exact]), line[exact], sigma).sum()
        gained += stats.norm.logsf(math.log(limit), line[right], sigma).sum()
        gained += stats.norm.logcdf(math.log(floor), line[left], sigma).sum()
        return float(exact.sum() * (statistics.NOISE / sigma) ** 2 / 2 - gained)

    best = optimize.minimize(cost, [-8.0, 0.4, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    found = fit(SIZES, seconds, limit, floor=floor)
    assert (found.intercept, found.slope, math.log(found.sigma)) == pytest.approx(tuple(best.x), abs=1e-4)
    assert found.aic["exponential"] == pytest.approx(6 + 2 * best.fun, abs=1e-6)
    assert (found.censored, found.floored) == (right.sum(), left.sum())


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    inside = 0
    for seed in range(60):
        found = fit(SIZES, grown(0.35, 0.4, limit=1.0, seed=seed), 1.0, floor=1e-9)
        assert found.interval is not None
        inside += found.interval.low <= math.log(2) / 0.35 <= found.interval.high
    assert 51 <= inside <= 60


def test_the_interval_holds_the_truth_on_few_puzzles_too() -> None:
    sizes, inside = np.linspace(4.0, 18.0, 8), 0
    for seed in range(60):
        line = statistics.fit_line(sizes, np.log(grown(0.35, 0.4, seed=seed, sizes=sizes)), np.zeros(8, dtype=int))
        inside += abs(line.slope - 0.35) <= line.slope_margin
    assert 53 <= inside <= 60


def test_a_power_is_distinguished_from_an_exponential() -> None:
    rng = np.random.default_rng(1)
    seconds = 1e-4 * SIZES**3 * np.exp(0.1 * rng.standard_normal(len(SIZES)))
    found = fit(SIZES, seconds, 10.0)
    assert (found.model, found.rivals, found.grows) == ("power", (), True)
    assert found.rate == pytest.approx(3.0, abs=0.15)
    assert found.predict(10.0) == pytest.approx(0.1, rel=0.1)
    assert found.words().startswith("grows as n^2.99 (95% 2.95 to 3.03)")


def test_a_fit_does_not_depend_on_the_order_of_the_puzzles() -> None:
    seconds = grown(0.5, 0.3, seed=2)
    order = np.random.default_rng(3).permutation(len(SIZES))
    assert fit(SIZES[order], seconds[order], 10.0) == fit(SIZES, seconds, 10.0)


def test_rounding_does_not_choose_between_equal_curves() -> None:
    """The smaller sizes are below the floor: through the other two both curves are the same."""
    sizes = np.array([4.0, 4.0, 5.0, 5.0, 9.0, 9.0, 11.0, 11.0])
    seconds = np.array([0.54362, 0.59276, 0.65632, 0.60714, 1.26614, 0.98849, 1.92812, 2.35293]) / 1000
    assert fit(sizes, seconds, 5.0).model == "power"


def test_no_growth_is_flat() -> None:
    every = [fit(SIZES, grown(0.0, 0.2, start=0.02, seed=seed), 10.0) for seed in range(30)]
    assert sum(found.grows for found in every) <= 3
    assert sum(found.model == "flat" or "flat" in found.rivals for found in every) >= 26
    found = next(found for found in every if found.model == "flat")
    assert found.rate == pytest.approx(0.02, rel=0.1)
    assert found.predict(1000) == pytest.approx(found.rate)
    assert not found.rivals
    assert found.words() == "no visible growth: about 20 ms, fitted over n = 4 to 23"


@pytest.mark.parametrize(
    ("model", "rate", "aic", "growth"),
    [
        ("power", 2.0, {"flat": 9.0, "power": 1.0, "exponential": 3.0}, "power"),
        ("power", 2.0, {"flat": 9.0, "power": 1.0, "exponential": 2.99}, "undecided"),
        ("exponential", 2.0, {"flat": 2.99, "power": 9.0, "exponential": 1.0}, "undecided"),
        ("flat", 0.001, {"flat": 1.0, "power": 1.1}, "flat"),
        ("flat", 0.00099, {"flat": 1.0, "power": 1.1}, "below 1 ms"),
        (None, None, {}, None),
    ],
)
def test_what_a_fit_says_about_growth(model: Any, rate: float | None, aic: Any, growth: str | None) -> None:
    """Which is what tables and papers say."""
    sizes: dict[str, Any] = {"smallest": 1.0, "largest": 9.0, "solved_to": 9.0}
    found = Fit(model=model, rate=rate, aic=aic, points=9, censored=0, floored=0, floor=0.001, **sizes)
    assert found.growth == growth
    assert ("below 1 ms" in found.words()) == (growth == "below 1 ms")


def a_fit(model: Any = "exponential", **changed: Any) -> Fit:
    """A fit of nine puzzles to three of which another model fits worse."""
    given: dict[str, Any] = {"rate": 2.0, "interval": Interval(1.0, 3.0), "points": 9, "censored": 0, "floored": 0}
    given |= {"floor": 0.001, "smallest": 1.0, "largest": 9.0, "solved_to": 9.0, "slope": 0.5}
    given |= {"aic": {name: 1.0 if name == model else 9.0 for name in ("flat", "power", "exponential")}}
    return Fit(model=model, **{**given, **changed})


@pytest.mark.parametrize(
    ("model", "aic", "points", "rivals"),
    [
        ("power", (9.0, 1.0, 3.0), 6, ()),
        ("power", (9.0, 1.0, 2.9), 6, ("exponential",)),
        ("power", (9.0, 1.0, 9.0), 5, ("exponential",)),  # too few puzzles to decide between two forms of growth
        ("power", (2.9, 1.0, 9.0), 5, ("flat", "exponential")),
        ("exponential", (2.9, 2.9, 1.0), 6, ("flat", "power")),
        ("exponential", (9.0, 9.0, 1.0), 5, ("power",)),
        ("flat", (1.0, 1.1, 1.2), 3, ()),
        (None, (1.0, 1.0, 1.0), 3, ()),
    ],
)
def test_rivals_are_near_in_aic_or_undecided_by_few_puzzles(
    model: Any, aic: tuple[float, ...], points: int, rivals: tuple[str, ...]
) -> None:
    found = a_fit(model, aic=dict(zip(("flat", "power", "exponential"), aic, strict=True)), points=points)
    assert found.rivals == rivals
    text = found.words()
    assert ("too few puzzles to rule out" in text) == (bool(rivals) and points < 6)
    assert ("about as well" in text) == (bool(rivals) and points >= 6)


@pytest.mark.parametrize(
    ("changed", "grows", "is_wall"),
    [
        ({}, True, False),
        ({"censored": 1}, True, True),
        ({"slope": 0.575, "floor": 0.0}, True, False),  # by a factor of 99 from the smallest to the largest
        ({"slope": 0.576, "floor": 0.0}, True, True),
        ({"slope": 2.0, "intercept": -20.0, "floor": 0.00135}, True, True),  # to 0.1353 s
        ({"slope": 2.0, "intercept": -20.0, "floor": 0.00136}, True, False),
        ({"censored": 1, "interval": Interval(0.0, 3.0)}, False, False),
        ({"censored": 1, "interval": Interval(-1.0, 3.0)}, False, False),
        ({"censored": 1, "interval": Interval(1.0, INF)}, False, False),
        ({"censored": 1, "interval": None}, False, False),
        ({"censored": 1, "points": 5}, True, False),  # a power is a rival
        ({"censored": 1, "aic": {"flat": 2.0, "power": 9.0, "exponential": 1.0}}, False, False),
        ({"censored": 1, "model": "power"}, True, False),
        ({"model": "power", "interval": Interval(1.0, INF)}, True, False),
        ({"censored": 1, "model": "flat"}, False, False),
        ({"censored": 1, "model": None}, False, False),
    ],
)
def test_a_wall_is_certain_exponential_growth_to_the_limit_or_by_a_large_factor(
    changed: dict[str, Any], grows: bool, is_wall: bool
) -> None:
    found = a_fit(**{"intercept": -6.0, **changed})
    assert (found.grows, has_wall(found)) == (grows, is_wall)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "doubles when n grows by 2 (95% 1 to 3), fitted over n = 1 to 9"),
        ({"rate": 0.51234, "interval": Interval(0.5, 0.53)}, "doubles when n grows by 0.51 (95% 0.5 to 0.53), "),
        ({"interval": Interval(1.5, INF)}, "doubles when n grows by 2 (95% from 1.5, growth is not certain), "),
        ({"rate": -2.5, "interval": Interval(-3.0, -2.0)}, "halves when n grows by 2.5, "),
        ({"model": "power", "rate": 2.25}, "grows as n^2.2 (95% 1 to 3), "),
        ({"model": "power", "rate": 0.0005, "interval": Interval(-1.0, 1.0)}, "grows as n^0.0005 (95% -1 to 1), "),
        ({"model": "flat", "rate": 0.0015}, "no visible growth: about 1.5 ms, "),
        ({"model": "flat", "rate": 0.0005}, "no visible growth: below 1 ms, "),
        ({"model": None, "rate": None, "why": "no idea"}, "no idea, over n = 1 to 9"),
        ({"floored": 2}, ", fitted over n = 1 to 9, 2 below 1 ms counted as at most that"),
        ({"censored": 1}, ", fitted over n = 1 to 9, 1 puzzle censored"),
    ],
)
def test_a_fit_in_words(changed: dict[str, Any], words: str) -> None:
    assert words in a_fit(**changed).words()


@pytest.mark.parametrize(
    ("times", "statuses", "unsolved_from"),
    [
        ([[1.0, 1.0], [1.0, INF], [INF, INF], [INF, INF]], None, 3.0),
        ([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [INF, 1.0]], None, None),
        ([[1.0, 1.0], [INF, INF], [1.0, INF], [INF, INF]], None, 4.0),  # a larger one is solved
        ([[1.0, 1.0], [INF, NAN], [INF, INF], [INF, INF]], None, 3.0),  # both have to be asked
        ([[1.0, 1.0], [INF, NAN], [NAN, INF], [INF, NAN]], None, None),
        ([[1.0, 1.0], [INF, INF], [INF, INF], [INF, INF]], ("timeout", "error"), None),  # a crash bounds no time
        ([[1.0, 1.0], [INF, INF], [INF, INF], [INF, INF]], ("timeout", "memory"), 2.0),
        ([[1.0, 1.0], [INF, INF], [INF, INF], [INF, INF]], ("timeout", "error / timeout"), 2.0),
    ],
)
def test_puzzles_are_unsolved_from_a_size_at_which_all_were_asked(
    times: Any, statuses: Any, unsolved_from: float | None
) -> None:
    given = None if statuses is None else [["complete", "complete"], *[list(statuses)] * 3]
    assert _unsolved_from(table(times, statuses=given)) == unsolved_from


def test_no_wall_is_reported_for_few_puzzles() -> None:
    sizes = np.array([8.0, 9.0, 10.0, 11.0, 12.0, 13.0])
    seconds = 0.002 * 4 ** (sizes - 8)
    few, enough = fit(sizes[:5], seconds[:5], 10.0), fit(sizes, seconds, 10.0)
    assert (few.model, few.rivals, few.grows, has_wall(few)) == ("exponential", ("power",), True, False)
    assert (enough.model, enough.rivals, has_wall(enough)) == ("exponential", (), True)


def test_time_below_the_floor_is_no_growth_that_makes_a_wall() -> None:
    """It grows 16,000-fold, of which all but the last factor of 50 lies below the floor and is not measured."""
    sizes = np.arange(4.0, 19.0)
    times = [3e-6 * 2 ** (sizes - 4), 3e-5 * 2 ** (sizes - 4)]
    low, high = (fit(sizes, seconds, 10.0, floor=1e-3) for seconds in times)
    assert [(one.model, one.rivals, has_wall(one)) for one in (low, high)] == [
        ("exponential", (), False),
        ("exponential", (), True),
    ]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([2, 4, 6], True),  # equal steps
        ([2, 4, 8], True),  # equal factors
        ([2, 4, 7], False),
        ([2, 2, 4, 4, 7, 7], True),
        ([2, 2, 4, 4, 7], False),
        ([0, 2, 4], True),
        ([2, 4], False),
    ],
)
def test_sizes_are_a_series_by_their_steps_or_their_numbers(sizes: list[float], expected: bool) -> None:
    assert is_series(sizes) is expected


def test_the_time_of_starting_does_not_hide_growth() -> None:
    seconds = 0.004 + 1e-5 * np.exp(0.7 * (SIZES - 4))
    seconds[seconds > 5] = INF
    found, hidden = fit(SIZES, seconds, 5.0), fit(SIZES, seconds, 5.0, floor=1e-3)
    assert found.floor == pytest.approx(0.008, rel=0.01)
    assert abs(found.slope - 0.7) < 0.05 < abs(hidden.slope - 0.7)


def test_a_constant_time_is_reported_as_constant() -> None:
    # 2 to 12 ms without growth: a time below twice the shortest is still a time
    sizes = np.repeat([5.0, 7.0, 9.0, 10.0, 11.0, 12.0, 14.0], 2)
    seconds = np.array([2.0, 2.3, 3.5, 9.7, 1.9, 2.0, 2.4, 7.4, 2.9, 20.0, 2.6, 3.9, 2.1, 2.7]) / 1000
    found = fit(sizes, seconds, 1.0)
    assert (found.model, found.floored) == ("flat", 0)
    assert found.rate == pytest.approx(np.exp(np.log(seconds).mean()))


NOTHING = [
    ([INF] * 5, "solved none within the limit"),
    ([1e-4] * 5, "always below 1 ms"),
    ([1e-4, 1e-4, INF, INF, INF], "from below 1 ms to beyond the limit, with no times between"),
    ([1e-4, 1e-4, 0.5, INF, INF], "measured between 1 ms and the limit at one size only"),
]


@pytest.mark.parametrize(("seconds", "why"), NOTHING)
def test_times_without_growth(seconds: list[float], why: str) -> None:
    found = fit(np.arange(1.0, 6.0), np.array(seconds), 1.0)
    assert (found.model, found.rate, found.interval, found.grows, found.rivals) == (None, None, None, False, ())
    assert found.words() == f"{why}, over n = 1 to 5"
    assert math.isnan(found.predict(3.0))


def test_one_size_shows_no_growth() -> None:
    assert fit(np.full(5, 4.0), np.full(5, 0.5), 1.0).words() == "too few sizes for a fit, over n = 4 to 4"
    with pytest.raises(ValueError, match="no times"):
        fit(np.empty(0), np.empty(0), 1.0)


@pytest.mark.parametrize("seed", range(25))
def test_whatever_the_times_there_is_a_fit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 30))
    sizes = rng.choice([0.0, 1.0, 2.5, 7.0, 1e3, 1e6] if seed % 2 else [-3.0, 4.0, 5.0], count)
    seconds = rng.choice([0.0, 1e-7, 1e-3, 0.02, 0.02, 3.0, INF], count)
    found = fit(sizes, seconds, 3.0)
    assert found.words()
    if found.model is not None:
        assert found.interval is not None
        assert found.interval.low <= found.interval.high
        assert found.sigma >= statistics.NOISE * 0.99
        assert math.isfinite(found.predict(5.0))
        assert ("power" in found.aic) == (sizes.min() > 0)


def test_time_that_falls() -> None:
    found = fit(SIZES, grown(-0.3, 0.05, start=5.0), 10.0)
    assert (found.model, found.grows) == ("exponential", False)
    assert found.words().startswith("halves when n grows by 2.3, fitted")


def test_growth_is_uncertain_if_the_doubling_has_no_upper_end() -> None:
    found = fit(SIZES, grown(0.4, 0.05), INF)
    assert (found.model, found.grows) == ("exponential", True)
    assert not replace(found, interval=Interval(1.0, INF)).grows


def test_a_power_of_no_size_is_an_error() -> None:
    with pytest.raises(ValueError, match="positive size, not 0"):
        fit(SIZES, 1e-3 * SIZES**2, 10.0).predict(0)


def test_the_fits_of_a_table() -> None:
    sizes = [4, 6, 8, 10, 12, 14]
    facts = [{"family": "hard", "size": size} for size in sizes] + [{"family": "few", "size": size} for size in (4, 6)]
    times = [[0.01 * 2.0**at, 0.2, 0.1] for at in range(6)] + [[0.1, 0.1, 0.1]] * 2
    times[5][0] = INF
    times[2][1] = NAN
    times[0][1] = INF  # a crash, which says nothing of time
    statuses = np.full((8, 3), "complete", dtype=object)
    statuses[5, 0], statuses[2, 1], statuses[0, 1] = "timeout / complete", "", "error"
    found = fits(table(times, 0.3, facts=facts, statuses=statuses.astype(str), groups=["g", "", ""], wrong=["c"]))
    assert [(one.family, one.contestant, one.group) for one in found] == [("hard", "a", "g"), ("hard", "b", "")]
    a, b = found
    assert (a.points, a.censored, a.left_out, a.smallest, a.largest, a.solved_to) == (6, 1, 0, 4.0, 14.0, 12.0)
    assert a.rate == pytest.approx(2.0, rel=0.02)
    assert (b.points, b.censored, b.left_out, b.model) == (4, 0, 1, "flat")
