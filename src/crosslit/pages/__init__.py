"""Puzzles as a page to play on: one self-contained HTML file, without network or framework.

`record` gathers what the page knows of a puzzle: its solutions, or why there is none. `story` has the steps of its
solvers. `document` makes the file; the scripts and the style beside it are its parts.
"""

from crosslit.pages.document import html, page
from crosslit.pages.record import MOST_CELLS, MOST_SOLUTIONS, Gathered, gather

__all__ = ["MOST_CELLS", "MOST_SOLUTIONS", "Gathered", "gather", "html", "page"]
