"""One HTML file of puzzles, all inline, under a Content-Security-Policy that only allows its script and style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from crosslit.base.html import data, policy, style
from crosslit.contract.run import Limits
from crosslit.formats import PuzzleLike, as_puzzles
from crosslit.kinds import Puzzle
from crosslit_play.record import gather_all

STYLES = ("page.css", "grid.css", "print.css")
SCRIPTS = sorted(
    (part.name for part in files("crosslit_play").iterdir() if part.name.endswith(".js")),
    key=lambda name: (name == "page.js", name),
)
"""The parts of the script: they define functions and classes, and the last one opens the page."""


def page(
    puzzles: Iterable[PuzzleLike] | Puzzle | str,
    *,
    timeout: float = 10.0,
    memory_mb: int = Limits.memory_mb,
    for_players: bool = False,
) -> str:
    """Return an HTML page to play puzzles on, with hints, the steps of solvers, and all solutions if they are few.

    Args:
        puzzles: one or several puzzles, or their one-line forms; at most 10,000 cells each.
        timeout: limit of each search for solutions, in seconds of wall time.
        memory_mb: limit of each search, in 2^20 bytes.
        for_players: leave out titles, solutions and the steps of solvers.

    Returns:
        The text of the HTML file.

    Raises:
        InputError: if a puzzle is too large.
        ValueError: if there are no puzzles.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        draw: a picture of a puzzle.

    Examples:
        >>> from crosslit.formats import read
        >>> page([read("1,1|1,1")]).splitlines()[0]
        '<!doctype html>'
    """
    from crosslit.runs.runner import isolated

    with isolated(None, Limits(None, timeout, memory_mb), in_process=True) as runner:
        return html(found.record for found in gather_all(as_puzzles(puzzles), runner, for_players))


def html(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the page of the data gathered for each puzzle.

    Everything in it that comes from a puzzle is JSON in a block of data that no browser runs, without any character
    that could end the block; the script writes it only as text.
    """
    gathered = list(records)
    if not gathered:
        raise ValueError("a page has at least one puzzle")
    look, script = style(*map(_part, STYLES)), "\n".join(map(_part, SCRIPTS))
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    parts = {"policy": policy(script, look), "style": look, "data": data(gathered), "script": script}
    # split once, so that inserted text is never searched for placeholders
    pieces = re.split(r"\{\{(\w+)\}\}", _part("page.html"))
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def _part(name: str) -> str:
    return files("crosslit_play").joinpath(name).read_text(encoding="utf-8")
