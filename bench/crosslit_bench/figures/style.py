"""The style of all figures: looks of contestants, labels, time axes and legends."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslit.base.errors import Unavailable, install_hint
from crosslit.base.numbers import format_seconds
from crosslit_bench.results.frame import Contestant, TimeTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

ONE_COLUMN = 3.3
TWO_COLUMNS = 6.9
"""Widths of a figure in a paper, in inches."""
FLOOR = 1e-4
"""The shortest time drawn, in seconds: a logarithmic axis has no zero, and clocks are not more precise."""
INK, FAINT = "#222222", "#888888"
# The palette of Okabe and Ito (Color Universal Design, 2008) without black, which is for the virtual best solver, and
# without yellow, which is hard to see on white; the last is "wine" of Paul Tol's "muted" scheme.
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
_SHADES = ((1.0, 0.0), (0.5, 0.0), (0.65, 0.35), (0.75, 0.0))  # shares of the colour and of white; the rest is black
MARKERS = "os^DvPX<>ph*"
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.2, 1, 1.2)))
_MAX_NAME_LENGTH = 34  # characters; longer names would leave no room for the plot
_SETTINGS = Path(__file__).with_name("paper.mplstyle")


@dataclass(frozen=True, kw_only=True)
class Look:
    """The look of a contestant in all figures."""

    name: str  # unique name in the legend
    # up to 48 contestants differ in marker or line, so colour is not needed
    colour: str
    marker: str
    line: Any
    wrong: bool  # whether it is disqualified

    @property
    def title(self) -> str:
        """The name, marked if it is disqualified."""
        return f"{self.name} (wrong)" if self.wrong else self.name

    @property
    def style(self) -> dict[str, Any]:
        """The Matplotlib properties of its lines."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line}


@contextmanager
def settings() -> Iterator[None]:
    """Set Matplotlib's style inside the block, overriding the user's configuration."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise Unavailable(f"figures need Matplotlib: {install_hint('report')}") from None
    with warnings.catch_warnings(), mpl.rc_context():
        dict.update(mpl.rcParams, _style())  # without the check of 300 values, which were checked when they were read
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # an SVG shows it anyway, a PDF shows a box
        yield


@cache
def _style() -> Any:
    """Return Matplotlib's own settings, without the user's, changed by the style of figures."""
    import matplotlib as mpl

    found = mpl.rc_params_from_file(_SETTINGS, use_default_template=True)
    return {name: value for name, value in found.items() if name != "backend"}


def new_figure(width: float, height: float, label: str) -> tuple[Figure, Axes]:
    """Return a figure with axes; sizes are in inches, and the label is its caption."""
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    figure.set_label(label)
    return figure, figure.add_subplot()


def literal(text: str, longest: int = _MAX_NAME_LENGTH) -> str:
    r"""Return a text on one line, with unprintable characters replaced and its middle elided if it is too long.

    >>> literal("a\nb"), literal("glucose4/clauses", 9)
    ('a�b', 'gluc…uses')
    """
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    half = (longest - 1) // 2
    return shown if len(shown) <= longest else f"{shown[:half]}…{shown[-half:]}"


def distinct(texts: Sequence[str], longest: int = _MAX_NAME_LENGTH) -> list[str]:
    """Return texts shortened by `literal`, numbered if they would look the same."""
    shown = [literal(text, longest) or "(no name)" for text in texts]
    return [f"{text} #{index + 1}" if shown.count(text) > 1 else text for index, text in enumerate(shown)]


def looks(contestants: Sequence[Contestant]) -> list[Look]:
    """Return the looks of contestants, with a hue for each group if there are several, else for each contestant."""
    groups = list(dict.fromkeys(contestant.group for contestant in contestants))
    used: Counter[int] = Counter()
    found = []
    names = distinct([contestant.label for contestant in contestants])
    for index, (contestant, name) in enumerate(zip(contestants, names, strict=True)):
        hue = (groups.index(contestant.group) if len(groups) > 1 else index) % len(HUES)
        colour = _shaded(HUES[hue], used[hue])
        used[hue] += 1
        line = LINES[(index + index // len(MARKERS)) % len(LINES)]
        marker = MARKERS[index % len(MARKERS)]
        found.append(Look(name=name, colour=colour, marker=marker, line=line, wrong=bool(contestant.disqualified)))
    return found


def _shaded(colour: str, shade: int) -> str:
    kept, white = _SHADES[shade % len(_SHADES)]
    parts = (round(int(colour[index : index + 2], 16) * kept + 255 * white) for index in (1, 3, 5))
    return "#" + "".join(f"{part:02X}" for part in parts)


def span(table: TimeTable) -> tuple[float, float]:
    """Return the bounds of a time axis in seconds, from a power of ten to at least the limit."""
    times = np.maximum(table.seconds[np.isfinite(table.seconds)], FLOOR)
    limit = table.limit if math.isfinite(table.limit) and table.limit > FLOOR else 10 * FLOOR
    least = min(float(times.min(initial=limit)), limit / 10)
    return 10.0 ** math.floor(math.log10(max(least, FLOOR)) + 1e-9), max(float(times.max(initial=limit)), limit)


def seconds_axis(axis: Axis, low: float, high: float, also: tuple[float, str] | None, room: float) -> None:
    """Put ticks at powers of ten, labelled as durations, and optionally an additional one.

    Powers of ten within a share ``room`` of the axis from the additional tick have none.
    """
    from matplotlib.ticker import NullLocator

    decades = 10.0 ** np.arange(round(math.log10(low)), math.floor(math.log10(high) + 1e-9) + 1)
    ticks = {float(time): format_seconds(float(time)) for time in decades[:: 1 + len(decades) // 13]}
    if also is not None:
        near = (high / low) ** room
        ticks = {time: text for time, text in ticks.items() if not also[0] / near < time < also[0] * near}
        ticks[also[0]] = also[1]
    axis.set_ticks(list(ticks), list(ticks.values()))
    axis.set_minor_locator(NullLocator())


def legend(figure: Figure, handles: Sequence[Line2D], texts: Sequence[str], title: str = "") -> None:
    """Add a legend, to the right of the plot if the figure is wider than 5 inches, else below."""
    if not handles:
        return
    beside = figure.get_figwidth() > 5
    place: Any = "outside right upper" if beside else "outside lower center"
    # Matplotlib omits labels that start with "_", so the texts are set afterwards.
    drawn = figure.legend(
        handles,
        [str(index) for index in range(len(handles))],
        loc=place,
        ncols=1 if beside or max(map(len, texts)) > 20 else 2,
        fontsize=6.5 if len(handles) <= 18 else 5.6,
        title=title or None,
        alignment="left",
    )
    for shown, text in zip(drawn.get_texts(), texts, strict=True):
        shown.set_text(text)


def height_for(width: float, entries: int, plot: float) -> float:
    """Return the height of a figure, in inches, for its plot and the entries of its legend."""
    line = 0.125 if entries > 18 else 0.142
    return max(plot, 0.35 + line * entries) if width > 5 else plot + 0.15 + line * entries


def whole_numbers(axes: Axes) -> None:
    """Restrict the ticks of the horizontal axis to whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def write_instead(axes: Axes, words: str) -> None:
    """Write a text instead of an empty plot."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, words, ha="center", va="center", color=INK, transform=axes.transAxes)
