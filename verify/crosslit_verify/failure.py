"""A failure found by a verification, its class and its cause, as text and as JSON.

The class is that of the puzzle, such as clues without a solution. Within a group, causes differ by the output of the
solver, or by the class of puzzle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from crosslit_backends.programs.protocol import FEWEST, Answer, Claims, Reply
from crosslit_generate import Case
from crosslit_generate.exhaustive import is_valid

from crosslit.base.grid import Grid
from crosslit.base.numbers import shorten
from crosslit.base.records import Result
from crosslit.drawing import ASCII, Style, draw
from crosslit.judging.verdict import puzzle_json
from crosslit.kinds import Puzzle
from crosslit_verify.judging import PROBLEMS, Problem, broken, format_reply, format_right
from crosslit_verify.reference import Reference

MAX_CAUSES = 4
"""Maximum number of causes of a group that get their own example; the others are counted together."""

_MAX_SHOWN = 100  # maximum characters of a cause in a summary
_WORDED = frozenset({"crash", "malformed-output"})  # groups in which the output of the solver shows the cause
_CLASSED = _WORDED | {"wrong-solvable"}  # groups in which the class of puzzle shows it as well
# Quoted text and numbers are mostly parts of the puzzle, and differ between failures of one fault.
_QUOTED = re.compile(r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?:\.\.\. \(\d+ bytes\))?")
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|\d+)(?:[ ,./|x:]*\b(?:0x[0-9a-f]+|\d+))*\b", re.IGNORECASE)


RIGHT = "right"
"""The group of correctly answered puzzles."""

SOLVABLE = "with a solution"
MISFIT = "with clues that do not fit or match"
_OTHERS = ("valid without a solution", MISFIT, "of unknown class")


def class_of(puzzle: Puzzle, solvable: bool | None) -> str:
    """Return the class of a puzzle in words; ``solvable`` is None if it is unknown whether it has a solution."""
    if solvable or solvable is None:
        return SOLVABLE if solvable else _OTHERS[2]
    return _OTHERS[0] if is_valid(puzzle) else _OTHERS[1]


class Classes(Counter[tuple[str, str]]):
    """Numbers of puzzles by group of failure and class."""

    def add(self, group: str, puzzle: Puzzle, solvable: bool | None) -> None:
        """Count a puzzle."""
        self[group, class_of(puzzle, solvable)] += 1

    def words(self, group: str) -> str:
        """Return the classes of the failures of a group, as the end of a sentence."""
        found = self._of(group)
        if len(found) < 2:
            return "".join(f", all {word}" if number > 1 else f", {word}" for word, number in found.items())
        return f": {', '.join(f'{number:,} {word}' for word, number in found.items())}"

    def right(self, failed: Iterable[str]) -> str:
        """Return the classes without a failure if other classes have failures, otherwise an empty text."""
        groups = list(failed)
        bad = {word for group in groups for word in self._of(group)}
        good = [word for word in (SOLVABLE, *_OTHERS[:2]) if word not in bad and self[RIGHT, word]]
        if not groups or not good:
            return ""
        return ", ".join(f"every puzzle {word} ({self[RIGHT, word]:,})" for word in good)

    def json(self) -> dict[str, dict[str, int]]:
        """Return the JSON form."""
        return {group: self._of(group) for group in dict.fromkeys(group for group, _ in self)}

    def _of(self, group: str) -> dict[str, int]:
        return {word: number for (other, word), number in self.items() if other == group}


class Cause(NamedTuple):
    """The key of a fault: failures with equal keys count as one."""

    group: str  # of the failures
    words: str  # output of the solver, without quotations and numbers; empty if it shows nothing
    kind: str  # class of puzzle; empty if it shows nothing or is unknown

    def matches(self, other: Cause) -> bool:
        """Return whether two failures may have the same cause."""
        # An unknown class matches all: without a reference it is not known, and shrinking must go on.
        return self[:2] == other[:2] and (self.kind == other.kind or "" in (self.kind, other.kind))


def cause_of(problem: Problem, puzzle: Puzzle, solvable: bool | None) -> Cause:
    """Return the cause of a failure on a puzzle that has a solution or not; None if that is unknown.

    Examples:
        >>> from crosslit.formats import read
        >>> detail = "exit status 1 without an answer: KeyError: (0, 12) not in '0/1'"
        >>> cause_of(Problem("crash", detail), read("1|1"), True)
        Cause(group='crash', words='exit status N without an answer: KeyError: (N) not in ...', kind='with a solution')
    """
    group = problem.group
    words = _NUMBER.sub("N", _QUOTED.sub("...", problem.detail)) if group in _WORDED else ""
    words = words.replace("after writing ...", "without an answer")
    kind = class_of(puzzle, solvable) if group in _CLASSED and solvable is not None else ""
    return Cause(group, words, kind)


class Causes(Counter[Cause]):
    """Numbers of failures by cause."""

    def is_known(self, cause: Cause) -> bool:
        """Return whether a failure of this cause needs no example: there is one, or its group has enough."""
        return self._like(cause) is not None or len(self._of(cause.group)) >= MAX_CAUSES

    def add(self, cause: Cause) -> bool:
        """Count a failure; return whether it is the first of its cause, and becomes an example."""
        first = not self.is_known(cause)
        other = Cause(cause.group, "other causes", "")
        # The groups of causes are bounded: a solver may print a different message for each puzzle.
        self[cause if first else self._like(cause) or other] += 1
        return first

    def lines(self, group: str) -> Iterator[str]:
        """Yield the causes of a group with their numbers, if the output of the solver distinguishes several."""
        numbers: Counter[str] = Counter()
        for cause in self._of(group):
            numbers[cause.words] += self[cause]
        if len(numbers) > 1:
            yield from (f"{number:,} {shorten(words, _MAX_SHOWN)}" for words, number in numbers.most_common())

    def _like(self, cause: Cause) -> Cause | None:
        """Return the known cause that covers another: a crash on a solvable puzzle covers all with equal words."""
        if cause in self:
            return cause
        # the crash on a solvable puzzle is the one to fix; the same words on impossible clues show nothing more
        solvable = cause._replace(kind=SOLVABLE)
        return solvable if cause.group in _WORDED and solvable in self else None

    def _of(self, group: str) -> list[Cause]:
        return [cause for cause in self if cause.group == group]


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
