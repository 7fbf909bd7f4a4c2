"""Run a backend inline through the contract, as the exhaustive tests do."""

from __future__ import annotations

from crosslit.base.grid import Grid
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import Choice, select_one
from crosslit.runs.job import drive

_CHOICES: dict[tuple[str, str], Choice] = {}


def solve_inline(spec: str, puzzle: Puzzle) -> list[Grid]:
    """All solutions that a spec gives; an exception where it does not claim that these are all."""
    key = (spec, puzzle.kind)
    if key not in _CHOICES:  # choosing takes longer than solving a 3 x 3 puzzle
        _CHOICES[key] = select_one(spec, puzzle)
    choice = _CHOICES[key]
    return list(drive(choice.backend, puzzle, Task(encoding=choice.encoding, options=choice.options)))
