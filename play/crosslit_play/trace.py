"""The steps of solvers, and their descriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from crosslit.base.errors import SpecError
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import select_one
from crosslit.runs.job import drive

Step = dict[str, Any]
"""A step: ``step``, its name, and its details."""


def _cell(cell: Any) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def _value(step: Step) -> str:
    value = step["value"]  # a colour in words, or whether the cell is filled
    return f"{_cell(step['cell'])} is {value if isinstance(value, str) else 'filled' if value else 'empty'}"


def _starts(step: Step) -> str:
    return " ".join(str(start + 1) for start in step["starts"])


def _placement(which: str) -> Callable[[Step], str]:
    why = {
        "pack": "packed tightly, the blocks begin at",
        "avoid": "past the empty cells they begin at",
        "align": "moved to a filled cell that none covered, they begin at",
    }
    return lambda step: f"  {which}: " + (f"{why[step['why']]} {_starts(step)}" if step["starts"] else "no blocks")


STEPS: Mapping[str, Callable[[Step], str]] = {
    "sums": lambda step: f"the rows need {step['rows']} filled cells, the columns {step['columns']}: contradiction",
    "line": lambda step: (
        f"{step['axis']} {step['line'] + 1} ({' '.join(map(str, step['clue'])) or 0}): {step['known']}"
    ),
    "front": _placement("front"),
    "back": _placement("back"),
    "settled": lambda step: f"  now {step['known']}",
    "contradiction": lambda _: "  contradiction",
    "guess": lambda step: f"guess: {_value(step)} ({step['left']} left to try)",
    "backtrack": lambda step: f"back ({step['left']} left to try)",
    "first-row": lambda step: (
        f"first row {step['row']}: chased, it leaves {step['left']} lit"
        + ("" if "1" in step["left"] else ", all dark: a solution")
    ),
    "residue": lambda step: f"chased from an empty first row, the board leaves {step['row']} lit in its last row",
    "gcd": lambda step: f"the greatest common divisor of the two polynomials has degree {step['degree']}: the nullity",
    "start": lambda step: f"the first row is {step['row']}" + _also(step["kernel"]),
    "system": lambda step: f"a linear system of {step['presses']} presses, and as many lights",
    "pivot": lambda step: f"the light of {_cell(step['light'])} settles the press of {_cell(step['press'])}",
    "redundant": lambda step: f"the light of {_cell(step['light'])} follows from the lights before it",
    "impossible": lambda step: f"the light of {_cell(step['light'])} contradicts the lights before it: no solution",
    "solution": lambda step: f"solution: {step['cells']}",
    "end": lambda step: f"no more solutions; {step['found']} in all",
}


def _also(kernel: list[str]) -> str:
    return f", changed by any of {', '.join(kernel)}" if kernel else ", and no other"


def words(step: Step) -> str:
    """Return a step as a sentence; coordinates and places count from 1."""
    return STEPS[step["step"]](step)


def follow(puzzle: Puzzle, backend: str, tell: Callable[[Step], None]) -> None:
    """Solve a puzzle in this process, and report the steps towards all of its solutions.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle and traces its steps.
        GaveUp: from the backend.
    """
    choice = select_one(backend, puzzle)
    steps = found = 0

    def trace(name: str, data: Mapping[str, Any]) -> None:
        nonlocal steps
        steps += 1
        tell({"step": name, **data})

    task = Task(encoding=choice.encoding, options=choice.options, trace=trace)
    with closing(drive(choice.backend, puzzle, task)) as solutions:
        for grid in solutions:
            # A backend that traces nothing is noticed at its first solution, and not after the last.
            if not steps:
                break
            found += 1
            trace("solution", {"cells": grid.text})
    if not steps:
        raise SpecError(f"backend {choice.spec!r}: it does not trace its steps")
    trace("end", {"found": found})
