"""The formats that are lines of clues, of the rows and of the columns, as a table.

A row of the table has the text that is written, and a reader that accepts whatever else programs that have the format
accept. A reader of a text that does not say whether rows or columns come first returns both readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats._format import Format, Readings
from crosslit.formats.clues import Line, read_sizes, require_nonogram, section
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.nonogram.text import parse, read_clue

TAAI_SIZE = 25  # rows and columns in the tournaments

HEADING = re.compile(r"\s*(row|col)(?:umn)?s?(?:[_ ][a-z]+)*\s*[:=]?([^0-9\[]*)([0-9\[].*)?", re.IGNORECASE)
LETTERS = re.compile(r"[A-Z\s]*[A-Z][ \t\r]*\n\s*[A-Z][A-Z\s]*")  # of Rosetta Code: A is a block of one cell
TAAI_HEAD = re.compile(r"\s*\$[0-9]+\$?\s*?(?:\n|\Z)")  # the files have one $, their descriptions two
SGT_ID = re.compile(r"\s*([0-9]+)(?:x([0-9]+))?:([0-9./]*/.*)", re.ASCII)
_BETWEEN = re.compile(r"\s*[&:]")  # rows and columns, in the files of some programs
_REMARK = re.compile(r"\s*(?:c|#|%|;|//)[ \t]+\S.*|\s*\*.*")
_TAIL = re.compile(r"\s+[#%;][ \t].*")  # a remark behind a clue
_WORDS = re.compile(r"\s*[A-Za-z][\w-]*(?:[ \t]+[A-Za-z][\w-]*)*[ \t]+(?=[0-9])")  # before the sizes


def written(text: str) -> list[Line]:
    """Return the lines of a text without remarks."""
    return [(number, _TAIL.sub("", line)) for number, line in numbered_lines(text) if not _REMARK.fullmatch(line)]


def numbers_of(line: str) -> list[int]:
    """Return the numbers of a line, behind the words before them; none if there is anything else."""
    words = _WORDS.sub("", line).replace(",", " ").split()
    return [int(word) for word in words] if all(re.fullmatch("[0-9]{1,9}", word) for word in words) else []


def blocks_of(text: str) -> list[tuple[str, list[Line]]]:
    """Return the blocks of clues, each with its heading, if any: ``row`` or ``col``.

    A blank line, a heading or a line that begins with ``&`` or ``:`` is between blocks. A heading may have its clues
    behind it, separated by commas. Brackets around a clue do not count.
    """
    blocks: list[tuple[str, list[Line]]] = []
    inside = False
    for number, line in written(text):
        heading = HEADING.fullmatch(line)
        if heading or _BETWEEN.match(line):
            if blocks and not any(re.search("[0-9]", clue) for _, clue in blocks[-1][1]):
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


def _nonogram(first: Sequence[Line], second: Sequence[Line], origin: str, columns_first: bool = False) -> Nonogram:
    """Return the nonogram of lines of clues, of which a blank one is an empty clue."""
    axes = ("column", "row") if columns_first else ("row", "column")
    clues = [
        [
            read_clue(line.strip() or "0", f"{axis} {index}", origin, number)
            for index, (number, line) in enumerate(lines, 1)
        ]
        for axis, lines in zip(axes, (first, second), strict=True)
    ]
    rows, columns = reversed(clues) if columns_first else clues
    return Nonogram(rows, columns)


def _read_sized(what: str, mark: str, text: str, origin: str) -> list[Readings]:
    """Read the sizes, on one line or two, and then clues of rows and columns; ``mark`` is the line between them.

    Blank lines are ignored, because the sizes say where the columns begin. But if that leaves too few clues, each is an
    empty clue, except a blank line that separates rows and columns, and those at the end.
    """
    lines, count = written(text), 2 if mark == "blank" else 1
    places = [place for place, (_, line) in enumerate(lines) if line.strip()][:count]
    words = " ".join(_WORDS.sub("", lines[place][1]) for place in places).split()
    start = lines[places[0]][0] if places else 1
    sizes = read_sizes(words, f"{what}, positive numbers", origin, start)
    height, width = reversed(sizes) if what.startswith("width") else sizes
    rest = lines[places[-1] + 1 :]
    end, total = rest[-1][0] if rest else start, height + width
    found = sum(line.strip() not in ("", mark) for _, line in rest)
    marks = [index for index, (_, line) in enumerate(rest) if line.strip() == mark == "#"]
    if mark == "#" and len(marks) != 1:
        place = rest[marks[1]][0] if marks else end
        raise InputError(origin, f"expected one line # between rows and columns, found {len(marks)}", place)

    def reading(size: int, columns_first: bool) -> Nonogram | None:
        """Return the nonogram whose first lines are the clues of as many rows, or columns."""
        before, after = (rest[: marks[0]], rest[marks[0] + 1 :]) if marks else (rest[:size], rest[size:])
        if mark == "blank" and found != total:
            if not after or after[0][1].strip():
                return None
            after = after[1:]
        if marks:
            first, second = section(before, size), section(after, total - size)
        else:
            clues = section([*before, *after], total) or []
            first, second = clues[:size], clues[size:]
        return _nonogram(first, second, origin, columns_first) if first and second else None

    readings = reading(height, False), reading(width, True)
    if readings == (None, None):
        raise InputError(origin, f"expected {height} row and {width} column clues, found {found}", end)
    return [readings]


def _read_zero(text: str, origin: str) -> Iterator[Readings]:
    """Yield every nonogram of a text of numbers; line ends count as blanks."""
    lines = [_WORDS.sub("", line) for _, line in written(text) if line.strip()]
    words = " ".join(lines).split()
    # A number by itself on the first line counts the puzzles. It is not needed, because each says its sizes.
    at = 1 if lines and lines[0].strip().isdigit() else 0
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
        yield Nonogram(clues[:height], clues[height:]), Nonogram(clues[width:], clues[:width])


def _read_typed(text: str, origin: str) -> list[Readings | Nonogram]:
    """Read two blocks of clues, of which headings may say the axis."""
    blocks = [block for block in blocks_of(text) if block[1]]
    if len(blocks) != 2:
        found = f"found {len(blocks)} block(s) of lines"
        raise InputError(origin, f"expected the clues of rows, a blank line, and those of columns; {found}")
    (heading, first), (_, second) = blocks
    if heading:
        return [_nonogram(first, second, origin, columns_first=heading == "col")]
    return [(_nonogram(first, second, origin), _nonogram(first, second, origin, columns_first=True))]


def _read_clues(text: str, origin: str) -> Iterator[Readings | Nonogram]:
    """Read rows and columns on a line each, or with ``|`` between them; of letters, every two lines are a nonogram."""
    texts = [text]
    if LETTERS.fullmatch(text):
        lines = [letter_clues(line) for line in text.split("\n") if line.strip()]
        clues = [",".join(" ".join(map(str, clue)) for clue in line) for line in lines]
        texts = ["\n".join(clues[at : at + 2]) for at in range(0, len(clues), 2)]
    for two in texts:
        puzzle = parse(two, origin)
        yield puzzle if "|" in two else (puzzle, Nonogram(puzzle.column_clues, puzzle.row_clues))


def letter_clues(line: str) -> list[list[int]]:
    """Return the clues of a line of words, in which A is a block of one cell."""
    return [[ord(letter) - 64 for letter in word] for word in line.split()]


def _read_taai(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram; its number is ignored, because its position gives the same. An empty line is a clue."""
    blocks: list[tuple[int, list[Line]]] = []  # the lines below each number
    for number, line in numbered_lines(text):
        if TAAI_HEAD.match(line):
            blocks.append((number, []))
        elif blocks:
            blocks[-1][1].append((number, line))
        elif line.strip():
            raise InputError(origin, f"expected a line such as $1, found {line.strip()[:20]!r}", number)
    for head, lines in blocks:
        clues, rest = lines[: 2 * TAAI_SIZE], lines[2 * TAAI_SIZE :]  # blank lines separate puzzles
        if len(clues) < 2 * TAAI_SIZE or any(line.strip() for _, line in rest):
            expected = f"expected {TAAI_SIZE} column and {TAAI_SIZE} row clues below"
            raise InputError(origin, f"{expected}, found {len(lines)} (an empty line is one)", head)
        yield _nonogram(clues[:TAAI_SIZE], clues[TAAI_SIZE:], origin, columns_first=True)


def _read_sgt(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield the nonogram of every line that is not blank."""
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        place, parts = number if "\n" in text.strip() else None, SGT_ID.fullmatch(line.strip())
        if parts is None or re.search("[^0-9./]", parts[3]):
            expected = "WIDTHxHEIGHT: and numbers separated by a full stop, without given cells"
            raise InputError(origin, f"expected {expected}, found {line.strip()[:20]!r}", place)
        # The game omits the height of a square.
        width, height = read_sizes([parts[1], parts[2] or parts[1]], "two positive sizes", origin, place)
        clues = [(number, clue.replace(".", ",")) for clue in parts[3].split("/")]
        if len(clues) != width + height:
            raise InputError(origin, f"expected {width} column and {height} row clues, found {len(clues)}", place)
        yield _nonogram(clues[:width], clues[width:], origin, columns_first=True)


def _layout(
    text: str, clue: str = "{}\n", numbers: str = " ", empty: str = "0", clues: str = ""
) -> Callable[[Nonogram, int], str]:
    """Return a function that writes a nonogram, the one of a number in its file.

    The text has places for {rows} and {columns}, {height}, {width} and {number}, and a clue for its numbers.
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
    read: Callable[[str, str], Iterable[Puzzle | Readings]],
    write: Callable[[Nonogram, int], str],
    *extensions: str,
    several: bool = False,
) -> Format:
    """Return a row of the table."""

    def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
        return (write(require_nonogram(puzzle, name), number) for number, puzzle in enumerate(puzzles, 1))

    writer = write_all if several else lambda puzzle: "".join(write_all([puzzle]))
    return Format(name=name, summary=summary, extensions=extensions, reader=read, writer=writer, several=several)


CLUES = _format(
    "clues",
    "nonogram: rows|columns, or rows and columns on two lines; clues separated by commas, numbers by blanks; letters",
    _read_clues,
    _write_clues,
    ".clues",
)
TYPED = _format(  # as people type clues
    "typed",
    "nonogram: one clue per line, rows, a blank line, columns; or under the headings Rows: and Columns:",
    _read_typed,
    _layout("Rows:\n{rows}\nColumns:\n{columns}"),
)
NIN = _format(  # of Jakub Wilk's solver
    "nin",
    "nonogram: a line 'WIDTH HEIGHT', then one clue per line, rows before columns",
    partial(_read_sized, "width and height", ""),
    _layout("{width} {height}\n{rows}{columns}"),
    ".nin",
)
MK = _format(  # of the solver of Mirek and Petr Olšák
    "mk",
    "nonogram: a line 'HEIGHT WIDTH', then one clue per line, rows, a line '#', columns",
    partial(_read_sized, "height and width", "#"),
    _layout("{height} {width}\n{rows}#\n{columns}"),
    ".mk",
)
CWD = _format(  # of QNonograms and of Vladimir Sukhoy's solver
    "cwd",
    "nonogram: the lines HEIGHT and WIDTH, then one clue per line, rows, a blank line, columns",
    partial(_read_sized, "the sizes on two lines, height and width", "blank"),
    _write_cwd,
    ".cwd",
)
ZERO = _format(  # of programming contests
    "zero",
    "nonograms: HEIGHT WIDTH, then clues that each end with 0, rows before columns; their number may come first",
    _read_zero,
    _write_zero,
    several=True,
)
SGT = _format(  # ids of the game Pattern, such as 3x2:1//1/1.1/
    "sgt",
    "nonograms: ids of Simon Tatham's Pattern, WIDTHxHEIGHT:columns/rows, one per line",
    _read_sgt,
    _layout("{width}x{height}:{columns}/{rows}\n", "{}", ".", empty="", clues="/"),
    ".sgt",
    several=True,
)
TAAI = _format(
    "taai",
    "nonograms 25 x 25 of the TAAI tournaments: lines '$1', '$2'..., each before 25 columns and 25 rows",
    _read_taai,
    _write_taai,
    ".taai",
    several=True,
)
