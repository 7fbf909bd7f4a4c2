"""Coloured nonograms made from random pictures and from given ones."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from crosslit_generate.coloured_nonogram import from_picture, random_coloured

from crosslit.base.layout import Layout
from crosslit.kinds.nonogram.colours import usual_palette
from crosslit.questions.solve import solutions


@pytest.mark.parametrize("seed", range(4))
def test_a_repaired_picture_is_the_only_solution(seed: int) -> None:
    made = random_coloured(random.Random(seed), 6, 7, 3, 0.5, True)
    assert [*islice(solutions(made.puzzle, "coloured-alignment"), 2)] == [made.picture]


def test_a_picture_with_one_solution_is_not_changed() -> None:
    picture = Layout(2, 2, 3).parse("12/02")
    made = from_picture(picture, usual_palette(2), True)
    assert (made.picture, made.changed, made.puzzle.text) == (picture, 0, "coloured-nonogram:1a 1b,1b|1a,2b")


def test_without_a_demand_a_picture_may_have_other_solutions() -> None:
    picture = Layout(2, 2, 3).parse("10/01")
    made = from_picture(picture, usual_palette(2), False)
    assert (made.picture, made.changed, made.puzzle.colours) == (picture, 0, 2)
