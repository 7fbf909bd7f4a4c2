"""The steps of solvers, for playback on a page."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from typing import Any

from crosslit.base.errors import GaveUp
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import select_one
from crosslit.runs.job import drive
from crosslit_play.kinds import solvers_of

MAX_CHARACTERS = 60_000  # of a story as JSON: with it a page of a puzzle of 25 x 25 stays below 150 kB


class _FullError(Exception):
    """Raised when no more steps fit into a story; it stops the solver."""


def stories(puzzle: Puzzle) -> list[dict[str, Any]]:
    """Return the stories of some solvers; see `story`.

    Examples:
        >>> from crosslit.formats import read
        >>> [(story["title"], len(story["steps"]), story["whole"]) for story in stories(read("10/01"))]
        [('polynomial: one chase and one congruence', 9, True), ('first-row: every first row, chased', 6, True)]
    """
    return [story(puzzle, backend, title) for backend, title in solvers_of(puzzle)]


def story(puzzle: Puzzle, backend: str, title: str) -> dict[str, Any]:
    """Solve a puzzle in this process, and return its ``title``, the ``steps``, and whether the story is ``whole``.

    A step is what `crosslit.contract.Trace` receives, but with only the ``cells`` that change. The value of a cell is
    the number of its presses, 0 at the start; or in a nonogram its colour, 0 if empty, and -1 as long as it is unknown.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
    """
    steps: list[dict[str, Any]] = []
    shown = ("?" if puzzle.shown is None else "0") * (puzzle.rows * puzzle.columns)
    characters, whole = 0, False

    def trace(words: str, cells: str | None = None, **marks: Any) -> None:
        nonlocal shown, characters
        now = shown if cells is None else cells.replace("/", "")
        pairs = enumerate(zip(shown, now, strict=True))
        changes = {number: -1 if new == "?" else int(new, 36) for number, (old, new) in pairs if old != new}
        step = {"words": words[0].upper() + words[1:], **({"cells": changes} if changes else {}), **marks}
        characters += len(json.dumps(step))
        if characters > MAX_CHARACTERS:
            raise _FullError
        steps.append(step)
        shown = now

    choice = select_one(backend, puzzle)
    task = Task(encoding=choice.encoding, options=choice.options, trace=trace)
    with suppress(_FullError, GaveUp), closing(drive(choice.backend, puzzle, task)) as solutions:
        found = 0
        for found, grid in enumerate(solutions, 1):
            trace(f"solution {found}", grid.text)
        trace(f"no more solutions; {found} in all")
        whole = True
    return {"title": title, "steps": steps, "whole": whole}
