"""A failure found by a verification, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosslit_backends.programs.answers import FEWEST, Answer, Claims, Reply
from crosslit_generate import Case

from crosslit.drawing import ASCII, Style, draw
from crosslit.grid import Grid
from crosslit.judging.verdict import puzzle_json
from crosslit.kinds import Puzzle
from crosslit.numbers import shorten
from crosslit.records import Result
from crosslit_verify.causes import MISFIT, class_of
from crosslit_verify.judging import PROBLEMS, Problem, broken, format_reply, format_right
from crosslit_verify.reference import Reference

_MAX_CHARACTERS = 400  # maximum characters of a printed puzzle
_MAX_DRAWN = 40  # maximum rows and columns of a picture


@dataclass(frozen=True)
class Asked:
    """A case with its number and the reply of the solver."""

    case: Case
    number: int
    reply: Reply


@dataclass(frozen=True, repr=False)
class Failure(Result):
    """A puzzle on which the solver fails, shrunk as far as possible."""

    problem: Problem
    puzzle: Puzzle  # the smallest on which it was seen
    reply: Reply  # of the solver to that puzzle
    reference: Reference | None  # None if it could not be computed
    original: Puzzle  # on which the failure was first seen
    case: int  # the number of that puzzle, from 1; 0 for one of a replay file
    asked: int  # number of cases sent before it was first seen
    family: str  # of the original puzzle
    minimal: bool  # whether every reduction of the puzzle passes
    tried: int  # number of smaller puzzles tried
    again: bool | None  # whether it recurred when the puzzle was sent again; None if there was no time for that
    claims: Claims
    cures: tuple[str, ...] | None = None  # changes of a backend's spec that remove it; None if they are not known
    notes: Mapping[str, str] = field(default_factory=dict)  # input, output, an example of an answer, advice: if known

    @property
    def right(self) -> str:
        """A right answer in one line."""
        return "unknown" if self.reference is None else format_right(self.claims, self.reference)

    def text(self, style: Style = ASCII, *, first: bool = True) -> str:
        """Return the failure as text: the puzzle on one line, its answer, a right answer, and pictures.

        A failure that is not the first of its group is shorter.
        """
        kind = class_of(self.puzzle, None if self.reference is None else self.reference.solvable)
        meaning = PROBLEMS[self.problem.group] if first else f"another cause or class of puzzle, {kind}"
        text = self.puzzle.text
        puzzle = shorten(text, _MAX_CHARACTERS) + (f" ({len(text)} characters)" if len(text) > _MAX_CHARACTERS else "")
        pictures = [f"    {line}".rstrip() for line in self._pictures(style)]
        lines = [
            f"{self.problem.group}: {meaning}",
            f"  puzzle   {puzzle}",
            f"  answer   {format_reply(self.reply)}",
            f"  right    {self.right}",
            f"  because  {self.problem.detail}",
            *(f"  {name:<8} {text}" for name, text in self._notes.items()),
            *([f"  cure     {self._cure}"] if self.cures is not None else []),
            *(["", *pictures, ""] if first else []),
        ]
        if self.family != "replay file":
            place = f"case {self.case:,} ({self.family})" if self.case else self.family
            lines.append(f"  found on {place}; {self._shrinking}")
        return "\n".join(lines).rstrip()

    @property
    def _notes(self) -> dict[str, str]:
        hint = "if it need not expect clues that do not fit or match: --only valid"
        is_misfit = self.reference is not None and class_of(self.puzzle, self.reference.solvable) == MISFIT
        return {**self.notes, **({"hint": self.notes.get("hint", hint)} if is_misfit else {})}

    @property
    def _cure(self) -> str:
        first, *others = self.cures or ("none of the single changes tried",)
        return first + (f" (also {', '.join(others)})" if others else "")

    @property
    def _shrinking(self) -> str:
        if self.again is None:
            return "the time ran out before it could be asked again"
        if not self.again:
            return f"it did not fail when asked again; --cases {self.asked} with the same seed repeats the run"
        how = "no reduction of it fails" if self.minimal else "shrunk until the time ran out"
        return f"{how} ({self.tried} smaller puzzle{'s' * (self.tried != 1)} tried)"

    def _pictures(self, style: Style) -> list[str]:
        """Return `pictures` side by side, as lines of text."""
        if self.puzzle.columns > _MAX_DRAWN or self.puzzle.rows > _MAX_DRAWN:
            return [f"({self.puzzle.rows} x {self.puzzle.columns}: too large to draw)"]
        drawn = ((name, draw(self.puzzle, grid, style)) for name, grid in self.pictures().items())
        return _side_by_side([[name, *picture.split("\n")] for name, picture in drawn])

    def pictures(self) -> dict[str, Grid | None]:
        """Return the grids to draw, by title: none for the puzzle itself, the answer, and a right answer."""
        pictures: dict[str, Grid | None] = {"puzzle": None}
        grids = self.reply.solutions if isinstance(self.reply, Answer) else ()
        # The first wrong grid, if there is one: a right one among many would show nothing.
        given = next((grid for grid in grids if broken(self.puzzle, grid)), grids[0] if grids else None)
        if given is not None and (given.rows, given.columns) == (self.puzzle.rows, self.puzzle.columns):
            pictures["answer"] = given
        if self.reference is not None and self.reference.solutions:
            # A solution that the answer lacks shows more than one that it has.
            new = self.reference.solutions.difference(grids) or self.reference.solutions
            pictures["right"] = min(new, key=lambda grid: (self.claims == FEWEST and grid.count(), grid.text()))
        return pictures

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "problem": self.problem.group,
            "detail": self.problem.detail,
            "puzzle": puzzle_json(self.puzzle, None),
            "answer": format_reply(self.reply),
            "right": self.right,
            "original": self.original.text,
            **self._notes,
            **({} if self.cures is None else {"cures": list(self.cures)}),
            **{name: getattr(self, name) for name in ("case", "asked", "family", "minimal", "tried", "again")},
        }


def numbered(path: str, number: int) -> str:
    """Return the path of the file of a failure: the first has the given one."""
    return path if number == 1 else str(Path(path).with_stem(f"{Path(path).stem}-{number}"))


def _side_by_side(blocks: list[list[str]]) -> list[str]:
    height = max(map(len, blocks))
    widths = [max(map(len, block)) + 3 for block in blocks]
    padded = [block + [""] * (height - len(block)) for block in blocks]
    return [
        "".join(f"{line:<{width}}" for line, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*padded, strict=True)
    ]
