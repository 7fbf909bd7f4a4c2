"""The complete line solver and extreme alignment on single lines, against all arrangements."""

from __future__ import annotations

import random
from functools import cache
from itertools import product

import pytest
from crosslit_backends.nonogram.alignment import align
from crosslit_backends.nonogram.line import solve_line

from crosslit import Nonogram
from crosslit.contract.family import random_grid
from crosslit.kinds.nonogram.colours import ColouredNonogram, read_clue
from crosslit.kinds.nonogram.making import random_picture
from crosslit.kinds.nonogram.samples import lines_by_clue

Pairs = tuple[tuple[int, int], ...]
Masks = list[int]


def solved(clue: Pairs, masks: Masks, states: int) -> Masks | None:
    """The colours of the cells by `solve_line`, as those by `align`: bits for each cell."""
    can = tuple(sum((mask >> k & 1) << cell for cell, mask in enumerate(masks)) for k in range(states))
    found = solve_line(clue, len(masks), can)
    return None if found is None else by_cell(found, len(masks))


def by_cell(can: tuple[int, ...], length: int) -> Masks:
    return [sum((cells >> cell & 1) << colour for colour, cells in enumerate(can)) for cell in range(length)]


def by_arrangements(lines: list[str], masks: Masks) -> Masks | None:
    """The colours of each cell in all lines that have only possible ones."""
    kept = [line for line in lines if all(mask >> int(digit) & 1 for digit, mask in zip(line, masks, strict=True))]
    return [sum({1 << int(line[cell]) for line in kept}) for cell in range(len(masks))] if kept else None


def by_dynamic_programme(clue: Pairs, masks: Masks) -> Masks | None:
    """The same, cell by cell and block by block: slow, plain, and unlike the solver."""
    length, possible = len(masks), [0] * len(masks)

    @cache
    def fits(cell: int, block: int, touches: int) -> bool:
        """Return whether the blocks from one on fit behind a cell of a colour, which touches them; note the colours."""
        if cell == length:
            return block == len(clue)
        does = False
        if masks[cell] & 1 and fits(cell + 1, block, 0):
            possible[cell] |= 1
            does = True
        if block < len(clue) and clue[block][1] != touches:
            size, colour = clue[block]
            body = range(cell, cell + size)
            if body.stop <= length and all(masks[c] >> colour & 1 for c in body) and fits(body.stop, block + 1, colour):
                for c in body:
                    possible[c] |= 1 << colour
                does = True
        return does

    # only states reachable from the start are visited, so every mark belongs to a complete arrangement
    return possible if fits(0, 0, 0) else None


# number of cells common to all arrangements beyond the known ones, over every clue and partial line; number of these
# that extreme alignment finds
FORCED = {1: (2, 2), 2: (12, 12), 3: (66, 66), 4: (336, 336), 5: (1583, 1579), 6: (7230, 7204)}


@pytest.mark.parametrize("length", FORCED)
def test_every_partial_line_of_every_clue_of_one_colour(length: int) -> None:
    forced = aligned = 0
    for clue, lines in lines_by_clue(Nonogram, length, 2).items():
        pairs = tuple(Nonogram.pairs(clue))
        for masks in product((1, 2, 3), repeat=length):
            truth = by_arrangements(lines, [*masks])
            assert solved(pairs, [*masks], 2) == truth, (clue, masks)
            found = align(pairs, masks)
            if truth is None:
                continue  # alignment may miss a contradiction
            assert found is not None, (clue, masks)
            assert all(not right & ~left for right, left in zip(truth, found, strict=True)), (clue, masks)
            forced += sum(right != mask for right, mask in zip(truth, masks, strict=True))
            aligned += sum(left != mask for left, mask in zip(found, masks, strict=True))
    assert (forced, aligned) == FORCED[length]


@pytest.mark.parametrize("length", [1, 3, 5, 6])
def test_partial_lines_of_every_clue_of_two_colours(length: int) -> None:
    rng = random.Random(length)
    for clue, lines in lines_by_clue(ColouredNonogram, length, 3).items():
        for _ in range(5):
            masks = [rng.choice((7, 7, 3, 5, 6, 1, 2, 4)) for _ in range(length)]
            truth, found = by_arrangements(lines, masks), align(clue, masks)
            assert solved(clue, masks, 3) == by_dynamic_programme(clue, masks) == truth, (clue, masks)
            if truth is not None:
                assert found is not None, (clue, masks)
                assert all(not right & ~left for right, left in zip(truth, found, strict=True)), (clue, masks)


@pytest.mark.parametrize("colours", [1, 2, 4])
def test_longer_lines(colours: int) -> None:
    rng = random.Random(colours)
    contradictions = 0
    for _ in range(600):
        length, every = rng.randint(7, 60), (2 << colours) - 1
        if colours == 1:
            clue: Pairs = tuple(Nonogram.pairs(Nonogram.of(random_grid(rng, 1, length, rng.random())).row_clues[0]))
        else:
            clue = random_picture(rng, 1, length, colours, rng.random()).row_clues[0]
        masks = [every & ~(1 << rng.randint(0, colours)) if rng.random() < 0.3 else every for _ in range(length)]
        truth = by_dynamic_programme(clue, masks)
        assert solved(clue, masks, colours + 1) == truth, (clue, masks)
        contradictions += truth is None
    assert 50 < contradictions < 500


@pytest.mark.parametrize(
    ("clue", "length"), [("3a", 2), ("999999999a", 5), ("1a 1a", 2), ("1a 1b 1a", 2), ("2a 2a 999999999b", 4)]
)
def test_clues_that_do_not_fit(clue: str, length: int) -> None:
    assert solved(read_clue(clue), [7] * length, 3) is None
    assert align(read_clue(clue), [7] * length) is None


def test_lines_without_a_block() -> None:
    assert solved((), [3, 2, 3], 2) is align((), [3, 2, 3]) is None
    assert solved((), [3, 1, 3], 2) == align((), [3, 1, 3]) == [1, 1, 1]


def test_the_smallest_line_on_which_alignment_is_incomplete() -> None:
    clue, masks = ((1, 1), (1, 1)), [3, 3, 2, 3, 3]
    assert align(clue, masks) == [3, 3, 2, 3, 3]
    assert solved(clue, masks, 2) == [3, 1, 2, 1, 3]
