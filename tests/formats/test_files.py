"""Files of users: reading within bounds, and replacing a file whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crosslit.base.errors import InputError
from crosslit.base.files import read_bytes, read_toml, write_bytes


def test_a_file_has_at_most_the_bytes_that_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    for source in (path, "/dev/zero"):
        with pytest.raises(InputError, match=f"^{source}: expected at most 4 bytes$"):
            read_bytes(source, 4)


@pytest.mark.parametrize("name", ["none", "a\0b", "."])
def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"No such file|cannot be read|Is a directory"):
        read_bytes(tmp_path / name, 5)


def test_a_toml_file_is_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(b"\xef\xbb\xbfa.b = 1\n[c]\n")
    assert read_toml(path) == {"a": {"b": 1}, "c": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a = \xff", ": expected TOML: 'utf-8' codec can't decode byte 0xff in position 4: invalid start byte"),
        (b"a = ", ": expected TOML: Invalid value (at end of document)"),
        (b"a = " + b"{b=" * 10_000, ": expected TOML: nested too deeply"),
        (b"#" * 70_000, ": expected at most 65536 bytes"),
    ],
)
def test_a_hostile_toml_file_is_one_clear_line(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_toml(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path: Path) -> None:
    goal, usual = tmp_path / "goal", tmp_path / "usual"
    usual.touch()
    write_bytes(goal, [b"o", b"ne"])
    assert (goal.read_bytes(), goal.stat().st_mode) == (b"one", usual.stat().st_mode)
    goal.chmod(0o640)

    def pieces(end: BaseException | None) -> Iterator[bytes]:
        yield b"two"
        assert goal.read_bytes() == b"one"
        if end is not None:
            raise end

    with pytest.raises(KeyboardInterrupt):
        write_bytes(goal, pieces(KeyboardInterrupt()))
    assert goal.read_bytes() == b"one"
    write_bytes(goal, pieces(None))
    assert (goal.read_bytes(), goal.stat().st_mode & 0o777) == (b"two", 0o640)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["goal", "usual"]


def test_a_file_that_appears_meanwhile_is_replaced(tmp_path: Path) -> None:
    goal = tmp_path / "goal"

    def pieces() -> Iterator[bytes]:
        goal.write_bytes(b"theirs")
        yield b"ours"

    write_bytes(goal, pieces())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("goal", b"ours")]


def test_a_file_of_a_missing_folder_cannot_be_written(tmp_path: Path) -> None:
    for name in ("none/new", ".", "a\0b"):
        with pytest.raises(InputError):
            write_bytes(tmp_path / name, [b""])
