"""The formats that are lines of clues, of the rows and of the columns, as a table.

A row of the table has the text that is written, and a reader that accepts whatever else programs that have the format
accept. A file of numbers may fit several rows, in two orders of rows and columns: the first is taken in which every
clue fits its line and the sums of rows and columns agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats._format import Format
from crosslit.formats.clues import Line, read_clues, read_sizes, require_nonogram, section
from crosslit.formats.lists import ROWS_FIRST
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.nonogram.text import MAX_DIGITS, parse, read_clue

TAAI_SIZE = 25  # rows and columns in the tournaments

_MAX_CHARACTERS = 10_000_000  # maximum length of clues; a board of that many cells is not examined
_NUMBERS = frozenset("0123456789 \t\r\n,")
_HEADING = re.compile(r"\s*(row|col)(?:umn)?s?(?:[_ ][a-z]+)*\s*[:=]?([^0-9\[]*)([0-9\[].*)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[&:]")  # rows and columns, in the files of some programs
_REMARK = re.compile(r"\s*(?:c|#|%|;|//)[ \t]+\S.*|\s*\*.*")
_TAIL = re.compile(r"\s+[#%;][ \t].*")  # a remark behind a clue
_WORDS = re.compile(r"\s*[A-Za-z][\w-]*(?:[ \t]+[A-Za-z][\w-]*)*[ \t]+(?=[0-9])")  # before the sizes
_TWO_NUMBERS = re.compile(r"\s*(?:[A-Za-z][\w -]*[ \t])?[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*(?:\n|\Z)")
_AFTER_A_COUNT = re.compile(r"\s*(?:[0-9]+[ \t\r]*\n)?" + _TWO_NUMBERS.pattern)
_TWO_LINES = re.compile(r"\s*(?:[0-9]+[ \t\r]*\n[ \t]*){2}")
_LETTERS = re.compile(r"[A-Z\s]*[A-Z][ \t\r]*\n\s*[A-Z][A-Z\s]*")
_TAAI_HEAD = re.compile(r"\s*\$[0-9]+\$?\s*?(?:\n|\Z)")  # the files have one $, their descriptions two
_ID = re.compile(r"([0-9]+)(?:x([0-9]+))?:(.*)", re.ASCII)


def _written(text: str) -> list[Line]:
    """Return the lines of a text without remarks."""
    return [(number, _TAIL.sub("", line)) for number, line in numbered_lines(text) if not _REMARK.fullmatch(line)]


def _in_order(first: Sequence[Line], second: Sequence[Line], columns_first: bool, origin: str) -> list[Nonogram]:
    rows, columns = (second, first) if columns_first else (first, second)
    return [Nonogram(read_clues(rows, "row", origin), read_clues(columns, "column", origin))]


def _read_sized(what: str, mark: str, text: str, origin: str, columns_first: bool = False) -> list[Nonogram]:
    """Read the sizes, on one line or two, and then clues of rows and columns; ``mark`` is the line between them.

    Blank lines are ignored, because the sizes say where the columns begin. But if that leaves too few clues, each is an
    empty clue, except a blank line that separates rows and columns, and those at the end.
    """
    lines, count = _written(text), 2 if mark == "blank" else 1
    places = [place for place, (_, line) in enumerate(lines) if line.strip()][:count]
    words = " ".join(_WORDS.sub("", lines[place][1]) for place in places).split()
    start = lines[places[0]][0] if places else 1
    sizes = read_sizes(words, f"{what}, positive numbers", origin, start)
    height, width = sizes[:: -1 if what.startswith("width") else 1]
    rest, first = lines[places[-1] + 1 :], width if columns_first else height
    marks = [index for index, (_, line) in enumerate(rest) if line.strip() == mark]
    end = rest[-1][0] if rest else start
    if mark == "#":
        if len(marks) != 1:
            place = rest[marks[1]][0] if marks else end
            raise InputError(origin, f"expected one line # between rows and columns, found {len(marks)}", place)
        blocks = section(rest[: marks[0]], first), section(rest[marks[0] + 1 :], height + width - first)
    else:
        clues = rest
        if mark and sum(bool(line.strip()) for _, line in rest) != height + width:
            gap = "".join(line for _, line in rest[first : first + 1]).strip()
            clues = [] if gap else [*rest[:first], *rest[first + 1 :]]
        both = section(clues, height + width)
        blocks = (both[:first], both[first:]) if both is not None else (None, None)
    if blocks[0] is None or blocks[1] is None:
        found = sum(bool(line.strip() not in ("", mark)) for _, line in rest)
        raise InputError(origin, f"expected {height} row and {width} column clues, found {found}", end)
    return _in_order(blocks[0], blocks[1], columns_first, origin)


def _read_zero(text: str, origin: str, columns_first: bool = False) -> Iterator[Nonogram]:
    """Yield every nonogram of a text of numbers; line ends count as blanks."""
    lines = [_WORDS.sub("", line) for _, line in _written(text) if line.strip()]
    words = " ".join(lines).split()
    for word in words:
        if not (word.isascii() and word.isdigit()) or len(word) > MAX_DIGITS:
            raise InputError(origin, f"expected whole numbers, found {word[:20]!r}")
    # A number by itself on the first line counts the puzzles. It is not needed, because each says its sizes.
    at = 1 if lines and len(lines[0].split()) == 1 else 0
    while at < len(words):
        height, width = read_sizes(words[at : at + 2], "height and width", origin, None)
        clues, at = list[Clue](), at + 2
        while len(clues) < height + width:
            if "0" not in words[at:]:
                what = f"expected {height} row and {width} column clues that end with 0, found {len(clues)}"
                raise InputError(origin, what)
            end = words.index("0", at)
            clues.append(read_clue(" ".join(words[at:end]) or "0", f"clue {len(clues) + 1}", origin))
            at = end + 1
        first = width if columns_first else height
        yield Nonogram(clues[first:], clues[:first]) if columns_first else Nonogram(clues[:first], clues[first:])


def _read_typed(text: str, origin: str, columns_first: bool = False) -> list[Nonogram]:
    """Read two blocks of clues, of which headings may say the axis."""
    blocks = _blocks(text)
    if (count := sum(bool(lines) for _, lines in blocks) if len(blocks) == 2 else len(blocks)) != 2:
        found = f"found {count} block(s) of lines"
        raise InputError(origin, f"expected the clues of rows, a blank line, and those of columns; {found}")
    (heading, first), (_, second) = blocks
    return _in_order(first, second, heading == "col" if heading else columns_first, origin)


def _blocks(text: str) -> list[tuple[str, list[Line]]]:
    """Return the blocks of clues, each with its heading, if any: ``row`` or ``col``.

    A blank line, a heading or a line that begins with ``&`` or ``:`` is between blocks. A heading may have its clues
    behind it, separated by commas. Brackets around a clue do not count.
    """
    blocks: list[tuple[str, list[Line]]] = []
    inside = False
    for number, line in _written(text):
        heading = _HEADING.fullmatch(line)
        if heading or _BETWEEN.match(line):
            if blocks and not any(re.search("[0-9]", written) for _, written in blocks[-1][1]):
                blocks.pop()  # a title above the first heading, or a line below the last clue
            clues = heading[3].split(",") if heading and heading[3] else []
            blocks.append((heading[1].lower() if heading else "", [(number, clue) for clue in clues]))
            inside = True
        elif not line.strip():
            inside = inside and not blocks[-1][1]  # a blank line may follow a heading
        else:
            if not inside:
                blocks.append(("", []))
            blocks[-1][1].append((number, line.strip(" \t\r[](){};,") or "0"))
            inside = True
    return blocks


def _read_clues(text: str, origin: str, columns_first: bool = False) -> list[Nonogram]:
    """Read rows and columns on a line each, or with ``|`` between them."""
    puzzle = parse(text, origin)
    return [Nonogram(puzzle.column_clues, puzzle.row_clues) if columns_first and "|" not in text else puzzle]


def _read_letters(text: str, origin: str, columns_first: bool = False) -> Iterator[Nonogram]:
    """Yield the nonogram of every two lines; A is a block of one cell, B of two."""
    lines = [line for line in numbered_lines(text) if line[1].strip()]
    for first, second in zip(lines[::2], [*lines[1::2], (0, "")], strict=False):
        if not _LETTERS.fullmatch(f"{first[1]}\n{second[1]}"):
            raise InputError(origin, "expected two lines of words from A to Z, of rows and of columns", first[0])
        clues = [[[ord(letter) - 64 for letter in word] for word in line.split()] for _, line in (first, second)]
        yield Nonogram(clues[columns_first], clues[1 - columns_first])


def _read_taai(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram; its number is ignored, because its position gives the same. An empty line is a clue."""
    head, block = 0, list[Line]()
    for number, line in [*numbered_lines(text), (0, "$0")]:
        if not _TAAI_HEAD.match(line):
            block.append((number, line))
            if not head and line.strip():
                raise InputError(origin, f"expected a line such as $1, found {line.strip()[:20]!r}", number)
            continue
        # Only lines beyond the fixed number separate puzzles.
        while head and len(block) > 2 * TAAI_SIZE and not block[-1][1].strip():
            block.pop()
        if head and len(block) != 2 * TAAI_SIZE:
            expected = f"expected {TAAI_SIZE} column and {TAAI_SIZE} row clues below"
            raise InputError(origin, f"{expected}, found {len(block)} (an empty line is one)", head)
        if head:
            yield from _in_order(block[:TAAI_SIZE], block[TAAI_SIZE:], True, origin)
        head, block = number, []


def _read_sgt(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield the nonogram of every line that is not blank."""
    several = "\n" in text.strip()
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        place, parts = number if several else None, _ID.fullmatch(line.strip())
        if parts is None or "," in parts[3]:
            problem = "WIDTHxHEIGHT: and the clues, without given cells"
            raise InputError(origin, f"expected {problem}, found {line.strip()[:20]!r}", place)
        # The game omits the height of a square.
        width, height = read_sizes([parts[1], parts[2] or parts[1]], "two positive sizes", origin, place)
        clues = parts[3].split("/")
        if len(clues) != width + height:
            raise InputError(origin, f"expected {width} column and {height} row clues, found {len(clues)}", place)
        if strange := [clue for clue in clues if not re.fullmatch("[0-9.]*", clue)]:
            expected = "expected numbers separated by a full stop"
            raise InputError(origin, f"{expected}, found {strange[0][:20]!r}", place)
        words = [(number, clue.replace(".", ",")) for clue in clues]
        yield from _in_order(words[:width], words[width:], True, origin)


def _is_clues(text: str) -> bool:
    """Return whether there is a ``|``, or exactly two lines of numbers, blanks and commas."""
    return "|" in text or (sum(bool(line.strip()) for line in text.split("\n")) == 2 and _NUMBERS.issuperset(text))


def _is_typed(text: str) -> bool:
    """Return whether there are two blocks of clues, and not of the rows of a board."""
    blocks = _blocks(text)
    lines = [line.strip() for _, block in blocks for _, line in block]
    is_board = len({*map(len, lines)}) == 1 and len(lines[0]) > 1 and not set("".join(lines)) - {"0", "1"}
    return len(blocks) == 2 and (not is_board or any(heading for heading, _ in blocks))


@lru_cache(maxsize=1)  # every format asks for itself
def _reading(text: str) -> tuple[str, str] | None:
    """Return the format of lines of clues and the order in which they are read, in words; None if there is none."""
    if len(text) > _MAX_CHARACTERS:
        return None
    plain = "\n".join(line for _, line in _written(text))
    possible = [known for known, is_possible in _GUESSED.items() if is_possible(plain)]
    readings: list[tuple[Format, str, list[Puzzle], bool]] = []
    for order in ("rows first", "columns first"):
        for known in possible:
            with suppress(ValueError):
                puzzles = [*known.parse_all(text, "", order)]
                fits = not any(any(puzzle.contradictions()) for puzzle in puzzles)
                readings.append((known, order, puzzles, fits))
    # If the clues fit in no way, sizes that account for all lines say more than blank lines do.
    unfit = sorted(
        (reading for reading in readings if reading[0] is not LETTERS), key=lambda it: it[0] in (CLUES, TYPED)
    )
    chosen = next(chain((reading for reading in readings if reading[3]), unfit), None)
    if chosen is None:
        return None
    known, order, puzzles, fits = chosen
    other = next((reading for reading in readings if reading[0] is known and reading[1] != order), None)
    if other and other[2] == puzzles:
        return known.name, ""  # headings say the order, or it makes no difference
    if fits and other and other[3]:
        return known.name, ROWS_FIRST
    return known.name, f"{order} (the clues fit only so)" if fits else f"{order} (the clues fit in neither order)"


def nearest(text: str) -> Format | None:
    """Return the format of a text that is mostly lines of clues, whose reader says what is wrong with them."""
    lines = [bool(re.fullmatch(r"[0-9][0-9,\s]*", line)) for _, line in _written(text) if line.strip()]
    if len(lines) < 3 or sum(lines) <= len(lines) / 2:
        return None
    sized = MK if re.search(r"^\s*#\s*$", text, re.MULTILINE) else NIN
    return sized if _TWO_NUMBERS.match(text) else TYPED


def _layout(
    text: str, clue: str = "{}\n", numbers: str = " ", empty: str = "0", clues: str = ""
) -> Callable[[Nonogram, int], str]:
    """Return a function that writes a nonogram, the one of a number in its file.

    Args:
        text: the whole text, with places for {rows} and {columns}, {height}, {width} and {number}.
        clue: the text of a clue, with a place for its numbers.
        numbers: what separates the numbers of a clue.
        empty: the numbers of a clue without blocks.
        clues: what separates clues.
    """

    def write(puzzle: Nonogram, number: int = 1) -> str:
        rows, columns = (
            clues.join(clue.format(numbers.join(map(str, line)) or empty) for line in lines)
            for lines in (puzzle.row_clues, puzzle.column_clues)
        )
        sizes = {"height": puzzle.rows, "width": puzzle.columns}
        return text.format(rows=rows, columns=columns, number=number, **sizes)

    return write


def _write_clues(puzzle: Nonogram, number: int) -> str:
    text = _layout("{rows}\n{columns}\n", "{}", clues=",")(puzzle, number)
    # Two lines of 0 and 1 only would be read as the rows of a board.
    return text if set(text) - {"0", "1", "\n"} else text.replace("\n", "|", 1)


def _write_cwd(puzzle: Nonogram, number: int) -> str:
    # With sizes that fill the difference of the sums, this would be a file of `typed`, which has no third block.
    rows, columns = puzzle.sums
    gap = "\n" * (rows + puzzle.rows + puzzle.columns == columns)
    return _layout(f"{{height}}\n{{width}}\n{gap}{{rows}}\n{{columns}}")(puzzle, number)


def _write_zero(puzzle: Nonogram, number: int) -> str:
    text = _layout("{height} {width}\n{rows}{columns}", "{} 0\n", empty="")(puzzle, number).replace("\n 0", "\n0")
    if any(puzzle.row_clues + puzzle.column_clues):
        return text
    sizes, *clues = text.split("\n")  # on lines of their own, empty clues would be those of `nin`, width first
    return f"{sizes}\n{' '.join(clues)}\n"


def _write_taai(puzzle: Nonogram, number: int) -> str:
    if (puzzle.rows, puzzle.columns) != (TAAI_SIZE, TAAI_SIZE):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise ValueError(f"the format taai holds nonograms of {TAAI_SIZE} x {TAAI_SIZE}, not of {shape}")
    return _layout("${number}\n{columns}{rows}", numbers="\t", empty="")(puzzle, number)


def _format(
    name: str,
    summary: str,
    read: Callable[..., Iterable[Nonogram]],
    write: Callable[[Nonogram, int], str] | None,
    extension: str = "",
    *,
    head: str = "",
    several: bool = False,
    example: str = "",
) -> Format:
    """Return a row of the table; without a distinctive head, `_reading` says which files are of the format."""

    def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
        return (write(require_nonogram(puzzle, name), number) for number, puzzle in enumerate(puzzles, 1) if write)

    def detect(text: str) -> str | None:
        if head:
            return "" if re.match(head, text) else None
        reading = _reading(text)
        return reading[1] if reading and reading[0] == name else None

    return Format(
        name=name,
        summary=summary,
        example=example or (write(Nonogram([[2], [1]], [[1], [2]]), 1) if write and name != "taai" else ""),
        extensions=(extension,) if extension else (),
        several=several,
        detect=detect,
        reader=read,
        columns_first=None if head else partial(read, columns_first=True),
        writer=None if write is None else write_all if several else lambda puzzle: "".join(write_all([puzzle])),
    )


CLUES = _format(
    "clues",
    "nonogram: rows|columns, or rows and columns on two lines; lines separated by commas, numbers by blanks",
    _read_clues,
    _write_clues,
    ".clues",
    example="2,1|1,2\n",
)
MK = _format(  # of the solver of Mirek and Petr Olšák
    "mk",
    "nonogram: a line 'HEIGHT WIDTH', then one clue per line, rows, a line '#', columns",
    partial(_read_sized, "height and width", "#"),
    _layout("{height} {width}\n{rows}#\n{columns}"),
    ".mk",
)
NIN = _format(  # of Jakub Wilk's solver
    "nin",
    "nonogram: a line 'WIDTH HEIGHT', then one clue per line, rows before columns",
    partial(_read_sized, "width and height", ""),
    _layout("{width} {height}\n{rows}{columns}"),
    ".nin",
)
ZERO = _format(  # of programming contests
    "zero",
    "nonograms: HEIGHT WIDTH, then clues that each end with 0, rows before columns; their number may come first",
    _read_zero,
    _write_zero,
    several=True,
)
TYPED = _format(  # as people type clues
    "typed",
    "nonogram: one clue per line, rows, a blank line, columns; or under the headings Rows: and Columns:",
    _read_typed,
    _layout("Rows:\n{rows}\nColumns:\n{columns}"),
    example="2\n1\n\n1\n2\n",
)
CWD = _format(  # of QNonograms and of Vladimir Sukhoy's solver
    "cwd",
    "nonogram: the lines HEIGHT and WIDTH, then one clue per line, rows, a blank line, columns",
    partial(_read_sized, "the sizes on two lines, height and width", "blank"),
    _write_cwd,
    ".cwd",
)
LETTERS = _format(  # of Rosetta Code
    "letters",
    "nonograms: two lines each, rows and columns; a word for each clue, A for a block of 1, B of 2...",
    _read_letters,
    None,
    several=True,
    example="B A\nA B\n",
)
TAAI = _format(
    "taai",
    "nonograms 25 x 25 of the TAAI tournaments: lines '$1', '$2'..., each before 25 columns and 25 rows",
    _read_taai,
    _write_taai,
    ".taai",
    head=_TAAI_HEAD.pattern,
    several=True,
)
SGT = _format(  # ids of the game Pattern, such as 3x2:1//1/1.1/
    "sgt",
    "nonograms: ids of Simon Tatham's Pattern, WIDTHxHEIGHT:columns/rows, one per line",
    _read_sgt,
    _layout("{width}x{height}:{columns}/{rows}\n", "{}", ".", empty="", clues="/"),
    ".sgt",
    head=r"\s*[0-9]+(x[0-9]+)?:[0-9./]*/",
    several=True,
)

_GUESSED: dict[Format, Callable[[str], Any]] = {
    CLUES: _is_clues,
    MK: _TWO_NUMBERS.match,
    NIN: _TWO_NUMBERS.match,
    ZERO: _AFTER_A_COUNT.match,
    TYPED: _is_typed,
    CWD: _TWO_LINES.match,
    LETTERS: _LETTERS.fullmatch,
}
"""Formats that only the numbers distinguish, in the order of trying, each with a quick check before it."""
