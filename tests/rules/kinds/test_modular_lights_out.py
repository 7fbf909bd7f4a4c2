"""The rules of Lights Out with k states: joined edges, graphs, matrices, missing cells, and their texts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from crosslit import Grid, LightsOut, solutions
from crosslit.base.errors import InputError
from crosslit.base.grid import Layout
from crosslit.formats import read
from crosslit.kinds import find_kind
from crosslit.kinds.lights_out.board import ModularLightsOut
from crosslit.kinds.lights_out.check import equations
from crosslit.kinds.lights_out.families import (
    random_lights,
)
from crosslit.kinds.lights_out.rules import MODULAR_WRAPS


def board(text: str) -> ModularLightsOut:
    return ModularLightsOut.parse(f"modular-lights-out:{text}")


def test_the_seams_of_joined_edges() -> None:
    presses = {
        wrap: board(f"2/wrap={wrap}/000/000/000").pressed(Grid.from_text("100/000/000")) for wrap in MODULAR_WRAPS
    }
    lights = {wrap: "/".join(pressed.lines) for wrap, pressed in presses.items()}
    assert lights["none"] == "110/100/000"
    assert lights["horizontal"] == "111/100/000"
    assert lights["vertical"] == "110/100/100"
    assert lights["torus"] == "111/100/100"
    assert lights["moebius"] == "110/100/001"  # left of the first row is the right end of the last
    assert lights["klein"] == "110/100/101"


def test_a_twisted_edge_that_is_crossed_twice_turns_nothing() -> None:
    assert board("3/press=10001/wrap=klein/0/0").effects == (((0, 1), (0, 1)), ((1, 1), (1, 1)))
    assert board("3/press=01010/wrap=klein/0/0").effects == (((1, 1), (1, 1)), ((0, 1), (0, 1)))
    assert equations(board("3/press=01010/wrap=klein/0/0"), [0]) == {0: [0, 2, 0]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4/matrix=2/1", True), ("4/matrix=2/2", False), ("6/matrix=20,03/13", True), ("6/matrix=20,03/23", False)],
)
def test_a_zero_divisor_contradicts_what_is_no_multiple_of_it(text: str, expected: bool) -> None:
    puzzle = board(text)
    assert (puzzle.needed(Grid.from_bits(1, puzzle.columns, (1 << puzzle.columns) - 1)) is not None) is expected


def test_graphs_and_matrices_state_what_a_press_adds() -> None:
    assert board("5/edges=1-2,2-3,1-2/0000").pressed(Layout(1, 4, 5).parse("1001")).text.endswith("/1201")
    assert board("5/matrix=12,03/00").pressed(Layout(1, 2, 5).parse("12")).text.endswith("/13")


def test_a_matrix_may_have_more_or_fewer_presses_than_lights() -> None:
    few, many = board("5/matrix=123/444"), board("2/matrix=10,01,11/11")
    assert (few.shape, few.constraints_shape) == ((1, 1), (1, 3))
    assert few.pressed(Layout(1, 1, 5).parse("2")).text.endswith("/130")
    assert {grid.text for grid in many.all_solutions()} == {"001", "110"}
    assert few.with_lights([1, 2, 3]).dark == few.dark
    assert board("2/matrix=11/10").needed(Grid.from_text("11")) == Grid.from_text("11")


def test_boards_of_two_states_with_any_buttons_need_no_name_of_their_kind() -> None:
    assert read("matrix=110,011/101") == board("2/matrix=110,011/101")
    assert read("edges=1-2\n11") == board("2/edges=1-2/11")
    for text, message in (
        ("press=king/edges=1-2/11", "expected one of press=, edges= and matrix="),
        ("edges=1-2/wrap=torus/11", "wrap is one of"),
        ("edges=1-3/11", "an edge joins two of the vertices 1 to 2"),
        ("lamps=11/11", "expected the setting press=, wrap=, edges= or matrix="),
    ):
        with pytest.raises(InputError, match=message):
            read(text)


def test_text_is_read_back_and_equal_rules_are_one() -> None:
    for text in ("16/_f/0a", "3/press=021,010,000/wrap=klein/01", "4/edges=/0", "9/matrix=8/7"):
        assert read(board(text).text) == board(text)
    assert board("3/press=00000,00100,01110,00100,00000/01").text == "modular-lights-out:3/01"
    assert board("3/press=1/0").text == "modular-lights-out:3/press=000,010,000/0"
    assert board("3/edges=3-2,2-1/000") == board("3/edges=1-2,2-3/000")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "the number of states is 2 to 16"),
        ("x/0", "expected modular-lights-out: and the number"),
        ("3/03", "a light is 0 to 2"),
        ("3/0/00", "rows of lights of equal length"),
        ("3/0/wrap=torus", "expected modular-lights-out: and the number"),
        ("3/press=11,11/00", "or a picture of odd height and width such as 010,121,010, found"),
        ("3/matrix=11,1/00", "expected matrix= with a row for each press, of a digit below 3 for each of the 2 lights"),
        ("2/matrix=10,01,11/1_", "1 x 2 missing cells on a 1 x 3 board"),
    ],
)
def test_what_is_no_board(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        board(text)


@pytest.mark.parametrize("kind", ["lights-out", "modular-lights-out"])
def test_the_bound_on_presses_is_at_most_the_fewest(kind: str) -> None:
    for puzzle in find_kind(kind).samples()[::3]:
        fewest = min((grid.count() for grid in puzzle.all_solutions()), default=None)
        assert fewest is None or puzzle.min_true_cells <= fewest, puzzle.text
    assert board("5/4").min_true_cells == 1  # one cell that is pressed once or more


def test_a_missing_cell_cannot_be_pressed() -> None:
    assert list(board("3/0_").violations(Layout(1, 2, 3).parse("02")))
    violations = board("3/0_").violations(Layout(1, 2, 3).parse("01"))
    assert list(violations) == ["row 1, column 2 is missing and cannot be pressed"]
    assert [grid.text for grid in solutions(board("3/1_"))] == ["20"]


def test_a_board_of_two_states_is_a_board_of_booleans() -> None:
    assert next(solutions(board("2/11/11"))) == Grid.from_text("11/11")
    assert LightsOut(Grid.from_text("11/11")).layout == board("2/11/11").layout


def test_a_board_keeps_its_name_and_holes_when_pressed() -> None:
    named = replace(board("3/0_/12"), name="x")
    pressed = named.pressed(Layout(2, 2, 3).parse("10/00"))
    assert (pressed.name, [*pressed.lines]) == ("x", ["1_", "22"])


def test_the_effects_of_very_many_presses_are_no_data() -> None:
    boards = [random_lights(random.Random(1), 100, columns, 2) for columns in (100, 101)]
    assert ["effects" in each.data for each in boards] == [True, False]


def test_presses_are_taken_back() -> None:
    puzzle = board("5/012/340")
    presses = puzzle.layout.pack([0, 1, 2, 3, 4, 0])
    assert puzzle.pressed(presses).pressed(puzzle.back(presses)) == puzzle
