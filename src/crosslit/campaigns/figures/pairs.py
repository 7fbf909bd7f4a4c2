"""Two contestants puzzle by puzzle."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

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
    literal,
    looks,
    measured,
    new_figure,
    only_say,
    seconds_axis,
    settings,
    span,
)
from crosslit.campaigns.table import Table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

# Paul Tol's "high-contrast" scheme, which keeps its order of lightness in black and white; not the hues of contestants.
_COLOURS = ("#004488", "#BB5566", "#DDAA33", "#000000")
_MOST_FAMILIES = 10  # with a marker of their own


def scatter(table: Table, a: int, b: int) -> Figure:
    """The time of one contestant against that of another, a mark for every puzzle that both were asked.

    What one of them did not solve lies on a line of its own at the edge. The dashed diagonal is equal time, the dotted
    ones are a factor of ten. At the corners: on how many puzzles the one of that corner wins by more than makes a tie
    (`crosslit.campaigns.analysis.pairs.beats`). The marker tells the family.

    Args:
        table: the times; of all contestants.
        a: the number of the column whose times are drawn to the right.
        b: of the one whose times are drawn upwards.

    Raises:
        IndexError: if there are no such columns.
        Unavailable: if Matplotlib is not installed.
    """
    import numpy as np

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
            )
            handles.append(drawn)
        axes.set_xlabel(f"{names[0]}\n{measured(table)}")
        axes.set_ylabel(f"{names[1]}\n{measured(table)}")
        _wins(axes, (names[0], int(beats(xs, ys).sum())), (names[1], int(beats(ys, xs).sum())))
        if keyed:
            key(figure, handles, distinct([family or "(no family)" for family in present], 28))
        return figure


def pairs_of(table: Table, most: int = 6) -> list[tuple[int, int]]:
    """The pairs of contestants most worth a figure, by their numbers in the table.

    Contestants are ranked by how many puzzles they solved, then by the time that took; those who are disqualified have
    no rank. First come the best of all against the best of every other group, then the bests of groups against each
    other, then the best of all against the others, all by rank; pairs that were asked no common puzzle are left out.

    Args:
        table: the times.
        most: so many pairs at most.
    """
    import numpy as np

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
    return common[:most]


def scatters(table: Table, most: int = 6) -> list[Figure]:
    """A scatter plot of each pair that `pairs_of` finds worth showing.

    Raises:
        Unavailable: if Matplotlib is not installed.
    """
    return [scatter(table, a, b) for a, b in pairs_of(table, most)]


def _marked(table: Table) -> list[str]:
    """The family of each puzzle; where there are too many, the last ones together."""
    families = table.families
    kept = set(families if len(families) <= _MOST_FAMILIES else families[: _MOST_FAMILIES - 1])
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
    import numpy as np

    return np.where(np.isposinf(seconds), edge, np.maximum(seconds, FLOOR))


def _wins(axes: Axes, right: tuple[str, int], upwards: tuple[str, int]) -> None:
    """How often each was faster: above the diagonal it is the one whose times are drawn to the right.

    The words are outside the corners, for the marks of who is always faster lie just within.
    """
    (one, its), (other, theirs) = ((literal(name, 22), wins) for name, wins in (right, upwards))
    axes.text(0, 1.01, f"{one} wins {its}", transform=axes.transAxes, fontsize=6, va="bottom")
    axes.text(1.01, 0, f"{other} wins {theirs}", transform=axes.transAxes, fontsize=6, va="bottom", rotation=90)
