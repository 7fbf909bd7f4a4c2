"""What goes with time: size, nullity, difficulty, density.

Spearman's rank correlation asks only whether one grows as the other does. A run that was not solved has the highest
rank, shared by all of these. Facts of puzzles go together (a larger board tends to be a harder one), and the puzzles
are those that somebody chose: a correlation is no cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis.needs import scipy_part
from crosslit.campaigns.results.table import Entry, Table

MIN_RANKED = 5
"""So many puzzles at least; of fewer nothing is said."""

DIFFICULTY = {"line": 0.0, "probe": 1.0, "search": 2.0}
"""The difficulties of a nonogram as numbers."""

FACTS: Mapping[str, Callable[[Entry], float | None]] = {
    "size": lambda entry: entry.size,
    "nullity": lambda entry: None if entry.nullity is None else float(entry.nullity),
    "difficulty": lambda entry: DIFFICULTY.get(entry.difficulty or ""),
    "density": lambda entry: entry.density,
}
"""The facts of a puzzle, by name, as numbers; difficulty in the order line, probe, search."""


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Spearman's rho of a contestant's time and a fact of the puzzles.

    Args:
        label: the contestant's.
        kind: of the puzzles.
        fact: one of `FACTS`.
        puzzles: of that kind that it was asked, and of which the fact is known.
        rho: from -1 to 1; None where there are fewer than `MIN_RANKED` puzzles, or all times, or all facts, are equal.
        p: that a rho so far from 0 is chance, if puzzles are independent; None where rho is.
    """

    label: str
    kind: str
    fact: str
    puzzles: int
    rho: float | None
    p: float | None


def correlations(table: Table) -> list[Correlation]:
    """Of every ranked contestant, kind of puzzle and fact that is known of any puzzle of that kind."""
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
