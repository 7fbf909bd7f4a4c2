"""Answers in a program's own plain text: the place of the grid, and the meanings of words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.grid import DIGITS, Grid
from crosslit.base.text import shorten
from crosslit.kinds import Puzzle
from crosslit_backends.commands.child_processes import without_control
from crosslit_backends.programs.protocol import (
    ABSTENTIONS,
    MAX_SOLUTIONS,
    Abstention,
    Claims,
    Reply,
    SolverAnswer,
    SolverFailure,
    decode,
    read_text,
    shown,
)

MEANINGS = ("solved", "unsolvable", "unique", "multiple", *ABSTENTIONS)
"""Meanings of an exit status; ``unique`` and ``multiple`` accompany a solution."""

_BARS = "|\u2502\u2503\u2551\u2506\u250a\u254e"  # sides of a frame
_BRACKETS = "[](){},; "  # around the rows of a printed list or array
_MAX_SHOWN = 60  # characters of a grid in a message
_FRAME = re.compile(r"[\s|+=_*~'`.,\-\u2500-\u257f]*")  # a line of a frame, unless cells use these characters
_NUMBER, _LETTER, _BLANK_LINE = re.compile(r"-?\d+"), re.compile(r"[^\W\d_]"), re.compile(r"\n\s*\n")
_WORDS = {
    "unsolvable": r"^\s*unsolvable\s*$",
    "unique": r"^\s*unique\s*$",
    "multiple": r"^\s*not unique\s*$",
    "unknown": r"^\s*unknown\s*$",
    "unsupported": r"^\s*unsupported\s*$",
}


@dataclass(frozen=True)
class PlainOutput:
    r"""A description of a program's plain output; the default is the plain text of the protocol.

    The cells are the empty and the filled character, such as ``.X``, or two strings of equal length, ``..,##``. By
    default ``.#`` and ``01`` are both read. Regular expressions are searched in standard output and error. An invalid
    one, and invalid cells, raise a ValueError.
    """

    cells: str = ""
    unsolvable: str = ""  # regular expression for "no solution"
    unique: str = ""  # "the only solution"; if `unique` is promised, no match means that there are other solutions
    exits: tuple[tuple[int, str], ...] = ()  # meanings of exit statuses, see `MEANINGS`
    moves: int | None = None  # if answers are lists of pressed cells: the number of the first row and column, 0 or 1

    def __post_init__(self) -> None:
        _ = self._marks
        for name in ("unsolvable", "unique"):
            try:
                re.compile(getattr(self, name))
            except re.error as error:
                raise ValueError(f"{name} is a regular expression, not {getattr(self, name)!r:.40}: {error}") from None
        if self.moves not in (None, 0, 1):
            raise ValueError("moves is 0 or 1, the number of the first row and column in a list of pressed cells")
        for code, meaning in self.exits:
            if not 0 <= code <= 255 or meaning not in MEANINGS:
                raise ValueError(f"an exit status is a number up to 255 with one of {', '.join(MEANINGS)}")

    @property
    def is_protocol(self) -> bool:
        """True if there is no description, so that the output is the protocol's plain text."""
        return self == PlainOutput()

    def read(self, output: bytes, errors: bytes, code: int, puzzle: Puzzle, claims: Claims) -> Reply | None:
        """Return a program's answer about a puzzle; None for an exit status without a meaning.

        A block of the puzzle's shape is preferred to a longer one. A program that promises ``all`` means every block of
        that shape, any other means the last.
        """
        meaning = dict(self.exits).get(code)
        if self.is_protocol:
            # The protocol gives no meaning to exit statuses, so any but 0 is a crash.
            return None if code else read_text(output, puzzle.layout.states)
        if puzzle.layout.states > 2 and self.moves is None:
            found = f"expected a puzzle whose cells have two states, not {puzzle.layout.states}"
            raise InputError("output in other cells than digits", found)
        try:
            text = without_control(decode(output))
        except ValueError as error:
            return SolverFailure("malformed-output", f"{error}: {shown(output)}")
        # Messages such as "no solution" often go to standard error.
        everything = f"{text}\n{without_control(errors.decode(errors='replace'))}"
        # Abstentions come first: a solver that gives up may still print its last, unfinished grid.
        for word in ABSTENTIONS:
            if meaning == word or self._says(word, everything):
                return Abstention(word)
        # Before the grid, because some programs print their unfinished grid together with this verdict.
        if meaning == "unsolvable" or self._says("unsolvable", everything):
            return SolverAnswer((), True, None)
        if code and meaning is None:
            return None
        try:
            grids = self._grids(text, puzzle) if self.moves is None else self._listed(text, puzzle, claims)
        except ValueError as error:
            return SolverFailure("malformed-output", f"{error}: {shown(output)}")
        # Solvers often print intermediate grids; the last one is the answer.
        kept = grids if claims == "all" else grids[-1:]
        if self.moves is None and (other := self._other_reading(text, kept, puzzle)) is not None:
            last, another = (shorten(grid.text, _MAX_SHOWN) for grid in (kept[-1], other))
            detail = f"ambiguous output: {last} counts as the answer, but {another} is printed too and is a solution"
            advice = "choose other --cells, or print only the answer, if necessary by an adapter"
            return SolverFailure("malformed-output", f"{detail}; {advice}")
        unique = self._is_unique(everything, meaning, claims)
        more = max(0, len(kept) - MAX_SOLUTIONS - 1)
        return SolverAnswer(tuple(kept[: MAX_SOLUTIONS + 1]), False, unique, more)

    def with_grids(self, record: Any, puzzle: Puzzle) -> Any:
        """Return an answer in JSON with grids in place of lists of pressed cells."""
        if self.moves is None or record is None:
            return record
        if type(record) is list:
            return {"solution": self._pressed(record, puzzle)}
        if type(record) is dict and "solution" in record:
            return {**record, "solution": self._pressed(record["solution"], puzzle)}
        if type(record) is dict and type(record.get("solutions")) is list:
            return {**record, "solutions": [self._pressed(moves, puzzle) for moves in record["solutions"]]}
        return record

    def _pressed(self, moves: Any, puzzle: Puzzle) -> Any:
        """Return the grid of some moves, ``[[0, 1], [2, 2]]`` or ``[0, 1, 2, 2]``: how often each cell is listed.

        Anything but a list is returned as it is.
        """
        assert self.moves is not None
        if type(moves) is not list:
            return moves
        flat = [part for move in moves for part in (move if type(move) is list else [move])]
        grid = [[0] * puzzle.columns for _ in range(puzzle.rows)]
        if len(flat) % 2 or any(type(part) is not int for part in flat):
            raise ValueError("expected moves as pairs of a row and a column")
        for row, column in zip(flat[::2], flat[1::2], strict=True):
            if not (0 <= row - self.moves < puzzle.rows and 0 <= column - self.moves < puzzle.columns):
                where = f"{puzzle.rows} x {puzzle.columns} cells, counted from {self.moves}"
                raise ValueError(f"the move {row}, {column} is outside of {where}")
            grid[row - self.moves][column - self.moves] += 1
        return "/".join("".join(DIGITS[times % puzzle.layout.states] for times in row) for row in grid)

    def _listed(self, text: str, puzzle: Puzzle, claims: Claims) -> list[Grid]:
        """Return the grids of moves in a text; several solutions have blank lines between them."""
        lines = [line for line in text.split("\n") if not _LETTER.search(line) or _NUMBER.search(line)]
        if any(map(_LETTER.search, lines)) or (text.strip() and not "".join(lines).strip()):
            raise ValueError("expected moves such as [(0, 1), (2, 2)] on lines without words")
        whole = "\n".join(lines)
        blocks = _BLANK_LINE.split(whole.strip()) if claims == "all" else [whole]
        texts = (self._pressed([int(number) for number in _NUMBER.findall(block)], puzzle) for block in blocks)
        return [Grid.from_text(text, puzzle.layout.states) for text in texts]

    def read_line(self, line: bytes, puzzle: Puzzle, claims: Claims) -> Reply:
        """Return the answer on a line: solutions with / between rows and blanks between them, or words."""
        if self.is_protocol:
            words = line.decode(errors="surrogateescape").replace("not unique", "not_unique").split()
            spread = "\n\n".join(words).replace("not_unique", "not unique")
            return read_text(spread.encode(errors="surrogateescape"), puzzle.layout.states)
        blocks = line
        if self.moves is None:
            has_blank = any(" " in mark for mark in self._marks[0])
            blocks = (line if has_blank else line.replace(b" ", b"\n\n")).replace(b"/", b"\n")
        reply = self.read(blocks, line, 0, puzzle, claims)
        assert reply is not None
        return reply

    def example(self, puzzle: Puzzle) -> list[str]:
        """Return the rows of an empty grid as they would be read, or an example of moves."""
        if self.moves is not None:
            return [f"[[{self.moves}, {self.moves}]]"]
        return [self._marks[-1][0] * puzzle.columns] * puzzle.rows

    @property
    def _marks(self) -> tuple[tuple[str, str], ...]:
        """The pairs of an empty and a filled cell that are read."""
        if not self.cells:
            return (".", "#"), ("0", "1")
        # two characters need no comma between them, so one of them may be a comma
        empty, *others = list(self.cells) if len(self.cells) == 2 else self.cells.split(",", 1)
        filled = "".join(others)
        if not empty or empty == filled or len(empty) != len(filled):
            raise ValueError(f"cells are an empty and a filled character such as .X, not {self.cells!r:.40}")
        return ((empty, filled),)

    def _says(self, word: str, text: str) -> bool:
        pattern = getattr(self, word, "") or _WORDS[word]
        return re.search(pattern, text, re.MULTILINE) is not None

    def _is_unique(self, text: str, meaning: str | None, claims: Claims) -> bool | None:
        if meaning in ("unique", "multiple"):
            return meaning == "unique"
        if self._says("unique", text):
            return True
        if self._says("multiple", text) or (claims == "unique" and self.unique):
            return False
        return None

    def _grids(self, text: str, puzzle: Puzzle) -> list[Grid]:
        """Return the grids of the puzzle's shape in a text; if there is none, the one with the most rows."""
        others: list[Grid] = []
        for marks in self._marks:
            blocks = _blocks_of(text, marks, puzzle)
            # A multiple of the rows: solvers print several solutions without a blank line between them.
            fitting = [block for block in blocks if len(block[0]) == puzzle.columns and len(block) % puzzle.rows == 0]
            if fitting:
                rows = puzzle.rows
                starts = ((block, first) for block in fitting for first in range(0, len(block), rows))
                return [Grid.from_text("/".join(block[first : first + rows])) for block, first in starts]
            others += [Grid.from_text("/".join(block)) for block in blocks]
        if not others:
            expected = " or ".join(f"{empty!r} and {filled!r}" for empty, filled in self._marks)
            raise ValueError(f"no grid of the cells {expected}, and no text with a given meaning")
        height = max(grid.rows for grid in others)
        # A grid of another shape is judged as a wrong answer, which says more than "no grid".
        longest = [grid for grid in others if grid.rows == height]
        widths = sorted({grid.columns for grid in longest})
        if len(widths) > 1:
            found = " and ".join(f"{height} x {width}" for width in widths[:3])
            raise ValueError(f"grids of {found}, none of {puzzle.rows} x {puzzle.columns}")
        return longest[-1:]

    def _other_reading(self, text: str, grids: list[Grid], puzzle: Puzzle) -> Grid | None:
        """Return a solution among other lines of a text, if the grid that was read is wrong.

        A solver that prints more than its answer is not blamed for a grid that it may not mean. Several grids of the
        right shape are all meant.
        """
        if puzzle.layout.admits(grids[0]) and (len(grids) > 1 or _solves(puzzle, grids[0])):
            return None
        stretches = (
            block[first : first + puzzle.rows]
            for marks in self._marks
            for block in _blocks_of(text, marks, puzzle)
            if len(block[0]) == puzzle.columns
            for first in range(len(block) - puzzle.rows + 1)
        )
        others = (Grid.from_text("/".join(rows)) for rows in stretches)
        return next((grid for grid in others if _solves(puzzle, grid)), None)


def _solves(puzzle: Puzzle, grid: Grid) -> bool:
    return next(puzzle.violations(grid), None) is None


def _blocks_of(text: str, marks: tuple[str, str], puzzle: Puzzle) -> list[list[str]]:
    blocks = list(_blocks(text, *marks, puzzle.columns))
    if any(" " in mark for mark in marks):
        return [_without_blank_ends(block, puzzle.rows) for block in blocks]
    return blocks


def _blocks(text: str, empty: str, filled: str, columns: int) -> Iterator[list[str]]:
    """Yield the stretches of equally long lines of cells, as rows of 0 and 1."""
    block, is_written = list[str](), False  # blank lines are a grid only in output that is entirely blank
    # A line that is no row ends the last block like all others.
    lines = [*text.removesuffix("\n").split("\n"), "end"]
    rows = [_row(line, empty, filled, columns) for line in lines]
    framed = [len(_pieces(line, empty + filled)) > 2 for line in lines]
    if " " in empty + filled and any(row and side for row, side in zip(rows, framed, strict=True)):
        # with a frame, a blank line outside it is not a row of empty cells
        rows = [row if side else None for row, side in zip(rows, framed, strict=True)]
    has_characters = bool(text.strip("\n"))
    for line, row in zip(lines, rows, strict=True):
        # Lines of a frame stand between rows without ending the grid.
        if row is None and line.strip() and _FRAME.fullmatch(line) and not set(line.strip()) & set(empty + filled):
            continue
        if row is None or (block and len(row) != len(block[0])):
            if any(block) and (is_written or not has_characters):
                yield block
            block, is_written = [], False
        if row is not None:
            block.append(row)
            is_written = is_written or bool(line)


def _without_blank_ends(block: list[str], rows: int) -> list[str]:
    """Return the rows without blank lines before and after them, if there are too many lines."""
    starts = range(len(block) - rows + 1)
    found = [
        block[first : first + rows]
        for first in starts
        if not any("1" in row for row in (*block[:first], *block[first + rows :]))
    ]
    # Guessing here could turn a correct answer into a wrong one, so the output is refused.
    if any(other != found[0] for other in found):
        raise ValueError(f"blank lines around the grid, each of which may be one of its {rows} rows")
    return found[0] if found else block


def _row(line: str, empty: str, filled: str, columns: int) -> str | None:
    """Return the cells of a line, without a frame and anything outside it; None if the line has anything else."""
    pieces = _pieces(line, empty + filled)
    if any(" " in mark for mark in (empty, filled)):
        if len(pieces) == 1:  # blanks at line ends may have been cut off
            inner = line.rstrip()
            width = columns * len(empty)
            if len(inner) > width or not set(inner) <= set(empty + filled) or set(empty) != {" "}:
                return None
            return _cells(inner.ljust(width), empty, filled)
        return _cells("".join(pieces[1:-1]), empty, filled)
    # A program may use one of these characters for its cells.
    ends = "".join(mark for mark in _BRACKETS if mark not in empty + filled)
    between = re.compile(rf"[\s{'' if ',' in empty + filled else ','}]+")
    cells = [_cells(between.sub("", piece.strip().strip(ends)), empty, filled) for piece in pieces if piece.strip()]
    # Text left and right of the grid, such as row numbers and clues, is not part of it.
    while cells and cells[0] is None:
        cells.pop(0)
    while cells and cells[-1] is None:
        cells.pop()
    return None if not cells or None in cells else "".join(filter(None, cells))


def _pieces(line: str, cells: str) -> list[str]:
    """Return the parts of a line between the bars of a frame."""
    return re.split(f"[{re.escape(''.join(bar for bar in _BARS if bar not in cells))}]", line)


def _cells(text: str, empty: str, filled: str) -> str | None:
    width = len(empty)
    marks = [text[start : start + width] for start in range(0, len(text), width)]
    if not marks or any(mark not in (empty, filled) for mark in marks):
        return None
    return "".join("1" if mark == filled else "0" for mark in marks)
