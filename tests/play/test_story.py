"""The steps that solvers report, as a page plays them back."""

from __future__ import annotations

import json
import random

import pytest
from crosslit_play.story import MAX_CHARACTERS, stories, story

from crosslit import Nonogram, load, solutions
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import select_one
from tests.conftest import random_board, random_nonogram, random_rules

TELLING = {
    "nonogram": ["alignment:kernel=no"],
    "lights-out": ["first-row", "gauss", "polynomial"],
    "modular-lights-out": ["howell"],
    "coloured-nonogram": ["alignment:kernel=no"],
}
EVERY = [(spec, kind) for kind, specs in TELLING.items() for spec in specs]


def samples(kind: str) -> list[Puzzle]:
    rng = random.Random(4)
    shapes = [(1, 1), (1, 4), (3, 2), (4, 4), (5, 4)]
    if kind == "lights-out":
        return [random_board(rng, *shape) for shape in shapes]
    if kind == "nonogram":
        one = random_nonogram(rng, 4, 4)
        return [*(random_nonogram(rng, *shape) for shape in shapes), Nonogram(one.row_clues, one.column_clues[::-1])]
    texts = {
        "modular-lights-out": ["4/2232", "3/000/000/000", "6/wrap=klein/_02/123"],
        "coloured-nonogram": ["1a|1b", "1a 1b,1b 1a|1a 1b,1b 1a", "1b 1a,1b 1a|1b,1b,1a,1a"],
    }
    return [load(f"{kind}:{text}") for text in texts[kind]]


def pictures(puzzle: Puzzle, steps: list[dict[str, object]]) -> list[list[int]]:
    """Return the values of all cells after each step."""
    cells = [0 if puzzle.shown is not None else -1] * (puzzle.rows * puzzle.columns)
    found = []
    for step in json.loads(json.dumps(steps)):
        for number, value in step.get("cells", {}).items():
            assert cells[int(number)] != value
            cells[int(number)] = value
        found.append([*cells])
    return found


def values(text: str) -> list[int]:
    return [int(digit, 36) for digit in text.replace("/", "")]


@pytest.mark.parametrize(("spec", "kind"), EVERY)
def test_the_steps_lead_to_all_solutions(spec: str, kind: str) -> None:
    for puzzle in samples(kind):
        told = story(puzzle, spec, "title")
        shown = pictures(puzzle, told["steps"])
        at = [number for number, step in enumerate(told["steps"]) if step["words"].startswith("Solution ")]
        assert [shown[number] for number in at] == [values(grid.text) for grid in solutions(puzzle, spec)]
        assert told["steps"][-1] == {"words": f"No more solutions; {len(at)} in all"}
        assert (told["title"], told["whole"]) == ("title", True)


@pytest.mark.parametrize(("spec", "kind"), EVERY)
def test_the_solver_does_the_same_untold(spec: str, kind: str) -> None:
    for puzzle in samples(kind):
        choice = select_one(spec, puzzle)
        runs = []
        for trace in (None, lambda *_, **__: None):
            task = Task(options=choice.options, trace=trace)
            runs.append((list(choice.backend.solutions(puzzle, task)), task.stats))  # type: ignore[attr-defined]
        assert runs[0] == runs[1]


def test_a_line_step_changes_only_its_line_and_only_unknown_cells() -> None:
    for puzzle in samples("nonogram"):
        before = [-1] * (puzzle.rows * puzzle.columns)
        steps = story(puzzle, "alignment", "")["steps"]
        for step, after in zip(steps, pictures(puzzle, steps), strict=True):
            if (line := step.get("line")) is not None:
                changed = [cell for cell, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
                columns = puzzle.columns
                lines = {cell // columns if line < puzzle.rows else puzzle.rows + cell % columns for cell in changed}
                assert lines <= {line}
                assert all(before[cell] == -1 for cell in changed)
            before = after


def test_guesses_and_contradictions_are_told_in_order() -> None:
    words = [step["words"] for step in story(load("1,1|1,1"), "alignment", "")["steps"]]
    assert [text for text in words if not text.startswith(("Row", "Column"))] == [
        "Guess: row 1, column 1 is filled (1 left to try)",
        "Solution 1",
        "Guess: row 1, column 1 is empty (0 left to try)",
        "Solution 2",
        "No more solutions; 2 in all",
    ]
    assert story(load("1 1,1 1,1,1|1 1,1 1,2,1"), "alignment", "")["steps"] == [
        {"words": "The rows need 6 filled cells, the columns 7: contradiction", "bad": True},
        {"words": "No more solutions; 0 in all"},
    ]
    assert story(load("0,2|2,0"), "alignment", "")["steps"][-3:] == [
        {"words": "Column 1 (2): contradiction", "line": 2, "bad": True},
        {"words": "Back (0 left to try)"},
        {"words": "No more solutions; 0 in all"},
    ]


def test_the_presses_of_a_chase_are_told_row_by_row() -> None:
    steps = story(load("10/01"), "polynomial", "")["steps"]
    assert steps[:3] == [
        {"words": "Chase: press 00 in row 1, to begin with", "line": 0},
        {"words": "Chase: press 10 in row 2, below the lights left in row 1", "cells": {2: 1}, "line": 1},
        {"words": "Chased from an empty first row, the board leaves 10 lit in its last row"},
    ]
    assert steps[4]["words"] == "The first row is 10, and no other"
    unsolvable = story(load("1000/0000/0000/0000"), "polynomial", "")["steps"]
    assert unsolvable[-2] == {"words": "The congruence has no solution", "bad": True}


def test_pivots_are_as_many_as_the_rank() -> None:
    rng = random.Random(6)
    for _ in range(20):
        board = random_rules(rng, rng.randint(1, 4), rng.randint(1, 4))
        steps = story(board, "gauss", "")["steps"]
        presses = [step["press"] for step in steps if "press" in step]
        assert len({*presses}) == len(presses)
        missing = 0 if board.missing is None else board.missing.count()
        found = sum(step["words"].startswith("Solution") for step in steps)
        assert found in (0, 2 ** (board.rows * board.columns - missing - len(presses)))
        assert (found == 0) == any("bad" in step for step in steps)


@pytest.mark.parametrize("spec", ["gauss", "howell"])
def test_every_contradicting_light_is_marked(spec: str) -> None:
    """In a 4 x 4 board the last four lights follow from the others, so lights only there cannot be turned off."""
    for lit in ("0000", "1000", "1100", "1111"):
        kind = "modular-lights-out:2/" if spec == "howell" else ""
        steps = story(load(f"{kind}0000/0000/0000/{lit}"), spec, "")["steps"]
        bad = [step for step in steps if "bad" in step]
        assert len(bad) == lit.count("1")
        assert all("contradicts the lights before it" in step["words"] and step["light"] >= 12 for step in bad)


def test_a_story_that_does_not_fit_is_cut() -> None:
    [told] = stories(load("/".join(["0" * 30] * 30)))  # 2^20 solutions
    assert not told["whole"]
    assert 0.9 * MAX_CHARACTERS < len(json.dumps(told["steps"])) < 1.1 * MAX_CHARACTERS
