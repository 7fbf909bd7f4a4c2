"""Puzzles as pictures, and comparisons and tables as text: for a terminal, a notebook, a page or a paper.

`scene` computes where everything in a picture is; `svg` and `png`, which are imported when used, draw it. A picture of
a puzzle shows its cells as lines of characters: ``1`` for a filled or pressed cell, ``0`` for an empty one, ``?`` for
one to mark, and anything else for an unknown cell. `html` has the parts that all HTML files share: style, embedded
data, and a policy that only allows the page's own script. This package must not read or write files.
"""

from crosslit.drawing.text import (
    ASCII,
    UNICODE,
    Style,
    difference,
    draw,
    draw_lines,
    draw_values,
    encode_lines,
    small,
    style_for,
)

__all__ = [
    "ASCII",
    "UNICODE",
    "Style",
    "difference",
    "draw",
    "draw_lines",
    "draw_values",
    "encode_lines",
    "small",
    "style_for",
]
