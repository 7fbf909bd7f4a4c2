"""`frontier`: its counts of nonograms in one and in several colours."""

from __future__ import annotations

import pytest
from crosslit_backends.nonogram.frontier import Frontier

from crosslit.contract import Task
from tests.backends.nonogram.puzzles import search, small_puzzles


def test_it_counts_what_line_finds() -> None:
    several = 0
    for puzzle in small_puzzles(21, 300, 6):
        number = len(search("line", puzzle, 5000)[0])
        if number < 5000:
            assert Frontier().count(puzzle, Task("count")) == number, puzzle.text
            several += number > 1
    assert several > 20


def test_it_probes_before_it_counts_in_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_backends.nonogram.frontier.PROBE", 1)
    for puzzle in small_puzzles(22, 100, 6):
        number = len(search("line", puzzle, 5000)[0])
        assert number == 5000 or Frontier().count(puzzle, Task("count")) == number, puzzle.text
