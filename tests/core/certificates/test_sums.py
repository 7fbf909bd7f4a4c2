"""Nonograms that arithmetic on their clues refutes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from crosslit_verify.contract_checks.subject import samples

from crosslit import Nonogram, registry
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate, GaveUp, Task
from crosslit.judging.certificates import check
from crosslit.kinds import Puzzle
from crosslit.kinds.nonogram.puzzle import LENGTHS

MAKERS = ("alignment", "line")


def certified(puzzle: Puzzle, name: str = "line") -> Certificate:
    made: Certificate = registry.all_backends()[name].certify(puzzle, Task(), [])  # type: ignore[attr-defined]
    return Certificate.from_json(made.text())


@pytest.mark.parametrize("name", MAKERS)
def test_clues_that_cannot_be_are_certified(name: str) -> None:
    count = 0
    for specimen in samples("nonogram"):
        puzzle = specimen.puzzle
        assert isinstance(puzzle, Nonogram)
        rows, columns = (sum(map(sum, clues)) for clues in (puzzle.row_clues, puzzle.column_clues))
        long = any(sum(clue) + len(clue) - 1 > puzzle.columns for clue in puzzle.row_clues)
        high = any(sum(clue) + len(clue) - 1 > puzzle.rows for clue in puzzle.column_clues)
        if rows != columns or long or high:
            assert not specimen.solutions
            assert check(puzzle, certified(puzzle, name)).count == 0
            count += 1
        else:
            with pytest.raises(GaveUp):
                certified(puzzle, name)
    assert count > 5


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
