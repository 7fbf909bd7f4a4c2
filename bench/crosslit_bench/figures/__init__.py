"""Plots of a campaign's times by Matplotlib (the extra ``report``), for papers and for the HTML page.

`curves` draws each kind of figure; `figures_of` draws all figures that have enough data, `figure_files`
returns them as SVG and PDF, `svg_text` returns one as text. Pass the whole table, with disqualified contestants: the
position in the table determines a contestant's colour, marker and line, so they are the same in all figures.

Labels and family names are shown literally, never parsed as mathematics or markup; unprintable characters become
replacement characters. Without Matplotlib, the functions raise `Unavailable`. This package must not judge or rank.
"""

from __future__ import annotations

from crosslit_bench.figures.curves import Plot, figure_files, figures_of, svg_text
from crosslit_bench.figures.style import ONE_COLUMN, TWO_COLUMNS

__all__ = ["ONE_COLUMN", "TWO_COLUMNS", "Plot", "figure_files", "figures_of", "svg_text"]
