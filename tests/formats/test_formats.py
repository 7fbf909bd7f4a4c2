"""Reading and writing: round trips, garbage, and the message for each mistake."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid, InputError, LightsOut, Nonogram, load
from crosslit.base.text import shorten
from crosslit.formats import FORMATS, parse_all, read
from crosslit.formats.texts import detect
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.rules import KING
from tests.conftest import random_rules

RING = tuple(offset for offset in KING if offset != (0, 0))
BELOW = Grid.from_text("0/1")

clue = st.lists(st.integers(1, 12), max_size=4)
nonograms = st.builds(
    Nonogram,
    st.lists(clue, min_size=1, max_size=6),
    st.lists(clue, min_size=1, max_size=6),
    st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='"'), max_size=10),
)
boards = st.integers(0, 2**32).map(lambda seed: random_rules(random.Random(seed), 1 + seed % 7, 1 + seed % 5))


def holds(name: str, puzzle: Puzzle) -> bool:
    """Whether a format can hold a puzzle."""
    try:
        FORMATS[name].write(puzzle)
    except ValueError:
        return False
    return True


SMFORMATS = [name for name in FORMATS if holds(name, Nonogram([[1]], [[1]]))]
NONOGRAMS = [name for name in FORMATS if name in SMFORMATS or holds(name, Nonogram([[1]] * 25, [[1]] * 25))]
BOARDS = [name for name in FORMATS if holds(name, LightsOut(Grid.from_text("1")))]


def of_size(puzzle: Nonogram, name: str) -> Nonogram:
    """The puzzle, in a size that a format holds."""
    if name in SMFORMATS:
        return puzzle
    return Nonogram(*((clues * 25)[:25] for clues in (puzzle.row_clues, puzzle.column_clues)), puzzle.name)


def test_every_format_that_writes_holds_puzzles() -> None:
    assert {name for name, known in FORMATS.items() if known.writes} == {*NONOGRAMS, *BOARDS}
    assert set(BOARDS) >= {"board", "lines"}
    assert set(NONOGRAMS) >= {"clues", "cwd", "lines", "mk", "nin", "non", "sgt", "taai", "xml"}


@pytest.mark.parametrize("name", NONOGRAMS)
@given(puzzle=nonograms)
def test_a_nonogram_reads_back_as_it_was_written(name: str, puzzle: Nonogram) -> None:
    puzzle = of_size(puzzle, name)
    text = FORMATS[name].write(puzzle)
    assert (found := FORMATS[name].parse(text, "here")) == puzzle
    assert found.name == puzzle.name or name not in ("non", "xml", "lines")  # the others have no titles
    assert FORMATS[name].parse(text.replace("\n", "\r\n"), "here") == puzzle


@pytest.mark.parametrize("name", [name for name in NONOGRAMS if FORMATS[name].several])
@given(puzzles=st.lists(nonograms, min_size=1, max_size=3))
def test_nonograms_of_one_file_read_back_in_order(name: str, puzzles: list[Nonogram]) -> None:
    puzzles = [of_size(puzzle, name) for puzzle in puzzles]
    text = "".join(FORMATS[name].write_all(puzzles))
    assert list(FORMATS[name].parse_all(text, "here")) == puzzles


@given(puzzles=st.lists(st.one_of(boards, nonograms), min_size=1, max_size=4))
def test_a_pack_holds_both_kinds(puzzles: list[LightsOut | Nonogram]) -> None:
    assert list(FORMATS["lines"].parse_all("".join(FORMATS["lines"].write_all(puzzles)), "here")) == puzzles


@pytest.mark.parametrize("name", BOARDS)
@given(puzzle=boards)
def test_a_board_reads_back_as_it_was_written(name: str, puzzle: LightsOut) -> None:
    assert FORMATS[name].parse(FORMATS[name].write(puzzle), "here") == puzzle


# a no-break space stands for a blank within a piece
PIECES = """0 1 2 9 . # / | , " ' - = _ $ < é rows columns width goal ==== press= $1$ 1x1: P1 P4 \x89PNG &a; </count>
<count> <puzzle> </puzzle> <clues\u00a0type='rows'> <clues\u00a0type='columns'> </clues> <line> </line>
<image> </image>"""
printable = st.lists(st.sampled_from([*PIECES.replace("\n", " ").split(" "), " ", "\n", "\t"]), max_size=20).map(
    lambda pieces: "".join(pieces).replace("\u00a0", " ")
)


@pytest.mark.parametrize("name", list(FORMATS))
@given(text=st.one_of(st.text(max_size=60), printable))
def test_garbage_is_a_puzzle_or_one_clear_line(name: str, text: str) -> None:
    module = FORMATS[name]
    detect(text.encode(errors="replace"), text)
    try:
        puzzles = list(module.parse_all(text, "here"))
    except InputError as error:
        assert str(error).startswith("here:")
        assert "\n" not in str(error)
    else:
        assert puzzles
        if module.writes:
            assert list(module.parse_all("".join(module.write_all(puzzles)), "there")) == puzzles


def test_the_extension_goes_before_the_content_and_a_format_that_is_named_before_both(tmp_path: Path) -> None:
    path = tmp_path / "puzzle.lights"
    path.write_text("11\n11\n", encoding="utf-8")
    assert load(path).text == "11/11"
    path = tmp_path / "puzzle.nin"
    path.write_text("2 4\n1\n4\n2\n1\n1\n1\n", encoding="utf-8")
    assert load(path).row_clues == ((1,), (4,), (2,), (1,))  # type: ignore[attr-defined]
    path.write_text("1\n1\n", encoding="utf-8")
    assert load(path, "clues") == Nonogram([[1]], [[1]])
    assert load(path, "board").text == "1/1"


@pytest.mark.parametrize("source", ["1,1|1,1", "10/01", "2x2:1/1/1/1", "press=king/1", "1|\ud800"])
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_one_line_form_of_a_format_that_is_named_is_a_puzzle_or_one_clear_line(source: str, name: str) -> None:
    try:
        puzzle = read(source, name)
    except InputError as error:
        assert str(error).startswith("puzzle:")
        assert "\n" not in str(error)
    else:
        assert puzzle.rows


def test_a_file_goes_before_the_one_line_form_and_a_folder_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("101").write_text("0/1\n", encoding="utf-8")
    Path("10").mkdir()
    assert [load(text).text for text in ("101", "1", "10")] == ["0/1", "1", "10"]
    assert load("1" * 5000).columns == 5000


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("#./.#", LightsOut(Grid.from_text("10/01"))),
        ("press=king/1", LightsOut(Grid.from_text("1"), KING)),
        ("wrap=torus/press=###,#.#,###/1_", LightsOut(Grid.from_text("10"), RING, "torus", Grid.from_text("01"))),
        ("press=plus/wrap=none/01", LightsOut(Grid.from_text("01"))),
        ("press=001\nwrap=vertical\n#\n_\n", LightsOut(Grid.from_text("1/0"), ((0, 1),), "vertical", BELOW)),
        ("_", LightsOut(Grid.from_text("0"), missing=Grid.from_text("1"))),
        ("\n \n10 \n01\n  \n\n", LightsOut(Grid.from_text("10/01"))),
    ],
)
def test_rules_of_a_board(text: str, board: LightsOut) -> None:
    assert load(text) == board


@pytest.mark.parametrize("source", ["nowhere.non", "1,1", "../nowhere", "a" * 5000, "nul\0"])
def test_what_is_no_puzzle_is_a_missing_file(source: str) -> None:
    named = re.escape(shorten(source, 80))
    with pytest.raises(InputError, match=f"^{named}: no such file"):
        read(source)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", "1\n\n1\n".encode("utf-16"), b"1\n\n1 \x81\n"])
def test_what_is_not_text_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "picture.non"
    path.write_bytes(content)
    with pytest.raises(InputError, match="expected text in UTF-8 or Windows-1252"):
        read(path)


@pytest.mark.parametrize(
    ("encoding", "title"),
    [("windows-1252", "Café – “No. 1”"), ("cp437", "Voilà"), ("koi8-r", "Сердце"), ("gbk", "爱心")],
)
@pytest.mark.parametrize("name", [name for name in NONOGRAMS if not FORMATS[name].binary])
def test_clues_are_the_same_in_every_encoding_of_a_title(name: str, encoding: str, title: str) -> None:
    puzzle = of_size(Nonogram([[1, 1], [3]], [[2], [1], [2]], title), name)
    (found,) = parse_all(FORMATS[name].write(puzzle).encode(encoding), "here", name)
    assert found == puzzle
    assert encoding != "windows-1252" or found.name in (title, "")
