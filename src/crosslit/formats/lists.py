"""Nested lists in the text of a program or a modelling language: two lists of clues, or one of the rows of a board.

Lists may be written as in JSON, Python, JavaScript, Java, Prolog, Picat, Essence, MiniZinc (also ``[| |]`` and
``array2d``) and MathProg (``param``). Zeros that fill up a clue do not count. Names such as ``row_rules`` and ``cols``
say which clues are those of the rows; without names, they come first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.formats._format import Format
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.nonogram.text import MAX_DIGITS

ROWS_FIRST = "rows first (the columns may come first too)"

_MAX_CHARACTERS = 10_000_000  # maximum length of a text that is examined
_MAX_DEPTH = 50
_MAX_SHOWN = 60  # characters of a board in a message
_STRING_OR_REMARK = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|(?://|[%#$]|--)[^\n]*""", re.S)
_TABLE = re.compile(r"param\s+(\w+)\s*:((?:\s*[0-9]+)+)\s*:=([^;]*);")  # of MathProg
_ARRAY = re.compile(r"array2d\(\s*\w+\.\.\w+\s*,\s*(\w+)\.\.(\w+)\s*,\s*\[([^\]]*)\]\s*\)")  # of MiniZinc
_BARS = re.compile(r"\[\|([^\[\]]*?)\|?\s*\|\]")
_DOMAIN = re.compile(r";\s*int\s*\([^()]*\)")  # of Essence, behind the items of a list
_TOKEN = re.compile(r"(?P<call>(?<=[\w\])])[(\[])|(?P<open>[\[({])|(?P<close>[\])}])|([0-9]+)|([A-Za-z_][\w-]*)|[^\s,]")
_WORDS = {"true": True, "false": False}
_AXES = tuple(  # in the last words before a list, such as row_rules, colClues or horizontal
    re.compile(rf"(?:\b|_|(?<=[a-z])(?=[A-Z]))(?:{name})(?!our|or)[\w-]*(?:\s+\w+)?$")
    for name in ("[rR]ow|ROW|[hH]or|HOR", "[cC]ol|COL|[vV]er|VER")
)


class Ambiguous(InputError):
    """A text with two meanings; the message says how to write each."""

    def with_advice(self, advice: str) -> InputError:  # noqa: ARG002
        """Return the error, which needs no advice."""
        return self


@dataclass
class _List:
    """Brackets in a text: the words before them, their line, whether nothing but a list can be in them, and items."""

    words: str
    line: int
    is_list: bool
    items: list[int | _List] = field(default_factory=list)

    @property
    def inner(self) -> list[_List]:
        return [item for item in self.items if isinstance(item, _List)]

    @property
    def is_flat(self) -> bool:
        return self.is_list and not self.inner

    @property
    def is_nested(self) -> bool:
        return self.is_list and bool(self.inner) and all(item.is_flat for item in self.inner)

    @property
    def axis(self) -> int | None:
        """0 for rows, 1 for columns, None if its name does not say it."""
        found = [axis for axis, name in enumerate(_AXES) if name.search(self.words)]
        return found[0] if len(found) == 1 else None

    def clues(self, axis: str, origin: str) -> list[list[int]]:
        """Return the clues; a number by itself is one."""
        clues = [item.items if isinstance(item, _List) else [item] for item in self.items]
        for number, clue in enumerate(clues, 1):
            if not all(type(block) is int and block < 10**MAX_DIGITS for block in clue):
                raise InputError(origin, f"{axis} {number}: expected positive whole numbers", self.line)
        return [[block for block in clue if type(block) is int and block] for clue in clues]

    @property
    def board(self) -> list[list[int]]:
        """The rows of a board, if these are equally long lists of 0 and 1; otherwise an empty list."""
        rows = [[cell for cell in row.items if isinstance(cell, int)] for row in self.inner]
        is_board = len(rows) == len(self.items) and len({*map(len, rows)}) == 1 and set().union(*rows) <= {0, 1}
        return rows if is_board and rows[0] else []


def detect(text: str) -> str | None:
    """Return how the lists are read if there are those of a puzzle, otherwise None."""
    if len(text) > _MAX_CHARACTERS or not (any(sign in text for sign in "[{(") or "param" in text):
        return None
    lists = _lists(text)
    if len(lists) == 2:
        return "" if lists[0].axis != lists[1].axis else ROWS_FIRST
    # A list that is named after one axis lacks the other.
    is_whole = len(lists) == 1 and lists[0].axis is None and (len(lists[0].items) == 2 or lists[0].board)
    return "" if is_whole else None


def parse(text: str, origin: str) -> Puzzle:
    """Return the puzzle in a text.

    Raises:
        InputError: if there are other lists than those of one puzzle, or two lists of 0 and 1 that could be the rows of
            a board or clues; the message says how to write each.

    Examples:
        >>> parse("rows = [[2], [0, 1]]; cols = [[1], [2]]", "here").text
        '2,1|1,2'
        >>> parse("[[1, 0, 1], [0, 1, 0], [1, 0, 1]]", "here").text
        '101/010/101'
    """
    lists = _lists(text)
    if detect(text) is None:
        expected = "expected two lists of clues, of rows and of columns, or one of the rows of a board"
        found = f"found {len(lists)} such list(s)"
        raise InputError(
            origin, f"{expected}, such as [[2], [1]] [[1], [2]]; {found}", lists[0].line if lists else None
        )
    board = lists[0].board if len(lists) == 1 else []
    if len(board) == 2 and all(type(cell) is int for row in board for cell in row):
        words = [["".join(map(str, row)) for row in board], [",".join(map(str, row)) for row in board]]
        is_short = len(words[1][0]) <= _MAX_SHOWN
        one, other = (
            ("/".join(words[0]), f"'{'|'.join(words[1])}'") if is_short else ("lit = ...", "rows = ... columns = ...")
        )
        problem = "two lists of 0 and 1 are a board or a nonogram"
        raise Ambiguous(origin, f"{problem}: for the board type {one}, for the nonogram type {other}", lists[0].line)
    if board:
        return LightsOut(Grid.from_cells(board))
    if len(lists) == 1:
        lists = [item if isinstance(item, _List) else _List("", 1, True, [item]) for item in lists[0].items]
    is_turned = lists[0].axis != lists[1].axis and (lists[0].axis == 1 or lists[1].axis == 0)
    rows, columns = reversed(lists) if is_turned else lists
    return Nonogram(rows.clues("row", origin), columns.clues("column", origin))


@lru_cache(maxsize=1)  # a text is examined before it is read
def _lists(text: str) -> list[_List]:
    """Return the lists of lists of numbers in a text, and the lists of numbers with the name of an axis, in order."""
    stack, words, line, end = [_List("", 1, is_list=False)], "", 1, 0
    text = _plain(text)
    for token in _TOKEN.finditer(text):
        call, opened, closed, number, word = token.groups()
        line, end = line + text.count("\n", end, token.start()), token.start()
        if call or opened:  # the arguments of a function and an index are no list
            stack.append(_List(words, line, is_list=not call))
            if len(stack) > _MAX_DEPTH:
                return []
        elif closed and len(stack) > 1:
            inner = stack.pop()
            stack[-1].items.append(inner)
        elif number:
            stack[-1].items.append(int(number[: MAX_DIGITS + 1]))
        elif word and word.lower() in _WORDS:
            stack[-1].items.append(_WORDS[word.lower()])
        else:
            stack[-1].is_list = False
            words = f"{words} {word}".strip() if word else words
            continue
        words = ""
    return _found(stack[0])


def _found(outer: _List) -> list[_List]:
    """Return the lists of clues or cells within brackets."""
    found: list[_List] = []
    is_pair = (
        outer.is_list and len(outer.items) == len(outer.inner) == 2 and any(item.is_nested for item in outer.inner)
    )
    for item, following in zip_longest(outer.inner, outer.inner[1:]):
        # Lists below the word ROWS, one for each clue, are no lists of clues.
        is_axis = item.axis is not None and (following is None or following.words)
        is_clues = item.is_nested or (item.is_flat and (is_pair or is_axis))
        found += [item] if is_clues else _found(item)
    return found


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
    return _DOMAIN.sub("", _BARS.sub(lambda it: f"[[{it[1].replace('|', '],[')}]]", _ARRAY.sub(array, text)))


LISTS = Format(
    name="lists",
    summary="two lists of clues, or one of cells, as in JSON, Python, JavaScript, MiniZinc, Essence, MathProg...",
    example="row_rules = [[2], [1]]\ncol_rules = [[1], [2]]\n",
    extensions=(".dzn",),
    detect=detect,
    reader=lambda text, origin: [parse(text, origin)],
)
