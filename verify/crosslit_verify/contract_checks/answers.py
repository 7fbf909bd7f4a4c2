"""Checks of the answers to all questions other than ``solutions``.

The right answers come from brute force: from all solutions, and from trying all sets of cells or constraints.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable
from itertools import combinations

from crosslit.contract import BACKBONE, COUNT, FEWEST, MUS, REVEAL, QuestionName, answer_shape
from crosslit.grid import Grid
from crosslit.kinds import Puzzle, find_kind, kind_of
from crosslit.kinds.chance import random_grid
from crosslit.kinds.rules import all_grids
from crosslit.runs.run import Run
from crosslit_verify.contract_checks.result import Result
from crosslit_verify.contract_checks.samples import Specimen, larger_samples
from crosslit_verify.contract_checks.subject import (
    Subject,
    broke,
    ended,
    failed,
    passed,
    small_samples,
    some_samples,
    specimens,
)

_LARGER = {"quick": 0, "usual": 2, "full": 4}  # boards of 15 and 16 cells


def finds_the_fewest(subject: Subject) -> Result:
    """Check the fewest presses."""
    kind = subject.configuration.kind
    boards = [*some_samples(kind, subject.size), *larger_samples(kind)[: _LARGER[subject.size]]]
    count = 0
    for specimen, run in subject.run(boards, question=FEWEST.name):
        counts = [grid.count() for grid in run.grids]
        best = sorted(specimen.solutions, key=lambda grid: (grid.count(), grid.bits))[:1]
        wrong = ""
        if broke(run):
            wrong = ended(run)
        elif not specimen.solutions.issuperset(run.grids):
            wrong = "it gave a grid that is not a solution"
        elif counts != sorted(set(counts), reverse=True):
            wrong = "a solution has no fewer presses than the previous one"
        elif run.status == "complete" and counts[-1:] != [grid.count() for grid in best]:
            wrong = "it wrongly claims the fewest presses"
        elif best and run.bound > best[0].count():
            wrong = f"it claims that every solution has {run.bound} presses at least"
        if wrong:
            return failed(wrong, specimen.puzzle, run, best)
        count += 1
    return passed(count, "boards")


def counts_right(subject: Subject) -> Result:
    """Check the number of solutions."""
    kind = subject.configuration.kind
    made = subject.run(specimens(kind, "quick" if subject.size == "quick" else "usual"), question=COUNT.name)
    for specimen, run in made:
        if broke(run):
            return failed(ended(run), specimen.puzzle)
        if run.counted not in (None, len(specimen.solutions)):
            detail = f"it counts {run.counted} where there are {len(specimen.solutions)} solutions"
            return failed(detail, specimen.puzzle, right=specimen.solutions)
    return passed(sum(run.counted is not None for _, run in made), "counts")


def finds_the_backbone(subject: Subject) -> Result:
    """Check that cells on which the solutions agree are equal in all solutions."""
    count = 0
    for specimen, run in subject.run(small_samples(subject.configuration.kind, subject.size), question=BACKBONE.name):
        wrong = ""
        if broke(run):
            wrong = ended(run)
        elif not specimen.solutions.issuperset(run.grids):
            wrong = "it gave a grid that is not a solution"
        elif run.status == "complete" and _agreed(run.grids) != _agreed(specimen.solutions):
            wrong = "it claims that all solutions agree where these do, and they do not"
        if wrong:
            return failed(wrong, specimen.puzzle, run, specimen.solutions)
        count += run.status == "complete"
    return passed(count)


def _agreed(solutions: Iterable[Grid]) -> tuple[int, int] | None:
    """Return the cells filled in all of some solutions, and those filled in any, as bits."""
    bits = [grid.bits for grid in solutions]
    if not bits:
        return None
    return functools.reduce(int.__and__, bits), functools.reduce(int.__or__, bits)


def finds_the_fewest_cells(subject: Subject) -> Result:
    """Check the fewest cells to reveal."""
    return _finds_smallest(subject, REVEAL.name)


def finds_minimal_contradictions(subject: Subject) -> Result:
    """Check the minimal unsatisfiable subsets of the constraints."""
    if find_kind(subject.configuration.kind).satisfied is None:
        return passed(0)
    return _finds_smallest(subject, MUS.name)


def _finds_smallest(subject: Subject, question: QuestionName) -> Result:
    rng = random.Random(9)
    count = 0
    for specimen in small_samples(subject.configuration.kind, subject.size):
        target = None
        if question == REVEAL.name and specimen.solutions:
            target = rng.choice(sorted(specimen.solutions, key=lambda grid: grid.bits))
        for candidates in (None, random_grid(rng, *answer_shape(question, specimen.puzzle), 0.8)):
            for _, run in subject.run([specimen], question=question, target=target, candidates=candidates):
                wrong = ended(run) if broke(run) else _judge(specimen, run, question, target, candidates)
                if wrong:
                    return failed(wrong, specimen.puzzle, run)
                count += run.status == "complete"
    return passed(count)


def _judge(specimen: Specimen, run: Run, question: QuestionName, target: Grid | None, candidates: Grid | None) -> str:
    """Return the error in some answers: each must be allowed, sufficient and minimal, and the last the smallest."""
    enough = _suffices(specimen, target) if question == REVEAL.name else _contradicts(specimen.puzzle)
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
    enough = _suffices(specimen, target) if question == REVEAL.name else _contradicts(specimen.puzzle)
    rows, columns = answer_shape(question, specimen.puzzle)
    allowed = (1 << rows * columns) - 1 if candidates is None else candidates.bits
    if not enough(allowed):
        return None
    places = [1 << bit for bit in range(allowed.bit_length()) if allowed >> bit & 1]
    sizes = range(len(places) + 1)
    return next(size for size in sizes if any(enough(sum(some)) for some in combinations(places, size)))


def _suffices(specimen: Specimen, target: Grid | None) -> Callable[[int], bool]:
    """Return a function that decides whether the values of some cells (as bits) leave no solution but the target."""
    if target is None:
        return lambda _cells: False
    differences = [grid.bits ^ target.bits for grid in specimen.solutions if grid != target]
    return lambda cells: all(difference & cells for difference in differences)


def _contradicts(puzzle: Puzzle) -> Callable[[int], bool]:
    """Return a function that decides whether no grid satisfies all of some constraints (as bits)."""
    kept = _kept(puzzle)
    return lambda constraints: all(constraints & ~satisfied for satisfied in kept)


@functools.cache
def _kept(puzzle: Puzzle) -> frozenset[int]:
    satisfied = kind_of(puzzle).satisfied
    assert satisfied is not None
    return frozenset(satisfied(puzzle, grid) for grid in all_grids(puzzle.rows, puzzle.columns))
