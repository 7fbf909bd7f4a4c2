"""Cactus plots, and plots of time against size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslit.numbers import format_seconds
from crosslit_bench.analysis.families import medians_by_size
from crosslit_bench.analysis.growth import Fit
from crosslit_bench.analysis.scores import virtual_best
from crosslit_bench.figures.style import (
    FAINT,
    FLOOR,
    INK,
    TWO_COLUMNS,
    Look,
    height_for,
    legend,
    literal,
    looks,
    new_figure,
    seconds_axis,
    settings,
    span,
    whole_numbers,
    write_instead,
)
from crosslit_bench.results.frame import MEASURES, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

_FLOOR: dict[str, Any] = {"linewidth": 0.5, "linestyle": (0, (1, 3)), "alpha": 0.8}
_FIT: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (4, 3)), "alpha": 0.6}
_UNSOLVED: dict[str, Any] = {"marker": "^", "linestyle": "", "markerfacecolor": "none", "markeredgewidth": 0.6}
_MIN_CROWD = 10  # contestants; with more of them, only the best `_MAX_EMPHASISED` are emphasised
_MAX_EMPHASISED = 6
_MAX_MARKS = 1500  # vector marks; more are rasterised, because the file would get too large


def cactus(table: Table, width: float = TWO_COLUMNS) -> Figure:
    """Draw the cactus plot: the number of puzzles that each contestant solves within a time; further right is better.

    Each contestant has a line through its sorted times; a dashed line is the virtual best solver. The legend follows
    the order of the lines' ends and shows the number of solved puzzles, and the number of puzzles that a contestant was
    asked, if it was not asked all. Disqualified contestants are faint, last and marked as wrong. The width is in
    inches.
    """
    with settings():
        entries, styles = len(table.entries), looks(table.contestants)
        height = height_for(width, len(styles) + 2, 2.9)
        figure, axes = new_figure(width, height, "Puzzles solved within a time per puzzle")
        if not table.seconds.size:
            write_instead(axes, "no times to show")
            return figure
        curves = [_in_order(column) for column in table.seconds.T]
        order = sorted(
            range(len(curves)), key=lambda index: (styles[index].wrong, -len(curves[index]), curves[index].sum(), index)
        )
        asked = (~np.isnan(table.seconds)).sum(axis=0)
        best = _in_order(virtual_best(table.ranked.seconds))
        xs, dashed = range(1, len(best) + 1), (0, (3, 1.5))
        handles = axes.plot(xs, best, color="black", linestyle=dashed, linewidth=1.7, label="vbs", zorder=1.5)
        texts = [f"virtual best: {len(best)}"]
        for place, index in enumerate(order):
            emphasised = place < _MAX_EMPHASISED or len(curves) <= _MIN_CROWD
            handles.append(_curve(axes, curves[index], styles[index], emphasised, 10 - place / len(order)))
            of = f" of {asked[index]}" if asked[index] < entries else ""
            texts.append(f"{styles[index].title}: {len(curves[index])}{of}")
        low, high = span(table)
        _limit_line(axes, table.limit, low, high)
        axes.set_xlim(0, entries * 1.02 + 0.2)
        whole_numbers(axes)
        axes.set_xlabel(f"puzzles solved, of {entries}")
        axes.set_ylabel(f"{MEASURES[table.measure]} per puzzle")
        legend(figure, handles, texts, "puzzles solved by")
        return figure


def scaling(table: Table, family: str, fits: Sequence[Fit] = (), width: float = TWO_COLUMNS) -> Figure:
    """Draw the time of each contestant against the size of the puzzles in a family.

    The line goes through the medians of the sizes at which it solved more than half of the puzzles. Each small mark is
    a puzzle, moved sideways so that contestants do not cover each other; each hollow triangle, above the limit, is an
    unsolved one. A growing fit of this family is a thin, pale dashed line over its range of sizes.
    """
    part = table.of_family(family)
    asked = np.flatnonzero((~np.isnan(part.seconds)).any(axis=0)).tolist()
    title = f"Growth with size: {literal(family) or 'puzzles'}"
    with settings():
        figure, axes = new_figure(width, height_for(width, len(asked) + 3, 2.9), title)
        axes.set_title(title)
        if not asked:
            write_instead(axes, "no times to show")
            return figure
        styles = looks(part.contestants)
        xs, medians = medians_by_size(part)
        low, high = span(part)
        # Triangles are in a separate band above the limit.
        above = high * (high / low) ** 0.05
        step = float(np.diff(xs).min(initial=np.inf)) if len(xs) > 1 else 1.0
        pixels = int((~np.isnan(part.seconds)).sum()) > _MAX_MARKS

        def end(index: int) -> tuple[bool, int, float]:
            """Return the sort key: lines that end at smaller sizes come first, because they reached the limit there."""
            solved = np.flatnonzero(np.isfinite(medians[:, index]))
            return styles[index].wrong, int(solved[-1]) if len(solved) else -1, -medians[solved[-1:], index].sum()

        order = sorted(asked, key=end)
        handles, texts = [], [styles[index].title for index in order]
        for place, index in enumerate(order):
            aside = step * 0.6 * ((place + 0.5) / len(order) - 0.5)
            _marks(axes, part, index, styles[index], aside, above, pixels)
            solved = np.isfinite(medians[:, index])
            line: dict[str, Any] = {**styles[index].style, "alpha": 0.4 if styles[index].wrong else 1.0, "zorder": 3}
            handles += axes.plot(xs[solved], np.maximum(medians[solved, index], FLOOR), label="median", **line)
        labels = [contestant.label for contestant in part.contestants]
        drawn = [
            _fitted(axes, fit, styles[labels.index(fit.contestant)], high)
            for fit in fits
            if fit.family == family and fit.contestant in labels
        ]
        unsolved = np.isposinf(part.seconds).any()
        floors = any(handle.get_label() == "floor" for handle in axes.collections)
        for is_there, text, style in (
            (unsolved, "not solved", _UNSOLVED),
            (any(drawn), "fit", _FIT),
            (floors, "floor of a fit", _FLOOR),
        ):
            if is_there:
                handles += axes.plot([], [], color=FAINT, **style)
                texts.append(text)
        _limit_line(axes, part.limit, low, above * (high / low) ** 0.02)
        axes.set_xlim(float(xs[0]) - step * 0.6, float(xs[-1]) + step * 0.6)
        if (xs == np.round(xs)).all():
            whole_numbers(axes)
        axes.set_xlabel("size")
        axes.set_ylabel(f"{MEASURES[part.measure]} per puzzle")
        legend(figure, handles, texts, "median of")
        return figure


def _in_order(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sort(np.maximum(seconds[np.isfinite(seconds)], FLOOR))


def _curve(axes: Axes, times: NDArray[np.float64], look: Look, emphasised: bool, order: float) -> Line2D:
    """Draw a line of the cactus plot, with marks at its ends and at most a dozen between."""
    strength: dict[str, Any] = {"alpha": 1.0, "linewidth": 1.3}
    if look.wrong or not emphasised:
        strength = {"alpha": 0.4 if look.wrong else 0.6, "linewidth": 0.8, "markersize": 3.0}
    every, last = max(1, math.ceil(len(times) / 12)), len(times) - 1
    marks = sorted({*range(last % every, len(times), every), last}) if len(times) else []
    xs = range(1, len(times) + 1)
    return axes.plot(xs, times, **look.style, markevery=marks, zorder=order, label="curve", **strength)[0]


def _limit_line(axes: Axes, limit: float, low: float, high: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(low, high * (high / low) ** 0.06)
    shown = math.isfinite(limit) and limit > low
    seconds_axis(axes.yaxis, low, high, (limit, f"limit {format_seconds(limit)}") if shown else None, room=0.04)
    if shown:
        axes.axhline(limit, color=INK, linewidth=0.7, linestyle=(0, (1, 2)), label="limit", zorder=1)


def _marks(axes: Axes, part: Table, index: int, look: Look, aside: float, above: float, pixels: bool) -> None:
    """Draw a mark for each puzzle of a contestant."""
    sizes, seconds = np.array([entry.size for entry in part.entries], float), part.seconds[:, index]
    solved, unsolved = np.isfinite(seconds), np.isposinf(seconds)
    faint = 0.4 if look.wrong else 1.0
    small: dict[str, Any] = {"color": look.colour, "rasterized": pixels, "zorder": 2}
    dots: dict[str, Any] = {"marker": look.marker, "linestyle": "", "markersize": 1.9, "markeredgewidth": 0}
    axes.plot(
        sizes[solved] + aside, np.maximum(seconds[solved], FLOOR), label="puzzles", alpha=0.45 * faint, **dots, **small
    )
    hollow = {**_UNSOLVED, "markersize": 3.2, "alpha": faint}
    axes.plot(sizes[unsolved] + aside, np.full(unsolved.sum(), above), label="unsolved", **hollow, **small)


def _fitted(axes: Axes, fit: Fit, look: Look, high: float) -> bool:
    """Draw a growing fit over its range of sizes; return whether any of it is visible."""
    if fit.model in (None, "flat"):
        return False
    xs = np.linspace(fit.smallest, fit.largest, 40)
    ys = np.array([fit.predict(float(x)) for x in xs], dtype=float)
    shown = np.isfinite(ys) & (ys >= FLOOR) & (ys <= high)
    if shown.any():
        axes.plot(xs[shown], ys[shown], color=look.colour, label="fit", zorder=2.5, **_FIT)
        if fit.floored:
            axes.hlines(fit.floor, fit.smallest, fit.largest, colors=look.colour, label="floor", zorder=1.5, **_FLOOR)
    return bool(shown.any())
