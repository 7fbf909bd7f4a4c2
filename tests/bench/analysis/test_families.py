"""Growth on families: exponential contestants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis.growth import Wall, find_walls, fits
from crosslit_bench.analysis.statistics import scipy_part
from crosslit_bench.analysis.tables import analyse
from crosslit_bench.results.frame import TimeTable

from crosslit.base.errors import Unavailable
from tests.bench.tables import INF, NAN, table

SIZES = [4, 6, 8, 10, 12, 14, 16, 18]


def wall(**changes: Any) -> TimeTable:
    """Two of clauses that double every size and every half, one of XOR that grows as n^2, and a fast one."""
    sizes = np.array(SIZES, dtype=float)
    times = np.stack([0.01 * 2 ** (sizes - 4), 0.02 * 4 ** (sizes - 4), 1e-4 * sizes**2, 1e-5 * sizes], axis=1)
    times[times > 5] = INF
    known: dict[str, Any] = {
        "facts": [{"family": "odd", "size": float(size)} for size in SIZES],
        "labels": ["one/cnf", "two/cnf", "three/xor", "poly"],
        "groups": ["clauses", "clauses", "XOR", ""],
    }
    return table(times, 5.0, **{**known, **changes})


def walls(some: TimeTable) -> list[Wall]:
    return list(find_walls(some, fits(some)))


def test_a_wall() -> None:
    # 0.01 * 2^8 = 2.56 s at n = 12, and 10.24 s, beyond the limit, at 14; 0.02 * 4^2 = 0.32 s at 6, and 5.12 s at 8
    (clauses,) = walls(wall())
    assert (clauses.family, clauses.group, clauses.contestants) == ("odd", "clauses", ("one/cnf", "two/cnf"))
    assert clauses.doubling == pytest.approx((0.5, 1.0), rel=0.02)
    assert clauses.unsolved_from == 14.0


def test_the_growth_leaves_out_wrong_contestants() -> None:
    (clauses,) = walls(wall(wrong=["poly", "one/cnf"]))
    assert (clauses.contestants, clauses.unsolved_from) == (("two/cnf",), 8.0)


def test_there_is_no_wall_where_there_is_none() -> None:
    times = 0.02 * np.exp(0.1 * np.random.default_rng(0).standard_normal((8, 2)))
    assert walls(table(times, facts=[{"family": "easy", "size": float(size)} for size in SIZES])) == []


def test_slow_exponential_growth_is_no_wall() -> None:
    # doubles every 7 sizes: 4 times as long at 18 as at 4
    times = [[0.01 * 2 ** ((size - 4) / 7)] for size in SIZES]
    some = table(times, facts=[{"size": float(size)} for size in SIZES])
    assert fits(some)[0].model == "exponential"
    assert walls(some) == []


def test_too_few_sizes_have_no_growth() -> None:
    assert walls(wall().among(rows=[0, 1])) == []


def test_crashes_are_no_wall() -> None:
    sizes = (4, 5, 6, 7, 8, 9, 10, 11)
    times = [[0.01 * 2.0**at] for at in range(6)] + [[INF], [INF]]
    ends, facts = [["complete"]] * 6, [{"size": size} for size in sizes]
    for last, unsolved in ((["timeout", "error"], 10.0), (["error", "timeout"], 11.0)):
        (found,) = walls(table(times, 0.5, facts=facts, statuses=[*ends, *([word] for word in last)]))
        assert found.unsolved_from == unsolved


def test_the_analysis_is_of_each_kind_best_first() -> None:
    kinds = [{"kind": "lights-out"}, {"kind": "nonogram"}]
    found = analyse(table([[2.0, 1.0], [3.0, NAN]], facts=kinds, groups=["x", "y"]))
    assert [(one.kind, [score.label for score in one.scores]) for one in found.rankings] == [
        ("lights-out", ["b", "a"]),
        ("nonogram", ["a"]),
    ]
    assert [one.group for one in found.groups] == ["x", "y"]
    assert analyse(table([[1.0, 2.0]])).groups == ()


def test_without_scipy_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    with pytest.raises(Unavailable, match=r"pip install .*'matplotlib>="):
        scipy_part("stats")
