"""Puzzles of any kind on lines or as JSON, and nested lists in a program: two of clues, or the rows of a board.

Zeros that fill up a clue do not count. Names such as ``row_rules`` and ``cols`` say which clues are those of the rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.base.grid import Grid
from crosslit.base.text import shorten
from crosslit.formats import from_line, parse_line, require_kind
from crosslit.formats.parts import Readings
from crosslit.formats.texts import REMARK, TITLE
from crosslit.kinds import OWN, LightsOut, Nonogram, Puzzle, find_kind
from crosslit.kinds.nonogram.text import MAX_DIGITS

_MAX_CHARACTERS = 10_000_000  # of a text that are examined
_STRING_OR_REMARK = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|(?://|[%#$]|--)[^\n]*""", re.S)
_TABLE = re.compile(r"param\s+(\w+)\s*:((?:\s*[0-9]+)+)\s*:=([^;]*);")  # of MathProg
_ARRAY = re.compile(r"array2d\(\s*\w+\.\.\w+\s*,\s*(\w+)\.\.(\w+)\s*,\s*\[([^\]]*)\]\s*\)")  # of MiniZinc
_BARS = re.compile(r"\[\|([^\[\]]*?)\|?\s*\|\]")
_DOMAIN = re.compile(r";\s*int\s*\([^()]*\)")  # of Essence, behind the items of a list
_CALL = re.compile(r"(?<=[\w\])])[(\[]")  # the arguments of a function and an index are no list
_BRACKETS = str.maketrans("{}()", "[][]")
_ITEM = r"[\d\s,]|[tT]rue|[fF]alse"
_LIST = re.compile(rf"\[(?:{_ITEM}|\[(?:{_ITEM})*\])*\]", re.ASCII)
_CLUE = re.compile(r"\[([^\[\]]*)\]|([^\s,\[\]]+)")
_AXES = tuple(  # in the last words before a list, such as row_rules, colClues or horizontal
    re.compile(rf"(?:\b|_|(?<=[a-z])(?=[A-Z]))(?:{name})(?!our|or)[\w-]*(?:\s+\w+)?$")
    for name in ("[rR]ow|ROW|[hH]or|HOR", "[cC]ol|COL|[vV]er|VER")
)
_TURNED = ([1, 0], [1, None], [None, 0])  # the axes of two lists of which the first is of columns
_MAX_SHOWN = 120  # characters of a board, or of clues


@dataclass(frozen=True)
class _List:
    """A list: the words before it, its line if there are several, its lists and numbers, and whether it has lists."""

    words: str
    line: int | None
    items: list[list[str]]
    is_nested: bool

    @property
    def axis(self) -> int | None:
        """0 for rows, 1 for columns, None if its name does not say it."""
        found = [axis for axis, name in enumerate(_AXES) if name.search(self.words)]
        return found[0] if len(found) == 1 else None

    @property
    def board(self) -> list[str]:
        """The rows of a board, if these are equally long lists of 0 and 1; otherwise an empty list."""
        digits = {"0": "0", "1": "1", "true": "1", "false": "0"}
        rows = ["".join(digits.get(cell.lower(), "?") for cell in row) for row in self.items]
        is_board = self.is_nested and "?" not in "".join(rows) and len({*map(len, rows)}) == 1
        return rows if is_board and rows[0] else []

    def clues(self, axis: str, origin: str) -> list[list[int]]:
        """Return the clues, without zeros."""
        for number, clue in enumerate(self.items, 1):
            if not all(block.isdigit() and len(block) <= MAX_DIGITS for block in clue):
                raise InputError(origin, f"{axis} {number}: expected positive whole numbers", self.line)
        return [[int(block) for block in clue if int(block)] for clue in self.items]


def read_lists(text: str, origin: str) -> Puzzle | Readings:
    """Return the puzzle in a text, or both readings if its lists have no names.

    Two lists of 0 and 1 could be the rows of a board or clues: an `InputError` says how to write each.

    Examples:
        >>> read_lists("rows = [[2], [0, 1]]; cols = [[1], [2]]", "here").text
        '2,1|1,2'
    """
    lists = _lists(text)
    is_pair = len(lists) == 1
    if len(lists) == 1 and lists[0].axis is None:
        only = lists[0]
        if len(board := only.board) == 2 and not re.search("true|false", str(only.items), re.IGNORECASE):
            forms = "/".join(board), "|".join(",".join(row) for row in board)
            ways = "for the board type {}, for the nonogram type '{}'".format(*(shorten(f, _MAX_SHOWN) for f in forms))
            raise InputError(origin, f"two lists of 0 and 1 are a board or a nonogram: {ways}", only.line)
        if board:
            return LightsOut(Grid.from_text("/".join(board)))
        if len(only.items) == 2:
            lists = [replace(only, items=[[block] for block in item]) for item in only.items]
    if len(lists) != 2:
        what = "expected two lists of clues, of rows and of columns, or one of the rows of a board, such as"
        found = f"[[2], [1]] [[1], [2]]; found {len(lists)} such list(s)"
        raise InputError(origin, f"{what} {found}", lists[0].line if lists else None)
    axes = [each.axis for each in lists]
    rows, columns = reversed(lists) if axes in _TURNED else lists
    puzzle = Nonogram(rows.clues("row", origin), columns.clues("column", origin))
    return puzzle if len({*axes}) == 2 or is_pair else (puzzle, Nonogram(puzzle.column_clues, puzzle.row_clues))


def _lists(text: str) -> list[_List]:
    """Return the lists of lists of numbers in a text, and the lists of numbers with the name of an axis, in order."""
    text, found, end = _plain(text[:_MAX_CHARACTERS]), list[_List](), 0
    for match in _LIST.finditer(text):
        before, inner = text[end : match.start()], match[0][1:-1]
        words = " ".join(re.findall(r"[A-Za-z_][\w-]*", re.split(r"(?<!\w)\d+", before)[-1]))
        end = match.end()
        if "[" not in inner and before.rstrip().endswith("["):  # of a list of lists that cannot be read
            continue
        items = [
            (clue[1] or "").replace(",", " ").split() if clue[2] is None else [clue[2]]
            for clue in _CLUE.finditer(inner)
        ]
        line = text.count("\n", 0, match.start()) + 1 if "\n" in text else None
        found.append(_List(words, line, items, "[" in inner))
    # Lists below the word ROWS, one for each clue, are no lists of clues.
    pairs = zip_longest(found, found[1:])
    return [it for it, after in pairs if it.is_nested or (it.axis is not None and (after is None or after.words))]


def _plain(text: str) -> str:
    """Return a text with as many lines, without remarks and strings other than words, and with lists in brackets."""

    def string(match: re.Match[str]) -> str:
        inner = match[0][1:-1] if match[0][0] in "\"'" else ""
        if re.fullmatch(r"[0-9][0-9 ,]*", inner):
            return f"[{inner}]"  # the numbers of a clue
        return f" {inner} " if re.fullmatch(r"[\w ]+", inner) else "\n" * match[0].count("\n")

    def rows(match: re.Match[str], words: list[str], width: int, skipped: int = 0) -> str:
        lines = (words[start + skipped : start + width] for start in range(0, len(words), width))
        lists = ",".join(f"[{','.join(filter(str.isdigit, line))}]" for line in lines)
        return f" [{lists}]" + "\n" * match[0].count("\n")

    def array(match: re.Match[str]) -> str:
        low, high = (int(word if word.isdigit() else sizes.get(word, 0)) for word in (match[1], match[2]))
        return rows(match, re.findall("[0-9]+", match[3]), max(1, high - low + 1))

    text = _STRING_OR_REMARK.sub(string, text)
    sizes = dict(re.findall(r"\b([A-Za-z]\w*)\s*=\s*([0-9]{1,9})\b", text))
    # The number of a line precedes it in MathProg, and a point stands for no number.
    text = _TABLE.sub(lambda it: it[1] + rows(it, it[3].split(), 1 + len(it[2].split()), 1), text)
    text = _BARS.sub(lambda it: f"[[{it[1].replace('|', '],[')}]]", _ARRAY.sub(array, text))
    return _CALL.sub(";", _DOMAIN.sub("", text)).translate(_BRACKETS)


def read_lines(text: str, origin: str) -> Iterator[Puzzle]:
    """Yield every puzzle in a text; blank lines are ignored, and lines that cannot be read raise at the end."""
    rejected: list[InputError] = []
    for number, line in numbered_lines(text):
        form, *title = REMARK.split(line.strip(), maxsplit=1)
        try:
            if form:
                puzzle = from_line(form, f"{origin}:{number}" if "\n" in text else origin)  # typed on one line
                yield puzzle.named(title[0].strip()) if title and title[0].strip() else puzzle
        except InputError as error:
            rejected.append(error)
    if rejected[1:]:
        raise rejected[0].with_advice(f"({len(rejected) - 1} more of its lines cannot be read)")
    if rejected:
        raise rejected[0]


def write_lines(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the puzzles with their names; if the first is a board of one row, a remark explains the lines."""
    coming = iter(puzzles)
    # Lines of cells only would be read as the rows of one board.
    first = list(islice(coming, 2))
    if len(first) == 2 and not set(first[0].text) - set("01_"):
        yield f"{TITLE}\n"
    for puzzle in chain(first, coming):
        title = " ".join(puzzle.name.split())
        yield f"{puzzle.text} # {title}\n" if title else f"{puzzle.text}\n"


def read_json(text: str, origin: str) -> Puzzle | Readings:
    """Return the puzzle of a JSON value.

    Objects are those of ``docs/reference/verify-protocol.md``, or have a ``kind`` and the ``text`` of a puzzle.
    Anything else is read as `read_lists` does.
    """
    try:
        record: Any = json.loads(text)
    except json.JSONDecodeError as error:
        is_whole = all(text.count(opening) == text.count(closing) for opening, closing in ("[]", "{}"))
        if not is_whole or len(_lists(text)) not in (1, 2):
            problem = f"expected JSON: {error.msg}, column {error.colno}"
            raise InputError(origin, problem, error.lineno if "\n" in text else None) from None
        return read_lists(text, origin)
    except ValueError:  # of a number with more digits than Python reads
        raise InputError(origin, "expected JSON with numbers of at most nine digits") from None
    # The keys decide if there is no kind. Sizes as numbers are no clues.
    is_object = isinstance(record, dict)
    kind = is_object and (record.get("kind") or next((name for name in OWN if _has_data(record, name)), None))
    if not kind:
        return read_lists(text, origin)
    line = record.get("text")
    found = require_kind(kind, origin)
    if found.data_keys != Puzzle.data_keys and _has_data(record, found.kind):
        puzzle = found.read_data(record, origin)
        if isinstance(line, str) and parse_line(found.kind, line, origin) != puzzle:
            raise InputError(origin, f'expected "text" and {" and ".join(found.data_keys)} of one puzzle, found two')
        return puzzle
    if not isinstance(line, str):
        raise InputError(origin, f'expected "text", the one-line form of a puzzle of the kind {kind}')
    return parse_line(found.kind, line, origin)


def _has_data(record: dict[str, Any], kind: str) -> bool:
    return all(key in record and type(record[key]) is not int for key in find_kind(kind).data_keys)


def write_json(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the JSON object of each puzzle, on one line."""
    return (json.dumps({"kind": puzzle.kind, **puzzle.data}) + "\n" for puzzle in puzzles)
