"""The file of a list has whole solutions, however its writer ends and wherever it is cut."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from crosslit import InputError, load
from crosslit.questions.lists import ListingFormat, SolutionFile
from tests.core.questions.test_enumerate import all_texts, packed_list


def test_a_list_that_was_cut_anywhere_is_continued(tmp_path: Path) -> None:
    puzzle = load("1,1,1|1,1,1")
    layout, path = ListingFormat(puzzle), tmp_path / "list"
    packed = packed_list(all_texts(puzzle)[:2])
    whole = layout.render(packed)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        with SolutionFile(str(path), layout, True) as file:
            file.begin()
            file.append(packed[file.count * len(packed) // 2 :])
        assert path.read_bytes() == whole, cut


def test_what_is_no_line_is_named_by_its_number(tmp_path: Path) -> None:
    layout, path = ListingFormat(load("1,1|1,1")), tmp_path / "list"
    for content, number in (("10/01\nhello\n", 1), ("10/01\n0x", 2), ("10/01\n101", 2)):
        path.write_text(content, encoding="utf-8")
        message = f"found something else at line {number}$"
        with pytest.raises(InputError, match=message), SolutionFile(str(path), layout, True) as file:
            list(file.solutions())


def test_where_there_is_no_room_what_is_there_is_whole(tmp_path: Path) -> None:
    puzzle = load("1,1,1|1,1,1")
    layout, path = ListingFormat(puzzle), tmp_path / "list"
    packed = packed_list(all_texts(puzzle)[:3])
    room = layout.size * 2 + layout.size // 2
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with SolutionFile(str(path), layout, False) as file:
        file.begin()
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            with pytest.raises(InputError, match="too large; the 2 solutions in it are complete"):
                file.append(packed)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == layout.render(packed[: len(packed) * 2 // 3])
