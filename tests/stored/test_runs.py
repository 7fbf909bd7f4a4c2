"""Whole runs of backends on fixed puzzles, as stored: answers in their order, statistics, phases, bounds, steps."""

from __future__ import annotations

import hashlib
import os
import random
from array import array
from collections import Counter
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.lights_out import enumeration, gauss
from crosslit_backends.nonogram import frontier, hybrid
from crosslit_backends.nonogram.kernel import Counts
from crosslit_backends.nonogram.line import Search

from crosslit import Nonogram, load
from crosslit.base.errors import GaveUp, SpecError
from crosslit.contract import QUESTIONS, Clock, Task
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.families import planted, random_board, random_lights
from crosslit.kinds.nonogram.families import random_nonogram, random_picture
from crosslit.registry import all_backends, kinds, select_one, why_unsuited
from tests.contract.configurations import needs
from tests.solvers.nonogram.puzzles import KERNEL, shuffled
from tests.stored import check

STORED = Path(__file__).with_name("runs.txt")
MOST = 40  # solutions that are asked for
NATIVE = [name for name, backend in all_backends().items() if not backend.targets and "command" not in backend.groups]
COMPILED = [name for name in NATIVE if "kernel" in all_backends()[name].options]
ENGINES = ["cadical195", "cbc", "choco", "clingo", "cpsat", "cryptominisat", "exact", "ganak", "glucose4", "highs"]
ENGINES += ["kissat404", "lingeling", "ortools-scip", "rc2", "scip", "z3"]  # one of each class, or with other abilities
SIZES = {"variables", "clauses", "literals", "xors", "constraints"}  # the same in all releases of an engine


def large() -> list[Puzzle]:
    """Puzzles that need most parts of a native solver."""
    rng = random.Random(5)
    pictures: list[Any] = [random_nonogram(rng, 10, 12, 0.45), random_nonogram(rng, 9, 20, 0.6)]
    pictures += [random_picture(rng, *sizes) for sizes in ((7, 11, 2, 0.6), (6, 9, 3, 0.8), (6, 5, 1, 0.5))]
    pictures += [random_nonogram(rng, 11, 8, 0.35)]
    pictures += [shuffled(rng, puzzle) for puzzle in pictures] + [load("1,1,1,1|1,1,1,1"), load("1 1,1,1 1|1 1,1,1,1")]
    boards: list[Any] = [random_board(rng, *shape, solvable=True) for shape in ((5, 5), (9, 9), (19, 4), (12, 7))]
    boards += [load("/".join(["1" * size] * size)) for size in (9, 11)]
    boards += [load("press=king/wrap=torus/110110/011011/101101"), load("10_01/11011/_1010")]
    boards += [load("press=101,001,111/wrap=vertical/10010/01100/11101"), random_board(rng, 8, 9)]
    boards += [load("/".join(["1111"] * 134))]  # more bytes than a batch may have
    boards += [planted(rng, random_lights(rng, *shape)) for shape in ((4, 5, 3), (3, 4, 4), (5, 3, 6))]
    boards += [random_lights(rng, 4, 4, 12), load("modular-lights-out:4/press=king/wrap=torus/1232/0313/2001")]
    boards += [load("modular-lights-out:5/press=00000,00100,00120,00300,00200/1203/4410/0222/1111/3100")]
    return boards + pictures


def small() -> list[Puzzle]:
    texts = ("press=010,010,000/wrap=torus/11/11", "10/01/00", "modular-lights-out:3/102/210", "1,1,1|1,1,1")
    return [*map(load, texts)]


def run(spec: str, puzzle: Puzzle, question: str) -> str:
    """What a backend answers, and how; of an engine, what is the same in all its releases."""
    choice = select_one(spec, puzzle, question)
    is_ours, is_ordered = not choice.backend.targets, choice.backend.name != "hybrid"
    phases, bounds, steps = Counter[str](), list[int](), list[Any]()
    clock = Clock(lambda: phases.update([clock.phase]))
    task = Task(question, None, choice.encoding, choice.options, clock=clock, on_bound=bounds.append)
    task.trace = lambda *words, **more: steps.append((words, {name: str(value) for name, value in more.items()}))
    try:
        if question == "count":
            told = [str(choice.backend.count(puzzle, task))]
        else:
            with closing(getattr(choice.backend, question)(puzzle, task)) as found:
                grids = [grid.text for grid in islice(found, MOST)]
            least = str(min((sum(map(int, text.replace("/", ""))) for text in grids), default=None))
            told = [str(len(grids)) if question == "solutions" else least] + [digest(grids)] * (is_ours and is_ordered)
            if question == "solutions" and choice.backend.answers("batches") and is_ours and is_ordered:
                told.append(
                    f"batches {digest([*islice(choice.backend.batches(puzzle, Task(options=choice.options)), 40)])}"
                )
    except GaveUp as error:
        told = [str(error)]
    for key, value in sorted(task.stats.items()):
        told.append(f"{key}={value}" if key in SIZES or (is_ours and key != "conflicts") else key)
    told += [f"{phase}: {number}" for phase, number in sorted(phases.items()) if question != "fewest"]
    told += [f"bounds {bounds if is_ours else max(bounds)}"] if bounds and "None" not in told else []
    told += [f"{len(steps)} steps {digest(steps)}"] * bool(steps)
    return "; ".join(told)


def digest(values: list[Any]) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:6]


@pytest.mark.parametrize(
    "spec",
    [name for name in NATIVE if name not in COMPILED]
    + [f"{name}:kernel=no" for name in COMPILED]
    + [pytest.param(f"{name}:kernel=yes", marks=KERNEL) for name in COMPILED]
    + ENGINES,
)
def test_runs_are_those_that_are_stored(
    spec: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hybrid, "FEW", 1)  # of these puzzles, too, some are left to the SAT solver
    monkeypatch.setattr(hybrid, "WORK", 0)
    monkeypatch.setattr(frontier, "PROBE", 5)
    monkeypatch.setattr(gauss, "_BATCH_BYTES", 64)
    monkeypatch.setattr(enumeration, "_BATCH_BYTES", 64)
    monkeypatch.setattr(enumeration, "_MAX_UNBATCHED", 1)
    backend = all_backends()[spec.partition("/")[0].partition(":")[0]]
    needs(backend.name)
    lines = []
    for question in filter(backend.answers, QUESTIONS):
        for puzzle in small() if backend.targets or backend.name == "brute" else large():
            if puzzle.kind in kinds(backend) and not why_unsuited(QUESTIONS[question], puzzle):
                with suppress(SpecError):
                    lines.append(f"{question} {puzzle.text[:30]}: {run(spec, puzzle, question)}")
    check(STORED, spec, "\n".join(lines))
    os.write(1, b"end\n")
    assert capfd.readouterr() == ("end\n", "")  # engines print nothing, and leave the output open


def test_hints_are_those_that_are_stored() -> None:
    lines = []
    for puzzle in large():
        if isinstance(puzzle, Nonogram):
            search, cells = Search(puzzle, Counts()), range(puzzle.rows * puzzle.columns)
            is_possible = search.propagate(range(puzzle.rows + puzzle.columns))
            masks = array("I", [sum(1 << colour for colour in search.colours(cell)) for cell in cells])
            for turn in (0, 1) if is_possible and any(mask & mask - 1 for mask in masks) else ():
                hints = hybrid.Residue(puzzle, masks).hints(turn)
                lines.append(f"{puzzle.text[:30]}: {len(hints)}, {sum(hint > 0 for hint in hints)}, {digest(hints)}")
    check(STORED, "hints", "\n".join(lines))
