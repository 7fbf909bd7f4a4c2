"""The samples of each kind, what puzzles say about themselves, and the smaller puzzles instead of a failing one."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

import pytest

from crosslit import Grid, load
from crosslit.base.text import shorten
from crosslit.contract.family import Chance, between
from crosslit.contract.puzzle import SYMMETRIES
from crosslit.kinds import NAMED, OWN, Puzzle, all_kinds, find_kind
from crosslit.kinds.reduction import kept_lines
from tests.stored import check

STORED = Path(__file__).with_name("smaller.txt")

# Puzzles without symmetry, each with a solution if it has one.
PUZZLES = [
    ("110/100", "100/000"),
    ("press=000,010,001/wrap=horizontal/1_0/011", None),
    ("modular-lights-out:4/press=000,013,000/10/2_", None),
    ("modular-lights-out:3/edges=1-2,2-3/120", None),
    ("modular-lights-out:3/matrix=012,100,020/021", None),
    ("modular-lights-out:3/matrix=100,020,001/021", None),
    (f"{'01' * 9}1/{'0' * 19}", None),
    ("1 1,1,2|2,1,1 1", "101/100/011"),
    ("4,1|1,1,1,2", None),
    ("coloured-nonogram:1a 1b,2b,1c|1a 1b,2b 1c", "12/22/03"),
]


@pytest.mark.parametrize(
    ("text", "solution", "square"), [*((*each, False) for each in PUZZLES), *((*each, True) for each in PUZZLES[::3])]
)
def test_the_smaller_puzzles_of_a_puzzle(text: str, solution: str | None, square: bool) -> None:
    puzzle = load(text)
    grid = None if solution is None else puzzle.layout.parse(solution)
    assert grid is None or not any(puzzle.violations(grid))
    found = list(puzzle.smaller(grid, square))
    assert [each.text for each in found if each.measure >= puzzle.measure] == []  # shrinking would ignore them
    title = f"{text}{' by its solution' * (grid is not None)}{', square' * square}"
    check(STORED, title, fill("; ".join(each.text for each in found), 118))


@pytest.mark.parametrize("kind", all_kinds())
def test_the_samples_of_a_kind(kind: str) -> None:
    found = [*find_kind(kind).samples(), *find_kind(kind).larger_samples()]
    check(STORED, f"samples of {kind}", fill("; ".join(puzzle.text for puzzle in found), 118))


NAMES = "title measure sums density min_true_cells nullity most_solutions is_usual constraints_shape data"


def described(puzzle: Puzzle) -> Iterator[str]:
    """What a puzzle says about itself, what it looks like turned, and the mistakes of some grids."""
    rng, cells = random.Random(puzzle.text), math.prod(puzzle.constraints_shape)
    values = [(name, getattr(puzzle, name)) for name in NAMES.split()]
    facts = [f"{name} {value() if callable(value) else value}" for name, value in values]
    yield "; ".join([puzzle.text, *facts, f"counts {[puzzle.count_up_to(limit) for limit in (1, 2, 9)]}"])
    parts: list[tuple[str, object]] = [("contradictions", iter(puzzle.contradictions()))]
    parts += [("needed", puzzle.needed(Grid.from_bits(*puzzle.constraints_shape, (1 << cells) - 1)))]
    parts += [("words", filter(None, map(puzzle.constraint_words, range(cells))))]
    parts += [("turned", (image.text for image in map(puzzle.image, SYMMETRIES) if image))]
    for _ in range(3):
        grid = puzzle.layout.pack([between(rng, 0, puzzle.layout.states - 1) for _ in range(math.prod(puzzle.shape))])
        parts += [(grid.text, puzzle.violations(grid))]
    for name, value in parts:
        text = "; ".join(value) if isinstance(value, Iterator) else value.text if isinstance(value, Grid) else value
        if text:
            yield f"  {name}: {shorten(str(text), 300)}"


@pytest.mark.parametrize("kind", [*OWN, *NAMED])
def test_what_a_puzzle_says_about_itself(kind: str) -> None:
    rng, of_kind = random.Random(3), find_kind(kind)
    large = [family.make(Chance(rng, 12)) for family in of_kind.population().random]
    given = [puzzle for text, _ in PUZZLES if (puzzle := load(text)).kind == kind]
    found = [*of_kind.samples()[4::12], *filter(None, large), *given]
    lines = (line for puzzle in found for line in described(puzzle))
    check(STORED.with_name("described.txt"), kind, "\n".join(lines))


def test_lines_are_dropped_in_halves_and_then_one_by_one() -> None:
    assert list(kept_lines(4, 2, False)) == [
        *(([2, 3], [0, 1]), ([0, 1], [0, 1])),
        *(([1, 2, 3], [0, 1]), ([0, 2, 3], [0, 1]), ([0, 1, 3], [0, 1]), ([0, 1, 2], [0, 1])),
        *(([0, 1, 2, 3], [1]), ([0, 1, 2, 3], [0])),
    ]
    assert list(kept_lines(2, 2, True)) == [([row], [column]) for row in (1, 0) for column in (1, 0)]
    assert list(kept_lines(3, 2, True)) == list(kept_lines(1, 1, False)) == list(kept_lines(1, 1, True)) == []


def test_two_neighbouring_blocks_become_one() -> None:
    assert {"2 3|1", "1 4|1"} <= {puzzle.text for puzzle in load("1 1 3|1").smaller(None, False)}
