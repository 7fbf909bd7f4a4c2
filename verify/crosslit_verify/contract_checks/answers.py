"""Checks of the answers to all questions other than ``solutions``.

The right answers come from brute force: from all solutions, and from trying all sets of cells or constraints.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable
from itertools import combinations

from crosslit.base.grid import Grid
from crosslit.base.layout import differing
from crosslit.contract import BACKBONE, COUNT, FEWEST, MUS, REVEAL, QuestionName, answer_layout
from crosslit.contract.family import random_grid
from crosslit.contract.run import Run
from crosslit.kinds import Puzzle, find_kind, kind_of
from crosslit_verify.contract_checks.subject import (
    CheckedBackend,
    CheckOutcome,
    Specimen,
    broke,
    ended,
    failed,
    first_failed,
    larger_samples,
    passed,
    small_samples,
    some_samples,
    specimens,
)

_LARGER = {"quick": 0, "usual": 2, "full": 4}  # boards of 15 and 16 cells


def finds_the_fewest(subject: CheckedBackend) -> CheckOutcome:
    """Check the fewest presses."""
    kind = subject.configuration.kind
    boards = [*some_samples(kind, subject.size), *larger_samples(kind)[: _LARGER[subject.size]]]
    runs = subject.run(boards, question=FEWEST.name)
    return first_failed(runs, _judge_fewest) or passed(len(runs), "boards")


def _judge_fewest(specimen: Specimen, run: Run) -> str:
    counts = [grid.count() for grid in run.grids]
    best = sorted(specimen.solutions, key=lambda grid: grid.count())[:1]
    if not specimen.solutions.issuperset(run.grids):
        return "it gave a grid that is not a solution"
    if counts != sorted(set(counts), reverse=True):
        return "a solution has no fewer presses than the previous one"
    if run.status == "complete" and counts[-1:] != [grid.count() for grid in best]:
        return "it wrongly claims the fewest presses"
    if best and run.bound > best[0].count():
        return f"it claims that every solution has {run.bound} presses at least"
    return ""


def counts_right(subject: CheckedBackend) -> CheckOutcome:
    """Check the number of solutions."""
    kind = subject.configuration.kind
    runs = subject.run(specimens(kind, "quick" if subject.size == "quick" else "usual"), question=COUNT.name)
    for specimen, run in runs:
        if broke(run):
            return failed(ended(run), specimen.puzzle)
        if run.counted not in (None, len(specimen.solutions)):
            detail = f"it counts {run.counted} where there are {len(specimen.solutions)} solutions"
            return failed(detail, specimen.puzzle, right=specimen.solutions)
    return passed(sum(run.counted is not None for _, run in runs), "counts")


def finds_the_backbone(subject: CheckedBackend) -> CheckOutcome:
    """Check that cells on which the solutions agree are equal in all solutions."""
    runs = subject.run(small_samples(subject.configuration.kind, subject.size), question=BACKBONE.name)
    return first_failed(runs, _judge_backbone) or passed(sum(run.status == "complete" for _, run in runs))


def _judge_backbone(specimen: Specimen, run: Run) -> str:
    if not specimen.solutions.issuperset(run.grids):
        return "it gave a grid that is not a solution"
    if run.status == "complete" and _agreed(run.grids) != _agreed(specimen.solutions):
        return "it claims that all solutions agree where these do, and they do not"
    return ""


def _agreed(solutions: Iterable[Grid]) -> list[str]:
    """Return the value of each cell that is equal in all of some solutions, and ``?`` for the others."""
    columns = zip(*(grid.text() for grid in solutions), strict=True)
    return [values[0] if len(set(values)) == 1 else "?" for values in columns]


def finds_the_smallest(subject: CheckedBackend, question: QuestionName) -> CheckOutcome:
    """Check the fewest cells to reveal, or the minimal unsatisfiable subsets of the constraints."""
    if question == MUS.name and find_kind(subject.configuration.kind).satisfied is None:
        return passed(0)
    rng = random.Random(9)
    count = 0
    for specimen in small_samples(subject.configuration.kind, subject.size):
        target = None
        if question == REVEAL.name and specimen.solutions:
            target = rng.choice(sorted(specimen.solutions, key=lambda grid: grid.bits))
        for candidates in (None, random_grid(rng, *answer_layout(question, specimen.puzzle)[:2], 0.8)):
            judge = functools.partial(_judge, question=question, target=target, candidates=candidates)
            runs = subject.run([specimen], question=question, target=target, candidates=candidates)
            if problem := first_failed(runs, judge, shows_right=False):
                return problem
            count += sum(run.status == "complete" for _, run in runs)
    return passed(count)


def _judge(specimen: Specimen, run: Run, question: QuestionName, target: Grid | None, candidates: Grid | None) -> str:
    """Return the error in some answers: each must be allowed, sufficient and minimal, and the last the smallest."""
    enough = _enough(specimen, question, target)
    fewest = _smallest(specimen, question, target, candidates)
    counts = [grid.count() for grid in run.grids]
    if counts != sorted(set(counts), reverse=True):
        return "an answer is no smaller than the previous one"
    for grid in run.grids:
        places = [1 << row * grid.columns + column for row, column in grid.cells()]
        if candidates is not None and grid.bits & ~candidates.bits:
            return f"{grid.text()} has cells outside the candidates"
        if not enough(grid.bits):
            return f"{grid.text()} is not enough"
        if any(enough(grid.bits ^ place) for place in places):
            return f"of {grid.text()} a part is enough"
    if fewest is not None and run.bound > fewest:
        return f"it claims that an answer has {run.bound} at least, and {fewest} are enough"
    if run.status == "complete" and (counts[-1] if counts else None) != fewest:
        right = "there is no answer" if fewest is None else f"{fewest} are enough"
        return f"it claims that its last answer is the smallest, and {right}"
    return ""


@functools.cache
def _smallest(specimen: Specimen, question: QuestionName, target: Grid | None, candidates: Grid | None) -> int | None:
    """Return the size of the smallest answer; None if there is none."""
    if question == REVEAL.name and target is None:
        return None  # without a solution, no cells leave one
    enough = _enough(specimen, question, target)
    layout = answer_layout(question, specimen.puzzle)
    allowed = (1 << layout.bits) - 1 if candidates is None else candidates.bits
    if not enough(allowed):
        return None
    places = [1 << bit for bit in range(allowed.bit_length()) if allowed >> bit & 1]
    sizes = range(len(places) + 1)
    return next(size for size in sizes if any(enough(sum(some)) for some in combinations(places, size)))


def _enough(specimen: Specimen, question: QuestionName, target: Grid | None) -> Callable[[int], bool]:
    """Return whether the values of some cells (as bits) leave only the target, or some constraints no grid at all."""
    if question != REVEAL.name:
        kept = _kept(specimen.puzzle)
        return lambda constraints: all(constraints & ~satisfied for satisfied in kept)
    if target is None:
        return lambda _cells: False
    differences = [differing(grid, target).bits for grid in specimen.solutions if grid != target]
    return lambda cells: all(difference & cells for difference in differences)


@functools.cache
def _kept(puzzle: Puzzle) -> frozenset[int]:
    satisfied = kind_of(puzzle).satisfied
    assert satisfied is not None
    return frozenset(satisfied(puzzle, grid) for grid in puzzle.layout.every())
