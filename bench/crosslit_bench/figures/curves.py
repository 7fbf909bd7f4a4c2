"""Figures and their files (cactus plots, time against size, pairs); the same times give the same bytes."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, combinations, zip_longest
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from crosslit.base.numbers import format_seconds
from crosslit.kinds import all_kinds
from crosslit_bench.analysis.growth import Fit, medians_by_size
from crosslit_bench.analysis.scores import beats, virtual_best
from crosslit_bench.figures.style import (
    FAINT,
    FLOOR,
    INK,
    MARKERS,
    ONE_COLUMN,
    TWO_COLUMNS,
    Look,
    distinct,
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
from crosslit_bench.results.frame import MEASURES, TimeTable

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


def cactus(table: TimeTable, width: float = TWO_COLUMNS, noun: str = "puzzles") -> Figure:
    """Draw the cactus plot: the number of puzzles that each contestant solves within a time; further right is better.

    Each contestant has a line through its sorted times; a dashed line is the virtual best solver. The legend follows
    the order of the lines' ends and shows the number of solved puzzles, and the number of puzzles that a contestant was
    asked, if it was not asked all; those that were asked none are left out. Disqualified contestants are faint, last
    and marked as wrong. The width is in inches.
    """
    with settings():
        entries, styles = len(table.entries), looks(table.contestants)
        asked = (~np.isnan(table.seconds)).sum(axis=0)
        height = height_for(width, int((asked > 0).sum()) + 2, 2.9)
        figure, axes = new_figure(width, height, f"{noun[0].upper()}{noun[1:]} solved within a time per puzzle")
        if not table.seconds.size:
            write_instead(axes, "no times to show")
            return figure
        curves = [_in_order(column) for column in table.seconds.T]
        order = sorted(
            np.flatnonzero(asked).tolist(),
            key=lambda index: (styles[index].wrong, -len(curves[index]), curves[index].sum(), index),
        )
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
        axes.set_xlabel(f"{noun} solved, of {entries}")
        axes.set_ylabel(f"{MEASURES[table.measure]} per puzzle")
        legend(figure, handles, texts, "puzzles solved by")
        return figure


def scaling(table: TimeTable, family: str, fits: Sequence[Fit] = (), width: float = TWO_COLUMNS) -> Figure:
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


def _marks(axes: Axes, part: TimeTable, index: int, look: Look, aside: float, above: float, pixels: bool) -> None:
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


# Paul Tol's "high-contrast" scheme, whose lightness differs in black and white; distinct from the hues of contestants
_COLOURS = ("#004488", "#BB5566", "#DDAA33", "#000000")
_MAX_PAIRS = 6
_MAX_MARKERS = 10  # families with separate markers
_MAX_POINTS = 300  # vector marks; more are rasterised, because the file would get too large


def scatter(table: TimeTable, a: int, b: int) -> Figure:
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
                rasterized=len(table.entries) > _MAX_POINTS,
            )
        axes.set_title(f"{MEASURES[table.measure]} per puzzle")
        axes.set_xlabel(f"{names[0]}\nwins {int(beats(xs, ys).sum())}, above the diagonal")
        axes.set_ylabel(f"{names[1]}\nwins {int(beats(ys, xs).sum())}, below the diagonal")
        if len(present) > 1:
            legend(figure, handles, distinct([family or "(no family)" for family in present], 28))
        return figure


def pairs_of(table: TimeTable) -> list[tuple[int, int]]:
    """Return up to six pairs of contestants to draw, by their indices in the table; kinds of puzzles take turns.

    On each kind, contestants are ranked by the number of solved puzzles, then by their total time; disqualified ones
    are left out. First come pairs of the best of each group, then the best of all with each other contestant, in order
    of rank. Pairs without a common puzzle are left out.
    """
    turns = zip_longest(*(_pairs_of_kind(table.of_kind(kind)) for kind in table.kinds))
    return list(dict.fromkeys(filter(None, chain.from_iterable(turns))))[:_MAX_PAIRS]


def _pairs_of_kind(table: TimeTable) -> list[tuple[int, int]]:
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
    return [pair for pair in dict.fromkeys(wanted) if not np.isnan(seconds[:, pair]).any(axis=1).all()]


def _marked(table: TimeTable) -> list[str]:
    """Return the family of each puzzle, with the last families combined if there are too many."""
    families = table.families
    kept = set(families if len(families) <= _MAX_MARKERS else families[: _MAX_MARKERS - 1])
    other = f"{len(families) - len(kept)} other families"
    return [entry.family if entry.family in kept else other for entry in table.entries]


def _field(axes: Axes, table: TimeTable) -> float:
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


Kind = Literal["cactus", "scaling", "scatter"]
_MAX_FAMILIES = 12  # families whose growth is drawn
# without Matplotlib's version and the date, so that the same figure gives the same bytes
_NAMELESS = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NAMELESS_PDF = dict.fromkeys(("CreationDate", "Creator", "Producer"))
_PIXELS = 220  # per inch, for rasterised marks
_SHAPES = re.compile(r"<(?:path|use)\b[^>]*>")
_LONG = re.compile(r"(\d\.\d\d)\d+")


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A figure with its texts."""

    kind: Kind
    slug: str  # unique name for a file or an anchor, of lower-case letters, digits and hyphens
    caption: str  # title in plain text
    figure: Figure
    alt: str  # description of its content for readers who cannot see it
    family: str = ""  # family whose growth it shows; empty for other kinds

    def _repr_svg_(self) -> str:
        return svg_text(self.figure)


def figures_of(table: TimeTable, fits: Sequence[Fit] = (), width: float = TWO_COLUMNS) -> list[Plot]:
    """Return the figures of a campaign: a cactus plot for each kind of puzzle, growth by family, and scatter plots.

    Growth is drawn for the first 12 families with puzzles of more than one size. `pairs_of` selects the pairs. Pairs
    have the width `ONE_COLUMN`, the other figures the given one, in inches.
    """
    found: list[Plot] = []
    taken: set[str] = set()

    def add(kind: Kind, figure: Figure, alt: str, *about: str, family: str = "") -> None:
        name = slug("-".join((kind, *about)), taken)
        taken.add(name)
        found.append(Plot(kind=kind, slug=name, caption=str(figure.get_label()), figure=figure, alt=alt, family=family))

    labels = [contestant.label for contestant in table.contestants]
    kinds = table.kinds if len(table.kinds) > 1 else ()  # with one kind, its plot is just called "cactus"
    for kind, part in [(kind, table.of_kind(kind)) for kind in kinds] or [("", table)]:
        noun = all_kinds()[kind].puzzle.plural if kind else "puzzles"
        asked, solved = (~np.isnan(part.seconds)).sum(axis=0), np.isfinite(part.seconds).sum(axis=0)
        counts = ", ".join(f"{labels[index]} {solved[index]} of {asked[index]}" for index in np.flatnonzero(asked))
        alt = f"Cactus plot: {noun} solved within a time. At the limit: {counts}."
        add("cactus", cactus(part, width, noun), alt, *filter(None, [kind]))
    sizes = {family: {entry.size for entry in table.entries if entry.family == family} for family in table.families}
    for family in [family for family, some in sizes.items() if len(some) > 1][:_MAX_FAMILIES]:
        alt = f"Time against size for {family}, with fitted curves and the limit."
        add("scaling", scaling(table, family, fits, width), alt, family, family=family)
    for a, b in pairs_of(table):
        alt = f"Scatter plot: the time of {labels[a]} against that of {labels[b]}, a point for each puzzle."
        add("scatter", scatter(table, a, b), alt, labels[a], labels[b])
    return found


def figure_files(
    table: TimeTable, fits: Sequence[Fit], on_start: Callable[[str], None] = lambda _: None
) -> dict[str, bytes]:
    """Return the figures of a table as SVG and PDF, by names of files; a function is called with each name before."""
    files: dict[str, bytes] = {}
    for drawn in figures_of(table, fits):
        on_start(drawn.slug)
        files[f"{drawn.slug}.svg"] = svg_text(drawn.figure).encode()
        files[f"{drawn.slug}.pdf"] = pdf_bytes(drawn.figure)
    return files


def svg_text(figure: Figure) -> str:
    """Return a figure as a self-contained SVG document, with text as text."""
    # Two decimals of a point are finer than any screen or printer, and halve the size. Text cannot contain a bare "<".
    return _SHAPES.sub(lambda tag: _LONG.sub(r"\1", tag[0]), _drawn(figure, "svg", _NAMELESS).decode())


def pdf_bytes(figure: Figure) -> bytes:
    """Return a figure as a PDF document with embedded fonts."""
    return _drawn(figure, "pdf", _NAMELESS_PDF)


def _drawn(figure: Figure, form: str, metadata: Any) -> bytes:
    file = io.BytesIO()
    with settings():
        backend: Any = import_module(f"matplotlib.backends.backend_{form}")
        figure.set_dpi(_PIXELS)  # again for each file, because drawing changes it
        # not `savefig`, which draws everything twice
        getattr(backend.FigureCanvas(figure), f"print_{form}")(file, metadata=metadata)
        figure.set_layout_engine("none")  # keeps the layout, so that the next file is the same
    return file.getvalue()


def slug(name: str, taken: set[str]) -> str:
    """Return an unused name for a file.

    >>> slug("../Böse Namen$", set()), slug("scatter-a+b", {"scatter-a-b"})
    ('b-se-namen', 'scatter-a-b-2')
    """
    base = re.sub(r"[^a-z0-9]+", "-", name.lower())[:80].strip("-") or "figure"
    found, count = base, 1
    while found in taken:
        count += 1
        found = f"{base}-{count}"
    return found
