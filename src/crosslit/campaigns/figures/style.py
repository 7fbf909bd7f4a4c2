"""What all figures share: who looks how, how text and seconds are written, where the legend is."""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslit.campaigns.results.table import Contestant, Table
from crosslit.errors import Unavailable
from crosslit.numbers import format_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

ONE_COLUMN = 3.3
TWO_COLUMNS = 6.9
"""Widths of a figure in a paper, in inches."""
FLOOR = 1e-4
"""Seconds; what took less is drawn there: a logarithmic axis has no zero, and clocks tell nothing below."""
INK, FAINT = "#222222", "#888888"
# The palette of Okabe and Ito (Color Universal Design, 2008) without black, which is the virtual best solver's, and
# without yellow, which a white page swallows; the last is the wine of Paul Tol's "muted".
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
MARKERS = "os^DvPX<>ph*"
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.2, 1, 1.2)))
_MAX_NAME_WIDTH = 34  # characters of a name; more leave no room for the plot
_SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with Matplotlib, and is wider than what a viewer without it takes
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 7.5,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "legend.title_fontsize": 6.5,
    "legend.frameon": False,
    "legend.handlelength": 3.4,
    "legend.labelspacing": 0.35,
    "legend.borderaxespad": 0.2,
    "text.parse_math": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "path.simplify_threshold": 0.3,
    # Text stays text: small, searchable, and what DejaVu lacks is drawn by a font of the viewer that has it.
    "svg.fonttype": "none",
    "svg.hashsalt": "crosslit",
    "pdf.fonttype": 42,
    "font.enable_last_resort": False,  # a megabyte to read, for boxes no clearer than DejaVu's
}


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a contestant is drawn, everywhere.

    Args:
        name: what the legend calls it; no two have the same.
        colour, marker, line: no two of 48 have the same marker and line, so that colour is not needed to tell them.
        wrong: whether it is disqualified.
    """

    name: str
    colour: str
    marker: str
    line: Any
    wrong: bool


@contextmanager
def settings() -> Iterator[None]:
    """Within it Matplotlib draws as we want, whatever its user has configured; afterwards as before.

    Raises:
        Unavailable: if Matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise Unavailable("figures need Matplotlib: pip install 'crosslit[report]'") from None
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # an SVG shows it nonetheless, a PDF a box
        mpl.rcdefaults()
        for name, value in _SETTINGS.items():
            if name in mpl.rcParams:  # not all versions know all
                mpl.rcParams[name] = value  # type: ignore[index]
        yield


def new_figure(width: float, height: float, label: str) -> tuple[Figure, Axes]:
    """A figure of that size in inches, with axes; its label says what it shows."""
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    figure.set_label(label)
    return figure, figure.add_subplot()


def literal(text: str, longest: int = _MAX_NAME_WIDTH) -> str:
    r"""Text as it is drawn: one line, what cannot be printed replaced, the middle left out if it is too long.

    >>> literal("a\nb"), literal("glucose4/clauses", 9)
    ('a�b', 'gluc…uses')
    """
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    if sum(map(_breadth, shown)) <= longest:
        return shown
    half = (longest - 1) // 2
    return f"{_beginning(shown, half)}…{_beginning(shown[::-1], half)[::-1]}"


def _breadth(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _beginning(text: str, breadth: int) -> str:
    for at, letter in enumerate(text):
        breadth -= _breadth(letter)
        if breadth < 0:
            return text[:at]
    return text


def distinct(texts: Sequence[str], longest: int = _MAX_NAME_WIDTH) -> list[str]:
    """The texts as they are drawn, numbered where they would look the same."""
    shown = [literal(text, longest) or "(no name)" for text in texts]
    return [f"{text} #{at + 1}" if shown.count(text) > 1 else text for at, text in enumerate(shown)]


def looks(contestants: Sequence[Contestant]) -> list[Look]:
    """How each is drawn: a hue for a group if the campaign names groups, else for a contestant."""
    groups = list(dict.fromkeys(one.group for one in contestants))
    grouped = len(groups) > 1
    seen: dict[int, int] = {}
    found = []
    names = distinct([one.label for one in contestants])
    for at, (one, name) in enumerate(zip(contestants, names, strict=True)):
        hue = (groups.index(one.group) if grouped else at) % len(HUES)
        shade = seen[hue] = seen.get(hue, -1) + 1
        line = LINES[(at + at // len(MARKERS)) % len(LINES)]
        found.append(
            Look(
                name=name,
                colour=_shaded(HUES[hue], shade),
                marker=MARKERS[at % len(MARKERS)],
                line=line,
                wrong=bool(one.disqualified),
            )
        )
    return found


def _shaded(colour: str, shade: int) -> str:
    """The colour itself, much darker, lighter, a little darker, and so on."""
    one: Callable[[int], float] = (
        lambda part: part,
        lambda part: part * 0.5,
        lambda part: part + (255 - part) * 0.35,
        lambda part: part * 0.75,
    )[shade % 4]
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    parts = [round(one(part)) for part in parts]
    return "#" + "".join(f"{part:02X}" for part in parts)


def measured(table: Table) -> str:
    """What an axis of times is called."""
    return {
        "total": "time per puzzle",
        "cpu": "processor time per puzzle",
        "wall": "wall time per puzzle",
        "solve": "time of the search per puzzle",
    }[table.measure]


def span(table: Table) -> tuple[float, float]:
    """The least and the largest number of seconds to draw: full decades below, at least the limit above."""
    times = np.maximum(table.seconds[np.isfinite(table.seconds)], FLOOR)
    limit = table.limit if math.isfinite(table.limit) and table.limit > FLOOR else 10 * FLOOR
    least = min(float(times.min(initial=limit)), limit / 10)
    return 10.0 ** math.floor(math.log10(max(least, FLOOR)) + 1e-9), max(float(times.max(initial=limit)), limit)


def seconds_axis(
    axis: Axis, low: float, high: float, also: tuple[float, str] | None = None, room: float = 0.12, most: int = 12
) -> None:
    """Ticks at the decades, written as durations, and one more if asked for.

    Decades that are nearer to that than a share ``room`` of the axis have none; of more than ``most``, every second.
    """
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

    decades = [10.0**power for power in range(round(math.log10(low)), math.floor(math.log10(high) + 1e-9) + 1)]
    if also is not None:
        near = (high / low) ** room
        decades = [at for at in decades if not also[0] / near < at < also[0] * near]
    decades = decades[:: 1 if len(decades) <= most else 2]
    texts = [format_seconds(at) for at in decades]
    ticks = [*decades, *([also[0]] if also else [])]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_ticklabels([*texts, *([also[1]] if also else [])])
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def key(figure: Figure, handles: Sequence[Line2D], texts: Sequence[str], title: str = "") -> None:
    """The legend: beside the plot where the figure is as wide as two columns, else below it."""
    if not handles:
        return
    beside = figure.get_figwidth() > 5
    size = 6.5 if len(handles) <= 18 else 5.6
    columns = 1 if beside or max(map(len, texts)) > 20 else 2
    place: Any = "outside right upper" if beside else "outside lower center"
    # A name that begins with "_" would be left out: the texts are set afterwards.
    numbers = [str(at) for at in range(len(handles))]
    legend = figure.legend(
        handles, numbers, loc=place, ncols=columns, fontsize=size, title=title or None, alignment="left"
    )
    for drawn, text in zip(legend.get_texts(), texts, strict=True):
        drawn.set_text(text)


def height_for(width: float, entries: int, plot: float) -> float:
    """How high a figure must be, in inches, for its plot and so many entries of the legend."""
    line = 0.125 if entries > 18 else 0.142
    if width > 5:
        return max(plot, 0.35 + line * entries)
    return plot + 0.15 + line * entries


def handle(look: Look, **kinds: Any) -> Line2D:
    """The sample of a contestant in a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=look.colour, marker=look.marker, linestyle=look.line, **kinds)


def whole_numbers(axes: Axes) -> None:
    """Ticks of the horizontal axis at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def only_say(axes: Axes, words: str) -> None:
    """A word in place of a plot that has nothing to show."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, words, ha="center", va="center", color=INK, transform=axes.transAxes)
