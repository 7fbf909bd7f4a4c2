"""The functions that independent backends both execute on the way to an answer: no more than a short list."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Generator
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

from crosslit import load, registry
from crosslit.contract import Task, find_question
from crosslit.errors import GaveUp
from crosslit.kinds import Puzzle
from crosslit.registry import Choice
from crosslit.registry.defaults import MAX_BRUTE_CELLS

from .test_lineages import OURS, team

SHARED = {
    "crosslit.answer": {"Layout.decode": "the grid of a model, which the rules check"},
    "crosslit.contract.task": {
        "Clock.pause Clock.switch Task.encode Task.phase": "the time of a run",
        "Task.improve_bound Task.<lambda>": "the bound on the fewest presses, and defaults that do nothing",
    },
    "crosslit.grid": {
        "Grid.__post_init__ Grid.from_bits Grid.from_rows _pack": "the grid of a solution, which the rules check",
        "Grid.bits Grid.cells Grid.each_row Grid.lines Grid.row Grid.row_bits": "the lights and the missing cells",
    },
    "crosslit.kinds.clue_puzzle": {"CluePuzzle.lines": "each clue with the cells of its line"},
    "crosslit.kinds.nonogram.puzzle": {"Nonogram.pairs": "the blocks of a clue, all of one colour"},
    "crosslit.kinds.lights_out.puzzle": {
        "LightsOut.wraps_rows LightsOut.wraps_columns": "the edges that are joined",
        "LightsOut.__post_init__ _checked_pattern": "a board turned over",
    },
}
"""By module, the functions that independent backends may share, each with its use; see docs/explanation/evidence.md."""

ALLOWED = {f"{module}:{name}" for module, uses in SHARED.items() for names in uses for name in names.split()}

PUZZLES = [
    "1,1|1,1",  # two solutions
    "1,2|2,1",  # one
    "1,1|1,0",  # none: the sums differ
    "0,2|2,0",  # none: the lines contradict each other
    "3|1",  # none: a clue does not fit its line
    "1 1,1 1,1,1|1 1,1,2,1",  # one, by probing
    "10/01",
    "100/000",  # no solution
    "000/000",
    "0_1/111",
    "press=king/101/010/110",
    "press=neighbours/11/11",
    "press=king/wrap=torus/111/101/111",
    "wrap=vertical/101/010/111",
]

QUESTIONS = ("solutions", "count", "fewest", "backbone")


def executed(choice: Choice, puzzle: Puzzle, asked: list[str]) -> set[str]:
    """The functions of ours, as ``module:name``, that a backend executes to answer all its questions."""
    found = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        module, code = frame.f_globals.get("__name__", ""), frame.f_code
        # the methods that dataclasses generate have no file
        if event == "call" and module.split(".")[0] in OURS and code.co_filename != "<string>":
            found.add(f"{module}:{code.co_qualname.split('.<locals>')[0]}")

    for question in asked:
        task = Task(question=question, encoding=choice.encoding, options=choice.options)
        if not choice.backend.answers(question):
            continue
        sys.setprofile(note)
        try:
            with suppress(GaveUp):
                answer = getattr(choice.backend, question)(puzzle, task)
                list(answer if isinstance(answer, Generator) else ())
        finally:
            sys.setprofile(None)
    return found


@pytest.mark.parametrize("text", PUZZLES)
def test_independent_backends_execute_only_the_listed_functions_in_common(text: str) -> None:
    puzzle = load(text)
    asked = [name for name in QUESTIONS if not find_question(name).unsuited(puzzle)]
    specs = "native,default" if puzzle.rows * puzzle.columns > MAX_BRUTE_CELLS else "native,default,brute"
    found = itertools.chain.from_iterable(registry.select(specs, puzzle, name) for name in asked)
    choices = {choice.spec: choice for choice in found if choice.refusal is None}
    choices |= {choice.spec: choice for choice in team(puzzle)}
    runs = [(choice, executed(choice, puzzle, asked)) for choice in choices.values()]
    shared = {}
    for (one, functions), (other, others) in itertools.combinations(runs, 2):
        if one.trusted_base.isdisjoint(other.trusted_base) and (common := (functions & others) - ALLOWED):
            shared[one.spec, other.spec] = common
    assert shared == {}
