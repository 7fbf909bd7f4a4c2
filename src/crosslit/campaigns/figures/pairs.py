"""Two contestants puzzle by puzzle."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from crosslit.campaigns.analysis.pairs import beats
from crosslit.campaigns.figures.style import (
    FAINT,
    FLOOR,
    INK,
    MARKERS,
    ONE_COLUMN,
    distinct,
    height_for,
    key,
    looks,
    measured,
    new_figure,
    only_say,
    seconds_axis,
    settings,
    span,
)
from crosslit.campaigns.results.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

# Paul Tol's "high-contrast" scheme, which keeps its order of lightness in black and white; not the hues of contestants.
_COLOURS = ("#004488", "#BB5566", "#DDAA33", "#000000")
_MAX_PAIRS = 6
_MAX_FAMILIES = 10  # with a marker of their own
_MAX_MARKS = 300  # in a drawing of lines; more are drawn as pixels, for the file would grow beyond use


def scatter(table: Table, a: int, b: int) -> Figure:
    """The time of one contestant against that of another, a mark for every puzzle that both were asked.

    What one of them did not solve lies on a line of its own at the edge. The dashed diagonal is equal time, the dotted
    ones are a factor of ten. At the axes: on how many puzzles each wins by more than makes a tie
    (`crosslit.campaigns.analysis.pairs.beats`), and on which side of the diagonal these are. The marker tells the
    family.

    Args:
        table: the times; of all contestants.
        a: the number of the column whose times are drawn to the right.
        b: of the one whose times are drawn upwards.

    Raises:
        IndexError: if there are no such columns.
        Unavailable: if Matplotlib is not installed.
    """
    with settings():
        styles = looks(table.contestants)
        names = [f"{styles[at].name}{' (wrong)' * styles[at].wrong}" for at in (a, b)]
        xs, ys = table.seconds[:, a], table.seconds[:, b]
        both = ~(np.isnan(xs) | np.isnan(ys))
        families = _marked(table)
        present = [family for family in dict.fromkeys(families) if both[[one == family for one in families]].any()]
        keyed = len(present) > 1
        width = ONE_COLUMN
        height = height_for(width, (len(present) + 1) // 2, 3.2) if keyed else 3.2
        figure, axes = new_figure(width, height, f"{names[0]} against {names[1]}")
        if not both.any():
            only_say(axes, "no puzzle that both were asked")
            return figure
        edge = _field(axes, table)
        handles: list[Line2D] = []
        order = list(dict.fromkeys(families))
        for family in present:
            at, of = order.index(family), both & np.array([one == family for one in families])
            (drawn,) = axes.plot(
                _placed(xs[of], edge),
                _placed(ys[of], edge),
                linestyle="",
                marker=MARKERS[at % len(MARKERS)],
                markersize=3.4 if len(table.entries) <= 150 else 2.4,
                color=_COLOURS[at % len(_COLOURS)],
                markerfacecolor="none" if at % 2 else _COLOURS[at % len(_COLOURS)],
                markeredgewidth=0.6,
                alpha=0.75,
                label="puzzles",
                zorder=3,
                clip_on=False,
                rasterized=len(table.entries) > _MAX_MARKS,
            )
            handles.append(drawn)
        axes.set_title(measured(table))
        axes.set_xlabel(f"{names[0]}\nwins {int(beats(xs, ys).sum())}, above the diagonal")
        axes.set_ylabel(f"{names[1]}\nwins {int(beats(ys, xs).sum())}, below the diagonal")
        if keyed:
            key(figure, handles, distinct([family or "(no family)" for family in present], 28))
        return figure


def pairs_of(table: Table) -> list[tuple[int, int]]:
    """The pairs of contestants most worth a figure, by their numbers in the table.

    Contestants are ranked by how many puzzles they solved, then by the time that took; those who are disqualified have
    no rank. First come the best of all against the best of every other group, then the bests of groups against each
    other, then the best of all against the others, all by rank, six in all; pairs that were asked no common
    puzzle are left out.

    Args:
        table: the times.
    """
    seconds = table.seconds

    def rank(at: int) -> tuple[int, float, int]:
        solved = seconds[np.isfinite(seconds[:, at]), at]
        return -len(solved), float(solved.sum()), at

    order = sorted((at for at, one in enumerate(table.contestants) if not one.disqualified), key=rank)
    bests: dict[str, int] = {}
    for at in order:
        bests.setdefault(table.contestants[at].group, at)
    wanted = [*combinations(bests.values(), 2), *((order[0], at) for at in order[1:])]
    common = [pair for pair in dict.fromkeys(wanted) if not np.isnan(seconds[:, pair]).any(axis=1).all()]
    return common[:_MAX_PAIRS]


def _marked(table: Table) -> list[str]:
    """The family of each puzzle; where there are too many, the last ones together."""
    families = table.families
    kept = set(families if len(families) <= _MAX_FAMILIES else families[: _MAX_FAMILIES - 1])
    other = f"{len(families) - len(kept)} other families"
    return [entry.family if entry.family in kept else other for entry in table.entries]


def _field(axes: Axes, table: Table) -> float:
    """Axes, diagonals and edges; where the edge of the unsolved is."""
    low, high = span(table)
    edge: float = high * (high / low) ** 0.09
    end = edge * (high / low) ** 0.05
    for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        scale("log")
        seconds_axis(axis, low, high, (edge, "unsolved"), room=0.18, most=6)
    axes.set_xlim(low, end)
    axes.set_ylim(low, end)
    axes.set_aspect("equal")
    for line in (axes.axvline, axes.axhline):
        line(edge, color=INK, linewidth=0.7, label="edge", zorder=1)
    for factor, dashes in ((1.0, (0, (5, 2))), (10.0, (0, (1, 2))), (0.1, (0, (1, 2)))):
        start, stop = max(low, low / factor), min(high, high / factor)
        if start < stop:
            axes.plot([start, stop], [start * factor, stop * factor], color=FAINT, linewidth=0.7, linestyle=dashes)
    return edge


def _placed(seconds: NDArray[np.float64], edge: float) -> NDArray[np.float64]:
    return np.where(np.isposinf(seconds), edge, np.maximum(seconds, FLOOR))
