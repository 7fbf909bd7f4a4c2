"""Scatter plots of two contestants."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from crosslit_bench.analysis.pairs import beats
from crosslit_bench.figures.style import (
    FAINT,
    FLOOR,
    INK,
    MARKERS,
    ONE_COLUMN,
    distinct,
    height_for,
    legend,
    looks,
    new_figure,
    seconds_axis,
    settings,
    span,
    write_instead,
)
from crosslit_bench.results.frame import MEASURES, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Paul Tol's "high-contrast" scheme, whose lightness differs in black and white; distinct from the hues of contestants
_COLOURS = ("#004488", "#BB5566", "#DDAA33", "#000000")
_MAX_PAIRS = 6
_MAX_FAMILIES = 10  # families with separate markers
_MAX_MARKS = 300  # vector marks; more are rasterised, because the file would get too large


def scatter(table: Table, a: int, b: int) -> Figure:
    """Draw the times of one contestant against those of another, with a mark for every puzzle that both were asked.

    Contestant ``a``, an index in the table, is on the horizontal axis. Puzzles that one of them did not solve are on a
    line at the edge. The dashed diagonal is equal time, the dotted ones are a factor of ten. The axis labels give the
    number of puzzles that each wins (`beats`) and the side of the diagonal where these are. The marker shows the
    family.
    """
    with settings():
        styles = looks(table.contestants)
        names = [styles[index].title for index in (a, b)]
        xs, ys = table.seconds[:, a], table.seconds[:, b]
        both = ~(np.isnan(xs) | np.isnan(ys))
        families = np.array(_marked(table), dtype=object)
        order = list(dict.fromkeys(families))
        present = [family for family in order if (both & (families == family)).any()]
        height = height_for(ONE_COLUMN, (len(present) + 1) // 2, 3.2) if len(present) > 1 else 3.2
        figure, axes = new_figure(ONE_COLUMN, height, f"{names[0]} against {names[1]}")
        if not both.any():
            write_instead(axes, "no puzzle that both were asked")
            return figure
        edge = _field(axes, table)
        places = [np.where(np.isposinf(seconds), edge, np.maximum(seconds, FLOOR)) for seconds in (xs, ys)]
        handles: list[Line2D] = []
        for family in present:
            index, of = order.index(family), both & (families == family)
            colour = _COLOURS[index % len(_COLOURS)]
            handles += axes.plot(
                places[0][of],
                places[1][of],
                linestyle="",
                marker=MARKERS[index % len(MARKERS)],
                markersize=3.4 if len(table.entries) <= 150 else 2.4,
                color=colour,
                markerfacecolor="none" if index % 2 else colour,
                markeredgewidth=0.6,
                alpha=0.75,
                label="puzzles",
                zorder=3,
                clip_on=False,
                rasterized=len(table.entries) > _MAX_MARKS,
            )
        axes.set_title(f"{MEASURES[table.measure]} per puzzle")
        axes.set_xlabel(f"{names[0]}\nwins {int(beats(xs, ys).sum())}, above the diagonal")
        axes.set_ylabel(f"{names[1]}\nwins {int(beats(ys, xs).sum())}, below the diagonal")
        if len(present) > 1:
            legend(figure, handles, distinct([family or "(no family)" for family in present], 28))
        return figure


def pairs_of(table: Table) -> list[tuple[int, int]]:
    """Return up to six pairs of contestants to draw, by their indices in the table.

    Contestants are ranked by the number of solved puzzles, then by their total time; disqualified ones are left out.
    First come pairs of the best of each group, then the best of all with each other contestant, in order of rank. Pairs
    without a common puzzle are left out.
    """
    seconds = table.seconds

    def rank(index: int) -> tuple[int, float, int]:
        solved = seconds[np.isfinite(seconds[:, index]), index]
        return -len(solved), float(solved.sum()), index

    order = sorted(
        (index for index, contestant in enumerate(table.contestants) if not contestant.disqualified), key=rank
    )
    bests: dict[str, int] = {}
    for index in order:
        bests.setdefault(table.contestants[index].group, index)
    wanted = [*combinations(bests.values(), 2), *((order[0], index) for index in order[1:])]
    common = [pair for pair in dict.fromkeys(wanted) if not np.isnan(seconds[:, pair]).any(axis=1).all()]
    return common[:_MAX_PAIRS]


def _marked(table: Table) -> list[str]:
    """Return the family of each puzzle, with the last families combined if there are too many."""
    families = table.families
    kept = set(families if len(families) <= _MAX_FAMILIES else families[: _MAX_FAMILIES - 1])
    other = f"{len(families) - len(kept)} other families"
    return [entry.family if entry.family in kept else other for entry in table.entries]


def _field(axes: Axes, table: Table) -> float:
    """Draw axes, diagonals and edges; return the coordinate of the edge for unsolved puzzles."""
    low, high = span(table)
    edge: float = high * (high / low) ** 0.09
    end = edge * (high / low) ** 0.05
    axes.set(xscale="log", yscale="log", xlim=(low, end), ylim=(low, end), aspect="equal")
    for axis, line in ((axes.xaxis, axes.axvline), (axes.yaxis, axes.axhline)):
        seconds_axis(axis, low, high, (edge, "unsolved"), room=0.18)
        line(edge, color=INK, linewidth=0.7, label="edge", zorder=1)
    for factor, dashes in ((1.0, (0, (5, 2))), (10.0, (0, (1, 2))), (0.1, (0, (1, 2)))):
        start, stop = max(low, low / factor), min(high, high / factor)
        if start < stop:
            axes.plot([start, stop], [start * factor, stop * factor], color=FAINT, linewidth=0.7, linestyle=dashes)
    return edge
