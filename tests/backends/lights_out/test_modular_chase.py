"""The chase of whole rows: the solutions of an elimination with all cells, for all rules that it supports."""

from __future__ import annotations

import itertools
import random

import pytest
from crosslit_backends.lights_out.modular_chase import BACKENDS, RowChase

from crosslit.base.grid import DIGITS
from crosslit.contract import Task
from crosslit.kinds.lights_out.batch import all_zero
from crosslit.kinds.lights_out.making import planted, random_lights
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.rules import WRAPS
from crosslit.registry import all_backends

(CHASE,) = BACKENDS


def random_board(rng: random.Random) -> ModularLightsOut:
    """A board whose press changes one light of the row above, or of the column to the left."""
    states, middle = rng.randint(2, 16), rng.randint(1, 2)
    lines = [[0] * (2 * middle + 1) for _ in range(2 * middle + 1)]
    for line in lines[middle:]:
        line[:] = [rng.choice([0, rng.randrange(states)]) for _ in line]
    lines[middle - 1][middle] = rng.randrange(1, states)
    if rng.random() < 0.5:
        lines = [list(line) for line in zip(*lines, strict=True)]
    picture = ",".join("".join(DIGITS[value] for value in line) for line in lines)
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    board = random_lights(rng, rows, columns, states, rule=f"press={picture}", wrap=rng.choice(WRAPS))
    return planted(rng, board) if rng.random() < 0.5 else board


@pytest.mark.parametrize("number", [60, pytest.param(700, marks=pytest.mark.slow)])
def test_rows_have_the_solutions_of_an_elimination_of_all_cells(number: int) -> None:
    rng, howell, chased = random.Random(number), all_backends()["howell"], 0
    for _ in range(number):
        board = random_board(rng)
        chased += RowChase.of(board) is not None
        count = CHASE.count(board, Task())
        assert count == howell.count(board, Task()), board.text
        found = [grid.text for grid in itertools.islice(CHASE.solutions(board, Task()), 200)]
        if count <= 200:
            assert sorted(found) == [grid.text for grid in howell.solutions(board, Task())], board.text
        else:
            assert len({*found}) == 200
            assert not any(any(board.violations(board.layout.parse(text))) for text in found)
    assert chased > number / 4


@pytest.mark.parametrize(
    ("rules", "chased"),
    [
        ("000/000", True),
        ("press=king/000/000", False),
        ("press=010,111,000/000/000", True),
        ("press=020,010,000/000/000", False),  # 2 has no inverse modulo 4
        ("wrap=torus/000/000", True),
        ("wrap=moebius/000/000", False),
        ("00_/000", False),
        ("edges=1-2/00", False),
    ],
)
def test_rows_are_chased_if_each_light_determines_one_press_below(rules: str, chased: bool) -> None:
    assert (RowChase.of(ModularLightsOut.parse(f"modular-lights-out:4/{rules}")) is not None) is chased


def test_large_boards_have_a_limit_by_the_rules() -> None:
    rng = random.Random(5)
    board = planted(rng, random_lights(rng, 150, 300, 6))
    assert CHASE.unsupported_reason(board, {}) is None
    assert all_zero(board, next(CHASE.solutions(board, Task())).packed)
    king = random_lights(rng, 150, 300, 6, rule="press=king")
    assert CHASE.unsupported_reason(king, {}) == "more than 40000 cells"
    assert CHASE.unsupported_reason(random_lights(rng, 900, 900, 2), {}) == "more than 40000 cells"
