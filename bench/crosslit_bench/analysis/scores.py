"""Scores of contestants: solved puzzles, PAR-k, Borda points, and contributions to the virtual best solver.

PAR-k is the mean time with k times the limit for an unsolved puzzle. The virtual best solver (VBS) has the time of the
fastest contestant on each puzzle; the single best solver (SBS) is the contestant with the best PAR-2 (Xu, Hutter, Hoos
and Leyton-Brown, *Evaluating Component Solver Contributions to Portfolio-Based Algorithm Selectors*, SAT 2012).

Means over different puzzles cannot be compared. So PAR-2 over a contestant's own puzzles is reported with their number
and with PAR-2 over the puzzles in common (`comparable`). The VBS covers the puzzles that at least two were asked, and a
contestant contributes nothing on puzzles that it was not asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit_bench.analysis.intervals import Interval, median_interval, medians
from crosslit_bench.results.frame import Table


@dataclass(frozen=True, kw_only=True)
class Score:
    """The scores of a contestant; times are in seconds."""

    label: str
    group: str
    asked: int  # number of puzzles that it was asked
    solved: int  # number of these that it solved within the limits
    par2: float | None  # PAR-2 over the puzzles that it was asked; None if there are none
    par2_common: float | None  # PAR-2 over the `comparable` puzzles; None if it was not asked all of them
    park_common: float | None  # PAR-k over the same puzzles, with the campaign's k
    borda: float | None  # Borda points on the same puzzles, see `borda`; None if it was not asked all of them
    # median time over the puzzles that it was asked, inf if it solved at most half; None if there are none
    median: float | None
    interval: Interval | None  # 95% interval of the median, with inf as a censored end; None for fewer than six puzzles
    only_solver: int  # number of puzzles that it solved and no other contestant that ran on them did
    best: int  # number of puzzles that others were asked too and none solved faster
    contribution: float  # increase of the virtual best solver's PAR-2 without it


HEADINGS = {
    "label": "contestant",
    "group": "group",
    "solved": "solved",
    "asked": "of puzzles",
    "par2": "PAR-2",
    "par2_common": "PAR-2 in common",
    "park_common": "PAR-k",
    "borda": "Borda",
    "median": "median",
    "interval": "95% interval",
    "best": "fastest on",
    "only_solver": "only solver",
    "contribution": "contribution",
}
"""The columns of a ranking: for each field of `Score` its heading, in their order in a report."""
SECONDS = frozenset({"par2", "par2_common", "park_common", "median", "contribution"})
"""The fields of `Score` that are times."""


@dataclass(frozen=True, kw_only=True)
class GroupScore:
    """The scores of a group, as one solver with the time of its fastest contestant on each puzzle."""

    group: str  # name of the group; may be empty
    contestants: int
    asked: int  # number of puzzles
    solved: int
    par2: float  # PAR-2 in seconds; nan if it was asked no puzzle


@dataclass(frozen=True, kw_only=True)
class Portfolio:
    """The ranked contestants as a portfolio."""

    puzzles: int  # number of `comparable` puzzles
    solved: int  # number of these that any contestant solved
    entrants: int  # number of contestants that were asked all these puzzles
    contestants: int  # number of those that were asked any
    par2: float  # PAR-2 of the virtual best solver, in seconds
    best: str  # label of the single best solver: the best PAR-2 among those that were asked all these puzzles
    best_par2: float  # its PAR-2, in seconds


def par(seconds: NDArray[np.float64], limit: float, k: float = 2) -> NDArray[np.float64]:
    """Return the PAR-k of each contestant over the puzzles that it was asked, of shape (contestants,).

    Times have the shape (puzzles, contestants): inf if unsolved, which counts k limits, and nan if not asked. A
    contestant that was asked no puzzle has nan.
    """
    asked = ~np.isnan(seconds)
    points = np.where(np.isinf(seconds), k * limit, np.where(asked, seconds, 0.0))
    points.sort(axis=0)  # makes rounding independent of the order of the puzzles
    count = asked.sum(axis=0)
    return np.where(count > 0, points.sum(axis=0) / np.maximum(count, 1), np.nan)


def borda(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Borda points of each contestant, as in the MiniZinc Challenge; times are as for `par`.

    On each puzzle and against each other contestant, one that solved it in t seconds gets 1 point if the other did not
    solve it, and t' / (t + t') if the other took t' seconds (1/2 if both are 0); one that did not solve it gets none.

    >>> import numpy as np
    >>> borda(np.array([[1.0, 3.0, np.inf], [np.inf, 0.0, 0.0]]))
    array([1.75, 2.75, 1.5 ])
    """
    points = np.zeros(seconds.shape[1])
    for index, own in enumerate(seconds.T[:, :, None]):
        others = np.delete(seconds, index, axis=1)
        with np.errstate(invalid="ignore"):  # 0 / 0, and inf / inf if neither solved it
            shared = np.where(own + others == 0, 0.5, others / (own + others))
        won = np.where(np.isinf(others), 1.0, shared)
        # sorting makes rounding independent of the order of the puzzles
        points[index] = np.sort(won[np.isfinite(own) & ~np.isnan(others)]).sum()
    return points


def virtual_best(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the time of the fastest contestant on each puzzle: inf if none solved it, nan if none was asked."""
    return np.asarray(np.fmin.reduce(seconds, axis=1, initial=np.nan))


def scores(table: Table) -> list[Score]:
    """Return the scores of the ranked contestants, in their order."""
    ranked = table.ranked
    seconds, limit = ranked.seconds, ranked.limit
    asked = ~np.isnan(seconds)
    common = comparable(ranked)
    own, shared = par(seconds, limit), par(seconds[common], limit)
    lost, points = par(seconds[common], limit, ranked.par), borda(seconds[common])
    for values in (shared, lost, points):
        values[~asked[common].all(axis=0)] = np.nan
    raced = seconds[asked.sum(axis=1) >= 2]
    best = virtual_best(raced)
    whole = _mean(best, limit)
    found = []
    for index, contestant in enumerate(ranked.contestants):
        # Without this contestant the virtual best solver takes the next one's times; the loss is its contribution.
        times, others = seconds[asked[:, index], index], virtual_best(np.delete(raced, index, axis=1))
        solved = np.isfinite(raced[:, index])
        found.append(
            Score(
                label=contestant.label,
                group=contestant.group,
                asked=len(times),
                solved=int(np.isfinite(times).sum()),
                par2=_known(own[index]),
                par2_common=_known(shared[index]),
                park_common=_known(lost[index]),
                borda=_known(points[index]),
                median=float(medians(times)) if len(times) else None,
                interval=median_interval(times),
                only_solver=int((solved & np.isinf(others)).sum()),
                best=int((solved & (raced[:, index] == best)).sum()),
                # rounding of the mean can turn a contribution of 0 into -1e-17
                contribution=max(0.0, _mean(others, limit) - whole),
            )
        )
    return found


def group_scores(table: Table) -> list[GroupScore]:
    """Return the scores of the groups of ranked contestants, in their order."""
    ranked = table.ranked
    found = []
    for group in dict.fromkeys(contestant.group for contestant in ranked.contestants):
        times = ranked.seconds[:, [contestant.group == group for contestant in ranked.contestants]]
        best = virtual_best(times)
        asked, solved = int((~np.isnan(best)).sum()), int(np.isfinite(best).sum())
        mean = float(par(best[:, None], ranked.limit)[0])
        found.append(GroupScore(group=group, contestants=times.shape[1], asked=asked, solved=solved, par2=mean))
    return found


def comparable(table: Table) -> NDArray[np.bool_]:
    """Return a mask of the puzzles in common, on which the ranked contestants are compared by PAR-2.

    These are the puzzles that at least two contestants were asked, if two contestants were asked all of these; else the
    puzzles that every contestant with any puzzle was asked.
    """
    asked = ~np.isnan(table.ranked.seconds)
    raced = asked.sum(axis=1) >= 2
    if asked[raced].all(axis=0).sum() >= 2:
        return np.asarray(raced)
    return np.asarray(raced & asked[:, asked.any(axis=0)].all(axis=1))


def portfolio(table: Table) -> Portfolio | None:
    """Return the virtual and the single best solver; None without puzzles in common."""
    ranked = table.ranked
    asked = ~np.isnan(ranked.seconds)
    rows = comparable(ranked)
    if not rows.any():
        return None
    seconds = ranked.seconds[rows]
    best = virtual_best(seconds)
    # Means over different puzzles cannot be compared, so only those who were asked all of them can be the single best.
    means = np.where(asked[rows].all(axis=0), par(seconds, ranked.limit), np.inf)
    single = int(np.argmin(means))
    return Portfolio(
        puzzles=int(rows.sum()),
        solved=int(np.isfinite(best).sum()),
        entrants=int(asked[rows].all(axis=0).sum()),
        contestants=int(asked.any(axis=0).sum()),
        par2=_mean(best, ranked.limit),
        best=ranked.contestants[single].label,
        best_par2=float(means[single]),
    )


def _mean(best: NDArray[np.float64], limit: float) -> float:
    """Return the PAR-2 of a solver that was asked all puzzles; 0 if there are none."""
    return float(par(best[:, None], limit)[0]) if best.size else 0.0


def _known(value: float) -> float | None:
    return None if value != value else float(value)
