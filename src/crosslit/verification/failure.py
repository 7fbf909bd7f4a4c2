"""A failure that a verification found, for people and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crosslit.drawing import ASCII, Style, draw
from crosslit.grid import Grid
from crosslit.programs.answers import FEWEST, Answer, Claims, Reply
from crosslit.puzzles import Puzzle
from crosslit.verification.classes import class_of
from crosslit.verification.judging import PROBLEMS, Problem, broken, format_reply, format_right
from crosslit.verification.reference import Reference

_LONG = 400  # characters of a puzzle that are printed
_PICTURE = 40  # columns that are drawn


@dataclass(frozen=True)
class Failure:
    """A puzzle on which the solver fails, as small as it could be made.

    Args:
        problem: what is wrong.
        puzzle: the smallest on which it was seen.
        reply: what the solver said of it.
        reference: what is true of it; None where that is out of reach.
        original: the puzzle on which it was seen first.
        case: the number of that one, from 1; 0 for one of a replay file.
        asked: how many cases had been asked when it was seen first.
        family: where it came from.
        minimal: whether every reduction of the puzzle passes.
        tried: how many smaller puzzles were tried.
        again: whether it was seen again when the puzzle was asked again; None if there was no time for that.
        claims: what the solver promises.
        expected: a readable answer to the puzzle, where nothing of the solver has been read yet.
    """

    problem: Problem
    puzzle: Puzzle
    reply: Reply
    reference: Reference | None
    original: Puzzle
    case: int
    asked: int
    family: str
    minimal: bool
    tried: int
    again: bool | None
    claims: Claims
    expected: str = ""

    @property
    def right(self) -> str:
        """A right answer in one line."""
        return "unknown" if self.reference is None else format_right(self.claims, self.reference)

    def record(self) -> dict[str, Any]:
        """Return what a row of a table says of it."""
        return {
            "problem": self.problem.group,
            "puzzle": self.puzzle.text,
            "answer": format_reply(self.reply),
            "right": self.right,
            "because": self.problem.detail,
            "family": self.family,
            "case": self.case,
            "minimal": self.minimal,
        }

    def text(self, style: Style = ASCII, *, first: bool = True) -> str:
        """The failure for people: the puzzle on one line, the answer beside the right one, and a picture.

        Args:
            style: of the picture.
            first: whether it is the first failure of its group; further ones are shorter.
        """
        kind = class_of(self.puzzle, None if self.reference is None else self.reference.solvable)
        meaning = PROBLEMS[self.problem.group] if first else f"another cause or class of puzzle, {kind}"
        pictures = [f"    {line}".rstrip() for line in self._pictures(style)]
        lines = [
            f"{self.problem.group}: {meaning}",
            f"  puzzle   {_cut(self.puzzle.text)}",
            f"  answer   {format_reply(self.reply)}",
            f"  right    {self.right}",
            f"  because  {self.problem.detail}",
            *([f"  expected {self.expected}"] if self.expected else []),
            *(["", *pictures, ""] if first else []),
        ]
        if self.family != "replay file":
            place = f"case {self.case:,} ({self.family})" if self.case else self.family
            lines.append(f"  found on {place}; {self._shrinking}")
        return "\n".join(lines).rstrip()

    @property
    def _shrinking(self) -> str:
        if self.again is None:
            return "the time was over before it could be asked again"
        if not self.again:
            return f"it did not fail when asked again: --cases {self.asked} and the same seed ask all before it too"
        if self.minimal:
            return f"no reduction of it fails ({self.tried} smaller puzzles tried)"
        return f"shrunk as far as the time went ({self.tried} smaller puzzles tried)"

    def _pictures(self, style: Style) -> list[str]:
        """Return `pictures` side by side, as lines of text."""
        if self.puzzle.columns > _PICTURE or self.puzzle.rows > _PICTURE:
            return [f"({self.puzzle.rows} x {self.puzzle.columns}: too large to draw)"]
        drawn = ((name, draw(self.puzzle, grid, style)) for name, grid in self.pictures().items())
        return _beside([[name, *picture.split("\n")] for name, picture in drawn])

    def pictures(self) -> dict[str, Grid | None]:
        """Return what to draw of the puzzle, by its title: the puzzle itself, the answer, and a right answer."""
        pictures: dict[str, Grid | None] = {"puzzle": None}
        grids = self.reply.solutions if isinstance(self.reply, Answer) else ()
        given = next((grid for grid in grids if broken(self.puzzle, grid)), grids[0] if grids else None)
        if given is not None and (given.rows, given.columns) == (self.puzzle.rows, self.puzzle.columns):
            pictures["answer"] = given
        if self.reference is not None and self.reference.solutions:
            solutions = sorted(self.reference.solutions, key=lambda grid: grid.text())
            if self.claims == FEWEST:
                solutions.sort(key=lambda grid: grid.count())
            given_ones = frozenset(self.reply.solutions if isinstance(self.reply, Answer) else ())
            new = [grid for grid in solutions if grid not in given_ones]
            pictures["right"] = (new or solutions)[0]
        return pictures

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "problem": self.problem.group,
            "detail": self.problem.detail,
            "puzzle": self.puzzle.text,
            "answer": format_reply(self.reply),
            "right": self.right,
            "original": self.original.text,
            "case": self.case,
            "asked": self.asked,
            "family": self.family,
            "minimal": self.minimal,
            "tried": self.tried,
            "again": self.again,
        }


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}... ({len(text)} characters)"


def _beside(blocks: list[list[str]]) -> list[str]:
    height = max(map(len, blocks))
    widths = [max(map(len, block)) + 3 for block in blocks]
    padded = [block + [""] * (height - len(block)) for block in blocks]
    return [
        "".join(f"{line:<{width}}" for line, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*padded, strict=True)
    ]
