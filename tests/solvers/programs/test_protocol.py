"""Answers and malformed output: any bytes are one or the other."""

from __future__ import annotations

import json

import pytest
from crosslit_backends.programs.protocol import (
    PROBLEMS,
    Abstention,
    Reply,
    SolverAnswer,
    SolverFailure,
    question,
    read_line,
    read_text,
)
from hypothesis import example, given
from hypothesis import strategies as st

from crosslit.base.grid import DIGITS
from crosslit.formats import parse_line
from crosslit.formats.lists import read_json
from crosslit.kinds import NAMED, OWN, Puzzle, find_kind


def line(record: object) -> bytes:
    return json.dumps(record).encode()


def texts(answer: Reply) -> list[str]:
    assert isinstance(answer, SolverAnswer), answer
    return [grid.text for grid in answer.solutions]


def rubbish(answer: Reply) -> str:
    assert isinstance(answer, SolverFailure), answer
    assert answer.problem == "malformed-output"
    assert "\n" not in answer.detail
    assert len(answer.detail) < 200
    return answer.detail


@pytest.mark.parametrize(
    "solution",
    [
        *("10/01", " 10 / 01\n", "1 0/0 1", "10\n01", "#./.#"),
        *(["10", "01"], ["1 0", ".#"], [[1, 0], [0, 1]], [[True, False], [0, True]], ["10", [0, 1]]),
    ],
)
def test_a_grid_is_written_in_many_ways(solution: object) -> None:
    assert texts(read_line(line({"solution": solution}))) == ["10/01"]
    assert texts(read_line(line({"solutions": [solution, solution], "mine": {"a": 1.5}}))) == ["10/01", "10/01"]


def test_the_id_is_checked_where_it_is_given() -> None:
    assert texts(read_line(line({"id": 7, "solution": "1"}), 7)) == ["1"]
    assert texts(read_line(line({"solution": "1"}), 7)) == ["1"]
    assert texts(read_line(line({"id": 7, "solution": "1"}))) == ["1"]
    assert "answer to puzzle 7," in rubbish(read_line(line({"id": 6, "solution": "1"}), 7))
    assert "answer to puzzle 1," in rubbish(read_line(line({"id": None, "solution": "1"}), 1))


@pytest.mark.parametrize("states", [2, 3, 10, 11, len(DIGITS)])
def test_cells_with_several_states_are_written_as_digits_below_their_number(states: int) -> None:
    last, digit = states - 1, DIGITS[states - 1]
    for solution in ([f"0{digit}", "10"], f"0{digit}/10", [[0, last], [True, 0]], [f" 0 {digit}", "#."]):
        assert texts(read_line(line({"solution": solution}), states=states)) == [f"0{digit}/10"]
    assert texts(read_text(f"0{digit}\n10".encode(), states=states)) == [f"0{digit}/10"]
    wanted = "a cell must be 0 or 1, true or false" if states == 2 else f"a cell is below {states}"
    for cell in (-1, states):
        assert wanted in rubbish(read_line(line({"solution": [[0, cell]]}), states=states))
    beyond = f"{DIGITS}-"[states]
    for rows in (["0", beyond], ["0", "0/0"]):
        assert rubbish(read_line(line({"solution": rows}), states=states))
    assert rubbish(read_text(f"0\n{beyond}".encode(), states=states))


def is_answer_or_mishap(answer: Reply) -> bool:
    if isinstance(answer, SolverFailure):
        return answer.problem in PROBLEMS and "\n" not in answer.detail
    return isinstance(answer, Abstention) or answer.unsolvable == (not answer.solutions)


@given(st.binary(max_size=200))
@example(b"[" * 100_000)
@example(b"null")
def test_any_bytes_are_an_answer_or_rubbish(data: bytes) -> None:
    assert is_answer_or_mishap(read_line(data))
    assert is_answer_or_mishap(read_text(data))


CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text("01/.# \n\ud800x", max_size=5)
VALUES = st.recursive(CELLS, lambda inner: st.lists(inner, max_size=3), max_leaves=8)


@given(st.dictionaries(st.sampled_from(["solution", "solutions", "unsolvable", "unique", "id"]), VALUES) | VALUES)
def test_any_json_is_an_answer_or_rubbish(record: object) -> None:
    assert is_answer_or_mishap(read_line(line(record), 3))


@pytest.mark.parametrize("puzzle", [one for kind in OWN + NAMED for one in find_kind(kind).samples()], ids=str)
def test_a_question_is_read_back_by_its_text_and_by_its_data(puzzle: Puzzle) -> None:
    asked = json.loads(question(puzzle, 0, "one"))
    assert parse_line(puzzle.kind, asked["text"], "text") == puzzle
    assert read_json(json.dumps({key: asked[key] for key in asked if key != "text"}), "data") == puzzle


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"unknown": true, "unsolvable": true}', "both unknown and another answer"),
        (b'{"unknown": true, "unique": true}', "both unknown and another answer"),
        (b'{"unsupported": true, "solutions": ["1"]}', "both unsupported and another answer"),
        (b'{"unknown": true, "unsupported": true}', "both unknown and another answer"),
        (b'{"unknown": "yes"}', "unknown must be true or false"),
        (b'{"unsupported": 1, "unknown": true}', "unsupported must be true or false"),
    ],
)
def test_an_abstention_is_nothing_else(line: bytes, why: str) -> None:
    assert why in rubbish(read_line(line))
