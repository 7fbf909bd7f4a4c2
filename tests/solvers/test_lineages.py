"""Independent backends share no code but a short list of functions: the tests record what each executes."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Generator
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

from crosslit import kinds as registry_of_kinds
from crosslit import registry
from crosslit.base.errors import GaveUp
from crosslit.contract import QUESTIONS, Task
from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit.registry import Choice, why_unsuited
from crosslit.registry.defaults import MAX_BRUTE_CELLS
from tests.contract.configurations import every_configuration

OURS = ("crosslit", "crosslit_encoders", "crosslit_backends")

SHARED = {
    "crosslit.base.grid": {
        "Layout.decode Layout.variables Layout.weights": "the grid of a model, which the rules check",
        "Layout.answers Layout.pack Layout.bits Layout.size Layout.width": "the grid of a solution, the same",
        "Layout.parts Layout.require": "whole grids of packed bytes, the same",
        "Grid.__post_init__ Grid.from_bits Grid.from_rows": "the grid of a solution, which the rules check",
        "Grid.bits Grid.cells Grid.layout Grid.lines Grid.row_bits Grid.values": "the lights and the missing cells",
        "Grid.count": "the presses of a solution",
        "_width": "the bits of a cell",
        "Grid.__hash__": "the place of a board in tables, such as the caches of its properties",
    },
    "crosslit.contract": {
        "Clock.pause Clock.switch Clock.<lambda> Task.encode Task.phase": "the time of a run",
        "Task.improve_bound Task.<lambda>": "the bound on the fewest presses, and defaults that do nothing",
    },
    "crosslit.kinds.nonogram.puzzle": {
        "Nonogram.lines": "each clue with the cells of its line",
        "Nonogram.layout Nonogram.states Nonogram.colours": "the form of a solution",
        "Nonogram.pairs": "the blocks of a clue, all of one colour",
    },
    "crosslit.kinds.nonogram.colours": {"ColouredNonogram.pairs": "the blocks of a clue, as they are"},
    "crosslit_backends.compiled": {
        "load missing is_used _unusable": "the library of C, in which each solver has functions of its own",
    },
    "crosslit_encoders.formula": {"Formula.cells Formula.layout": "which variables of a formula are the cells"},
    "crosslit.contract.puzzle": {"Puzzle.layout": "the form of a solution"},
    "crosslit.kinds.lights_out.board": {
        "LightsOut.states LightsOut.layout": "the form of a solution",
        "LightsOut.values LightsOut.gone": "the lights and the missing cells",
        "LightsOut.effects LightsOut.offsets": "the rules, which `violations` applies too",
        "LightsOut.wraps_rows LightsOut.wraps_columns": "the edges that are joined",
        "LightsOut.by_shifts": "whether the rules are a press pattern",
    },
    "crosslit.kinds.lights_out.rules": {
        "effects_of edges_of": "the rules, which `violations` applies too",
    },
}
"""By module, the functions that independent backends may share, each with its use; see docs/explanation/evidence.md."""

ALLOWED = {f"{module}:{name}" for module, uses in SHARED.items() for names in uses for name in names.split()}

ASKED = ("solutions", "count", "fewest")


def clear_caches() -> None:
    """Forget what functions of puzzles have computed: otherwise only the first backend would execute them."""
    cleared = ("crosslit.kinds.", "crosslit_encoders.", "crosslit_backends.")
    for name, module in [*sys.modules.items()]:
        if name.startswith(cleared) and name != registry_of_kinds.__name__:
            for value in [*vars(module).values()]:
                for function in (value, *(vars(value).values() if isinstance(value, type) else ())):
                    if isinstance(function, functools._lru_cache_wrapper):
                        function.cache_clear()


def executed(choice: Choice, puzzle: Puzzle, asked: list[str]) -> set[str]:
    """The functions of ours, as ``module:name``, that a backend executes to answer all its questions."""
    clear_caches()
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


def chosen(puzzle: Puzzle, asked: list[str]) -> list[Choice]:
    """The tested pairs of backend and encoding that accept a puzzle."""
    specs = [spec for spec, kind in every_configuration() if kind == puzzle.kind]
    if puzzle.layout.bits > MAX_BRUTE_CELLS:
        specs.remove("brute")
    found = itertools.chain.from_iterable(registry.select(specs, puzzle, name) for name in asked)
    return [*{choice.spec: choice for choice in found if choice.refusal is None}.values()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", all_kinds())
def test_independent_backends_execute_only_the_listed_functions_in_common(kind: str) -> None:
    shared, pairs = {}, 0
    samples = find_kind(kind).samples()
    # a third of them, with the last, makes the backends execute every function that all samples do
    for puzzle in (*samples[::3], samples[-1]):
        asked = [name for name in ASKED if not why_unsuited(QUESTIONS[name], puzzle)]
        runs = [(choice, executed(choice, puzzle, asked)) for choice in chosen(puzzle, asked)]
        for (one, functions), (other, others) in itertools.combinations(runs, 2):
            if one.trusted_base.isdisjoint(other.trusted_base):
                pairs += 1
                if common := (functions & others) - ALLOWED:
                    shared[puzzle.text, one.spec, other.spec] = common
    assert shared == {}
    assert pairs > 0
