""".non, the format of Steven Simpson's nonogram solver: one property per line, then the clues of rows and columns.

A line ``====`` separates several puzzles in a file. A goal, the intended solution, is checked against the clues.
Properties and sections that are not known, and remarks behind ``#``, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.base.grid import Grid
from crosslit.formats._format import Format
from crosslit.formats.clues import (
    COLOURED,
    Line,
    check_goal,
    goal_grid,
    of_named,
    read_clues,
    read_named,
    read_sizes,
    require_nonogram,
    section,
)
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.colours import LETTERS

_HEAD = re.compile(r"\s*(?:[^\s0-9.#_]|#\s)")
_WORD = re.compile(r"[A-Za-z]{2,}[\w-]*|#")  # the first of a property or a section, or of a remark
_SEPARATOR = "===="
_SIZES = {"rows": "height", "columns": "width"}


def detect(text: str) -> str | None:
    """Return "" if there is a line ``rows`` and a line ``columns``."""
    lines = text.splitlines() if _HEAD.match(text) else []
    return "" if {"rows", "columns"} <= {line.strip() for line in lines} else None


def read_all(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text; blank lines are ignored, unless the sizes show that they are empty clues."""
    draft = _Draft(origin)
    for number, line in chain(numbered_lines(text), [(0, _SEPARATOR)]):
        if line.strip() == _SEPARATOR:
            if draft.title or draft.sections or draft.sizes:
                yield draft.finished()
            draft = _Draft(origin)
        else:
            draft.take(line, number)


@dataclass
class _Draft:
    """The parts of one puzzle read so far."""

    origin: str
    title: str = ""
    sections: dict[str, list[Line]] = field(default_factory=dict)  # rows, columns, goal and others
    starts: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    section: str = ""
    colours: dict[str, tuple[str, str]] = field(default_factory=dict)  # by character: name and value

    def take(self, line: str, number: int) -> None:
        """Read one line."""
        word, rest = (*line.split(None, 1), "", "")[:2]
        rest = rest.strip()
        if word in _SIZES.values():
            (self.sizes[word],) = read_sizes([rest], f"a positive number after {word}", self.origin, number, 1)
        elif word == "title":
            self.title = _unescape(_unquote(rest))
        elif word == "color" and len(rest.split()) == 2:
            key, value = rest.split()
            self.colours[key] = (key, value)
        elif word == "goal" or (_WORD.fullmatch(word) and not rest and word != "#" and self.section != "goal"):
            if word in _SIZES and word in self.sections:
                what = f"a second section {word}: expected a line {_SEPARATOR} between puzzles"
                raise InputError(self.origin, what, number)
            self.section, self.starts[word] = word, number
            self.sections[word] = [(number, rest)] if rest else []  # a goal may go on over several lines
        elif _WORD.fullmatch(word) and (rest or word == "#"):
            pass  # another property, or a remark
        elif self.section:
            # Only the sizes, which may come later, show whether blank lines are empty clues.
            self.sections[self.section].append((number, line.strip()))
        elif word:
            what = f"expected a property such as width, or rows, found {line.strip()[:20]!r}"
            raise InputError(self.origin, what, number)

    def finished(self) -> Nonogram:
        """Return the puzzle after all its lines have been read."""
        lines = {word: self._clues(word) for word in _SIZES}
        goal, start = self.sections.get("goal"), self.starts.get("goal", 0)
        if not any(COLOURED.search(line) for clues in lines.values() for _, line in clues):
            rows, columns = (read_clues(lines[f"{axis}s"], axis, self.origin) for axis in ("row", "column"))
            puzzle = Nonogram(rows, columns, self.title)
            if goal:  # every cell that is not 0 is filled
                cells = [re.sub("[^0]", "1", row) for row in self._goal_cells(goal, puzzle)]
                check_goal(puzzle, Grid.from_text("/".join(cells)), self.origin, start)
            return puzzle
        clues = {word: [read_named(line, "1") for _, line in chosen] for word, chosen in lines.items()}
        for word, read in clues.items():
            for (number, line), clue in zip(lines[word], read, strict=True):
                if clue is None:
                    raise InputError(self.origin, f"expected blocks such as 2a,1b, found {line[:20]!r}", number)
        named = [[clue or [] for clue in clues[word]] for word in _SIZES]
        coloured, numbers = of_named(named[0], named[1], self.colours, name=self.title)
        if goal:
            cells = self._goal_cells(goal, coloured, {"0", *numbers})
            check_goal(coloured, goal_grid(coloured, cells, numbers), self.origin, start)
        return coloured

    def _clues(self, word: str) -> Sequence[Line]:
        lines, size = self.sections.get(word, []), self.sizes.get(_SIZES[word])
        if lines and not lines[-1][1]:  # the line between sections is not a clue, even if one seems to be missing
            lines = lines[:-1]
        written = [line for line in lines if line[1]]
        chosen = section(lines, len(written) if size is None else size)
        if chosen is None:
            problem = (
                f"expected {size} {word} as {_SIZES[word]} says, found {len(written)} (an empty line is written 0)"
            )
            raise InputError(self.origin, problem, self.starts.get(word))
        if not chosen:
            raise InputError(self.origin, f"expected a section {word} with one clue per line")
        return chosen

    def _goal_cells(self, goal: list[Line], puzzle: Nonogram, signs: set[str] | None = None) -> list[str]:
        """Return the rows of the goal, of these signs or of any."""
        cells = _unquote("".join("".join(text.split()) for _, text in goal))
        if (signs and set(cells) - signs) or len(cells) != puzzle.rows * puzzle.columns:
            expected = f"expected a goal of {puzzle.rows * puzzle.columns} cells {' and '.join(sorted(signs or '01'))}"
            raise InputError(self.origin, f"{expected}, found {len(cells)}: {cells[:20]!r}", self.starts["goal"])
        return [cells[start : start + puzzle.columns] for start in range(0, len(cells), puzzle.columns)]


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the text of nonograms, with their names as titles."""
    for number, puzzle in enumerate(puzzles):
        nonogram = require_nonogram(puzzle, "non", coloured=True)
        title = " ".join(nonogram.name.replace("&", "&amp;").replace('"', "&quot;").splitlines())
        lines = ["", _SEPARATOR, ""] if number else []
        lines += [f'title "{title}"'] if title else []
        lines += [f"width {nonogram.columns}", f"height {nonogram.rows}"]
        lines += [f"color {sign} #{rgb}" for sign, (_, rgb) in zip(LETTERS, nonogram.palette[1:], strict=False)]
        for word, clues in (("rows", nonogram.row_clues), ("columns", nonogram.column_clues)):
            lines += ["", word, *(",".join(map(str, clue)) or "0" for clue in clues)]
        yield "\n".join(lines) + "\n"


def _unescape(text: str) -> str:
    if "&" not in text:
        return text
    import html  # loads a large table

    return html.unescape(text)


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


NON = Format(
    name="non",
    summary="nonograms: .non of Steven Simpson's solver, or coloured; width, height, title, rows, columns; ==== next",
    example="width 2\nheight 2\nrows\n2\n1\ncolumns\n1\n2\n",
    extensions=(".non", ".nonpack"),
    several=True,
    detect=detect,
    reader=read_all,
    writer=write_all,
)
