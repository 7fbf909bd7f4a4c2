"""Pictures of puzzles in the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosslit.cli.output import picture_style, write

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle

_COLOURED = re.compile(r"(?P<pressed>\(\))|(?P<marked>\?)|(?P<clue>(?<![0-9])[0-9]+(?![0-9]))")
_COLOURS = {"pressed": "1;36", "marked": "1;31", "clue": "90"}  # bold cyan, bold red, grey


def write_picture(puzzle: Puzzle, lines: Sequence[str] | None = None) -> None:
    """Print a puzzle and its known cells: in colour and within the width on a terminal, otherwise plain.

    A picture that is too wide at two characters per cell is drawn smaller and without clues, provided that all cells
    are known and the terminal has the characters.
    """
    from crosslit.drawing import ASCII, draw, draw_values, small
    from crosslit.grid import Grid

    style = picture_style()
    picture = draw(puzzle, style=style) if lines is None else draw_values(puzzle, lines, style)
    # Piped pictures are plain, so that they can be compared and processed.
    if sys.stdout is None or not sys.stdout.isatty():
        write(picture)
        return
    width = shutil.get_terminal_size().columns
    if max(map(len, picture.split("\n"))) > width:
        grid = getattr(puzzle, "lit", None) if lines is None else None
        if lines is not None and not set("".join(lines)) - set("01"):
            grid = Grid.from_text("/".join(lines))
        tiny = small(grid, width) if grid is not None and style is not ASCII else None
        picture = tiny if tiny is not None else "(too wide; see show --image)"
    if not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        picture = _COLOURED.sub(lambda found: f"\x1b[{_COLOURS[found.lastgroup or '']}m{found[0]}\x1b[0m", picture)
    write(picture)
