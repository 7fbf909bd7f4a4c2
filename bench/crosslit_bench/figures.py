"""Figures of a campaign's times by Matplotlib: cactus plots, time against size, and pairs of contestants.

A contestant has the same colour, marker and line in all figures, and keeps them when others are disqualified.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import combinations, cycle
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from crosslit.base.text import format_seconds, one_line
from crosslit.kinds import all_kinds
from crosslit_bench.analysis import Record, beats, predict
from crosslit_bench.results import MEASURES, Entrant, Times

WIDTH, HEIGHT = 6.9, 2.9  # inches: two columns of a paper
FLOOR = 1e-4  # the shortest time drawn: a logarithmic axis has no zero
# of Okabe and Ito (2008), without black for the virtual best solver and yellow, which is hard to see on white
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
MARKERS, LINES = "os^DvPX<>ph*", ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.2, 1, 1.2)))
DOTS, DASHES = (0, (1, 2)), (0, (4, 2))  # the limit; the virtual best solver, fits, equal times
MAX_FAMILIES = 12  # whose growth is drawn
MAX_VECTORS = 1500  # more marks are drawn as pixels
HEAD, TAIL = 17, 16  # characters of a long name in a figure, at its beginning and its end
MARKS = 12  # of a curve
SMALL = 6  # points, of letters
MAX_PAIRED = 3  # contestants of a kind that are drawn in pairs
_MAX_SLUG = 80  # letters of the name of a file


class Plot(NamedTuple):
    """A figure with its kind, a name for a file, a title, and a description for readers who cannot see it."""

    kind: str  # cactus, scaling or scatter
    slug: str
    caption: str
    alt: str
    figure: Figure

    def _repr_svg_(self) -> str:
        return svg_text(self.figure)


@contextmanager
def _style() -> Iterator[None]:
    with mpl.rc_context(fname=Path(__file__).with_name("paper.mplstyle")), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        warnings.filterwarnings("ignore", "Attempting to set identical")  # where nothing was solved
        yield


def _looks(entrants: Sequence[Entrant]) -> dict[str, dict[str, Any]]:
    return {
        entrant.label: {
            "color": hue,
            "marker": marker,
            "linestyle": LINES[place // len(MARKERS) % len(LINES)],
            "alpha": 0.4 if entrant.wrong else 1.0,
        }
        for place, (entrant, hue, marker) in enumerate(zip(entrants, cycle(HUES), cycle(MARKERS), strict=False))
    }


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}…{text[-TAIL:]}"


def _name(label: str, times: Times) -> str:
    return _short(label) + " (wrong)" * any(entrant.label == label and entrant.wrong for entrant in times.entrants)


def _axes(times: Times, xlabel: str, width: float = WIDTH) -> tuple[Figure, Any]:
    figure = Figure((width, HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    axes.set(yscale="log", xlabel=xlabel, ylabel=f"{MEASURES[times.measure]} per puzzle")
    _format_seconds(axes.yaxis)
    axes.axhline(times.limit, color="#222222", linewidth=0.7, linestyle=DOTS, zorder=1)
    text = f" limit {format_seconds(times.limit)}"
    axes.text(1, times.limit, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    return figure, axes


def _format_seconds(axis: Any) -> None:
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_seconds(value)))
    axis.set_minor_locator(NullLocator())


def _add_legend(figure: Figure, handles: Sequence[Any], texts: Sequence[str], title: str) -> None:
    places = map(str, range(len(texts)))  # Matplotlib would omit texts that begin with "_"
    legend = figure.legend(handles, places, loc="outside right upper", title=title, alignment="left")
    for shown, text in zip(legend.get_texts(), texts, strict=True):
        shown.set_text(text)


def cactus(times: Times, noun: str) -> Figure:
    """Draw the number of puzzles that each contestant solves within a time; further right is better."""
    looks, seconds = _looks(times.entrants), times.seconds.clip(lower=FLOOR)
    figure, axes = _axes(times, f"{noun} solved, of {len(seconds)}")
    curves = {label: np.sort(column[np.isfinite(column)]) for label, column in seconds.items() if column.count()}
    best = times.ranked.min(axis=1).clip(lower=FLOOR)
    best = np.sort(best[np.isfinite(best)])
    handles = axes.plot(range(1, len(best) + 1), best, color="black", linestyle=DASHES, linewidth=1.7)
    texts, asked = [f"virtual best: {len(best)}"], seconds.count()
    for label in sorted(curves, key=lambda label: (-len(curves[label]), curves[label].sum())):
        curve = curves[label]
        every = math.ceil(len(curve) / MARKS)
        handles += axes.plot(range(1, len(curve) + 1), curve, **looks[label], markevery=every)
        part = f" of {asked[label]}" if asked[label] < len(seconds) else ""
        texts.append(f"{_name(label, times)}: {len(curve)}{part}")
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    _add_legend(figure, handles, texts, "puzzles solved by")
    return figure


def scaling(times: Times, family: str, fits: Sequence[Record]) -> Figure:
    """Draw the time of each contestant against the size of a family: a mark for each puzzle, medians, and fits."""
    part = times.only("family", family)
    looks, sizes = _looks(times.entrants), part.puzzles["size"]
    figure, axes = _axes(part, "size")
    medians = part.seconds.groupby(sizes).median()
    asked = [label for label, column in part.seconds.items() if column.count()]
    step = np.diff(medians.index).min(initial=np.inf)
    spread = 0.6 * step if math.isfinite(step) else 1.0  # contestants stand side by side within a size
    is_many, handles = part.seconds.size > MAX_VECTORS, []
    for place, label in enumerate(asked):
        aside = spread * ((place + 0.5) / len(asked) - 0.5)
        column, look = part.seconds[label], looks[label]
        mark = {**look, "linestyle": "", "rasterized": is_many, "zorder": 2}
        solved, unsolved = np.isfinite(column), np.isposinf(column)
        dot = {"markersize": 1.9, "markeredgewidth": 0, "alpha": 0.45}
        axes.plot(sizes[solved] + aside, column[solved].clip(lower=FLOOR), **mark | dot)
        late = {"marker": "^", "markersize": 3.2, "markerfacecolor": "none", "markeredgewidth": 0.6}
        axes.plot(sizes[unsolved] + aside, [times.limit * 1.4] * unsolved.sum(), **mark | late)
        shown = medians[label][np.isfinite(medians[label])].clip(lower=FLOOR)
        handles += axes.plot(shown.index, shown, **look)
    for fit in fits:
        if fit["family"] == family and fit["model"] not in (None, "flat"):
            xs = np.linspace(fit["smallest"], fit["largest"], 40)
            ys = predict(fit, xs)
            inside, hue = (ys >= FLOOR) & (ys <= times.limit), looks[fit["backend"]]["color"]
            axes.plot(xs[inside], ys[inside], color=hue, linewidth=0.6, linestyle=DASHES, alpha=0.6)
    axes.set_title(f"Growth with size: {_short(family)}")
    _add_legend(figure, handles, [_name(label, times) for label in asked], "median of")
    return figure


def scatter(times: Times, a: str, b: str) -> Figure:
    """Draw the times of one contestant against another's; puzzles that one of them did not solve are at the edge."""
    both = times.seconds[[a, b]].dropna()
    figure, axes = _axes(times, "", 3.3)
    edge = times.limit * 1.6
    axes.set(xscale="log", aspect="equal", xlim=(FLOOR, edge * 1.4), ylim=(FLOOR, edge * 1.4))
    _format_seconds(axes.xaxis)
    shown = both.clip(lower=FLOOR).replace(math.inf, edge)
    families = times.puzzles["family"].loc[shown.index]
    parts = zip(shown.groupby(families, sort=False), cycle(MARKERS), cycle(HUES), strict=False)
    for (family, part), marker, hue in parts:
        look = {"linestyle": "", "marker": marker, "color": hue, "markersize": 2.6, "alpha": 0.75}
        axes.plot(part[a], part[b], **look, label=f" {_short(family)}", rasterized=len(shown) > MAX_VECTORS)
    axes.plot([FLOOR, edge], [FLOOR, edge], color="#888888", linewidth=0.7, linestyle=DASHES)
    axes.set_xlabel(f"{_name(a, times)}\nwins {int(beats(both[a], both[b]).sum())}, above the diagonal")
    axes.set_ylabel(f"{_name(b, times)}\nwins {int(beats(both[b], both[a]).sum())}, below the diagonal")
    if families.nunique() > 1:
        axes.legend(loc="lower right", fontsize=SMALL)
    return figure


def figures_of(times: Times, fits: Sequence[Record]) -> list[Plot]:
    """Return a cactus plot for each kind of puzzle, growth by family, and the best three of each kind in pairs."""
    found: list[Plot] = []

    def add(kind: str, figure: Figure, caption: str, alt: str, *about: str) -> None:
        slug = re.sub(r"[^a-z0-9]+", "-", "-".join((kind, *about)).lower())[:_MAX_SLUG].strip("-")
        taken = sum(plot.slug == slug or plot.slug.startswith(f"{slug}-no") for plot in found)
        found.append(Plot(kind, f"{slug}-no{taken + 1}" if taken else slug, caption, alt, figure))

    with _style():
        parts = {kind: times.only("kind", kind) for kind in times.puzzles["kind"].unique()}
        for kind, part in parts.items():
            noun = all_kinds()[kind].plural
            solved, asked = np.isfinite(part.seconds).sum(), part.seconds.count()
            counts = ", ".join(f"{label} {solved[label]} of {asked[label]}" for label in asked.index if asked[label])
            caption = f"{noun[0].upper()}{noun[1:]} solved within a time per puzzle"
            alt = f"{caption}. At the limit: {counts}."
            add("cactus", cactus(part, noun), caption, alt, *([kind] if len(parts) > 1 else []))
        sizes = times.puzzles.groupby("family", sort=False)["size"].nunique()
        for family in sizes.index[sizes > 1][:MAX_FAMILIES]:
            caption = f"Growth with size: {family}"
            alt = f"{caption}, with fitted curves and the limit."
            add("scaling", scaling(times, family, fits), caption, alt, family)
        for part in parts.values():
            for a, b in combinations(_best(part.ranked)[:MAX_PAIRED], 2):
                if part.ranked[[a, b]].dropna().size:
                    caption = f"{a} against {b}"
                    add("scatter", scatter(part, a, b), caption, f"{caption}, a point for each puzzle.", a, b)
    return found


def _best(seconds: Any) -> list[str]:
    """Return the contestants by the number of solved puzzles, then by total time."""
    solved = seconds.where(np.isfinite(seconds))
    return sorted(seconds, key=lambda label: (-solved[label].count(), solved[label].sum()))


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG, with text as text."""
    return _drawn(figure, "svg").decode()


def figure_files(times: Times, fits: Sequence[Record]) -> dict[str, bytes]:
    """Return the figures as SVG and PDF, by names of files."""
    plots = figures_of(times, fits)
    return {f"{plot.slug}.{form}": _drawn(plot.figure, form) for plot in plots for form in ("svg", "pdf")}


def _drawn(figure: Figure, form: str) -> bytes:
    file = io.BytesIO()
    date = "Date" if form == "svg" else "CreationDate"  # left out, so that the same figure gives the same bytes
    with _style():
        backend: Any = import_module(f"matplotlib.backends.backend_{form}")
        # not `savefig`, which draws everything twice
        getattr(backend.FigureCanvas(figure), f"print_{form}")(file, metadata={date: None})
        figure.set_layout_engine("none")  # keeps the layout for the next file
    return file.getvalue()
