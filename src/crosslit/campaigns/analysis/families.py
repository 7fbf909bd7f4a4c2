"""Growth with size on each family of puzzles: exponential growth, and the fastest at large sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis.growth import Fit, is_series, not_informative
from crosslit.campaigns.analysis.intervals import medians
from crosslit.campaigns.analysis.pairs import TIE_SECONDS
from crosslit.campaigns.results.table import Table

MIN_WALL_FACTOR = 100.0
"""The growth that counts as a wall where nobody hit the limit."""
MIN_RATIO = 1.2
"""The ratio of two medians beyond which one is called faster: a smaller difference may be chance."""


@dataclass(frozen=True, kw_only=True)
class Wall:
    """Contestants of one group whose time grows exponentially on a family.

    Args:
        group: its name, or the label of a contestant without a group.
        contestants: labels.
        doubling: the sizes in which time doubles, the smallest and the largest of the contestants.
        unsolved_from: the smallest size from which on none of them solved anything; None if there is none.
    """

    group: str
    contestants: tuple[str, ...]
    doubling: tuple[float, float]
    unsolved_from: float | None


@dataclass(frozen=True, kw_only=True)
class Fastest:
    """The fastest contestant at all large sizes of a family.

    Args:
        label: the contestant's.
        since: the smallest size from which on its median is the lowest at every size that was measured: the next is
            longer by more than a fifth, and by more than `pairs.TIE_SECONDS`.
        size: the largest size.
        seconds: its median there.
        next_label: the next one there; empty where nobody else solved more than half of these puzzles.
        next_seconds: the median of that one; inf where there is none.
    """

    label: str
    since: float
    size: float
    seconds: float
    next_label: str
    next_seconds: float


@dataclass(frozen=True, kw_only=True)
class FamilyGrowth:
    """Growth with size on one family.

    Args:
        family: its name.
        is_series: whether its sizes were chosen as a series; else its growth is a side matter.
        walls: the exponential growth, by group.
        fastest: None if nobody is, at the largest two sizes at least.
    """

    family: str
    is_series: bool
    walls: tuple[Wall, ...]
    fastest: Fastest | None


def family_growth(table: Table, fits: Sequence[Fit]) -> list[FamilyGrowth]:
    """Return the growth on each family of puzzles that has a fit.

    Args:
        table: the times.
        fits: as `crosslit.campaigns.analysis.growth.fits` returns them.
    """
    found = []
    for family in dict.fromkeys(fit.family for fit in fits):
        part = table.of_family(family).ranked
        known = [fit for fit in fits if fit.family == family]
        series = is_series([entry.size for entry in part.entries])
        walls = tuple(_walls(part, known))
        found.append(FamilyGrowth(family=family, is_series=series, walls=walls, fastest=fastest(part)))
    return found


def has_wall(fit: Fit) -> bool:
    """Return whether time grows exponentially, far enough to matter, and no other model describes it as well.

    A constant and a power together look exponential over a short range: time must have grown to the limit, or by a
    factor of 100.
    """
    if fit.model != "exponential" or not fit.grows or fit.undecided:
        return False
    return fit.censored > 0 or fit.predict(fit.largest) > MIN_WALL_FACTOR * max(fit.floor, fit.predict(fit.smallest))


def _walls(part: Table, fits: Sequence[Fit]) -> list[Wall]:
    groups: dict[str, list[Fit]] = {}
    for fit in filter(has_wall, fits):
        groups.setdefault(fit.group or fit.contestant, []).append(fit)
    labels = [contestant.label for contestant in part.contestants]
    walls = []
    for group, members in groups.items():
        rates = [fit.rate for fit in members if fit.rate is not None]
        columns = [labels.index(fit.contestant) for fit in members]
        walls.append(
            Wall(
                group=group,
                contestants=tuple(fit.contestant for fit in members),
                doubling=(min(rates), max(rates)),
                unsolved_from=_unsolved_from(part.among(columns=columns)),
            )
        )
    return walls


def _unsolved_from(part: Table) -> float | None:
    sizes = np.array([entry.size for entry in part.entries], dtype=float)
    # where somebody was not asked, or crashed, nothing is known of that one
    asked, solved = ~np.isnan(part.seconds) & ~not_informative(part), np.isfinite(part.seconds)
    reached = sizes[solved.any(axis=1)].max(initial=-np.inf)
    return min(
        (float(size) for size in sizes if size > reached and asked[sizes == size].any(axis=0).all()), default=None
    )


def medians_by_size(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the median time of each contestant at each size.

    Returns:
        The sizes, ascending; and the medians in seconds, of shape (sizes, contestants): inf where half of the puzzles
        or more were not solved, nan where none was asked.
    """
    sizes = np.array([entry.size for entry in table.entries], dtype=float)
    different = np.unique(sizes)
    found = np.full((len(different), len(table.contestants)), np.nan)
    for at, size in enumerate(different):
        for column, times in enumerate(table.seconds[sizes == size].T):
            if not np.isnan(times).all():
                found[at, column] = medians(times[~np.isnan(times)])
    return different, found


def fastest(table: Table) -> Fastest | None:
    """Return the fastest of the ranked contestants from some size on, on one family.

    Returns:
        None if nobody is, at the largest two sizes at least; who was not asked a size does not count there.
    """
    ranked = table.ranked
    sizes, times = medians_by_size(ranked)
    if len(sizes) < 2 or not np.isfinite(times[-1]).any():
        return None
    # Only the fastest at the largest size can be the fastest from some size on.
    one = int(np.nanargmin(times[-1]))
    others = times.copy()
    others[:, one] = np.nan
    following = np.fmin.reduce(others, axis=1, initial=np.nan)
    # a comparison with nan, where nobody else was asked, is False: no race
    own = times[:, one]
    ahead = np.isfinite(own) & (own * MIN_RATIO < following) & (own + TIE_SECONDS < following)
    # The first size, from the largest downwards, at which it is not ahead; the added False stands for none.
    since = len(sizes) - int(np.argmin([*ahead[::-1], False]))
    if since > len(sizes) - 2:
        return None
    second = int(np.nanargmin(others[-1]))
    return Fastest(
        label=ranked.contestants[one].label,
        since=float(sizes[since]),
        size=float(sizes[-1]),
        seconds=float(own[-1]),
        next_label=ranked.contestants[second].label if np.isfinite(following[-1]) else "",
        next_seconds=float(following[-1]),
    )
