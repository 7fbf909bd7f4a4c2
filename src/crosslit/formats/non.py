""".non, the format of Steven Simpson's nonogram solver: one property per line, then the clues of rows and columns.

A line ``====`` separates several puzzles in a file. A goal, the intended solution, is checked against the clues.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.base.grid import Grid
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

NAME = "non"
PRIORITY = 90
EXTENSIONS = frozenset({".non", ".nonpack"})
HEAD = re.compile(r"\s*(?:[^\s0-9.#_]|#\s)")
SUMMARY = "nonograms: .non of Steven Simpson's solver, or coloured; width, height, title, rows, columns; ==== between"
EXAMPLE = "width 2\nheight 2\nrows\n2\n1\ncolumns\n1\n2\n"

# properties without a place elsewhere; only the title is kept
_WORDS = frozenset({"title", "catalogue", "by", "copyright", "license", "color", "maxrule"})
_SEPARATOR = "===="


def sniff(text: str) -> bool:
    """Return whether there is a line ``rows`` and a line ``columns``."""
    return {"rows", "columns"} <= {line.strip() for line in text.splitlines()}


def parse_all(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text; blank lines are ignored, unless the sizes show that they are empty clues."""
    draft = _Draft(origin)
    for number, line in chain(numbered_lines(text), [(0, _SEPARATOR)]):
        if line.strip() == _SEPARATOR:
            if draft:
                yield draft.finished()
            draft = _Draft(origin)
        else:
            draft.take(line, number)


@dataclass
class _Draft:
    """The parts of one puzzle read so far."""

    origin: str
    title: str = ""
    clues: dict[str, list[Line]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    goal: list[Line] = field(default_factory=list)
    section: str = ""
    colours: dict[str, tuple[str, str]] = field(default_factory=dict)  # by character: name and value

    def __bool__(self) -> bool:
        return bool(self.title or self.clues or self.sizes or self.goal)

    def take(self, line: str, number: int) -> None:
        """Read one line."""
        if not line.strip():
            # Kept for now: only the sizes, which may come later, show whether blank lines are empty clues.
            if self.section in self.clues:
                self.clues[self.section].append((number, ""))
            return
        word, rest = (*line.split(None, 1), "")[:2]
        rest = rest.strip()
        if word in ("rows", "columns") and not rest:
            if word in self.clues:
                what = f"a second section {word}: expected a line {_SEPARATOR} between puzzles"
                raise InputError(self.origin, what, number)
            self.section, self.clues[word], self.starts[word] = word, [], number
        elif word in ("width", "height"):
            (self.sizes[word],) = read_sizes([rest], f"a positive number after {word}", self.origin, number)
        elif word == "goal":
            # The goal may go on over several lines.
            self.section, self.goal = "goal", [(number, rest)]
        elif word == "color" and len(rest.split()) == 2:
            key, value = rest.split()
            self.colours[key] = (key, value)
        elif word in _WORDS:
            self.title = _unescape(_unquote(rest)) if word == "title" else self.title
        elif self.section == "goal":
            self.goal.append((number, line))
        elif self.section:
            self.clues[self.section].append((number, line))
        else:
            what = f"expected a property such as width, or rows, found {line.strip()[:20]!r}"
            raise InputError(self.origin, what, number)

    def finished(self) -> Nonogram:
        """Return the puzzle after all its lines have been read."""
        if any(COLOURED.search(line) for lines in self.clues.values() for _, line in lines):
            return self._coloured()
        rows = read_clues(self._clues("rows", "height"), "row", self.origin)
        columns = read_clues(self._clues("columns", "width"), "column", self.origin)
        puzzle = Nonogram(rows, columns, self.title)
        if self.goal:
            goal = Grid.from_text("/".join(self._goal_cells(puzzle, {"0", "1"})))
            check_goal(puzzle, goal, self.origin, self.goal[0][0])
        return puzzle

    def _clues(self, word: str, size: str) -> Sequence[Line]:
        lines = self.clues.get(word, [])
        if lines and not lines[-1][1]:  # the line between sections is not a clue, even if one seems to be missing
            lines = lines[:-1]
        written = [line for line in lines if line[1]]
        chosen = section(lines, self.sizes.get(size, len(written)))
        if word not in self.clues or (not written and not chosen):
            raise InputError(self.origin, f"expected a section {word} with one clue per line")
        if chosen is None:
            expected = f"expected {self.sizes[size]} {word} as {size} says"
            problem = f"{expected}, found {len(written)} (an empty line is written 0)"
            raise InputError(self.origin, problem, self.starts[word])
        return chosen

    def _coloured(self) -> Nonogram:
        clues = []
        for word, size in (("rows", "height"), ("columns", "width")):
            chosen = self._clues(word, size)
            clues.append([read_named(line, "1") for _, line in chosen])
            for (number, line), clue in zip(chosen, clues[-1], strict=True):
                if clue is None:
                    raise InputError(self.origin, f"expected blocks such as 2a,1b, found {line.strip()[:20]!r}", number)
        rows, columns = ([clue or [] for clue in axis] for axis in clues)
        puzzle, numbers = of_named(rows, columns, self.colours, name=self.title)
        if self.goal:
            cells = self._goal_cells(puzzle, {"0", *numbers})
            check_goal(puzzle, goal_grid(puzzle, cells, numbers), self.origin, self.goal[0][0])
        return puzzle

    def _goal_cells(self, puzzle: Nonogram, signs: set[str]) -> list[str]:
        """Return the rows of the goal."""
        cells = _unquote("".join("".join(text.split()) for _, text in self.goal))
        if set(cells) - signs or len(cells) != puzzle.rows * puzzle.columns:
            expected = f"expected a goal of {puzzle.rows * puzzle.columns} cells {' and '.join(sorted(signs))}"
            raise InputError(self.origin, f"{expected}, found {len(cells)}: {cells[:20]!r}", self.goal[0][0])
        return [cells[start : start + puzzle.columns] for start in range(0, len(cells), puzzle.columns)]


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the text of nonograms, with their names as titles."""
    for number, puzzle in enumerate(puzzles):
        nonogram = require_nonogram(puzzle, NAME, coloured=True)
        lines = ["", _SEPARATOR, ""] if number else []
        lines += [f'title "{_escape(nonogram.name)}"'] if nonogram.name else []
        lines += [f"width {nonogram.columns}", f"height {nonogram.rows}"]
        lines += [f"color {sign} #{rgb}" for sign, (_, rgb) in zip(LETTERS, nonogram.palette[1:], strict=False)]
        for word, clues in (("rows", nonogram.row_clues), ("columns", nonogram.column_clues)):
            lines += ["", word, *(",".join(map(str, clue)) or "0" for clue in clues)]
        yield "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Escape a title in quotation marks: no other quotation marks, line ends or ampersands."""
    text = text.replace("&", "&amp;").replace('"', "&quot;")
    return " ".join(text.splitlines())


def _unescape(text: str) -> str:
    if "&" not in text:
        return text
    import html

    return html.unescape(text)


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text
