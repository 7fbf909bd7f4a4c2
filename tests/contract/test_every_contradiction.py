"""The smallest contradictions of every backend that finds them, against all sets of constraints of small puzzles."""

from __future__ import annotations

import functools
import random
from itertools import combinations

import pytest
from crosslit_verify.contract_checks.specimens import floor, sample_puzzles

from crosslit.contract import answer_layout
from crosslit.contract.family import random_grid
from crosslit.kinds import Puzzle, find_kind, kind_of
from crosslit.registry import select_one
from crosslit.runs.job import Job, Solve
from tests.contract.configurations import every_configuration
from tests.contract.executor import execute, lacks


def puzzles(kind: str, step: int) -> list[Puzzle]:
    small = [*floor(kind, 2, 2)[:: 3 * step], *floor(kind, 2, 3)[:: 11 * step], *floor(kind, 3, 3)[:: 61 * step]]
    samples = sample_puzzles(kind)[::step]
    return [*(each.puzzle for each in small), *(each for each in samples if each.layout.bits < 10)]


@functools.cache
def kept(puzzle: Puzzle) -> frozenset[int]:
    """The constraints that each grid satisfies, as bits."""
    satisfied = kind_of(puzzle).satisfied
    assert satisfied is not None
    return frozenset(satisfied(puzzle, grid) for grid in puzzle.layout.every())


def contradict(puzzle: Puzzle, constraints: int) -> bool:
    return all(constraints & ~satisfied for satisfied in kept(puzzle))


def single_bits(number: int) -> list[int]:
    return [1 << place for place in range(number.bit_length()) if number >> place & 1]


@functools.cache
def smallest(puzzle: Puzzle, allowed: int) -> list[int]:
    """The size of the smallest contradiction; nothing if there is none."""
    sizes = range(allowed.bit_count() + 1) if contradict(puzzle, allowed) else range(0)
    sets = (sum(chosen) for size in sizes for chosen in combinations(single_bits(allowed), size))
    return [next(chosen for chosen in sets if contradict(puzzle, chosen)).bit_count()] if sizes else []


@pytest.mark.parametrize(("spec", "kind"), every_configuration("mus"))
def test_each_is_minimal_and_the_last_the_smallest(spec: str, kind: str) -> None:
    assert find_kind(kind).satisfied is not None
    rng = random.Random(9)
    # engines that answer many questions differ little in this one
    for puzzle in puzzles(kind, 1 if spec.partition("/")[0] in ("fewest", "glucose4") else 3):
        layout = answer_layout("mus", puzzle)
        for candidates in (None, random_grid(rng, *layout[:2], 0.8)):
            allowed = (1 << layout.bits) - 1 if candidates is None else candidates.bits
            choice = select_one(spec, puzzle, "mus")
            ((_, run),) = execute(
                [Job(choice=choice, puzzle=puzzle, request=Solve(question="mus", candidates=candidates))]
            )
            sizes = [grid.count() for grid in run.grids]
            assert sizes == sorted(set(sizes), reverse=True)
            for grid in run.grids:
                assert not grid.bits & ~allowed
                assert contradict(puzzle, grid.bits)
                assert not any(contradict(puzzle, grid.bits ^ part) for part in single_bits(grid.bits))
            best = smallest(puzzle, allowed)
            if run.status == "complete":
                assert sizes[-1:] == best, (puzzle.text, candidates)
                assert run.bound <= sum(best)
            else:
                assert lacks(choice.encoding, "mus")
