"""The file of a list has whole solutions, however its writer ends and wherever it is cut."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from crosslit import InputError, load, solutions
from crosslit.questions.lists import SolutionFile, lines_of


def test_where_there_is_no_room_what_is_there_is_whole(tmp_path: Path) -> None:
    puzzle = load("1,1,1|1,1,1")
    layout, path = puzzle.layout, tmp_path / "list"
    packed = b"".join(grid.packed for grid in [*solutions(puzzle)][:3])
    room = len(lines_of(packed, layout)) * 5 // 6  # two lines and a half
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with SolutionFile(str(path), layout) as file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            with pytest.raises(InputError, match="too large; the 2 solutions in it are complete"):
                file.append(packed)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == lines_of(packed[: len(packed) * 2 // 3], layout)
