"""The complete analysis of a campaign as data, without the wording of the report."""

from __future__ import annotations

from dataclasses import dataclass

from crosslit_bench.analysis.families import Wall, find_walls
from crosslit_bench.analysis.growth import Fit, fits
from crosslit_bench.analysis.pairs import PairComparison, paired
from crosslit_bench.analysis.scores import GroupScore, Portfolio, Score, group_scores, portfolio, scores
from crosslit_bench.results.frame import Table


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The contestants on one kind of puzzle, because backends for different kinds cannot be compared."""

    kind: str
    # of those that were asked any, best first: by PAR-2 in common, then the others by their own PAR-2
    scores: tuple[Score, ...]
    portfolio: Portfolio | None  # the virtual and the single best solver; None if there is nothing to compare


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """The analysis of the times of a campaign's ranked contestants."""

    rankings: tuple[Ranking, ...]  # by kind of puzzle
    groups: tuple[GroupScore, ...]  # scores of the groups, if there are several
    pairs: tuple[PairComparison, ...]  # all pairs of contestants, in their order
    fits: tuple[Fit, ...]  # growth by contestant and family
    walls: tuple[Wall, ...]  # exponential growth by family and group


def analyse(table: Table) -> Analysis:
    """Return the analysis of a table of times."""
    grown, groups = fits(table), group_scores(table)
    return Analysis(
        rankings=tuple(_ranking(kind, table.of_kind(kind)) for kind in table.kinds),
        groups=tuple(groups) if len(groups) > 1 else (),
        pairs=tuple(paired(table)),
        fits=tuple(grown),
        walls=tuple(find_walls(table, grown)),
    )


def _ranking(kind: str, part: Table) -> Ranking:
    def order(score: Score) -> tuple[bool, float, int]:
        points = score.par2 if score.par2_common is None else score.par2_common
        return score.par2_common is None, points or 0.0, -score.solved

    asked = (score for score in scores(part) if score.asked)
    return Ranking(kind=kind, scores=tuple(sorted(asked, key=order)), portfolio=portfolio(part))
