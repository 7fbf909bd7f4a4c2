"""Scores computed by hand, and properties of any table."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis.scores import group_scores, paired, portfolio, scores
from crosslit_bench.results.frame import TimeTable, usual_measure
from hypothesis import given
from hypothesis import strategies as st

from crosslit.contract.run import Limits
from tests.bench.tables import INF, NAN, table

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
    found = scores(table(BY_HAND))
    assert [score.label for score in found] == ["a", "b", "c"]
    assert [score.par2 for score in found] == [11.5, 11.25, 12.75] == [score.par2_common for score in found]
    assert [score.solved for score in found] == [2, 2, 2]
    assert [score.asked for score in found] == [4, 4, 4]
    assert [score.only_solver for score in found] == [0, 1, 0]
    assert [score.best for score in found] == [2, 1, 0]
    assert [score.contribution for score in found] == pytest.approx([0.75, 4.25, 0.0])
    assert [score.median for score in found] == [INF, INF, INF]  # (5 + inf) / 2: half of four is not more than half


def test_borda_and_another_par_by_hand() -> None:
    found = scores(dataclasses.replace(table(BY_HAND), par=3.0))
    # a: 2/3 + 4/5 on the first puzzle, 1 + 7/12 on the third; b: 1/3 + 2/3, then 1 + 1; c: 1/5 + 1/3, then 5/12 + 1
    assert [score.borda for score in found] == pytest.approx([3.05, 3.0, 1.95])
    # unsolved counts 30: a = (1 + 30 + 5 + 30) / 4
    assert [score.park_common for score in found] == [16.5, 16.25, 17.75]


def test_who_was_not_asked_all_puzzles_has_no_points() -> None:
    times = [[1.0, 2.0, NAN], [1.0, 2.0, 3.0]]
    assert [score.borda is None for score in scores(table(times))] == [False, False, True]


def test_the_virtual_and_the_single_best_by_hand() -> None:
    field = portfolio(table(BY_HAND))
    assert field is not None
    assert (field.puzzles, field.solved, field.par2) == (4, 3, 7.25)
    assert (field.best, field.best_par2) == ("b", 11.25)


def test_fewer_than_six_puzzles_have_no_interval() -> None:
    times = [[1.0, NAN], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [5.0, 5.0], [6.0, 6.0]]
    six, five = scores(table(times))
    assert six.interval == (1.0, 6.0)
    assert (five.median, five.interval) == (4.0, None)


def test_who_was_asked_other_puzzles() -> None:
    # c was asked one puzzle only, an easy one; d none; only a was asked puzzle 2
    times = [[1.0, 2.0, 0.5, NAN], [3.0, INF, NAN, NAN], [9.0, NAN, NAN, NAN]]
    a, b, c, d = scores(table(times))
    assert (a.asked, b.asked, c.asked, d.asked) == (3, 2, 1, 0)
    assert a.par2 == pytest.approx(13 / 3)
    assert (b.par2, c.par2, d.par2, d.median, d.interval) == (11.0, 0.5, None, None, None)
    # over puzzles 0 and 1, which both a and b were asked; c and d, which were not, do not remove them
    assert [score.par2_common for score in (a, b, c, d)] == [2.0, 11.0, None, None]
    # over puzzles 0 and 1, which two were asked: VBS (0.5 + 3) / 2; without a (0.5 + 20) / 2; without c (1 + 3) / 2
    assert [score.contribution for score in (a, b, c, d)] == [8.5, 0.0, 0.25, 0.0]
    assert [score.only_solver for score in (a, b, c, d)] == [1, 0, 0, 0]
    field = portfolio(table(times))
    assert field is not None
    assert (field.puzzles, field.best, field.best_par2, field.par2) == (2, "a", 2.0, 1.75)


def test_where_nobody_was_asked_all_only_common_puzzles_count() -> None:
    field = portfolio(table([[1.0, 2.0, NAN], [4.0, 3.0, 5.0], [NAN, 1.0, 1.0], [1.0, NAN, 1.0]]))
    assert field is not None
    assert (field.puzzles, field.best, field.par2) == (1, "b", 3.0)


def test_the_only_contestant_asked_all_puzzles_is_not_the_best_for_that() -> None:
    field = portfolio(some := table([[9.0, 1.0, 2.0, NAN], [9.0, 1.0, NAN, NAN], [9.0, NAN, 2.0, NAN]]))
    assert field is not None
    assert (field.puzzles, field.entrants, field.contestants, field.best) == (1, 3, 3, "b")
    assert [score.par2_common for score in scores(some)] == [9.0, 1.0, 2.0, None]


@pytest.mark.parametrize("times", [np.empty((0, 2)), np.empty((2, 0)), [[1.0]], [[1.0, NAN], [NAN, 1.0]]])
def test_there_may_be_nothing_to_compare(times: object) -> None:
    assert portfolio(table(times)) is None
    assert all(score.contribution == 0 for score in scores(table(times)))


def test_the_disqualified_have_no_score_and_help_nobody() -> None:
    found = scores(table([[0.1, 2.0, 3.0], [0.1, INF, 1.0]], wrong=["a"]))
    assert [(score.label, score.best, score.only_solver) for score in found] == [("b", 1, 0), ("c", 1, 1)]


def test_a_group_is_the_fastest_of_its_contestants() -> None:
    first, second = group_scores(table(BY_HAND, groups=["x", "y", "x"]))
    # x: 1, unsolved, 5, unsolved; y: 2, 3, unsolved, unsolved
    assert (first.group, first.contestants, first.solved, first.asked, first.par2) == ("x", 2, 2, 4, 11.5)
    assert (second.group, second.contestants, second.solved, second.asked, second.par2) == ("y", 1, 2, 4, 11.25)


def test_a_group_is_judged_by_the_puzzles_that_it_was_asked() -> None:
    x, y = group_scores(table([[1.0, NAN], [INF, NAN], [2.0, 4.0], [NAN, INF]], groups=["x", "y"]))
    assert (x.asked, x.solved, x.par2) == (3, 2, pytest.approx(23 / 3))
    assert (y.asked, y.solved, y.par2) == (2, 1, 12.0)


@st.composite
def tables(draw: st.DrawFn) -> TimeTable:
    puzzles, contestants = draw(st.integers(0, 6)), draw(st.integers(1, 4))
    time = st.one_of(st.floats(0.0, 10.0), st.just(INF), st.just(NAN), st.sampled_from([1.0, 1.04, 2.0]))
    times = draw(st.lists(time, min_size=puzzles * contestants, max_size=puzzles * contestants))
    return table(np.array(times).reshape(puzzles, contestants))


@given(tables(), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order(some: TimeTable, rng: Any) -> None:
    columns = list(range(len(some.contestants)))
    rng.shuffle(columns)
    rows = list(range(len(some.entries)))
    rng.shuffle(rows)
    for score, other in zip(
        scores(some), sorted(scores(some.among(columns=columns)), key=lambda s: s.label), strict=True
    ):
        assert score.contribution == pytest.approx(other.contribution)
        assert (score.par2, score.only_solver, score.best, score.interval) == (
            other.par2, other.only_solver, other.best, other.interval,
        )  # fmt: skip
    assert scores(some) == scores(some.among(rows=rows))
    assert paired(some) == paired(some.among(rows=rows))


def test_cpu_time_is_compared_where_it_is_limited() -> None:
    assert usual_measure(Limits(seconds=9)) == "total"
    assert usual_measure(Limits(seconds=9, cpu_seconds=4)) == "cpu"
    assert (Limits(seconds=9, cpu_seconds=4).shortest, Limits(seconds=2, cpu_seconds=4).shortest) == (4, 2)


def slow_par(times: list[float], limit: float, k: float) -> float | None:
    return sum(k * limit if time == INF else time for time in times) / len(times) if times else None


def slow_borda(own: float, others: list[float]) -> float:
    if own == INF:
        return 0.0
    return sum(1.0 if time == INF else 0.5 if own + time == 0 else time / (own + time) for time in others)


@pytest.mark.parametrize("seed", range(60))
def test_scores_are_those_of_their_definitions(seed: int) -> None:
    """Tables with ties, unsolved puzzles and puzzles that some were not asked, by loops over numbers."""
    rng = random.Random(seed)
    columns, limit, k = rng.randint(1, 4), rng.choice([4.0, 10.0]), rng.choice([3.0, 10.0])
    drawn = [0.0, 1.0, 1.0, 2.0, 3.5, INF, INF] + [NAN] * rng.choice([0, 1, 4])
    rows = [[rng.choice(drawn) for _ in range(columns)] for _ in range(rng.randint(1, 5))]
    asked = [[time == time for time in row] for row in rows]
    given = dataclasses.replace(table(rows, limit, groups=[rng.choice("xy") for _ in range(columns)]), par=k)

    raced = [place for place, line in enumerate(asked) if sum(line) >= 2]
    entrants = [column for column in range(columns) if all(asked[place][column] for place in raced)]
    entered = [column for column in range(columns) if any(line[column] for line in asked)]
    common = raced if len(entrants) >= 2 else [at for at in raced if all(asked[at][column] for column in entered)]
    finalists = [column for column in range(columns) if all(asked[place][column] for place in common)]

    def best(place: int, without: int | None = None) -> float:
        return min(rows[place][column] for column in range(columns) if asked[place][column] and column != without)

    for column, score in enumerate(scores(given)):
        own = [row[column] for row in rows if row[column] == row[column]]
        shared = [rows[place][column] for place in common]
        points = [
            slow_borda(
                rows[place][column], [time for at, time in enumerate(rows[place]) if at != column and time == time]
            )
            for place in common
        ]
        is_there = column in finalists
        assert (score.asked, score.solved) == (len(own), sum(time < INF for time in own))
        assert score.par2 == pytest.approx(slow_par(own, limit, 2))
        assert score.par2_common == pytest.approx(slow_par(shared, limit, 2) if is_there else None)
        assert score.park_common == pytest.approx(slow_par(shared, limit, k) if is_there else None)
        assert score.borda == pytest.approx(sum(points) if is_there else None)
        mine = [place for place in raced if asked[place][column] and rows[place][column] < INF]
        assert score.best == sum(rows[place][column] == best(place) for place in mine)
        assert score.only_solver == sum(best(place, column) == INF for place in mine)
        lost = [(slow_par([best(place, without)], limit, 2) or 0.0) for without in (column, None) for place in raced]
        loss = (sum(lost[: len(raced)]) - sum(lost[len(raced) :])) / max(1, len(raced))
        assert score.contribution == pytest.approx(loss, abs=1e-9)

    found = portfolio(given)
    assert (found is None) == (not common)
    if found is not None:
        means = {column: slow_par([rows[place][column] for place in common], limit, 2) or 0.0 for column in finalists}
        single = min(means, key=lambda column: means[column])
        assert (found.puzzles, found.entrants, found.contestants) == (len(common), len(finalists), len(entered))
        assert found.solved == sum(best(place) < INF for place in common)
        assert found.par2 == pytest.approx(slow_par([best(place) for place in common], limit, 2))
        assert (found.best, found.best_par2) == ("abcd"[single], pytest.approx(means[single]))

    for group in group_scores(given):
        members = [column for column, contestant in enumerate(given.contestants) if contestant.group == group.group]
        times = [[row[column] for column in members if row[column] == row[column]] for row in rows]
        fastest = [min(line) for line in times if line]
        assert (group.contestants, group.asked) == (len(members), len(fastest))
        assert group.solved == sum(time < INF for time in fastest)
        assert group.par2 == pytest.approx(slow_par(fastest, limit, 2) if fastest else NAN, nan_ok=True)
