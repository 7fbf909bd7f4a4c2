"""Files of many puzzles, the traps of each format, and files that mean harm."""

from __future__ import annotations

import itertools
import random
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosslit import InputError, Nonogram, load
from crosslit.base.files import file_of
from crosslit.formats import FORMATS, in_folder, parse_all, read, read_all, write_all
from crosslit.kinds import Puzzle
from crosslit.kinds.nonogram.colours import ColouredNonogram, usual_palette
from tests.conftest import random_grid, random_nonogram

WIDE = Nonogram([[1, 1], []], [[1], [], [1]])  # two rows, three columns, an empty line on either side


def parsed(name: str, text: str) -> Nonogram:
    puzzle = FORMATS[name].parse(text, "here")
    assert isinstance(puzzle, Nonogram)
    return puzzle


def problem(name: str, content: str | bytes) -> str:
    """The message about a content, as the bytes of a file."""
    with pytest.raises(InputError) as caught:
        list(parse_all(content.encode() if isinstance(content, str) else content, "here", name))
    assert "\n" not in str(caught.value)
    return str(caught.value)


SPELLINGS = r"""
nin 3 2\n\n1 1\n0\n\n1\n0\n1\n\n
mk \n2 3\n1 1\n\n0\n#\n1\n\n0\n1\n\n
cwd 2\n3\n1 1\n0\n\n\n1\n0\n\n1\n
non rows\n\n1,1\n0\n\ncolumns\n1\n\n0\n1\n
typed Rows:\n\n1 1\n0\n\nColumns:\n\n1\n0\n1\n
typed Cols:\n\n1\n0\n1\n\nRows:\n\n1 1\n0\n
nin 3 2\n1 1\n\n1\n\n1\n
non height 2\nwidth 3\nrows\n1,1\n\n\ncolumns\n1\n\n1\n\n
mk 2 3\n1 1\n\n#\n1\n\n1\n
cwd 2\n3\n1 1\n\n\n1\n\n1\n
json {"kind": "nonogram", "rows": 2, "columns": 3, "text": "1 1,0|1,0,1"}
non rows\n1,1\n0\ncolumns\n1\n0\n1\ngoal 000000\ngoal 101000\n
non width\t3\nrows\n1 1\n0\ncolumns\n1\n0\n1\n
"""
"""Other spellings of the same puzzle.

Blank lines are nothing where the clues are all there, then clues where the sizes say so. Quotation marks may be missing
around single numbers, sizes are no clues, and the last goal counts.
"""


@pytest.mark.parametrize(("name", "text"), [line.split(" ", 1) for line in SPELLINGS.strip().split("\n")])
def test_other_spellings(name: str, text: str) -> None:
    assert parsed(name, text.encode().decode("unicode_escape")) == WIDE


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ('{"rows": [1, [0], []], "columns": [0, 1]}', "1,0,0|0,1"),
        ('{"rows": [[0], 2], "columns": [1, [1]]}', "0,2|1,1"),
        ("[[[1], [1, 1]], [[2]]]", "1,1 1|2"),
        ("rows = [2, 1]; cols = [1, 2]", "2,1|1,2"),
        ("[[1], [1, 1]], [[2]]", "1,1 1|2"),
        ("[[1], [1, 1]]\n[[2]]", "1,1 1|2"),
        ('{"lit": ["10"], "text": "10"}', "10"),
        ('{"lit": "10/01", "missing": ["01", "00"], "press": [[0, 1], [0, 0]]}', "press=011/1_/01"),
        ('{"lit": ["100"], "press": "001", "wrap": "horizontal"}', "press=001/wrap=horizontal/100"),
        ('{"kind": "modular-lights-out", "states": 3, "lights": ["01"], "edges": "1-2"}', "3/edges=1-2/01"),
        ('{"kind": "modular-lights-out", "states": 4, "lights": ["0_", "13"], "wrap": "klein"}', "4/wrap=klein/0_/13"),
        ('{"kind": "modular-lights-out", "states": 2, "lights": ["01"], "matrix": "10,11"}', "2/matrix=10,11/01"),
        ('{"kind": "modular-lights-out", "states": 2, "lights": ["1"], "effects": [[[0, 1]]]}', "2/1"),
    ],
)
def test_spellings_of_json(record: str, text: str) -> None:
    assert FORMATS["json"].parse(record, "here").text.removeprefix("modular-lights-out:") == text


def test_taai_lists_columns_first_and_an_empty_line_is_a_clue() -> None:
    clues = ["1\t2", *[""] * 24, *["25"] * 25]
    puzzle = parsed("taai", "$1\n" + "\n".join(clues) + "\n")
    assert puzzle == parsed("taai", "$1$\n" + "\n".join(clues) + "\n")
    assert puzzle.column_clues == ((1, 2), *[()] * 24)
    assert puzzle.row_clues == ((25,),) * 25
    assert FORMATS["taai"].write(puzzle) == "$1\n" + "\n".join(clues) + "\n"
    assert parsed("taai", "$1\n" + "\n".join(clues) + "\n\n\n") == puzzle  # blank lines behind the last clue are none
    turned = parsed("taai", "$1\n" + "\n" + "\n".join(["1"] * 49) + "\n\n")
    assert turned.column_clues == ((), *[(1,)] * 24)
    empty = "$1$\n" + "\n" * 50
    assert list(FORMATS["taai"].parse_all(empty * 2 + "\n\n", "here")) == [Nonogram([[]] * 25, [[]] * 25)] * 2


def test_xml_lists_columns_and_rows_in_any_order() -> None:
    columns = '<clues type="columns"><line><count>1</count></line><line/><line><count>1</count></line></clues>'
    rows = '<clues type="rows"><line><count>1</count><count>1</count></line><line></line></clues>'
    for clues in (columns + rows, rows + columns):
        assert parsed("xml", f"<puzzleset><puzzle>{clues}</puzzle></puzzleset>") == WIDE


PACK = """
10/01 # A\t10/01\tA
10/01  #\tA # b \t10/01\tA # b
1|1 # 2\t1|1\t2
#/. # A\t1/0\tA
.#/#. # #\t01/10\t#
.#\t01\t
#\t1\t
"""
"""Lines of a pack, each with the puzzle and the title: a lit cell has no blank after it, or none before it."""


def test_a_sign_with_blanks_around_it_begins_a_title_or_a_remark_and_any_other_is_a_cell() -> None:
    cases = [line.rsplit("\t", 2) for line in PACK.strip("\n").split("\n")]
    text = "# one\n" + "\n\n  # a remark\n#\t1|1\n".join(form for form, _, _ in cases) + "\n#  0/0"
    found = [(puzzle.text, puzzle.name) for puzzle in FORMATS["lines"].parse_all(text, "here")]
    assert found == [(puzzle, title) for _, puzzle, title in cases]


@pytest.mark.parametrize("line", ["10/01 #A", "10/01# A", "1 #", "10/01 ## A"])
def test_a_sign_without_a_blank_on_each_side_begins_no_title(line: str) -> None:
    assert problem("lines", f"1|1\n{line}\n0|0\n").startswith("here:2: expected ")


def test_a_message_about_a_pack_has_the_first_line_that_cannot_be_read_and_the_number_of_others() -> None:
    assert problem("lines", "10/01\nx\n").startswith("here:2: expected a board")
    assert problem("lines", "x\n10/01\ny\nz\n").endswith("found 'x' (2 more of its lines cannot be read)")


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("#./.#", "10/01"),
        ("#_/.1", "1_/01"),
        ("O#/##", "01/11"),
        ("O1/OO", "01/00"),
        ("oX/oo", "01/00"),
        ("Ox/OO", "01/00"),
        ("O./_o", "10/_1"),
        ("press=O#/OO", None),
        ("press=#..,.#.,..#/#.", "press=100,010,001/10"),
        ("press=.#./.#", "press=010/01"),
    ],
)
def test_each_sign_of_a_cell_has_its_meaning(text: str, board: str | None) -> None:
    if board is None:
        assert "expected press= with" in problem("board", text)
    else:
        assert FORMATS["board"].parse(text, "here").text == FORMATS["board"].parse(board, "here").text


@pytest.mark.parametrize("text", ["10/0x", "0X/1.", "wrap=torus/xO/1O"])
def test_a_lit_cell_is_1_or_x_in_one_board(text: str) -> None:
    assert problem("board", text).startswith("here: expected cells 0 or 1 (or . and #, O and X; _ missing), found ")


TOO_MANY = (
    "here: expected a puzzle in the format {}: expected a background and 1 to 31 colours, with that of every block"
)


def many(separator: str) -> str:
    """Blocks of 32 colours."""
    return separator.join(f"1c{colour}" for colour in range(32))


WRONG = Path(__file__).with_name("wrong.txt")
"""Mistakes by format: the text of a file, and the message about it, from the number of the line on if it has one."""

ONES, EXES, NL = "1\n" * 30, "x\n" * 20, "\n"
LONG = [
    ("picture", "0" * 10_000_001, "here: expected a picture of at most 10000000 cells, found 10000001 x 1"),
    ("picture", f"{'X' * 5000}{NL * 2000}X", "here: expected a picture of at most 10000000 cells, found 5000 x 2001"),
    ("taai", f"$1$\n{ONES}{EXES}", "here:32: row 6: expected positive whole numbers, found 'x'"),
    (
        "json",
        f'{{"rows": [[{"1" * 5000}]], "columns": [[1]]}}',
        "here: expected JSON with numbers of at most nine digits",
    ),
    (
        "xml",
        f"<puzzleset>{'<a>' * 100_000}{'</a>' * 100_000}</puzzleset>",
        "here: expected a puzzle in the format xml, found none",
    ),
    ("non", f"rows\n{many(',')}\ncolumns\n{many(chr(10))}\n", TOO_MANY.format("non")),
]


def mistakes() -> Iterator[tuple[str, str, str]]:
    """The format, the text and the message of each mistake."""
    for line in WRONG.read_text(encoding="utf-8").splitlines():
        name, text, message = re.fullmatch("([a-z]+) (.*) -> (.*)", line).groups()  # type: ignore[union-attr]
        place = f"here:{message}" if message[0].isdigit() else f"here: {message}"
        yield name, text.encode().decode("unicode_escape"), place.encode().decode("unicode_escape")
    yield from LONG


@pytest.mark.parametrize(("name", "text", "message"), [*mistakes()])
def test_what_is_wrong_with_a_file(name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        list(FORMATS[name].parse_all(text, "here"))
    assert str(caught.value).removesuffix(" (an empty line is written 0)") == message


def test_an_empty_file_is_no_puzzle_of_any_format() -> None:
    assert {problem(name, "\n") for name in FORMATS} == {"here: the file is empty"}


@pytest.mark.parametrize("error", [ValueError("too many colours"), RecursionError("stack"), OverflowError("too far")])
def test_no_error_of_a_reader_is_a_traceback(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_content: object, _origin: str) -> Iterator[Puzzle]:
        raise error

    monkeypatch.setattr("crosslit.formats.read_board", fail)
    told = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    with pytest.raises(InputError, match=f"^here: expected a puzzle in the format board: {told}$"):
        list(FORMATS["board"].parse_all("10\n01\n", "here"))


def test_a_colour_of_too_many_digits_is_unknown() -> None:
    (puzzle,) = parse_all(f"color a 1,2,{'1' * 5000}\nrows\n1a\ncolumns\n1a\n".encode(), "here", "non")
    assert isinstance(puzzle, ColouredNonogram)
    assert puzzle.palette[1].rgb == usual_palette(2)[1].rgb


def in_xml(inner: str, **attributes: str) -> str:
    given = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<puzzleset>\n<puzzle{given}>\n{inner}\n</puzzle></puzzleset>"


LINE = "<line><count{}>1</count></line>"
SIGNS = "".join(f'<color name="{name}" char="{name[0].upper()}"/>' for name in ("white", "red", "blue")) + "\n"
GOAL = '<color name="{}" char=".">fff</color><color name="red" char="X">f00</color>'
GOAL += '<solution type="goal"><image>|X.|</image></solution>'
CLUES = f'<clues type="rows">{LINE}</clues>\n<clues type="columns">{LINE}</clues>'


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"<puzzle>\n<title>A</title>{CLUES.format('', '')}</puzzle>", ("1|1", "A")),  # without a set around it
        (in_xml(CLUES.format("", "") + '<solution type="saved"><image>|.|</image></solution>'), ("1|1", "")),
        (in_xml(CLUES.format("", "") + "<solution><image> </image><image>|X|</image></solution>"), ("1|1", "")),
        (
            in_xml("<title>A\n B</title><title>C</title><copyright>E</copyright>" + CLUES.format("", "")),
            ("1|1", "A B C"),
        ),
        (
            in_xml(SIGNS + "<solution><image>|RWB|\n|RRW|</image></solution>"),
            ("coloured-nonogram:white=ffffff,red=ff0000,blue=0000ff;1a 1b,2a|2a,1a,1b", ""),
        ),
        (
            in_xml(SIGNS + "<solution><image>|RWB|\n|RRW|</image></solution>", backgroundcolor="red"),
            ("coloured-nonogram:red=ff0000,white=ffffff,blue=0000ff;1a 1b,1a|0,1a,1b 1a", ""),
        ),
        *((in_xml(GOAL.format(colour), backgroundcolor=colour), ("1|1,0", "")) for colour in ("white", "blue")),
        (in_xml("<title>A &amp; B</title>" + GOAL.format("white")), ("1|1,0", "A & B")),
        (in_xml(CLUES.format(' color="blue"', ' color="blue"'), defaultcolor="white"), ("1|1", "")),  # one colour
        (in_xml(CLUES.format("", ' color="blue"'), defaultcolor="blue"), ("1|1", "")),
        (
            in_xml(CLUES.format("", ' color="black"'), defaultcolor="blue"),
            ("coloured-nonogram:white=ffffff,black=000000,blue=0000ff;1b|1a", ""),
        ),
    ],
)
def test_parts_of_a_document(text: str, read: tuple[str, str]) -> None:
    puzzle = parsed("xml", text)
    assert (puzzle.text, puzzle.name) == read


ENTITIES = '<!DOCTYPE a [<!ENTITY a "{}">{}]>\n<puzzleset>&{};</puzzleset>'
LAUGHS = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))


@pytest.mark.parametrize(
    "text",
    [
        ENTITIES.format("ha" * 10, LAUGHS, "j"),
        '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<puzzleset><title>&a;</title></puzzleset>',
        '<!DOCTYPE a [<!ENTITY % a SYSTEM "file:///etc/hostname"> %a;]>\n<puzzleset/>',
    ],
)
def test_entities_are_refused(text: str) -> None:
    expected = "expected a document that defines no entities and refers to no other files"
    assert problem("xml", text) == f"here: {expected}"


def test_the_document_type_of_webpbn_is_not_fetched() -> None:
    text = '<?xml version="1.0"?>\n<!DOCTYPE pbn SYSTEM "http://webpbn.invalid/pbn-0.3.dtd">\n'
    assert parsed("xml", text + in_xml(CLUES.format("", ""))) == Nonogram([[1]], [[1]])


def test_a_document_in_another_encoding() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>' + in_xml("<title>Pavé</title>" + CLUES.format("", ""))
    assert next(parse_all(text.encode("latin-1"), "here")).name == "Pavé"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nin", b"999999999 999999999\n1\n"),
        ("mk", b"999999999 999999999\n1\n#\n1\n"),
        ("cwd", b"999999999\n999999999\n1\n\n1\n"),
        ("sgt", b"999999999x999999999:1/1"),
        ("non", b"width 999999999\nheight 999999999\nrows\n1\ncolumns\n1\n"),
        ("picture", b"P1\n999999999 999999999\n1"),
        ("picture", b"P4\n3000 3000\n1"),
        ("picture", b"P1\n" + b"9" * 5000 + b" 1\n"),
    ],
)
def test_a_size_alone_takes_no_room(name: str, content: bytes) -> None:
    tracemalloc.start()
    try:
        problem(name, content)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 17])
def test_pictures_are_the_puzzles_that_they_solve(columns: int) -> None:
    grid = random_grid(random.Random(columns), 5, columns)
    lines = grid.lines()
    raw = b"".join(int(line.ljust(-(-columns // 8) * 8, "0"), 2).to_bytes(-(-columns // 8), "big") for line in lines)
    pictures = {
        "plain.pbm": f"P1 # made by hand\n# 1 2\n{columns}\n5\n{' '.join(grid.text.replace('/', ''))}".encode(),
        "raw.pbm": b"P4\n%d 5\n" % columns + raw + b"P4",
        "grid.txt": "\n".join(lines).replace("0", ".").replace("1", "#").encode(),
    }
    for name, content in pictures.items():
        chosen = "picture" if name.endswith(".txt") else None
        assert next(parse_all(content, "here", chosen, Path(name))) == Nonogram.of(grid), name
        if chosen is None:
            assert next(parse_all(content, "here")) == Nonogram.of(grid), name


def test_a_document_without_defusedxml_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "defusedxml.common", None)
    assert problem("xml", "<puzzle/>") == "here: an XML document needs defusedxml: pip install defusedxml"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A file of three nonograms, the second with a title."""
    rng = random.Random(7)
    puzzles = [random_nonogram(rng, 2, 3) for _ in range(3)]
    puzzles[1] = Nonogram(puzzles[1].row_clues, puzzles[1].column_clues, "Two")
    path = tmp_path / "pack.non"
    path.write_bytes(b"".join(write_all(puzzles, "non")))
    return path


def test_a_place_names_one_puzzle_of_a_file(pack: Path) -> None:
    puzzles = list(read_all(pack))
    assert [puzzle.name for puzzle in puzzles] == ["pack:1", "Two", "pack:3"]
    for place, puzzle in enumerate(puzzles, 1):
        assert load(f"{pack}:{place}") == puzzle
        assert load(f"{pack}:{place}").name == puzzle.name


def test_a_file_of_several_puzzles_is_not_one(pack: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(pack)
    assert str(caught.value) == f"{pack}: expected one puzzle, found 3: name one as {pack}:1 to {pack}:3"


@pytest.mark.parametrize(("place", "told"), [("4", "from 1 to 3"), ("0", "from 1 to 3"), ("999999999", "from 1 to 3")])
def test_a_place_that_is_not_there(pack: Path, place: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        read(f"{pack}:{place}")
    assert str(caught.value).startswith(f"{pack}:{place}: expected the place of a puzzle, ")
    assert str(caught.value).endswith(told)


def test_a_file_of_that_very_name_wins(pack: Path) -> None:
    Path(f"{pack}:2").write_text("1 1\n1\n1\n", encoding="utf-8")
    assert read(f"{pack}:2", "nin") == Nonogram([[1]], [[1]])
    assert file_of(f"{pack}:2") == f"{pack}:2"
    assert file_of(f"{pack}:3") == str(pack)
    assert file_of("10/01") == "10/01"


def test_a_path_object_is_always_a_file(pack: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(Path(f"{pack}:2"))


def test_an_id_of_pattern_is_a_puzzle() -> None:
    assert read("3x2:1//1/1.1/") == WIDE
    assert read("1:1/1") == Nonogram([[1]], [[1]])


def test_puzzles_are_read_when_it_is_their_turn() -> None:
    one = FORMATS["taai"].write(Nonogram([[]] * 25, [[]] * 25))
    content = (one * 3 + "$4$\nx\n").encode()
    assert len(list(itertools.islice(parse_all(content, "here"), 3))) == 3


def test_the_files_of_a_folder_that_hold_puzzles(pack: Path) -> None:
    folder = pack.parent
    for name, content in {
        "LICENSE": b"Do as you like.\n",
        "x.bin": b"\xff\x00",
        "level": b"10/01",
        ".x.nin": b"",
    }.items():
        (folder / name).write_bytes(content)
    (folder / "below.nin").mkdir()
    assert [path.name for path in in_folder(folder)] == ["level", "pack.non"]


@pytest.mark.parametrize(("written", "title"), [('"a"', "a"), ("'a'", "a"), ('"a', '"a'), ("\"a'", "\"a'"), ('"', '"')])
def test_a_title_is_without_the_quotation_marks_around_it(written: str, title: str) -> None:
    assert parsed("non", f"title {written}\nrows\n1\ncolumns\n1\n").name == title


def test_a_title_of_html_is_text() -> None:
    puzzle = Nonogram([[1]], [[1]], 'He said "&amp;"')
    assert 'title "He said &quot;&amp;amp;&quot;"' in FORMATS["non"].write(puzzle)
    assert parsed("non", FORMATS["non"].write(puzzle)).name == puzzle.name
    assert parsed("non", "title Caf&eacute; &co\n" + FORMATS["non"].write(Nonogram([[1]], [[1]]))).name == "Café &co"
