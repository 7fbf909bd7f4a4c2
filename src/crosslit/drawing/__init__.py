"""Puzzles as pictures, and comparisons and tables as text: for a terminal, a notebook, a page or a paper.

`scene` computes where everything in a picture is; `svg` and `png`, which are imported when used, draw it. A picture of
a puzzle shows its cells as lines of characters: ``1`` for a filled or pressed cell, ``0`` for an empty one, ``?`` for
one to mark, and anything else for an unknown cell. `html` has the parts that all HTML files share: style, embedded
data, and a policy that only allows the page's own script. This package must not read or write files.
"""

from crosslit.contract.shapes import ASCII as ASCII
from crosslit.contract.shapes import UNICODE as UNICODE
from crosslit.contract.shapes import Style as Style
from crosslit.drawing.text import difference as difference
from crosslit.drawing.text import draw as draw
from crosslit.drawing.text import draw_lines as draw_lines
from crosslit.drawing.text import draw_values as draw_values
from crosslit.drawing.text import encode_lines as encode_lines
from crosslit.drawing.text import small as small
from crosslit.drawing.text import style_for as style_for
