"""Answers whose cells have more than two states: their bytes, their text, and the lists of them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest

from crosslit import Grid
from crosslit.base.layout import Answer, Layout, differing
from crosslit.contract.puzzle import SYMMETRIES
from crosslit.questions.lists import ListingFormat as Records

THREE = Layout(2, 2, states=3)


@dataclass(frozen=True)
class Blank:
    """A puzzle of which a list of solutions only needs the layout."""

    layout: Layout = THREE
    rows: int = 2
    columns: int = 2


@pytest.mark.parametrize("states", [2, 3, 4, 5, 17, 36])
def test_text_and_bytes_hold_the_values(states: int) -> None:
    layout = Layout(3, 5, states)
    values = [cell % states for cell in range(15)]
    answer = layout.pack(values)
    assert layout.admits(answer)
    assert [answer[row, column] for row in range(3) for column in range(5)] == values
    assert layout.parse(answer.text) == answer == layout.answers(answer.packed * 2)[1]
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert answer.array().ravel().tolist() == values
    assert (answer.count(), len(list(answer.cells()))) == (sum(values), sum(map(bool, values)))


def test_every_answer_is_made_once_in_the_order_of_its_bits() -> None:
    answers = list(THREE.every())
    assert len(set(answers)) == 3**4
    assert [answer.bits for answer in answers] == sorted(answer.bits for answer in answers)


@pytest.mark.parametrize(
    ("rows", "packed", "states", "problem"),
    [
        (0, b"", 3, "expected rows"),
        (1, b"\0", 2, "3 to 36 states"),
        (1, b"\0\0", 3, "takes 1 bytes"),
        (1, b"\3", 3, "a value from 0 to 2"),
        (1, b"\x10", 3, "bits past the last cell"),
    ],
)
def test_bytes_that_are_no_answer_are_rejected(rows: int, packed: bytes, states: int, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Answer(rows, 2, packed, states)


@pytest.mark.parametrize("text", ["03/00", "0/00", "00", "00/0 "])
def test_text_that_is_no_answer_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected 2 rows of 2 cells|are written 0 to 2"):
        THREE.parse(text)


def test_symmetries_move_the_values() -> None:
    answer = Layout(2, 3, states=3).parse("012/200")
    assert [symmetry(answer).text for symmetry in SYMMETRIES[:4]] == ["200/012", "210/002", "002/210", "02/10/20"]


def test_cells_differ_and_not_bits() -> None:
    assert differing(THREE.parse("01/22"), THREE.parse("02/21")) == Grid.from_text("01/01")


def test_lists_of_answers_are_read_as_they_are_written() -> None:
    records = Records(Blank())  # type: ignore[arg-type]
    every = list(THREE.every())
    packed = b"".join(answer.packed for answer in every)
    written = bytes(records.render(packed))
    assert written == b"".join(records.render(answer.packed) for answer in every)
    assert records.parse(written) == packed
    assert records.parse(written.replace(b"2", b"3", 1)) is None
    assert records.begins(written[: records.size - 2])
    assert not records.begins(written[: records.size - 2].replace(b"0", b"3", 1))
