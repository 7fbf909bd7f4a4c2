"""Scores, pairs and fits computed by hand; `test_recompute` recomputes those of a whole campaign."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from crosslit_bench import analysis
from crosslit_bench.analysis import (
    fit,
    fit_words,
    fits,
    format_p,
    group_scores,
    grows,
    growth,
    paired,
    portfolio,
    rivals,
)
from crosslit_bench.plan import Contestant
from crosslit_bench.results import Entrant, Times
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from crosslit.judging.verdict import Finding
from tests.bench.stores import a_spec

INF, NAN = math.inf, math.nan
SIZES = np.repeat(np.arange(4.0, 24.0), 2)


def times(
    rows: Any,
    labels: str = "abcdefgh",
    *,
    limit: float = 10.0,
    groups: str = "",
    wrong: str = "",
    sizes: Any = None,
    statuses: Any = None,
    families: Any = None,
    starts: Any = None,
    **keys: Any,
) -> Times:
    """Times of contestants a, b, ... on puzzles 0, 1, ..."""
    seconds = pd.DataFrame(rows, dtype=float)
    names = list(labels[: seconds.shape[1]])
    seconds.columns = pd.Index(names)
    ends = pd.DataFrame(statuses if statuses is not None else np.where(np.isposinf(seconds), "timeout", "complete"))
    ends = ends.set_axis(names, axis=1).where(seconds.notna(), "")
    facts = {"kind": "lights-out", "size": [*map(float, sizes or range(len(seconds)))], "family": families or "f"}
    return Times(
        puzzles=pd.DataFrame(facts, index=seconds.index),
        seconds=seconds,
        statuses=ends,
        starts=starts or {},
        entrants=tuple(
            Entrant(
                label=name,
                group=group,
                contestant=Contestant(name, group, "", "", "", "{}"),
                wrong=(Finding(name, "wrong-solution", ""),) if name in wrong else (),
            )
            for name, group in itertools.zip_longest(names, groups, fillvalue="")
        ),
        spec=a_spec(limits=type(a_spec().limits)(timeout=limit), **keys),
    )


def scores(given: Times) -> list[Any]:
    """Scores with None for what is not defined."""
    rows = analysis.scores(given).reset_index()
    return list(rows.astype(object).where(rows.notna(), None).itertuples())


# limit 10, so that an unsolved puzzle counts 20
#          a     b     c    VBS   without a  without b  without c
BY_HAND = [
    [1.0, 2.0, 4.0],  #    1        2          1          1
    [INF, 3.0, INF],  #    3       20? no: b   20         3
    [5.0, INF, 7.0],  #    5        7          5          5
    [INF, INF, INF],  #   20       20         20         20
]
# PAR-2: a = (1 + 20 + 5 + 20) / 4 = 11.5; b = (2 + 3 + 20 + 20) / 4 = 11.25; c = (4 + 20 + 7 + 20) / 4 = 12.75
# VBS = (1 + 3 + 5 + 20) / 4 = 7.25
# without a: (2 + 3 + 7 + 20) / 4 = 8, 0.75 worse; without b: (1 + 20 + 5 + 20) / 4 = 11.5, 4.25 worse; c: 0


def test_scores_by_hand() -> None:
    found = scores(times(BY_HAND, par=3.0, starts={"b": 0.5}))
    assert [score.par2 for score in found] == [11.5, 11.25, 12.75] == [score.par2_common for score in found]
    assert [(score.solved, score.asked, score.only_solver, score.best) for score in found] == [
        (2, 4, 0, 2),
        (2, 4, 1, 1),
        (2, 4, 0, 0),
    ]
    assert [score.contribution for score in found] == pytest.approx([0.75, 4.25, 0.0])
    assert [score.median for score in found] == [INF, INF, INF]  # (5 + inf) / 2: half of four is not more than half
    # a: 2/3 + 4/5 on the first puzzle, 1 + 7/12 on the third; b: 1/3 + 2/3, then 1 + 1; c: 1/5 + 1/3, then 5/12 + 1
    assert [score.borda for score in found] == pytest.approx([3.05, 3.0, 1.95])
    # unsolved counts 30: a = (1 + 30 + 5 + 30) / 4
    assert [score.park_common for score in found] == [16.5, 16.25, 17.75]
    assert [score.start for score in found] == [None, 0.5, None]


def test_the_virtual_and_the_single_best_by_hand() -> None:
    field = portfolio(times(BY_HAND))
    assert field == {
        "puzzles": 4, "solved": 3, "entrants": 3, "contestants": 3, "par2": 7.25, "best": "b", "best_par2": 11.25,
    }  # fmt: skip


def test_those_asked_other_puzzles() -> None:
    # c was asked one puzzle only, an easy one; d none; only a was asked puzzle 2
    some = times([[1.0, 2.0, 0.5, NAN], [3.0, INF, NAN, NAN], [9.0, NAN, NAN, NAN]])
    a, b, c = scores(some)  # d has no scores
    assert (a.asked, b.asked, c.asked) == (3, 2, 1)
    assert (a.par2, b.par2, c.par2) == (pytest.approx(13 / 3), 11.0, 0.5)
    # over puzzles 0 and 1, which both a and b were asked; c, which was not, does not remove them
    assert [score.par2_common for score in (a, b, c)] == [2.0, 11.0, None]
    assert [score.borda is None for score in (a, b, c)] == [False, False, True]
    # over puzzles 0 and 1, which two were asked: VBS (0.5 + 3) / 2; without a (0.5 + 20) / 2; without c (1 + 3) / 2
    assert [score.contribution for score in (a, b, c)] == [8.5, 0.0, 0.25]
    assert [score.only_solver for score in (a, b, c)] == [1, 0, 0]


@pytest.mark.parametrize(
    ("rows", "puzzles", "best", "par2"),
    [
        ([[1.0, 2.0, NAN], [4.0, 3.0, 5.0], [NAN, 1.0, 1.0], [1.0, NAN, 1.0]], 1, "b", 3.0),
        ([[9.0, 1.0, 2.0, NAN], [9.0, 1.0, NAN, NAN], [9.0, NAN, 2.0, NAN]], 1, "b", 1.0),
    ],
)
def test_where_nobody_else_was_asked_all_only_puzzles_in_common_count(
    rows: Any, puzzles: int, best: str, par2: float
) -> None:
    field = portfolio(times(rows))
    assert field is not None
    assert (field["puzzles"], field["best"], field["par2"]) == (puzzles, best, par2)


@pytest.mark.parametrize("rows", [np.empty((0, 2)), np.empty((2, 0)), [[1.0]], [[1.0, NAN], [NAN, 1.0]]])
def test_there_may_be_nothing_to_compare(rows: Any) -> None:
    assert portfolio(times(rows)) is None
    assert all(score.contribution == 0 for score in scores(times(rows)))
    assert paired(times(rows)) == []


def test_the_disqualified_have_no_score_and_help_nobody() -> None:
    found = scores(times([[0.1, 2.0, 3.0], [0.1, INF, 1.0]], wrong="a"))
    assert [(score.backend, score.best, score.only_solver) for score in found] == [("b", 1, 0), ("c", 1, 1)]


def test_a_group_is_the_fastest_of_its_members() -> None:
    first, second = group_scores(times(BY_HAND, groups="xyx"))
    # x: 1, unsolved, 5, unsolved; y: 2, 3, unsolved, unsolved
    assert first == {"group": "x", "contestants": 2, "asked": 4, "solved": 2, "par2": 11.5}
    assert second == {"group": "y", "contestants": 1, "asked": 4, "solved": 2, "par2": 11.25}
    assert group_scores(times(BY_HAND, groups="xxx")) == []


@pytest.mark.parametrize(
    ("count", "ends"), [(5, (NAN, NAN)), (6, (1.0, 6.0)), (8, (1.0, 8.0)), (9, (2.0, 8.0)), (20, (6.0, 15.0))]
)
def test_the_interval_of_a_median_is_that_of_tables(count: int, ends: tuple[float, float]) -> None:
    found = analysis.median_interval(pd.Series(range(1, count + 1), dtype=float))
    assert found == pytest.approx(ends, nan_ok=True)


PAIR = [
    [1.0, 2.0],  # a
    [1.0, 1.05],  # a tie: they differ by 0.05, and 5% of 1.05 is 0.0525
    [1.0, 1.06],  # a: by 0.06, and 5% is 0.053
    [0.0002, 0.0009],  # a tie: by 0.7 ms
    [INF, 9.0],  # b
    [INF, INF],  # a tie
    [3.0, NAN],  # not asked of b
]


def test_a_pair_by_hand() -> None:
    (pair,) = paired(times(PAIR))
    counts = [pair[name] for name in ("puzzles", "wins_a", "wins_b", "ties", "both_solved")]
    assert counts == [6, 2, 1, 3, 4]
    assert pair["ratio"] == pytest.approx((1 / 2 * 1 / 1.05 * 1 / 1.06 * 2 / 9) ** (1 / 4))
    assert math.isnan(pair["interval_low"])  # of four puzzles
    # ties aside: log 1/2 = -0.69, log 1/1.06 = -0.06, log 20/9 = 0.80: ranks 2 and 1 for a, 3 for b; the lesser is 3
    assert (pair["statistic"], pair["p"], pair["p_sign"]) == (3.0, 1.0, 1.0)


def test_an_answer_that_took_long_is_better_than_none() -> None:
    # CPU time of many threads: 30 s under a limit of 10, and b has no answer
    (pair,) = paired(times([[30.0, INF], [3.0, 1.0]]))
    assert (pair["wins_a"], pair["wins_b"], pair["statistic"]) == (1, 1, 1.0)


def test_the_signed_rank_test_counts_all_signs() -> None:
    rng = np.random.default_rng(4)
    rows = np.exp(rng.normal(size=(8, 2)))
    rows[:, 1] *= 1.8
    rows[2, 1] = INF
    (pair,) = paired(times(rows))
    logs = np.log(np.where(np.isinf(rows), 20.0, rows))
    differences = logs[:, 0] - logs[:, 1]
    ranks = stats.rankdata(np.abs(differences))
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product([0, 1], repeat=8)]
    lesser = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    assert pair["statistic"] == lesser
    assert pair["p"] == pytest.approx(sum(min(one, 36 - one) <= lesser for one in sums) / 2**8)


def test_p_values_are_adjusted_and_never_zero() -> None:
    found = analysis.adjusted([{"p": p, "p_sign": 1.0} for p in (0.01, 0.04, 0.03, 0.5)])
    assert [one["p_adjusted"] for one in found] == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert analysis.adjusted([]) == []
    assert [format_p(p) for p in (0.0, 0.000999, 0.001, 0.0456, 1.0)] == ["< 0.001", "< 0.001", "0.001", "0.046", "1"]


@st.composite
def tables(draw: st.DrawFn) -> Any:
    puzzles, contestants = draw(st.integers(0, 6)), draw(st.integers(1, 4))
    time = st.one_of(st.floats(0.0, 10.0), st.just(INF), st.just(NAN), st.sampled_from([1.0, 1.04, 2.0]))
    drawn = draw(st.lists(time, min_size=puzzles * contestants, max_size=puzzles * contestants))
    return np.array(drawn).reshape(puzzles, contestants)


@given(tables(), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_puzzles_and_contestants(rows: Any, rng: Any) -> None:
    columns, order = list(range(rows.shape[1])), list(range(rows.shape[0]))
    rng.shuffle(columns)
    rng.shuffle(order)
    labels = "abcd"[: rows.shape[1]]
    mixed = times(rows[order][:, columns], "".join(labels[column] for column in columns))
    before, after = (analysis.scores(one).sort_index() for one in (times(rows), mixed))
    pd.testing.assert_frame_equal(before, after)


def grown(rate: float, noise: float, start: float = 1e-3, limit: float = INF, seed: int = 0, sizes: Any = SIZES) -> Any:
    """Times that grow exponentially, with noise; beyond a limit they are infinite."""
    rng = np.random.default_rng(seed)
    seconds = start * np.exp(rate * (sizes - 4) + noise * rng.standard_normal(len(sizes)))
    return np.where(seconds > limit, INF, seconds)


def test_a_fit_is_the_maximum_of_the_censored_likelihood() -> None:
    floor, limit = 2e-3, 2.0
    seconds = grown(0.45, 0.3, limit=limit, seed=5)
    left, censored = seconds < floor, np.isinf(seconds)
    exact = ~left & ~censored

    def cost(at: Any) -> float:
        line, sigma = at[0] + at[1] * SIZES, math.exp(at[2])
        gained = stats.norm.logpdf(np.log(seconds[exact]), line[exact], sigma).sum()
        gained += stats.norm.logsf(math.log(limit), line[censored], sigma).sum()
        gained += stats.norm.logcdf(math.log(floor), line[left], sigma).sum()
        return float(exact.sum() * (analysis.NOISE / sigma) ** 2 / 2 - gained)

    best = optimize.minimize(cost, [-8.0, 0.4, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    found = fit(SIZES, seconds, limit, floor)
    line = (found["intercept"], found["slope"], math.log(found["sigma"]))
    assert line == pytest.approx(tuple(best.x), abs=1e-4)
    assert found["aic"]["exponential"] == pytest.approx(6 + 2 * best.fun, abs=1e-6)
    assert (found["censored"], found["floored"]) == (censored.sum(), left.sum())


@pytest.mark.parametrize(("sizes", "limit"), [(SIZES, 1.0), (np.linspace(4.0, 18.0, 8), INF)])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(sizes: Any, limit: float) -> None:
    inside = 0
    for seed in range(60):
        found = fit(sizes, grown(0.35, 0.4, limit=limit, seed=seed, sizes=sizes), limit, 1e-9)
        if found["model"] == "exponential":
            inside += found["interval_low"] <= math.log(2) / 0.35 <= found["interval_high"]
        else:
            inside += 1  # of a power, which is another question
    assert 51 <= inside <= 60


def test_a_power_is_distinguished_from_an_exponential() -> None:
    rng = np.random.default_rng(1)
    seconds = 1e-4 * SIZES**3 * np.exp(0.1 * rng.standard_normal(len(SIZES)))
    found = fit(SIZES, seconds, 10.0)
    assert (found["model"], rivals(found), grows(found)) == ("power", [], True)
    assert found["rate"] == pytest.approx(3.0, abs=0.15)
    assert analysis.predict(found, 10.0) == pytest.approx(0.1, rel=0.1)
    assert fit_words(found).startswith("grows as n^3 (95% 2.9")


def test_no_growth_is_flat_or_has_flat_as_a_rival() -> None:
    every = [fit(SIZES, grown(0.0, 0.2, start=0.02, seed=seed), 10.0) for seed in range(30)]
    assert sum(map(grows, every)) <= 3
    assert sum(found["model"] == "flat" or "flat" in rivals(found) for found in every) >= 26
    found = next(found for found in every if found["model"] == "flat")
    assert found["rate"] == pytest.approx(0.02, rel=0.1)
    assert fit_words(found) == "no visible growth: about 20 ms, fitted over n = 4 to 23"


def test_the_time_of_starting_does_not_hide_growth() -> None:
    seconds = 0.004 + 1e-5 * np.exp(0.7 * (SIZES - 4))
    seconds[seconds > 5] = INF
    found, hidden = fit(SIZES, seconds, 5.0), fit(SIZES, seconds, 5.0, 1e-3)
    assert found["floor"] == pytest.approx(0.008, rel=0.01)
    assert abs(found["slope"] - 0.7) < 0.05 < abs(hidden["slope"] - 0.7)


def test_rounding_does_not_choose_between_equal_curves() -> None:
    """The smaller sizes are below the floor: through the other two both curves are the same."""
    sizes = np.array([4.0, 4.0, 5.0, 5.0, 9.0, 9.0, 11.0, 11.0])
    seconds = np.array([0.54362, 0.59276, 0.65632, 0.60714, 1.26614, 0.98849, 1.92812, 2.35293]) / 1000
    assert fit(sizes, seconds, 5.0)["model"] == "power"


def a_fit(model: Any = "exponential", **changed: Any) -> dict[str, Any]:
    """A fit of nine puzzles to three of which another model fits worse."""
    found: dict[str, Any] = {"model": model, "rate": 2.0, "interval_low": 1.0, "interval_high": 3.0, "points": 9}
    found |= {"censored": 0, "floored": 0, "floor": 0.001, "smallest": 1.0, "largest": 9.0, "slope": 0.5}
    found |= {"aic": {name: 1.0 if name == model else 9.0 for name in ("flat", "power", "exponential")}, "why": ""}
    return {**found, **changed}


@pytest.mark.parametrize(
    ("changed", "said", "growing", "words"),
    [
        ({}, "exponential", True, "doubles when n grows by 2 (95% 1 to 3), fitted over n = 1 to 9"),
        ({"points": 5}, "unclear", True, "; a power fits about as well"),
        ({"aic": {"flat": 2.9, "power": 9.0, "exponential": 1.0}}, "unclear", False, "; no growth fits about as well"),
        ({"interval_high": INF}, "exponential", False, "(95% 1 to ∞)"),
        ({"interval_low": -1.0}, "exponential", False, "(95% -1 to 3)"),
        ({"model": "power", "aic": {"flat": 9.0, "power": 1.0, "exponential": 3.0}}, "power", True, "grows as n^2"),
        ({"model": "flat", "rate": 0.001}, "flat", False, "no visible growth: about 1 ms"),
        ({"model": "flat", "rate": 0.00099}, "below 1 ms", False, "no visible growth: below 1 ms"),
        ({"model": None, "why": "no idea"}, None, False, "no idea, over n = 1 to 9"),
        ({"floored": 2, "censored": 1}, "exponential", True, ", 2 below 1 ms counted as at most that, 1 puzzle cens"),
    ],
)
def test_what_a_fit_says(changed: dict[str, Any], said: str | None, growing: bool, words: str) -> None:
    found = a_fit(**changed)
    assert (growth(found), grows(found)) == (said, growing)
    assert words in fit_words(found)


@pytest.mark.parametrize(
    ("seconds", "why"),
    [
        ([INF] * 5, "solved none within the limit"),
        ([1e-4] * 5, "always below 1 ms"),
        ([1e-4, 1e-4, 0.5, INF, INF], "too few times between the floor and the limit"),
    ],
)
def test_times_without_a_fit(seconds: list[float], why: str) -> None:
    found = fit(np.arange(1.0, 6.0), np.array(seconds), 1.0)
    assert (found["model"], found["why"], grows(found), rivals(found)) == (None, why, False, [])


@pytest.mark.parametrize("seed", range(25))
def test_whatever_the_times_there_is_a_fit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 30))
    sizes = rng.choice([0.0, 1.0, 2.5, 7.0, 1e3, 1e6] if seed % 2 else [-3.0, 4.0, 5.0], count)
    seconds = rng.choice([0.0, 1e-7, 1e-3, 0.02, 0.02, 3.0, INF], count)
    found = fit(sizes, seconds, 3.0)
    assert fit_words(found)
    if found["model"] is not None:
        assert found["interval_low"] <= found["interval_high"]
        assert math.isfinite(analysis.predict(found, np.array([5.0]))[0])
        assert ("power" in found["aic"]) == (sizes.min() > 0)


def test_the_fits_of_a_table() -> None:
    sizes, families = [4, 6, 8, 10, 12, 14, 4, 6], ["hard"] * 6 + ["few"] * 2
    rows = [[0.01 * 2.0**at, 0.2, 0.1] for at in range(6)] + [[0.1, 0.1, 0.1]] * 2
    rows[5][0] = INF
    rows[2][1] = NAN
    rows[0][1] = INF  # a crash, which says nothing of time
    statuses = np.full((8, 3), "complete", dtype=object)
    statuses[5, 0], statuses[2, 1], statuses[0, 1] = "timeout / complete", "", "error"
    some = {"sizes": sizes, "families": families, "statuses": statuses, "limit": 0.3}
    a, b = fits(times(rows, groups="g", wrong="c", **some))
    assert [(one["family"], one["backend"], one["group"]) for one in (a, b)] == [("hard", "a", "g"), ("hard", "b", "")]
    assert [a[name] for name in ("points", "censored", "left_out", "solved_to")] == [6, 1, 0, 12.0]
    assert a["rate"] == pytest.approx(2.0, rel=0.02)
    assert [b[name] for name in ("points", "censored", "left_out", "model")] == [4, 0, 1, "flat"]
    puzzles = ({"family": "hard", "growth": False, "puzzles": ["1|1"]},)
    assert fits(times(rows, puzzles=puzzles, **some)) == []


@pytest.mark.parametrize(
    ("rows", "statuses", "unsolved_from"),
    [
        ([[1.0, 1.0], [1.0, INF], [INF, INF], [INF, INF]], None, 2.0),
        ([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [INF, 1.0]], None, NAN),
        ([[1.0, 1.0], [INF, INF], [1.0, INF], [INF, INF]], None, 3.0),  # a larger one is solved
        ([[1.0, 1.0], [INF, NAN], [INF, INF], [INF, INF]], None, 2.0),  # both have to be asked
        ([[1.0, 1.0], [INF, NAN], [NAN, INF], [INF, NAN]], None, NAN),
        ([[1.0, 1.0], [INF, INF], [INF, INF], [INF, INF]], ("timeout", "error"), NAN),  # a crash bounds no time
        ([[1.0, 1.0], [INF, INF], [INF, INF], [INF, INF]], ("memory", "error / timeout"), 1.0),
    ],
)
def test_a_wall_names_the_first_size_that_all_were_asked_and_none_solved(
    rows: Any, statuses: Any, unsolved_from: float
) -> None:
    ends = None if statuses is None else [["complete", "complete"], *[list(statuses)] * 3]
    some = times(rows, groups="gg", statuses=ends)
    found = [{**a_fit(censored=1), "family": "f", "backend": label, "group": "g", "intercept": 0.0} for label in "ab"]
    (wall,) = analysis.walls(some, found)
    assert (wall["backends"], wall["doubling_low"], wall["group"]) == ("a, b", 2.0, "g")
    assert wall["unsolved_from"] == pytest.approx(unsolved_from, nan_ok=True)


@pytest.mark.parametrize(
    ("changed", "is_wall"),
    [
        ({"censored": 1}, True),
        ({"slope": 0.575, "floor": 0.0}, False),  # by a factor of 99 from the smallest to the largest
        ({"slope": 0.576, "floor": 0.0}, True),
        ({"slope": 2.0, "intercept": -20.0, "floor": 0.00136}, False),  # to 0.1353 s
        ({"censored": 1, "interval_high": INF}, False),
        ({"censored": 1, "points": 5}, False),
        ({"censored": 1, "model": "power"}, False),
    ],
)
def test_a_wall_is_certain_exponential_growth_to_the_limit_or_by_a_large_factor(
    changed: dict[str, Any], is_wall: bool
) -> None:
    found = {**a_fit(), "intercept": -6.0, "family": "f", "backend": "a", "group": "", **changed}
    assert bool(list(analysis.walls(times([[1.0], [2.0]]), [found]))) == is_wall
