"""Pictures of puzzles: in the terminal, and in files."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosslit.cli.output import picture_style, write, write_file, write_text
from crosslit.errors import InputError

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle

_COLOURS = ((r"\(\)", "bold cyan"), (r"\?", "bold red"), (r"(?<![0-9])[0-9]+(?![0-9])", "bright_black"))


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
    from rich.console import Console
    from rich.text import Text

    console = Console(file=(buffer := io.StringIO()), force_terminal=True, color_system="standard")
    width = shutil.get_terminal_size().columns
    if max(map(len, picture.split("\n"))) > width:
        grid = getattr(puzzle, "lit", None) if lines is None else None
        if lines is not None and not set("".join(lines)) - set("01"):
            grid = Grid.from_text("/".join(lines))
        tiny = small(grid, width) if grid is not None and style is not ASCII else None
        picture = tiny if tiny is not None else "(too wide; see show --image)"
    text = Text(picture, no_wrap=True, overflow="ignore")
    for pattern, colour in _COLOURS:
        text.highlight_regex(pattern, colour)
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        text = Text(picture, no_wrap=True, overflow="ignore")
    console.print(text, crop=False)
    write_text(buffer.getvalue())


def write_picture_file(path: str, puzzle: Puzzle, lines: Sequence[str] | None = None) -> None:
    """Write the picture of a puzzle to a file, .svg or .png, completely or not at all.

    Raises:
        InputError: if the file cannot be written.
        Unavailable: if Pillow, which PNG needs, is not installed.
    """
    from crosslit.drawing.png import png
    from crosslit.drawing.svg import svg

    try:
        data = png(puzzle, lines) if path.lower().endswith(".png") else svg(puzzle, lines).encode()
    except ValueError as error:
        raise InputError(path, str(error)) from None
    write_file(path, [data])
