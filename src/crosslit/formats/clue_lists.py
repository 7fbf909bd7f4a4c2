"""The formats that are lists of clues, of the rows and of the columns, as a table of layouts.

A layout is the text that is written, with places for the clues. `crosslit.formats.clue_readers` reads it, and whatever
else the programs that have the format accept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

from crosslit.formats.clue_readers import (
    HEADING,
    TAAI_HEAD,
    TAAI_SIZE,
    is_read,
    read_cwd,
    read_houston,
    read_mk,
    read_nin,
    read_olsak,
    read_picross,
    read_sgt,
    read_taai,
    read_typed,
    read_zero,
    typed_blocks,
)
from crosslit.formats.clues import require_nonogram
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.text import parse

_NUMBERS = frozenset("0123456789 \t\r\n")
_TWO_NUMBERS = r"[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*(?:\n|\Z)"
_CLUE_OF_ZERO = r"\s*(?:[1-9][0-9]*\s+)*0\s*"
_CLUE_TYPED = r"[0-9][0-9, \t]*"
_NUMBER = r"[0-9]{1,9}"
_SEPARATED = r"\n[ \t\r]*\n"
_MAX_CHARACTERS = 10_000_000  # maximum length of clues; a board of that many cells is not examined


@dataclass(frozen=True)
class ClueLayout:
    """The text of a nonogram, with places for {rows} and {columns}, {height}, {width}, {name} and {number}.

    Args:
        text: the whole text.
        clue: the text of a clue, with a place for its numbers.
        numbers: what separates the numbers of a clue.
        closed: whether that also follows the last one.
        empty: the numbers of a clue without blocks.
        clues: what separates clues.
    """

    text: str
    clue: str = "{}\n"
    numbers: str = " "
    closed: bool = False
    empty: str = "0"
    clues: str = ""

    def write(self, puzzle: Nonogram, number: int = 1) -> str:
        """Return the text of a nonogram, the one of this number in its file."""
        end = self.numbers if self.closed else ""
        rows, columns = (
            self.clues.join(
                self.clue.format(self.numbers.join(map(str, clue)) + end if clue else self.empty) for clue in clues
            )
            for clues in (puzzle.row_clues, puzzle.column_clues)
        )
        name = f" {' '.join(puzzle.name.split())}".rstrip()
        sizes = {"height": puzzle.rows, "width": puzzle.columns}
        return self.text.format(rows=rows, columns=columns, name=name, number=number, **sizes)


_ZERO = ClueLayout("{height} {width}\n{rows}{columns}", "{}0\n", closed=True, empty="")


def _is_zero(text: str) -> bool:
    """Return whether every line after the sizes has numbers that end with 0, and it is no file of `nin`."""
    if set(text) - _NUMBERS:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    clues = [line for line in lines if re.fullmatch(_CLUE_OF_ZERO, line)]
    others = [line.split() for line in lines if not re.fullmatch(_CLUE_OF_ZERO, line)]
    sizes = [words for words in others if len(words) == 2]
    # Without a clue, one puzzle could be of the format `nin`, unless the number of puzzles comes first.
    if max(map(len, others), default=0) > 2 or (len(others) < 2 and all(len(line.split()) == 1 for line in clues)):
        return False
    # The sizes in the file must account for exactly its clues; a count of puzzles may come first.
    return sum(int(number[:9]) for words in sizes for number in words) == len(clues) and len(others) - len(sizes) <= 1


def _is_olsak(text: str) -> bool:
    """Return whether two or more lines begin with a colon and only clues follow the first of them."""
    # A line end in front, so that a colon that begins the first line counts too.
    blocks = f"\n{text}".split("\n:")[1:]
    return len(blocks) >= 2 and not {*"".join(block.partition("\n")[2] for block in blocks)} - _NUMBERS


def _is_typed(text: str) -> bool:
    """Return True for two blocks of clues without a line of sizes, which `nin` and `cwd` have."""
    if len(text) > _MAX_CHARACTERS or not (re.search(_SEPARATED, text.strip()) or HEADING.match(text)):
        return False
    blocks = typed_blocks(text)
    if len(blocks) != 2 or not all(re.fullmatch(_CLUE_TYPED, line.strip()) for _, lines in blocks for _, line in lines):
        return False
    if any(heading for heading, _ in blocks):
        return True
    lines = [line.strip() for _, lines in blocks for _, line in lines]
    if len(lines) == 2:
        return False  # one line for the rows and one for the columns, as in the format `clues`
    if len(set(map(len, lines))) == 1 and len(lines[0]) > 1 and not set("".join(lines)) - {"0", "1"}:
        return False  # rows of a board
    rows, columns = (sum(int(n) for _, line in block for n in re.findall(_NUMBER, line)) for _, block in blocks)
    # A clue that fits its line is smaller than the sizes of `nin`; the sizes of `cwd` would make the sums of rows and
    # columns unequal, while those of clues are equal.
    return not is_read(read_nin, text) and (rows == columns or not is_read(read_cwd, text))


def _is_clues(text: str) -> bool:
    """Return whether there is a ``|``, or exactly two lines of numbers, blanks and commas."""
    return "|" in text or (sum(bool(line.strip()) for line in text.split("\n")) == 2 and set(text) <= {*_NUMBERS, ","})


def _write_cwd(puzzle: Nonogram, _: int) -> str:
    # With sizes that fill the difference of the sums, this would be a file of `typed`, which has no third block.
    rows, columns = puzzle.sums
    gap = "\n" * (rows + puzzle.rows + puzzle.columns == columns)
    return ClueLayout(f"{{height}}\n{{width}}\n{gap}{{rows}}\n{{columns}}").write(puzzle)


def _write_zero(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    nonograms = (require_nonogram(puzzle, ZERO.NAME) for puzzle in puzzles)
    first = [*islice(nonograms, 2)]
    if len(first) == 1 and not any(first[0].row_clues + first[0].column_clues):
        yield "1\n"  # the number of puzzles, without which this would be a file of `nin`: width first
    yield from map(_ZERO.write, chain(first, nonograms))


def _write_taai(puzzle: Nonogram, number: int) -> str:
    if (puzzle.rows, puzzle.columns) != (TAAI_SIZE, TAAI_SIZE):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise ValueError(f"the format taai holds nonograms of {TAAI_SIZE} x {TAAI_SIZE}, not of {shape}")
    return ClueLayout("${number}\n{columns}{rows}", numbers="\t", empty="").write(puzzle, number)


def _write_clues(puzzle: Nonogram, _: int) -> str:
    text = ClueLayout("{rows}\n{columns}\n", "{}", clues=",").write(puzzle)
    # Two lines of 0 and 1 only would be read as the rows of a board.
    return text if set(text) - {"0", "1", "\n"} else text.replace("\n", "|", 1)


def _format(
    name: str,
    priority: int,
    summary: str,
    read: Callable[[str, str], Any],
    write: Callable[[Nonogram, int], str],
    *,
    several: bool = False,
    extensions: Iterable[str] = (),
    example: str | None = None,
    **others: Any,
) -> SimpleNamespace:
    """Return a format as a module would define it; see `crosslit.formats.Format`."""

    def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
        return (write(require_nonogram(puzzle, name), number) for number, puzzle in enumerate(puzzles, 1))

    functions: dict[str, Any] = {"parse_all": read, "write_all": write_all}
    if not several:
        functions = {"parse": read, "write": lambda puzzle: "".join(write_all([puzzle]))}
    return SimpleNamespace(
        NAME=name,
        PRIORITY=priority,
        SUMMARY=summary,
        EXTENSIONS=frozenset(extensions),
        EXAMPLE=write(Nonogram([[2], [1]], [[1], [2]]), 1) if example is None else example,
        **{**functions, **others},
    )


CLUES = _format(
    "clues",
    60,
    "nonogram: rows|columns, or rows and columns on two lines; lines separated by commas, numbers by blanks",
    parse,
    _write_clues,
    sniff=_is_clues,
    extensions=[".clues"],
    example="2,1|1,2\n",
)
MK = _format(  # of the solver of Mirek and Petr Olšák
    "mk",
    50,
    "nonogram: a line 'HEIGHT WIDTH', then one clue per line, rows, a line '#', columns",
    read_mk,
    ClueLayout("{height} {width}\n{rows}#\n{columns}").write,
    HEAD=_TWO_NUMBERS,
    # one line is #, and everything else is numbers like the first line
    sniff=lambda text: set(text) <= {*_NUMBERS, "#"} and sum(line.strip() == "#" for line in text.splitlines()) == 1,
    extensions=[".mk"],
)
NIN = _format(  # of Jakub Wilk's solver; other formats of plain numbers match it too, so they are tried first
    "nin",
    30,
    "nonogram: a line 'WIDTH HEIGHT', then one clue per line, rows before columns",
    read_nin,
    ClueLayout("{width} {height}\n{rows}{columns}").write,
    HEAD=_TWO_NUMBERS,
    sniff=_NUMBERS.issuperset,
    extensions=[".nin"],
)
CWD = _format(  # of QNonograms and of Vladimir Sukhoy's solver
    "cwd",
    40,
    "nonogram: the lines HEIGHT and WIDTH, then one clue per line, rows, a blank line, columns",
    read_cwd,
    _write_cwd,
    HEAD=r"(?:[ \t]*[0-9]+[ \t\r]*\n){2}",
    sniff=lambda text: _NUMBERS.issuperset(text) and any(not line.strip() for line in text.splitlines()[2:]),
    extensions=[".cwd"],
)
ZERO = _format(  # of programming contests
    "zero",
    55,
    "nonograms: HEIGHT WIDTH, then clues that each end with 0, rows before columns; their number may come first",
    read_zero,
    _ZERO.write,
    several=True,
    write_all=_write_zero,
    HEAD=r"\s*(?:[0-9]+[ \t\r]*\n)?[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*\n",
    sniff=_is_zero,
)
OLSAK = _format(
    "olsak",
    15,
    "nonogram: .g of Olšák's solver, in one colour; rows, then columns, one clue per line, each below a line ':'",
    read_olsak,
    ClueLayout(":\n{rows}:\n{columns}").write,
    sniff=_is_olsak,
    extensions=[".g"],
)
TYPED = _format(  # as people type clues; before `board`, which has no blank line between its rows
    "typed",
    75,
    "nonogram: one clue per line, rows, a blank line, columns; or under the headings Rows: and Columns:",
    read_typed,
    ClueLayout("Rows:\n{rows}\nColumns:\n{columns}").write,
    HEAD=r"(?i)\s*(?:(?:rows?|columns?|cols?)\b|(?:[0-9][0-9, \t]*\r?\n)+[ \t\r]*\n)",
    sniff=_is_typed,
    example="2\n1\n\n1\n2\n",
)
TAAI = _format(
    "taai",
    20,
    "nonograms 25 x 25 of the TAAI tournaments: lines '$1', '$2'..., each before 25 columns and 25 rows",
    read_taai,
    _write_taai,
    several=True,
    HEAD=TAAI_HEAD,
    extensions=[".taai"],
    example="",
)
PICROSS = _format(  # of Pierre Dejoue
    "picross",
    86,
    "nonograms: of picross-solver; GRID NAME, ROWS and COLUMNS, below them clues as [ 1 2 ]",
    read_picross,
    ClueLayout("GRID{name}\nROWS\n{rows}COLUMNS\n{columns}", "[ {}]\n", closed=True, empty="").write,
    several=True,
    HEAD=r"(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t]*GRID\b",
)
HOUSTON = _format(  # of the solver of HoustonWeHaveABug
    "houston",
    45,
    'nonogram: the lines WIDTH and HEIGHT, then column clues as "2,1","3" on a line, and row clues',
    read_houston,
    ClueLayout("{width}\n{height}\n{columns}\n{rows}\n", '"{}"', ",", clues=",").write,
    HEAD=r'[ \t]*[0-9]+[ \t\r]*\n[ \t]*[0-9]+[ \t\r]*\n[ \t]*"',
)
SGT = _format(  # ids of the game Pattern, such as 3x2:1//1/1.1/
    "sgt",
    10,
    "nonograms: ids of Simon Tatham's Pattern, WIDTHxHEIGHT:columns/rows, one per line",
    read_sgt,
    ClueLayout("{width}x{height}:{columns}/{rows}\n", "{}", ".", empty="", clues="/").write,
    several=True,
    HEAD=r"\s*[0-9]+(x[0-9]+)?:[0-9./]*/",
    extensions=[".sgt"],
)
