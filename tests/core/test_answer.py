"""Answers whose cells have more than two states: their bytes, their text, and the lists of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from crosslit.base.layout import Layout
from crosslit.contract.puzzle import SYMMETRIES
from crosslit.questions.lists import ListingFormat as Records

THREE = Layout(2, 2, states=3)


@dataclass(frozen=True)
class Blank:
    """A puzzle of which a list of solutions only needs the layout."""

    layout: Layout = THREE
    rows: int = 2
    columns: int = 2


def test_every_answer_is_made_once_in_the_order_of_its_bits() -> None:
    answers = list(THREE.every())
    assert len(set(answers)) == 3**4
    assert [answer.bits for answer in answers] == sorted(answer.bits for answer in answers)


@pytest.mark.parametrize("text", ["03/00", "0/00", "00", "00/0 "])
def test_text_that_is_no_answer_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected 2 rows of 2 cells|are written 0 to 2|the same number of cells"):
        THREE.parse(text)


def test_symmetries_move_the_values() -> None:
    answer = Layout(2, 3, states=3).parse("012/200")
    assert [symmetry(answer).text for symmetry in SYMMETRIES[:4]] == ["200/012", "210/002", "002/210", "02/10/20"]


def test_lists_of_answers_are_read_as_they_are_written() -> None:
    records = Records(Blank())  # type: ignore[arg-type]
    every = list(THREE.every())
    packed = b"".join(answer.packed for answer in every)
    written = bytes(records.render(packed))
    assert written == b"".join(records.render(answer.packed) for answer in every)
    assert records.parse(written) == packed
    assert records.parse(written.replace(b"2", b"3", 1)) is None
