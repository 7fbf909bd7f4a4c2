"""The steps of solvers for playback on a page, within a size limit, each with its description."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from crosslit.base.errors import GaveUp
from crosslit.kinds import Puzzle, kind_of
from crosslit_play.trace import Step, follow, words

MAX_STEPS = 3000
MAX_CHARACTERS = 300_000  # for the steps of one story and their descriptions
_MAX_FOLLOWED = 60_000
_MAX_SECONDS = 10.0
_MAX_FOUND = 16
_MAX_SAID = 240  # maximum length of a description


class _Full(Exception):
    """Raised when no more steps fit."""


def stories(puzzle: Puzzle, stopped: Callable[[], bool] = lambda: False) -> list[dict[str, Any]]:
    """Return the stories of solvers on a puzzle: ``title``, ``steps``, ``words`` and whether they are ``whole``.

    A puzzle whose steps do not fit may have a second story, with fewer of them.

    Examples:
        >>> from crosslit.formats import read
        >>> [(story["title"], len(story["steps"]), story["whole"]) for story in stories(read("10/01"))]
        [('polynomial: one chase and one congruence', 5, True), ('first-row: every first row, chased', 6, True)]
    """
    made = (_of(puzzle, *named, stopped) for named in kind_of(puzzle).stories(puzzle))
    return [story for stories in made for story in stories if story["steps"]]


def _of(
    puzzle: Puzzle, backend: str, title: str, short_title: str, stopped: Callable[[], bool]
) -> Iterator[dict[str, Any]]:
    whole, short = _Story(), _Story() if short_title else None
    ended = _listen(puzzle, backend, stopped, whole, short)
    yield whole.json(title, ended)
    if short is not None and whole.full:
        yield short.json(short_title, ended)


class _Story:
    """A list of steps, until no more fit."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.words: list[str] = []
        self.full = False
        self._characters = 0

    def add(self, step: Step, sentence: str) -> None:
        sentence = sentence if len(sentence) <= _MAX_SAID else f"{sentence[: _MAX_SAID - 3]}..."  # the picture shows it
        self._characters += len(json.dumps(step)) + len(sentence)
        self.full = self.full or len(self.steps) >= MAX_STEPS or self._characters > MAX_CHARACTERS
        if not self.full:
            self.steps.append(step)
            self.words.append(sentence)

    def json(self, title: str, ended: bool) -> dict[str, Any]:
        return {"title": title, "steps": self.steps, "words": self.words, "whole": ended and not self.full}


def _listen(
    puzzle: Puzzle, backend: str, stopped: Callable[[], bool], story: _Story, short: _Story | None = None
) -> bool:
    """Send a solver's steps to one story or two; return whether it finished."""
    deadline = time.monotonic() + _MAX_SECONDS
    followed = found = 0
    line: Step = {}

    def tell(step: Step) -> None:
        nonlocal followed, found, line
        followed += 1
        enough = followed > _MAX_FOLLOWED or (found == _MAX_FOUND and step["step"] != "end")
        # From inside the solver's call, since a solver may trace millions of steps before its next solution.
        if enough or time.monotonic() > deadline or stopped():
            raise _Full
        found += step["step"] == "solution"
        story.add(step, words(step))
        if short is None:
            if story.full:
                raise _Full
            return
        if step["step"] == "line":
            line = step
        elif step["step"] == "settled":
            settled = {**line, "known": step["known"]}
            short.add(
                {"step": "settled", "axis": line["axis"], "line": line["line"], "known": step["known"]}, words(settled)
            )
        elif step["step"] not in ("front", "back"):
            short.add(step, words(step))
        if story.full and short.full:
            raise _Full

    try:
        follow(puzzle, backend, tell)
    except (_Full, GaveUp):
        return False
    return True
