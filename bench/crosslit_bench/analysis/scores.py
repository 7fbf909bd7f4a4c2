"""Scores of contestants (solved puzzles, PAR-k, Borda points, contributions), and paired comparisons with tests.

PAR-k is the mean time with k times the limit for an unsolved puzzle. The virtual best solver (VBS) has the time of the
fastest contestant on each puzzle; the single best solver (SBS) is the contestant with the best PAR-2 (Xu, Hutter, Hoos
and Leyton-Brown, *Evaluating Component Solver Contributions to Portfolio-Based Algorithm Selectors*, SAT 2012).

Means over different puzzles cannot be compared. So PAR-2 over a contestant's own puzzles is reported with their number
and with PAR-2 over the puzzles in common (`comparable`). The VBS covers the puzzles that at least two were asked, and a
contestant contributes nothing on puzzles that it was not asked.

There are two tests: the signed-rank test of Wilcoxon (1945) on the logarithms of the times, and the sign test, which
uses only the winner on each puzzle and so needs fewer assumptions. Both p-values are adjusted for the number of pairs
(Holm 1979). docs/reference/campaigns.md lists their assumptions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crosslit.base.numbers import format_seconds
from crosslit_bench.analysis.statistics import MIN_VALUES, Interval, median_interval, scipy_part
from crosslit_bench.results.frame import TimeTable


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
EXPLANATIONS = {
    "solved": "puzzles solved within the limits",
    "of puzzles": "puzzles asked",
    "PAR-2": "mean time over the puzzles asked, an unsolved one counting {unsolved}",
    "PAR-2 in common": "the same over the puzzles in common",
    "PAR-k": "mean time over the puzzles in common, an unsolved one counting {k:g} times the limit",
    "Borda": (
        "points on the puzzles in common: on each, and against each other contestant, 1 if only this one solved it, and"
        " t' / (t + t') if both did, in t and t' seconds"
    ),
    "median": "median over the puzzles asked, each with the median of its runs; infinite if at most half are solved",
    "95% interval": "of the median, from order statistics",
    "fastest on": "puzzles that others were asked too and none solved faster",
    "only solver": "puzzles that others were asked too and none of them solved",
    "contribution": "rise of the virtual best solver's PAR-2 without this contestant; that solver has the shortest time"
    " on each puzzle",
    "asked of both": "number of puzzles",
    "A wins": "puzzles that A solved faster by more than 5% and 1 ms, or that only A solved",
    "B wins": "likewise",
    "ties": "the other puzzles",
    "time of A / B": "geometric mean over the puzzles that both solved",
    "its 95% interval": "from Student's interval for the mean of the logarithms",
    "p, signed rank": "two-sided p-value of Wilcoxon's signed-rank test on the logarithms of the times, without ties,"
    " adjusted for the number of pairs by Holm's method",
    "p, sign test": "two-sided p-value of the sign test on the wins, adjusted by Holm's method too",
    "growth": "the curve with the lowest AIC: flat, a power or exponential; undecided if another fits about as well",
    "growth of its time": "the curve with the lowest AIC: constant, a power of n, or exponential",
    "rate": "exponent of a power, increase of n that doubles an exponential, or constant seconds",
    "from": "lower end of its 95% interval",
    "to": "upper end of its 95% interval",
    "fitted": "puzzles in the fit",
    "largest n solved": "size of the largest puzzle that it solved",
    "nullity": "a solvable board has exactly 2^nullity solutions",
    "difficulty": "what the puzzle needs: line solving, probing of single cells, or search",
    "verdict": "the conclusion from all runs",
    "evidence": "on what it rests, from certified down to claimed",
}
"""What the columns of all tables mean, by their headings; a heading without an entry explains itself."""


def explanations(headings: Iterable[str], table: TimeTable) -> tuple[str, ...]:
    """Return a sentence for each column that has an explanation; its heading may end with a unit."""
    values = {"unsolved": format_seconds(2 * table.limit), "k": table.par}
    names = (heading.removesuffix(" (s)").removesuffix(" low") for heading in headings)
    return tuple(f"{name}: {EXPLANATIONS[name].format(**values)}." for name in names if name in EXPLANATIONS)


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


def scores(table: TimeTable) -> list[Score]:
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
                median=float(np.median(times)) if len(times) else None,
                interval=median_interval(times),
                only_solver=int((solved & np.isinf(others)).sum()),
                best=int((solved & (raced[:, index] == best)).sum()),
                # rounding of the mean can turn a contribution of 0 into -1e-17
                contribution=max(0.0, _mean(others, limit) - whole),
            )
        )
    return found


def group_scores(table: TimeTable) -> list[GroupScore]:
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


def comparable(table: TimeTable) -> NDArray[np.bool_]:
    """Return a mask of the puzzles in common, on which the ranked contestants are compared by PAR-2.

    These are the puzzles that at least two contestants were asked, if two contestants were asked all of these; else the
    puzzles that every contestant with any puzzle was asked.
    """
    asked = ~np.isnan(table.ranked.seconds)
    raced = asked.sum(axis=1) >= 2
    if asked[raced].all(axis=0).sum() >= 2:
        return np.asarray(raced)
    return np.asarray(raced & asked[:, asked.any(axis=0)].all(axis=1))


def portfolio(table: TimeTable) -> Portfolio | None:
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


TIE_SHARE = 0.05
"""Two times tie if they differ by at most this share of the longer one, which is within the noise."""
TIE_SECONDS = 1e-3
"""Two times tie, too, if they differ by at most this."""

MIN_SECONDS = 1e-6
"""The minimum time in tests: a phase that a solver lacks takes none, and 0 has no logarithm."""
MAX_EXACT = 50
"""The maximum number of puzzles for an exact p-value of the signed-rank test."""


@dataclass(frozen=True, kw_only=True)
class PairComparison:
    """A comparison of two contestants on the puzzles that both were asked."""

    a: str  # the label of the first contestant
    b: str
    puzzles: int  # number of puzzles that both were asked
    wins_a: int  # number of these that the first won
    wins_b: int
    ties: int
    both_solved: int  # number of puzzles that both solved
    ratio: float | None  # geometric mean of a's time over b's on these, below 1 if a is faster; None if there are none
    # 95% interval of the ratio, Student's for the mean of the logarithms; None if both solved fewer than six puzzles
    interval: Interval | None
    statistic: float | None  # the lesser rank sum of the signed-rank test; None if all puzzles are ties
    p: float  # two-sided p-value of that test; 1 if all puzzles are ties
    p_adjusted: float  # the same, adjusted for the number of pairs
    p_sign: float  # the p-value of the sign test
    p_sign_adjusted: float


def beats(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the puzzles that a wins: faster by more than a tie, or the only one to solve it.

    It is False if either was not asked.
    """
    solved_a, solved_b = np.isfinite(a), np.isfinite(b)
    gap = np.where(solved_b, b, 0.0) - np.where(solved_a, a, 0.0)
    faster = gap > np.maximum(TIE_SHARE * np.where(solved_b, b, 0.0), TIE_SECONDS)
    return np.asarray(solved_a & (np.isinf(b) | (solved_b & faster)))


def paired(table: TimeTable) -> list[PairComparison]:
    """Return the comparisons of all pairs of ranked contestants with common puzzles, in their order."""
    ranked = table.ranked
    labels = [contestant.label for contestant in ranked.contestants]
    found = [
        compare_pair(labels[a], labels[b], ranked.seconds[:, [a, b]], ranked.limit)
        for a, b in combinations(range(len(labels)), 2)
    ]
    return adjusted([pair for pair in found if pair.puzzles])


def adjusted(pairs: Sequence[PairComparison]) -> list[PairComparison]:
    """Return comparisons with p-values adjusted for their number."""
    rank, sign = holm([pair.p for pair in pairs]), holm([pair.p_sign for pair in pairs])
    return [
        dataclasses.replace(pair, p_adjusted=p_value, p_sign_adjusted=other)
        for pair, p_value, other in zip(pairs, rank, sign, strict=True)
    ]


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found = list(p)
    highest = 0.0
    for rank, (value, index) in enumerate(sorted((value, index) for index, value in enumerate(p))):
        # Adjusted values never decrease, so that they keep the order of the p-values.
        highest = max(highest, min(1.0, (len(p) - rank) * value))
        found[index] = highest
    return found


def compare_pair(a: str, b: str, seconds: NDArray[np.float64], limit: float) -> PairComparison:
    """Compare two contestants as the only pair, so the adjusted p-values are the p-values.

    Their times have the shape (puzzles, 2): inf if unsolved, nan if not asked. The limit is that of each run, in
    seconds.
    """
    seconds = seconds[~np.isnan(seconds).any(axis=1)]
    seconds = seconds[np.lexsort(seconds.T)]  # makes rounding independent of the order of the puzzles
    first, second = seconds.T
    won, lost = beats(first, second), beats(second, first)
    # twice the longest time, because the CPU time of several threads may exceed a limit of wall time
    beyond = 2 * max(limit, float(seconds[np.isfinite(seconds)].max(initial=0.0)))
    logs = np.log(np.maximum(np.where(np.isinf(seconds), beyond, seconds), MIN_SECONDS))
    differences = logs[:, 0] - logs[:, 1]
    solved = np.isfinite(seconds).all(axis=1)
    # Ties are left out, as Wilcoxon left out differences of zero.
    statistic, p = _signed_rank(differences[won | lost])
    wins_a, wins_b = int(won.sum()), int(lost.sum())
    # Heads and tails are equally likely, so both tails together are twice one of them.
    p_sign = min(1.0, 2 * float(scipy_part("special").bdtr(min(wins_a, wins_b), max(wins_a + wins_b, 1), 0.5)))
    return PairComparison(
        a=a,
        b=b,
        puzzles=len(seconds),
        wins_a=wins_a,
        wins_b=wins_b,
        ties=len(seconds) - wins_a - wins_b,
        both_solved=int(solved.sum()),
        ratio=float(np.exp(differences[solved].mean())) if solved.any() else None,
        interval=_ratio_interval(differences[solved]),
        statistic=statistic,
        p=p,
        p_adjusted=p,
        p_sign=p_sign,
        p_sign_adjusted=p_sign,
    )


def _ratio_interval(logs: NDArray[np.float64]) -> Interval | None:
    """Return the interval of a geometric mean, from Student's interval for the mean of its logarithms."""
    count = len(logs)
    if count < MIN_VALUES:
        return None
    half = float(scipy_part("special").stdtrit(count - 1, 0.975)) * logs.std(ddof=1) / np.sqrt(count)
    return Interval(float(np.exp(logs.mean() - half)), float(np.exp(logs.mean() + half)))


def _signed_rank(differences: NDArray[np.float64]) -> tuple[float | None, float]:
    """Return the statistic and the two-sided p-value, exact for at most `MAX_EXACT` differences; none is 0."""
    count = len(differences)
    if not count:
        return None, 1.0
    _, place, equal = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(equal) - (equal - 1) / 2)[place]  # the mean of their places for equal differences
    if count <= MAX_EXACT:
        return _exact(differences, ranks)
    mean = count * (count + 1) / 4
    deviation = np.sqrt((4 * mean * (2 * count + 1) - (equal**3 - equal).sum() / 2) / 24)
    lesser = float(min(ranks[differences > 0].sum(), ranks[differences < 0].sum()))
    return lesser, 2 * float(scipy_part("special").ndtr((lesser - mean) / deviation))


def _exact(differences: NDArray[np.float64], ranks: NDArray[np.float64]) -> tuple[float, float]:
    """Return the exact test, also with equal ranks."""
    steps = np.rint(2 * ranks).astype(int)  # twice the ranks, because the mean of equal ranks may end in 1/2
    chance = np.zeros(steps.sum() + 1)
    chance[0] = 1.0
    # The exact distribution of the sum of positive ranks: each rank is added with a probability of 1/2.
    for step in steps:
        chance[step:] = (chance[step:] + chance[: len(chance) - step]) / 2
        chance[:step] /= 2
    positive = int(steps[differences > 0].sum())
    lesser = min(positive, len(chance) - 1 - positive)
    # The distribution is symmetric, so both tails together are twice one of them.
    return lesser / 2, min(1.0, 2 * float(chance[: lesser + 1].sum()))
