"""Who solved how much, how fast, and what the field would be without each: PAR-2 and the virtual best solver.

PAR-k is the mean time where an unsolved puzzle counts k times the limit; the virtual best solver (VBS) takes, on each
puzzle, the time of the fastest; the single best solver (SBS) is the one with the best PAR-2 (Xu, Hutter, Hoos and
Leyton-Brown, *Evaluating Component Solver Contributions to Portfolio-Based Algorithm Selectors*, SAT 2012).

Means over different puzzles cannot be compared. PAR-2 over a contestant's own puzzles therefore stands beside the
number of these, and beside PAR-2 over puzzles in common (`comparable`). What concerns the VBS is over the puzzles that
at least two were asked: on others nobody is better than anybody. A contestant that was not asked a puzzle gains
nothing there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis.bootstrap import MIN_VALUES, Interval, bootstrap, medians
from crosslit.campaigns.results.table import Table


@dataclass(frozen=True, kw_only=True)
class Score:
    """How well a contestant did.

    Args:
        label, group: the contestant's.
        asked: how many puzzles it was asked.
        solved: how many of these it solved within the limits.
        par2: over these, in seconds; None if there are none.
        par2_common: over the puzzles that are `comparable`; None for who was not asked all of these.
        median: seconds over the puzzles that it was asked, inf if it solved no more than half; None if there are none.
        interval: of the median, 95%, by bootstrap over puzzles; an end is inf where it is censored; None of fewer than
            `MIN_VALUES` puzzles.
        alone: how many puzzles it solved that others were asked and none of them solved.
        best: on how many puzzles that others were asked too it is the fastest of those that solved it.
        contribution: by how many seconds the PAR-2 of the virtual best solver would be worse without it.
    """

    label: str
    group: str
    asked: int
    solved: int
    par2: float | None
    par2_common: float | None
    median: float | None
    interval: Interval | None
    alone: int
    best: int
    contribution: float


@dataclass(frozen=True)
class Contributions:
    """What each ranked contestant gives to the virtual best solver.

    Args:
        seconds: by how much its PAR-2 would be worse without the contestant; of shape (contestants,), as all are.
        alone: how many puzzles only this one solved.
        best: on how many puzzles none is faster.
    """

    seconds: NDArray[np.float64]
    alone: NDArray[np.int_]
    best: NDArray[np.int_]


@dataclass(frozen=True, kw_only=True)
class Portfolio:
    """All ranked contestants together.

    Args:
        puzzles: how many are counted here: those that are `comparable`.
        solved: how many of these anybody solved.
        entrants, contestants: how many were asked all these puzzles, of how many that were asked any.
        par2: of the virtual best solver, in seconds.
        best: the label of the single best solver: the best PAR-2 among those who were asked all these puzzles.
        best_par2: of that one.
    """

    puzzles: int
    solved: int
    entrants: int
    contestants: int
    par2: float
    best: str
    best_par2: float

    @property
    def gap(self) -> float:
        """How much worse the single best solver is than the virtual best one, in seconds."""
        return self.best_par2 - self.par2


def par(seconds: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """The PAR-2 of each contestant over the puzzles that it was asked.

    Args:
        seconds: of shape (puzzles, contestants); inf unsolved, nan not asked.
        limit: in seconds; an unsolved puzzle counts twice that.

    Returns:
        Of shape (contestants,); nan for who was asked nothing.

    Examples:
        >>> import numpy as np
        >>> par(np.array([[1.0, np.inf], [3.0, np.nan]]), limit=5)
        array([ 2., 10.])
    """
    asked = ~np.isnan(seconds)
    points = np.where(np.isinf(seconds), 2 * limit, np.where(asked, seconds, 0.0))
    count = asked.sum(axis=0)
    return np.where(count > 0, points.sum(axis=0) / np.maximum(count, 1), np.nan)


def virtual_best(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The time of the fastest on each puzzle.

    Returns:
        Of shape (puzzles,); inf where nobody solved it, nan where nobody was asked.

    Examples:
        >>> import numpy as np
        >>> virtual_best(np.array([[2.0, 1.0], [np.nan, 3.0], [np.inf, np.inf]]))
        array([ 1.,  3., inf])
    """
    if not seconds.shape[1]:
        return np.full(len(seconds), np.nan)
    return np.asarray(np.fmin.reduce(seconds, axis=1))


def scores(table: Table) -> list[Score]:
    """The scores of the ranked contestants, in their order; the disqualified have none.

    Args:
        table: the times.
    """
    ranked = table.ranked
    seconds, limit = ranked.seconds, ranked.limit
    asked = ~np.isnan(seconds)
    common = comparable(ranked)
    own, shared = par(seconds, limit), par(seconds[common], limit)
    shared[~asked[common].all(axis=0)] = np.nan
    parts = contributions(ranked)
    found = []
    for at, contestant in enumerate(ranked.contestants):
        times = seconds[asked[:, at], at]
        found.append(
            Score(
                label=contestant.label,
                group=contestant.group,
                asked=len(times),
                solved=int(np.isfinite(times).sum()),
                par2=_known(own[at]),
                par2_common=_known(shared[at]),
                median=float(medians(times)) if len(times) else None,
                interval=bootstrap(times) if len(times) >= MIN_VALUES else None,
                alone=int(parts.alone[at]),
                best=int(parts.best[at]),
                contribution=float(parts.seconds[at]),
            )
        )
    return found


def contributions(table: Table) -> Contributions:
    """What each ranked contestant gives to the virtual best solver, over the puzzles that two or more were asked."""
    ranked = table.ranked
    seconds = ranked.seconds[(~np.isnan(ranked.seconds)).sum(axis=1) >= 2]
    solved = np.isfinite(seconds)
    best = virtual_best(seconds)
    whole = _mean(best, ranked.limit)
    without = [virtual_best(np.delete(seconds, at, axis=1)) for at in range(seconds.shape[1])]
    # rounding of the mean may make a loss of nothing -1e-17
    losses = np.array([max(0.0, _mean(rest, ranked.limit) - whole) for rest in without])
    alone = [int((solved[:, at] & np.isinf(rest)).sum()) for at, rest in enumerate(without)]
    return Contributions(losses, np.array(alone, dtype=int), (solved & (seconds == best[:, None])).sum(axis=0))


def comparable(table: Table) -> NDArray[np.bool_]:
    """On which puzzles the ranked contestants are compared by PAR-2.

    Returns:
        Of shape (puzzles,): all that two or more were asked, if two contestants were asked them all; else those that
        were asked of all but those who were asked nothing.
    """
    asked = ~np.isnan(table.ranked.seconds)
    raced = asked.sum(axis=1) >= 2
    if asked[raced].all(axis=0).sum() >= 2:
        return np.asarray(raced)
    return np.asarray(raced & asked[:, asked.any(axis=0)].all(axis=1))


def portfolio(table: Table) -> Portfolio | None:
    """The virtual and the single best solver of the ranked contestants.

    Returns:
        None if there are no puzzles on which they can be compared.
    """
    ranked = table.ranked
    asked = ~np.isnan(ranked.seconds)
    rows = comparable(ranked)
    if not rows.any():
        return None
    seconds = ranked.seconds[rows]
    best = virtual_best(seconds)
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
    """The PAR-2 of a solver that was asked all; 0 of no puzzle."""
    return float(par(best[:, None], limit)[0]) if best.size else 0.0


def _known(value: float) -> float | None:
    return None if value != value else float(value)
