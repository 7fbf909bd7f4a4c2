"""The whole analysis of small tables of times at the bounds of its rules, as stored in ``analysis.txt``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis.growth import find_walls, fits, has_wall, is_series, medians_by_size
from crosslit_bench.analysis.scores import adjusted, group_scores, holm, paired, portfolio, scores
from crosslit_bench.analysis.statistics import enough_digits, median_interval
from crosslit_bench.results.frame import TimeTable

from tests.bench.drawable import made_up
from tests.bench.tables import INF, NAN, table
from tests.stored import check

STORED = Path(__file__).with_name("analysis.txt")


def grown(*columns: Any, sizes: Any = None, family: Any = lambda at: "boards", **given: Any) -> TimeTable:
    """A table of columns of times, with sizes from 1 or as given."""
    rows = list(zip(*columns, strict=True))
    facts = [{"size": float(sizes[at] if sizes else at + 1), "family": family(at)} for at in range(len(rows))]
    return table(rows, facts=facts, **given)


TABLES = {
    "one puzzle": table([[1.0, 2.0]]),
    "nothing solved": table([[INF, INF], [INF, INF], [INF, INF]]),
    "ties": table([[1.0, 1.0, 1.04], [2.0, 2.2, 2.0], [0.0001, 0.0009, 0.0002], [INF, INF, 3.0]]),
    "not asked": table([[1.0, NAN, 2.0], [NAN, 1.0, 2.0], [3.0, INF, NAN], [NAN, NAN, NAN]]),
    "groups": table([[1.0, 2.0, 3.0], [INF, 1.0, 2.0], [3.0, INF, NAN]], groups=["x", "y", "x"]),
    "a wrong one": table([[1.0, 2.0, 0.1], [2.0, 1.0, 0.1], [3.0, 5.0, 0.1]], wrong=["c"]),
    "five puzzles": grown([0.01, 0.02, 0.04, 0.08, 0.16], [0.16, 0.1, 0.2, 0.3, INF]),
    "six puzzles": grown([0.01, 0.02, 0.04, 0.08, 0.16, 0.32], [0.16, 0.1, 0.2, 0.3, 0.5, INF]),
    "always slower": grown([0.1 * 2**at for at in range(9)], [0.2 * 2.1**at for at in range(9)], limit=100.0),
    "two sizes": grown([0.01, 0.02, 0.04, 0.08], sizes=[3, 3, 4, 4]),
    "three sizes": grown([0.01, 0.02, 0.04, 0.09], sizes=[3, 4, 4, 5]),
    "three sizes, one below the floor": grown([0.0005, 0.02, 0.04, 0.09], sizes=[3, 4, 4, 5]),
    "at the floor": grown([0.001, 0.001, 0.001, 0.002, 0.004], [0.0009, 0.0009, 0.001, 0.0011, 0.0012]),
    "twice the shortest": grown([0.01, 0.0101, 0.02, 0.0201, 0.04, 0.08], [0.01, 0.01, 0.01, 0.01, 0.01, 0.011]),
    "a size of zero": grown([0.01, 0.02, 0.04, 0.08], sizes=[0, 1, 2, 3]),
    "censored": grown([0.01, 0.1, 1.0, INF, INF, INF], [INF, INF, INF, INF, INF, INF], limit=5.0),
    "a power": grown([0.002 * n**3 for n in range(2, 10)], sizes=list(range(2, 10))),
    "flat": grown([0.02, 0.021, 0.02, 0.019, 0.02, 0.021, 0.02]),
    "two families": grown(
        [0.01 * 2.0 ** (at // 2) for at in range(12)],
        [0.01 * 3.0 ** (at // 2) if at < 10 else INF for at in range(12)],
        sizes=[3 + at // 2 for at in range(12)],
        family=lambda at: ("even", "odd")[at % 2],
        groups=["fast", "slow"],
    ),
    "made up": made_up(36, 4),
}


def shown(value: Any) -> str:
    """A result on one line, with five significant digits of its numbers."""
    if dataclasses.is_dataclass(value):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return " ".join(f"{name}={shown(part)}" for name, part in fields if part not in (None, "", (), {}))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(part)}" for key, part in value.items()) + "}"
    if isinstance(value, tuple | list | np.ndarray):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, float | np.floating):
        return "0" if abs(value) < 1e-9 else f"{value:.5g}"  # rounding differs between machines
    return str(value)


@pytest.mark.parametrize("name", TABLES)
def test_all_statistics_of_a_table(name: str) -> None:
    given = TABLES[name]
    grown = fits(given)
    lines = [f"score {shown(score)}" for score in scores(given)]
    lines += [f"group {shown(score)}" for score in group_scores(given)]
    lines += [f"pair {shown(pair)}" for pair in adjusted(paired(given))]
    lines += [f"portfolio {shown(portfolio(given))}"]
    lines += [f"fit {shown(fit)} | {fit.words()} | {has_wall(fit)}" for fit in grown]
    lines += [f"wall {shown(wall)}" for wall in find_walls(given, grown)]
    lines += [f"medians {shown(medians_by_size(given))}"]
    check(STORED, name, "\n".join(line[:900] for line in lines))


def test_single_statistics() -> None:
    lines = []
    series = [[1, 2, 3], [1, 2], [1, 2, 4], [1, 2, 5], [1, 1, 2, 2, 3, 3], [1, 1, 2, 3], [3, 3, 3], [1, 3, 5, 7], []]
    lines += [f"series {sizes}: {is_series(sizes)}" for sizes in series]
    values = [[1.0, 1.0], [1.0, 1.001], [1.0, 1.0001], [0.0, None], [1e-9, 1.0], [123456.0, 123457.0], [1.0, INF], []]
    lines += [f"digits {found}: {enough_digits(found)} {enough_digits(found, 1)}" for found in values]
    for count in (1, 5, 6, 7, 12, 13, 40):
        numbers = [float(number) ** 1.5 for number in range(count)]
        lines.append(f"median of {count}: {shown(median_interval(numbers))} {shown(median_interval([*numbers, INF]))}")
    for p in ([0.01], [0.04, 0.01], [0.5, 0.5, 0.5], [0.01, 0.01, 0.02, 0.9], []):
        lines.append(f"holm {p}: {shown(holm(p))}")
    check(STORED, "single statistics", "\n".join(lines))
