"""Growth with size by family of puzzles: contestants whose time grows exponentially."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit_bench.analysis import growth
from crosslit_bench.analysis.growth import Fit, not_informative
from crosslit_bench.analysis.intervals import medians
from crosslit_bench.results.frame import Table

MIN_WALL_FACTOR = 100.0
"""The factor of growth that counts as a wall if no run hit the limit."""


@dataclass(frozen=True, kw_only=True)
class Wall:
    """The contestants of a group whose time grows exponentially on a family."""

    family: str
    is_series: bool  # True if the sizes of the family were chosen as a series; otherwise its growth is secondary
    group: str  # name of the group, or label of a contestant without a group
    contestants: tuple[str, ...]  # labels
    doubling: tuple[float, float]  # smallest and largest increase of size among them in which time doubles
    unsolved_from: float | None  # smallest size from which on none of them solved a puzzle; None if there is none


def find_walls(table: Table, fits: Sequence[Fit]) -> Iterator[Wall]:
    """Yield the exponential growth on each family of puzzles, by group."""
    for family in dict.fromkeys(fit.family for fit in fits):
        part = table.of_family(family).ranked
        is_series = growth.is_series([entry.size for entry in part.entries])
        labels = [contestant.label for contestant in part.contestants]
        groups: dict[str, list[Fit]] = {}
        for fit in fits:
            if fit.family == family and has_wall(fit):
                groups.setdefault(fit.group or fit.contestant, []).append(fit)
        for group, members in groups.items():
            rates = [fit.rate for fit in members if fit.rate is not None]
            columns = [labels.index(fit.contestant) for fit in members]
            yield Wall(
                family=family,
                is_series=is_series,
                group=group,
                contestants=tuple(fit.contestant for fit in members),
                doubling=(min(rates), max(rates)),
                unsolved_from=_unsolved_from(part.among(columns=columns)),
            )


def has_wall(fit: Fit) -> bool:
    """Return whether time grows exponentially over a large enough range, and no other model describes it as well.

    A sum of a constant and a power looks exponential over a short range, so time must have grown to the limit or by a
    factor of `MIN_WALL_FACTOR`.
    """
    if fit.model != "exponential" or not fit.grows or fit.undecided:
        return False
    return fit.censored > 0 or fit.predict(fit.largest) > MIN_WALL_FACTOR * max(fit.floor, fit.predict(fit.smallest))


def _unsolved_from(part: Table) -> float | None:
    sizes = np.array([entry.size for entry in part.entries], dtype=float)
    # a contestant that crashed counts like one that was not asked
    asked, solved = ~np.isnan(part.seconds) & ~not_informative(part), np.isfinite(part.seconds)
    reached = sizes[solved.any(axis=1)].max(initial=-np.inf)
    return min(
        (float(size) for size in sizes if size > reached and asked[sizes == size].any(axis=0).all()), default=None
    )


def medians_by_size(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sizes, ascending, and the median time of each contestant at each size, of shape (sizes, contestants).

    It is inf if half of the puzzles or more were not solved, and nan if none was asked.
    """
    sizes = np.array([entry.size for entry in table.entries], dtype=float)
    different = np.unique(sizes)
    found = np.full((len(different), len(table.contestants)), np.nan)
    for index, size in enumerate(different):
        for column, times in enumerate(table.seconds[sizes == size].T):
            if not np.isnan(times).all():
                found[index, column] = medians(times[~np.isnan(times)])
    return different, found
