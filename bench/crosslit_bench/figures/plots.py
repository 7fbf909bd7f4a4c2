"""The figures of a campaign and their files; the same times give the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from crosslit_bench.analysis.growth import Fit
from crosslit_bench.figures.curves import cactus, scaling
from crosslit_bench.figures.pairs import pairs_of, scatter
from crosslit_bench.figures.style import TWO_COLUMNS, settings
from crosslit_bench.results.frame import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def figures_of(table: Table, fits: Sequence[Fit] = (), width: float = TWO_COLUMNS) -> list[Plot]:
    """Return the figures of a campaign: the cactus plot, growth by family, and scatter plots of pairs.

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
    asked, solved = (~np.isnan(table.seconds)).sum(axis=0), np.isfinite(table.seconds).sum(axis=0)
    counts = ", ".join(f"{label} {solved[index]} of {asked[index]}" for index, label in enumerate(labels))
    add("cactus", cactus(table, width), f"Cactus plot: puzzles solved within a time. At the limit: {counts}.")
    sizes = {family: {entry.size for entry in table.entries if entry.family == family} for family in table.families}
    for family in [family for family, some in sizes.items() if len(some) > 1][:_MAX_FAMILIES]:
        alt = f"Time against size for {family}, with fitted curves and the limit."
        add("scaling", scaling(table, family, fits, width), alt, family, family=family)
    for a, b in pairs_of(table):
        alt = f"Scatter plot: the time of {labels[a]} against that of {labels[b]}, a point for each puzzle."
        add("scatter", scatter(table, a, b), alt, labels[a], labels[b])
    return found


def figure_files(table: Table, fits: Sequence[Fit]) -> dict[str, bytes]:
    """Return the figures of a table as SVG and PDF, by names of files."""
    files: dict[str, bytes] = {}
    for drawn in figures_of(table, fits):
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
