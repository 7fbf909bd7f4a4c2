"""Curves of times: over the puzzles that a contestant solves, and over their size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslit.campaigns.analysis.growth import Fit
from crosslit.campaigns.analysis.intervals import medians
from crosslit.campaigns.figures.style import (
    FAINT,
    FLOOR,
    INK,
    TWO_COLUMNS,
    Look,
    handle,
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
    whole_numbers,
)
from crosslit.campaigns.results.table import Table
from crosslit.numbers import format_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

_FIT: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (4, 3)), "alpha": 0.6}
_MIN_CROWD = 10  # contestants; where there are more, the best few are emphasised
_MAX_EMPHASISED = 6
_MAX_MARKS = 1500  # in a drawing of lines; more are drawn as pixels, for the file would grow beyond use


def cactus(table: Table, width: float = TWO_COLUMNS) -> Figure:
    """How many puzzles each contestant solves if it has so many seconds for each: further right is better.

    A line for each contestant, its times in order, and a dashed one for the virtual best solver, who takes for every
    puzzle the time of the fastest that is not disqualified. The legend has the order of the lines' ends and says how
    many each solved, and of how many where it was not asked all. Those who are disqualified are faint, come last, and
    are called wrong.

    Args:
        table: the times; of all contestants.
        width: of the figure, in inches.

    Raises:
        Unavailable: if Matplotlib is not installed.
    """
    with settings():
        entries = len(table.entries)
        figure, axes = new_figure(
            width, height_for(width, len(table.contestants) + 2, 2.9), "Puzzles solved within a time per puzzle"
        )
        if not table.seconds.size:
            only_say(axes, "no times to show")
            return figure
        curves = [_in_order(table.seconds[:, at]) for at in range(len(table.contestants))]
        styles = looks(table.contestants)
        order = sorted(
            range(len(curves)), key=lambda at: (styles[at].wrong, -len(curves[at]), float(curves[at].sum()), at)
        )
        ranked = table.ranked.seconds
        best = _in_order(np.fmin.reduce(ranked, axis=1, initial=np.inf) if ranked.size else np.array([]))
        handles: list[Line2D] = []
        for place, at in enumerate(order):
            strength = _strength(styles[at], place < _MAX_EMPHASISED or len(curves) <= _MIN_CROWD)
            _curve(axes, curves[at], styles[at], 10 - place / len(order), strength)
            handles.append(handle(styles[at], **strength))
        (virtual,) = axes.plot(
            range(1, len(best) + 1),
            best,
            color="black",
            linestyle=(0, (3, 1.5)),
            linewidth=1.7,
            label="vbs",
            zorder=1.5,
        )
        low, high = span(table)
        _limit_line(axes, table.limit, low, high)
        axes.set_xlim(0, entries * 1.02 + 0.2)
        whole_numbers(axes)
        axes.set_xlabel(f"puzzles solved, of {entries}")
        axes.set_ylabel(measured(table))
        asked = (~np.isnan(table.seconds)).sum(axis=0)
        counts = [f"{len(curves[at])}{f' of {asked[at]}' * bool(asked[at] < entries)}" for at in range(len(curves))]
        names = [f"{styles[at].name}{' (wrong)' * styles[at].wrong}: {counts[at]}" for at in order]
        key(figure, [virtual, *handles], [f"virtual best: {len(best)}", *names], "puzzles solved by")
        return figure


def scaling(table: Table, family: str, fits: Sequence[Fit] = (), width: float = TWO_COLUMNS) -> Figure:
    """How the time of each contestant grows with the size of the puzzles of a family.

    The line goes through the medians of those sizes of which it solved more than half; each small mark is a puzzle,
    beside its size so that contestants do not cover each other; each hollow triangle, above the limit, one that was
    not solved. A fit that grows is a thin, pale dashed line over the sizes that it was made from.

    Args:
        table: the times; of all contestants.
        family: whose puzzles.
        fits: those of other families and contestants are left out.
        width: of the figure, in inches.

    Raises:
        Unavailable: if Matplotlib is not installed.
    """
    part = table.of_family(family)
    asked = [at for at in range(len(part.contestants)) if not np.isnan(part.seconds[:, at]).all()]
    title = f"Growth with size: {literal(family) or 'puzzles'}"
    with settings():
        figure, axes = new_figure(width, height_for(width, len(asked) + 3, 2.9), title)
        axes.set_title(title)
        if not part.entries or not asked:
            only_say(axes, "no times to show")
            return figure
        styles = looks(part.contestants)
        sizes = np.array([entry.size for entry in part.entries], float)
        low, high = span(part)
        order = sorted(asked, key=lambda at: (styles[at].wrong, *_end(sizes, part.seconds[:, at]), at))
        # Triangles lie above the limit, in a band of their own.
        above = high * (high / low) ** 0.05
        marks = int((~np.isnan(part.seconds)).sum())
        step = np.diff(np.unique(sizes)).min(initial=np.inf)
        step = float(step) if np.isfinite(step) else 1.0
        for place, at in enumerate(order):
            beside = step * 0.6 * ((place + 0.5) / len(order) - 0.5)
            _growth(axes, sizes, part.seconds[:, at], styles[at], beside, above, marks > _MAX_MARKS)
        by_label = {part.contestants[at].label: at for at in asked}
        drawn = [
            _fitted(axes, fit, styles[by_label[fit.contestant]], high)
            for fit in fits
            if fit.family == family and fit.contestant in by_label
        ]
        _limit_line(axes, part.limit, low, above * (high / low) ** 0.02)
        axes.set_xlim(float(sizes.min()) - step * 0.6, float(sizes.max()) + step * 0.6)
        if (sizes == np.round(sizes)).all():
            whole_numbers(axes)
        axes.set_xlabel("size")
        axes.set_ylabel(measured(part))
        handles = [handle(styles[at], **_strength(styles[at], True)) for at in order]
        names = [f"{styles[at].name}{' (wrong)' * styles[at].wrong}" for at in order]
        unsolved, fitted = _samples()
        if np.isposinf(part.seconds).any():
            handles, names = [*handles, unsolved], [*names, "not solved"]
        if any(drawn):
            handles, names = [*handles, fitted], [*names, "fit"]
        key(figure, handles, names, "median of")
        return figure


def _in_order(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sort(np.maximum(seconds[np.isfinite(seconds)], FLOOR))


def _strength(look: Look, emphasised: bool) -> dict[str, Any]:
    if look.wrong:
        return {"alpha": 0.4, "linewidth": 0.8, "markersize": 3.0}
    return {"alpha": 1.0, "linewidth": 1.3} if emphasised else {"alpha": 0.6, "linewidth": 0.8, "markersize": 3.0}


def _curve(axes: Axes, times: NDArray[np.float64], look: Look, order: float, strength: dict[str, Any]) -> None:
    """A line of the cactus plot; marks at each end and at most a dozen between."""
    every = max(1, math.ceil(len(times) / 12))
    last = len(times) - 1
    axes.plot(
        range(1, len(times) + 1),
        times,
        color=look.colour,
        marker=look.marker,
        linestyle=look.line,
        markevery=sorted({*range(last % every, len(times), every), last} if len(times) else []),
        zorder=order,
        label="curve",
        **strength,
    )


def _limit_line(axes: Axes, limit: float, low: float, high: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(low, high * (high / low) ** 0.06)
    shown = math.isfinite(limit) and limit > low
    seconds_axis(axes.yaxis, low, high, (limit, f"limit {format_seconds(limit)}") if shown else None, room=0.04)
    if shown:
        axes.axhline(limit, color=INK, linewidth=0.7, linestyle=(0, (1, 2)), label="limit", zorder=1)


def _end(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> tuple[float, float]:
    """Where a line ends, so that sorting gives the order of the ends from above."""
    xs, middle = _medians(sizes, seconds)
    if not len(xs):
        return -math.inf, 0
    asked = float(sizes[seconds == seconds].max())
    return (float(xs[-1]) if float(xs[-1]) < asked else math.inf), -float(middle[-1])


def _medians(
    sizes: NDArray[np.float64], seconds: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sizes of which more than half was solved, and the median there."""
    asked = ~np.isnan(seconds)
    xs = np.unique(sizes[asked])
    middle = np.array([medians(seconds[asked & (sizes == x)]) for x in xs])
    solved = np.isfinite(middle)
    return xs[solved], np.maximum(middle[solved], FLOOR)


def _growth(
    axes: Axes,
    sizes: NDArray[np.float64],
    seconds: NDArray[np.float64],
    look: Look,
    beside: float,
    above: float,
    pixels: bool,
) -> None:
    """One contestant: the medians, the puzzles, and those not solved."""
    faint = 0.4 if look.wrong else 1.0
    solved, unsolved = np.isfinite(seconds), np.isposinf(seconds)
    xs, middle = _medians(sizes, seconds)
    axes.plot(
        xs, middle, color=look.colour, marker=look.marker, linestyle=look.line, zorder=3, label="median", alpha=faint
    )
    small: dict[str, Any] = {"linestyle": "", "color": look.colour, "rasterized": pixels}
    axes.plot(
        sizes[solved] + beside,
        np.maximum(seconds[solved], FLOOR),
        marker=look.marker,
        markersize=1.9,
        alpha=0.45 * faint,
        markeredgewidth=0,
        zorder=2,
        label="puzzles",
        **small,
    )
    axes.plot(
        sizes[unsolved] + beside,
        np.full(int(unsolved.sum()), above),
        marker="^",
        markersize=3.2,
        markerfacecolor="none",
        markeredgewidth=0.6,
        alpha=faint,
        zorder=2,
        label="unsolved",
        **small,
    )


def _fitted(axes: Axes, fit: Fit, look: Look, high: float) -> bool:
    """A line over the sizes of a fit that grows; whether there is anything of it to see."""
    if fit.model in (None, "flat"):
        return False
    xs = np.linspace(fit.smallest, fit.largest, 40)
    ys = np.array([fit.predict(float(x)) for x in xs], dtype=float)
    shown = np.isfinite(ys) & (ys >= FLOOR) & (ys <= high)
    if shown.any():
        axes.plot(xs[shown], ys[shown], color=look.colour, label="fit", zorder=2.5, **_FIT)
    return bool(shown.any())


def _samples() -> tuple[Line2D, Line2D]:
    from matplotlib.lines import Line2D

    hollow = {"marker": "^", "markerfacecolor": "none", "markeredgewidth": 0.6}
    unsolved = Line2D([], [], linestyle="", color=FAINT, **hollow)  # type: ignore[arg-type]
    return unsolved, Line2D([], [], color=FAINT, **_FIT)
