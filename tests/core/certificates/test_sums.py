"""Nonograms that arithmetic on their clues refutes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosslit import Nonogram, registry
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate, Task
from crosslit.judging.certificates import check
from crosslit.kinds import Puzzle
from crosslit.kinds.nonogram.puzzle import LENGTHS


def certified(puzzle: Puzzle, name: str = "line") -> Certificate:
    made: Certificate = registry.all_backends()[name].certify(puzzle, Task(), [])  # type: ignore[attr-defined]
    return Certificate.from_json(made.text)


def test_the_largest_numbers_are_compared() -> None:
    puzzle = Nonogram([[LENGTHS[-1]] * 1000], [[1]])
    assert check(puzzle, certified(puzzle)).claim == "unsolvable"


SUMS = Nonogram([[1], [1]], [[1], []])
LENGTH = Nonogram([[1, 1]], [[1], [1]])


@pytest.mark.parametrize("puzzle", [SUMS, LENGTH], ids=["sums", "length"])
def test_every_other_word_is_refused(puzzle: Nonogram) -> None:
    made = certified(puzzle)
    assert check(puzzle, made).claim == "unsolvable"
    bodies: list[dict[str, object]] = [{}, {**made.body, "more": "1"}]
    for key, text in made.body.items():
        bodies += [{at: value for at, value in made.body.items() if at != key}]
        bodies += [{**made.body, key: value} for value in (None, 1, "", "-1", "x", "9" * 5000, "٣", ["1"], text + "1")]
    for body in bodies:
        with pytest.raises(CertificateRejected):
            check(puzzle, replace(made, body=body))
    with pytest.raises(CertificateRejected):
        check(puzzle, replace(made, claim="unique", count=1))
