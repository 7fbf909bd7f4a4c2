"""Metamorphic relations by brute force: they map the solutions of a puzzle to exactly those of the other."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from crosslit_generate.relations import relations, symmetries
from crosslit_verify.contract_checks.specimens import by_rules

from crosslit import Grid, LightsOut, Nonogram
from crosslit.contract.family import Relation
from crosslit.kinds import Puzzle, all_kinds
from crosslit.kinds.lights_out import changing
from crosslit.kinds.lights_out.making import planted, random_board, random_lights, random_rules
from crosslit.kinds.lights_out.rules import MODULAR_WRAPS, WRAPS

NAMES = {
    "upside down",
    "mirrored",
    "turned by 180 degrees",
    "transposed",
    "turned left",
    "turned right",
    "transposed the other way",
}


def holds(puzzle: Puzzle, relation: Relation) -> bool:
    solutions = by_rules(puzzle).solutions
    return {relation.carry(grid) for grid in solutions} == by_rules(relation.puzzle).solutions


def asymmetric() -> Iterator[Puzzle]:
    """Yield solvable boards without any symmetry, for each way in which edges can be joined."""
    rng = random.Random(1)
    for rows, columns in [(2, 3), (3, 2), (3, 3)]:
        for edges in WRAPS:
            # this pattern differs from all its images
            board = LightsOut(
                Grid.from_bits(rows, columns, 0), ((0, 0), (0, 1), (-1, 1)), edges, Grid.from_bits(rows, columns, 1)
            )
            yield board.pressed(Grid.from_bits(rows, columns, rng.getrandbits(rows * columns) & ~1))
        for join in MODULAR_WRAPS:
            rule = {"rule": "press=012,010,000", "wrap": join}
            yield planted(rng, random_lights(rng, rows, columns, 3, 0.1, **rule))


def puzzles() -> list[Puzzle]:
    rng = random.Random(1)
    samples = [puzzle for kind in all_kinds().values() for puzzle in kind.samples()]
    small = [puzzle for puzzle in samples if puzzle.layout.bits <= 12]
    rules = [random_rules(rng, rows, columns) for rows, columns in [(1, 4), (3, 1), (2, 3), (3, 3)] for _ in range(4)]
    return [*small, *rules, *asymmetric()]


@pytest.mark.parametrize("puzzle", puzzles(), ids=lambda puzzle: puzzle.text)
def test_every_relation_holds_for_all_solutions(puzzle: Puzzle) -> None:
    for relation in relations(puzzle):
        if relation.puzzle.rows * relation.puzzle.columns <= 12:
            assert holds(puzzle, relation), relation.name


def test_the_relations_of_a_kind() -> None:
    board, nonogram = LightsOut(Grid.from_text("10/00")), Nonogram([[1]], [[1]])
    assert {relation.name for relation in symmetries(board)} == NAMES
    assert {relation.name for relation in relations(board)} == NAMES | {"every cell pressed before"}
    assert {relation.name for relation in relations(nonogram)} == NAMES | {"an empty and a full row added"}


def test_turned_left_is_turned_left() -> None:
    relation = next(found for found in symmetries(Nonogram([[3]], [[1]] * 3)) if found.name == "turned left")
    assert relation.carry(Grid.from_text("110/100")).text == "00/10/11"


def test_pressing_every_cell_first_complements_solutions() -> None:
    rng = random.Random(2)
    for rows, columns in [(1, 3), (2, 3), (3, 3), (2, 4)]:
        for board in (random_board(rng, rows, columns), random_rules(rng, rows, columns)):
            assert holds(board, next(changing.relations(board)))
