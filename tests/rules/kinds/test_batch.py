"""The rules for many packed grids at once against the rules for one, with each bit of a solution changed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

import pytest

from crosslit import Grid, LightsOut, Nonogram
from crosslit.kinds import Puzzle, all_right, first_wrong, wrong_grids
from crosslit.kinds.lights_out.rules import PLUS, WRAPS, Offset
from crosslit.kinds.lights_out.text import of_lights
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.families import random_colours
from tests.conftest import random_grid

# Around the ends of bytes and of words of 64 bits; never a square, so that rows and columns cannot be exchanged.
SHAPES = [(1, 7), (8, 1), (3, 3), (1, 63), (64, 1), (5, 13), (127, 1), (8, 16), (3, 43)]
# A press that toggles only itself makes a pressed missing cell the only mistake; the others have no symmetry.
PATTERNS: list[tuple[Offset, ...]] = [((0, 0),), ((0, 1),), ((-2, 1), (0, 0), (1, 2)), PLUS]


def boards(shape: tuple[int, int]) -> Iterator[tuple[Puzzle, Grid]]:
    """Boards with a solution, with and without missing cells."""
    rng = random.Random(shape[0])
    cells = shape[0] * shape[1]
    for number, (wrap, pattern) in enumerate(itertools.product(WRAPS, PATTERNS)):
        missing = 0 if number % 3 == 1 else 1 << rng.randrange(cells) | 1 << cells - 1
        presses = Grid.from_bits(*shape, random_grid(rng, *shape).bits & ~missing)
        dark = LightsOut(Grid.from_bits(*shape, 0), pattern, wrap, Grid.from_bits(*shape, missing))
        yield dark.pressed(presses), presses


def modular_boards(shape: tuple[int, int]) -> Iterator[tuple[Puzzle, Grid]]:
    """Boards of 3, 4 and 5 states with a solution, and with a missing cell."""
    rng = random.Random(shape[1])
    for states, press in ((3, "press=000,010,000"), (4, "press=012,010,000"), (5, "press=plus")):
        rows = ["0" * shape[1]] * shape[0]
        dark = of_lights(states, [*rows[1:], rows[0][1:] + "_"], press, "wrap=klein")
        presses = dark.layout.pack([0 if gone else rng.randrange(states) for gone in dark.gone])
        yield dark.pressed(dark.back(presses)), presses


def nonograms(shape: tuple[int, int]) -> Iterator[tuple[Puzzle, Grid]]:
    """Pictures with the clues that they solve."""
    rng = random.Random(shape[0])
    for picture in (random_grid(rng, *shape), Grid.from_bits(*shape, 0), Grid.from_bits(*shape, 1)):
        yield Nonogram.of(picture), picture


def coloured_nonograms(shape: tuple[int, int]) -> Iterator[tuple[Puzzle, Grid]]:
    """Pictures in 1 to 3 colours, whose blocks may touch, with the clues that they solve."""
    rng = random.Random(shape[1])
    for colours in (1, 2, 3):
        picture = random_colours(rng, *shape, colours, 0.7)
        yield ColouredNonogram.of(picture), picture


def solves(puzzle: Puzzle, packed: bytes) -> bool:
    """Whether a packed grid is one, and solves a puzzle."""
    try:
        (grid,) = puzzle.layout.grids(packed)
    except ValueError:
        return False
    return next(puzzle.violations(grid), None) is None


CASES = [*itertools.product(SHAPES, [(boards, 3), (nonograms, 3), (coloured_nonograms, 3)])]
CASES += itertools.product(SHAPES[:3], [(modular_boards, 1)])


@pytest.mark.parametrize(("shape", "made", "count"), [(shape, *case) for shape, case in CASES])
def test_each_changed_bit_of_a_solution_counts_as_in_the_rules_for_one(
    shape: tuple[int, int], made: Callable[[tuple[int, int]], Iterator[tuple[Puzzle, Grid]]], count: int
) -> None:
    for puzzle, solution in made(shape):
        good = solution.packed
        assert first_wrong(puzzle, good * (count + 1)) is None and all_right(puzzle, good * 2), puzzle.text
        for bit in range(8 * len(good)):
            changed = bytearray(good)
            changed[bit // 8] ^= 1 << bit % 8
            batch = good * (count // 2) + bytes(changed) + good * (count - count // 2)
            assert all_right(puzzle, batch) == solves(puzzle, bytes(changed)), (puzzle.text, bit)


def test_the_blocks_of_a_line_are_in_the_order_of_its_clue() -> None:
    right, swapped = Grid.from_text("10110"), Grid.from_text("11010")
    puzzle = Nonogram([[1, 2]], Nonogram.of(right).column_clues)
    upright = Nonogram(puzzle.column_clues, puzzle.row_clues)
    cases = [(puzzle, right, swapped), (upright, right.transposed(), swapped.transposed())]
    square, rows, columns = map(Grid.from_text, ("10/01", "10/10", "11/00"))  # all lines, the rows, the columns fit
    cases += [(Nonogram.of(square), square, rows), (Nonogram.of(square), square, columns)]
    wide, mixed = (Grid.from_text(f"{row * 9}/{other * 9}") for row, other in (("11", "00"), ("10", "01")))
    cases += [(Nonogram.of(wide), wide, mixed), (Nonogram.of(wide.transposed()), wide.transposed(), mixed.transposed())]
    for found, good, bad in cases:
        assert found.all_right(good.packed * 4)
        assert not found.all_right(good.packed * 3 + bad.packed)


@pytest.mark.parametrize(("states", "press"), [(3, "press=plus"), (5, "press=000,010,012"), (13, "edges=1-2,2-3")])
def test_a_value_that_no_cell_can_have_is_wrong_though_it_presses_as_often(states: int, press: str) -> None:
    board = of_lights(states, ["000"], press)
    good = board.layout.pack([0, 0, 0]).packed
    assert all_right(board, good * 3)
    for cell in range(3):
        bad = (states << cell * board.layout.width).to_bytes(len(good), "little")
        assert not all_right(board, good * 2 + bad), cell
        assert first_wrong(board, good * 9 + bad) == (9, f"a cell has a value from 0 to {states - 1}")


@pytest.mark.parametrize("piece", [1, 100, 1 << 19])
@pytest.mark.parametrize("count", [1, 5, 16, 501])
def test_wrong_grids_are_named_by_their_places_in_the_whole_batch(
    monkeypatch: pytest.MonkeyPatch, piece: int, count: int
) -> None:
    monkeypatch.setattr("crosslit.kinds._ARRAY", piece)
    monkeypatch.setattr("crosslit.kinds._FEW", (0, 0))
    good, bad = Grid.from_text("1000/0000/0000"), Grid.from_text("0000/0000/0100")  # of two bytes
    for puzzle in (LightsOut(Grid.from_text("1100/1000/0000")), Nonogram.of(good), ColouredNonogram.of(good)):
        for places in ([], [0], [count - 1], sorted({count // 3, count // 2})):
            packed = b"".join((bad if place in places else good).packed for place in range(count))
            violation = next(puzzle.violations(bad))
            assert list(wrong_grids(puzzle, packed)) == [(place, violation) for place in places]
            assert first_wrong(puzzle, packed) == ((places[0], violation) if places else None)


def test_bytes_that_are_no_whole_number_of_grids_are_refused() -> None:
    with pytest.raises(ValueError, match="3 bytes are not a whole number of grids of 2 bytes"):
        first_wrong(LightsOut(Grid.from_text("000000000")), b"123")
