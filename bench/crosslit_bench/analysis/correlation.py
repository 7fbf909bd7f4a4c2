"""Rank correlations of time with size, nullity, difficulty and density.

Spearman's rank correlation measures monotonic dependence. Unsolved puzzles share the highest rank. Facts of puzzles are
correlated among themselves (larger boards tend to be harder), and the puzzles were chosen by the campaign's author, so
a correlation does not imply a cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit_bench.analysis.needs import scipy_part
from crosslit_bench.results.table import Entry, Table

MIN_RANKED = 5
"""The minimum number of puzzles for a correlation."""

DIFFICULTY = {"line": 0.0, "probe": 1.0, "search": 2.0}
"""The difficulties of a nonogram as numbers."""

FACTS: Mapping[str, Callable[[Entry], float | None]] = {
    "size": lambda entry: entry.size,
    "nullity": lambda entry: None if entry.nullity is None else float(entry.nullity),
    "difficulty": lambda entry: DIFFICULTY.get(entry.difficulty or ""),
    "density": lambda entry: entry.density,
}
"""The facts of a puzzle as numbers, by name."""


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Spearman's rho of a contestant's times with a fact of the puzzles.

    Args:
        label: label of the contestant.
        kind: kind of the puzzles.
        fact: one of `FACTS`.
        puzzles: number of puzzles of that kind that it was asked and whose fact is known.
        rho: from -1 to 1; None for fewer than `MIN_RANKED` puzzles, or if all times or all facts are equal.
        p: two-sided p-value, for independent puzzles; None without rho.
    """

    label: str
    kind: str
    fact: str
    puzzles: int
    rho: float | None
    p: float | None


def correlations(table: Table) -> list[Correlation]:
    """Return a correlation for every ranked contestant, kind of puzzle, and fact known for any puzzle of that kind."""
    ranked = table.ranked
    found = []
    for kind in ranked.kinds:
        part = ranked.of_kind(kind)
        for fact, value in FACTS.items():
            values = np.array([np.nan if (known := value(entry)) is None else known for entry in part.entries])
            if np.isnan(values).all():
                continue
            for at, contestant in enumerate(part.contestants):
                times = part.seconds[:, at]
                counted = ~np.isnan(times) & ~np.isnan(values)
                rho, p = _spearman(times[counted], values[counted])
                found.append(
                    Correlation(label=contestant.label, kind=kind, fact=fact, puzzles=int(counted.sum()), rho=rho, p=p)
                )
    return found


def _spearman(times: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    # Without variation there are no ranks to correlate, and SciPy returns NaN with a warning.
    if len(times) < MIN_RANKED or _constant(times) or _constant(values):
        return None, None
    order = np.lexsort((times, values))  # so that rounding does not depend on the order of the puzzles
    result = scipy_part("stats").spearmanr(times[order], values[order])
    return float(result.statistic), float(result.pvalue)


def _constant(values: NDArray[np.float64]) -> bool:
    return bool((values == values[0]).all())
