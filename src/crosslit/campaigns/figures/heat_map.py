"""All times at a glance: a coloured cell for each contestant on each puzzle."""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslit.campaigns.figures.style import (
    FAINT,
    FLOOR,
    TWO_COLUMNS,
    distinct,
    literal,
    looks,
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

_MAX_ROWS = 48
_MAX_CELLS = 250  # drawn as lines; more are drawn as pixels
_SLASH = (2, 2, -45)
_UNSOLVED, _FEW = "#2b2b2b", "#8c8c8c"


def heat(table: Table, width: float = TWO_COLUMNS) -> Figure:
    """The time of every contestant (columns) on every puzzle (rows): the darker, the slower.

    With more than 48 puzzles, a row is all of a family and a size, and a cell their median; where that leaves more than
    48 rows still, neighbouring sizes share one, and in the end the last families. Nearly black with a slash: none
    solved. Grey with a dot: some solved, but less than half. White: not asked. Crossed out: disqualified.

    Args:
        table: the times; of all contestants.
        width: of the figure, in inches.

    Raises:
        Unavailable: if Matplotlib is not installed.
    """
    with settings():
        rows = _rows(table)
        height = 1.6 + 0.125 * max(len(rows), 4)
        figure, axes = new_figure(width, height, "Time of every contestant on every puzzle")
        if not table.seconds.size:
            only_say(axes, "no times to show")
            return figure
        cells = np.full((len(rows), len(table.contestants)), np.nan)
        few = np.zeros(cells.shape, bool)
        for at, (_, members) in enumerate(rows):
            part = table.seconds[members]
            for column in range(cells.shape[1]):
                asked = part[~np.isnan(part[:, column]), column]
                if asked.size:
                    cells[at, column] = np.quantile(asked, 0.5, method="higher")
                    few[at, column] = np.isposinf(cells[at, column]) and np.isfinite(asked).any()
        handles, words = _cells(figure, axes, table, cells, few)
        styles = looks(table.contestants)
        axes.xaxis.tick_top()
        axes.set_xticks(range(len(styles)), [f"{one.name}{' (wrong)' * one.wrong}" for one in styles])
        axes.tick_params(axis="x", labelrotation=60, length=0)
        for text in axes.get_xticklabels():
            text.set(ha="left", va="center", rotation_mode="anchor")
        axes.set_yticks(range(len(rows)), distinct([name for name, _ in rows], 30), fontsize=6)
        axes.tick_params(axis="y", length=0)
        if len(rows) < len(table.entries):
            axes.set_xlabel(f"median of the puzzles of a row; {len(table.entries)} puzzles in all")
        _key_below(figure, handles, words)
        return figure


def _key_below(figure: Figure, samples: list[tuple[Line2D, ...]], words: list[str]) -> None:
    """The legend of the cells that have no colour of the scale."""
    from matplotlib.legend_handler import HandlerTuple

    if samples:
        handles: list[Any] = list(samples)  # of tuples, which Matplotlib's types do not know
        figure.legend(
            handles,
            words,
            loc="outside lower center",
            ncols=len(samples) if figure.get_figwidth() > 5 else 1,
            handlelength=1.2,
            handler_map={tuple: HandlerTuple(ndivide=1)},
        )


def _cells(
    figure: Figure, axes: Axes, table: Table, cells: NDArray[np.float64], few: NDArray[np.bool_]
) -> tuple[list[tuple[Line2D, ...]], list[str]]:
    """The cells and their marks; samples of those that need to be explained."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap, LogNorm

    low, high = span(table)
    pixels = cells.size > _MAX_CELLS
    edges = [np.arange(count + 1) - 0.5 for count in reversed(cells.shape)]
    look: dict[str, Any] = {"edgecolors": "none", "rasterized": pixels}
    solved = np.ma.masked_where(~np.isfinite(cells), np.maximum(cells, FLOOR))
    colours = mpl.colormaps["viridis_r"]
    mesh = axes.pcolormesh(*edges, solved, norm=LogNorm(low, high), cmap=colours, label="times", **look)
    unsolved = np.isposinf(cells)
    axes.pcolormesh(
        *edges, np.ma.masked_where(~unsolved, few), cmap=ListedColormap([_UNSOLVED, _FEW]), vmin=0, vmax=1, **look
    )
    axes.invert_yaxis()
    axes.grid(False)
    axes.spines[:].set_visible(False)
    for at in edges[0][1:-1]:
        axes.axvline(at, color="white", linewidth=0.6)
    for at in edges[1][1:-1]:
        axes.axhline(at, color="white", linewidth=0.6)
    bar = figure.colorbar(mesh, ax=axes, fraction=0.03, pad=0.01, aspect=30)
    if bar.solids is not None:
        bar.solids.set_rasterized(True)  # 256 shapes otherwise
    bar.outline.set_visible(False)
    seconds_axis(bar.ax.yaxis, low, high)
    wrong = np.array([bool(one.disqualified) for one in table.contestants])
    asked = ~np.isnan(cells)
    samples, words = [], []
    for chosen, marks, back, said in (
        (unsolved & ~few & ~wrong, [(_SLASH, "white", 0.8)], _UNSOLVED, "none solved"),
        (few & ~wrong, [(".", "white", 0.8)], _FEW, "less than half solved"),
        (asked & wrong, [("x", "white", 2.4), ("x", "#D55E00", 1.0)], "#cccccc", "disqualified: wrong answers"),
        (~asked, [], "white", "not asked"),
    ):
        if chosen.any():
            samples.append(_marked(axes, chosen, marks, back, said))
            words.append(said)
    return samples, words


def _marked(
    axes: Axes, chosen: NDArray[np.bool_], marks: list[tuple[Any, str, float]], back: str, said: str
) -> tuple[Line2D, ...]:
    """Marks on the chosen cells; a sample of such a cell."""
    from matplotlib.lines import Line2D

    ys, xs = np.nonzero(chosen)
    sample = [Line2D([], [], linestyle="", marker="s", markersize=7, color=back, markeredgecolor=FAINT)]
    sample[0].set_markeredgewidth(0.4)
    for marker, colour, width in marks:
        look: dict[str, Any] = {"linestyle": "", "marker": marker, "markersize": 4, "color": colour}
        axes.plot(xs, ys, markeredgewidth=width, label=said, **look)
        sample.append(Line2D([], [], markeredgewidth=width, **look))
    return tuple(sample)


def _rows(table: Table) -> list[tuple[str, list[int]]]:
    """The rows: what each is called, and its puzzles by number."""
    order = {family: at for at, family in enumerate(table.families)}
    puzzles = sorted(
        range(len(table.entries)), key=lambda at: (order[table.entries[at].family], table.entries[at].size)
    )
    if len(puzzles) <= _MAX_ROWS:
        return [(table.entries[at].name, [at]) for at in puzzles]
    families = {family: list(members) for family, members in groupby(puzzles, lambda at: table.entries[at].family)}
    if len(families) > _MAX_ROWS:
        kept = list(families)[: _MAX_ROWS - 1]
        rest = [at for family, members in families.items() if family not in kept for at in members]
        rows = [(family, families[family]) for family in kept]
        return [(_called(name, table, members), members) for name, members in rows] + [
            (f"{len(families) - len(kept)} other families ({len(rest)})", rest)
        ]
    by_size = {
        family: [list(same) for _, same in groupby(members, lambda at: table.entries[at].size)]
        for family, members in families.items()
    }
    if sum(map(len, by_size.values())) > _MAX_ROWS:
        by_size = {family: _merged(sizes, _MAX_ROWS // len(families)) for family, sizes in by_size.items()}
    return [(_called(family, table, members), members) for family, rows in by_size.items() for members in rows]


def _merged(sizes: list[list[int]], most: int) -> list[list[int]]:
    """Neighbours put together, so that there are at most so many."""
    each = -(-len(sizes) // most)
    return [list(chain.from_iterable(sizes[at : at + each])) for at in range(0, len(sizes), each)]


def _called(family: str, table: Table, members: list[int]) -> str:
    """A row of many puzzles: the family, the sizes, how many there are."""
    smallest, largest = (table.entries[at].size for at in (members[0], members[-1]))
    sizes = f"{smallest:g}" if smallest == largest else f"{smallest:g} to {largest:g}"
    return f"{literal(family, 18)} {sizes} ({len(members)})"
