"""The steps of solvers, for playback on a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

from crosslit.algebra.chase import why_no_chase
from crosslit.base.errors import GaveUp
from crosslit.contract import Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit.registry import select_one
from crosslit.runs.drive import drive

MAX_CHARACTERS = 60_000  # of a story as JSON: with it a page of a puzzle of 25 x 25 stays below 150 kB
_MAX_CHASED = 120_000  # cells of all first rows of a board, chased
_MAX_ELIMINATED = 900  # cells of a board with k states that is eliminated


def titles(puzzle: Puzzle) -> Iterator[str]:
    """Yield the titles of the stories about a puzzle, which begin with the spec of a solver.

    Examples:
        >>> from crosslit import load
        >>> [*titles(load("10/01"))]
        ['polynomial: one chase and one congruence', 'first-row: every first row, chased']
    """
    if not isinstance(puzzle, LightsOut):
        yield "alignment: line by line"
    elif puzzle.states > 2:
        if puzzle.rows * puzzle.columns <= _MAX_ELIMINATED:
            yield "howell: elimination, light by light"
    elif why_no_chase(puzzle) is not None:
        yield "gauss: elimination, light by light"
    else:
        yield "polynomial: one chase and one congruence"
        if puzzle.columns <= 10 and puzzle.rows * puzzle.columns << puzzle.columns <= _MAX_CHASED:
            yield "first-row: every first row, chased"


def story(puzzle: Puzzle, title: str) -> dict[str, Any]:
    """Solve a puzzle in this process; return the ``title``, the ``steps``, and whether that is the ``whole`` story.

    A step is what `crosslit.contract.Trace` receives, but with only the ``cells`` that change. The value of a cell is
    the number of its presses, 0 at the start; or in a nonogram its colour, 0 if empty, and -1 as long as it is unknown.
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
            raise GaveUp("no more steps fit")
        steps.append(step)
        shown = now

    choice = select_one(title.partition(": ")[0], puzzle)
    task = Task(encoding=choice.encoding, options=choice.options, trace=trace)
    with suppress(GaveUp), closing(drive(choice.backend, puzzle, task)) as solutions:
        found = 0
        for found, grid in enumerate(solutions, 1):
            trace(f"solution {found}", grid.text)
        trace(f"no more solutions; {found} in all")
        whole = True
    return {"title": title, "steps": steps, "whole": whole}
