"""A failure found by a verification, its class and its cause, as text and as JSON.

The class is that of the puzzle, such as clues without a solution. Within a group, causes differ by the output of the
solver, or by the class of puzzle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from crosslit_backends.programs.protocol import FEWEST, Claims, Reply, SolverAnswer
from crosslit_generate import Case
from crosslit_generate.exhaustive import is_valid

from crosslit.base.grid import Grid
from crosslit.base.numbers import shorten
from crosslit.base.records import Result
from crosslit.contract.shapes import ASCII, Style
from crosslit.formats.drawing import draw
from crosslit.judging.verdict import FAILURES, puzzle_json
from crosslit.kinds import Puzzle
from crosslit_verify.judging import Problem, broken, format_reply, format_right
from crosslit_verify.reference import Reference

MAX_CAUSES = 4
"""Maximum number of causes of a group that get their own example; the others are counted together."""

_MAX_SHOWN = 100  # maximum characters of a cause in a summary
_WORDED = frozenset({"crash", "malformed-output"})  # groups in which the output of the solver shows the cause
_CLASSED = _WORDED | {"false-solvable"}  # groups in which the class of puzzle shows it as well
# Quoted text and numbers are mostly parts of the puzzle, and differ between failures of one fault.
_QUOTED = re.compile(r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?:\.\.\. \(\d+ bytes\))?")
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|\d+)(?:[ ,./|x:]*\b(?:0x[0-9a-f]+|\d+))*\b", re.IGNORECASE)


RIGHT = "right"
"""The group of correctly answered puzzles."""

SOLVABLE, VALID = "with a solution", "valid without a solution"
MISFIT, UNKNOWN = "with clues that do not fit or match", "of unknown class"


def class_of(puzzle: Puzzle, solvable: bool | None) -> str:
    """Return the class of a puzzle in words; ``solvable`` is None if it is unknown whether it has a solution."""
    if solvable is None:
        return UNKNOWN
    return SOLVABLE if solvable else VALID if is_valid(puzzle) else MISFIT


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


@dataclass
class Causes:
    """Numbers of puzzles by group of failure, output of the solver, and class of puzzle, as in a `Cause`."""

    numbers: Counter[Cause] = field(default_factory=Counter)  # each with its class of puzzle; also those right
    examples: set[Cause] = field(default_factory=set)

    def add(self, cause: Cause, kind: str) -> bool:
        """Count a puzzle of a class; return whether it is the first of its cause, and becomes an example."""
        is_first = not self.is_known(cause)
        # The groups of causes are bounded: a solver may print a different message for each puzzle.
        words = cause.words if is_first or self._has_like(cause) else "other causes"
        self.numbers[Cause(cause.group, words, kind)] += 1
        self.examples |= {cause} if is_first else set()
        return is_first

    def is_known(self, cause: Cause) -> bool:
        """Return whether a failure of this cause needs no example: there is one, or its group has enough."""
        return self._has_like(cause) or sum(cause.group == other.group for other in self.examples) >= MAX_CAUSES

    def _has_like(self, cause: Cause) -> bool:
        # the crash on a solvable puzzle is the one to fix; the same words on impossible clues show nothing more
        covers = {cause, cause._replace(kind=SOLVABLE)} if cause.group in _WORDED else {cause}
        return not self.examples.isdisjoint(covers)

    def lines(self, group: str) -> Iterator[str]:
        """Yield the causes of a group with their numbers, if the output of the solver distinguishes several."""
        numbers = self._by("words", group)
        if len(numbers) > 1:
            yield from (f"{number:,} {shorten(words, _MAX_SHOWN)}" for words, number in numbers.most_common())

    def classes(self, group: str) -> str:
        """Return the classes of the puzzles of a group, as the end of a sentence."""
        found = self._by("kind", group)
        if len(found) < 2:
            return "".join(f", all {kind}" if number > 1 else f", {kind}" for kind, number in found.items())
        return f": {', '.join(f'{number:,} {kind}' for kind, number in found.items())}"

    def right(self, failed: Iterable[str]) -> str:
        """Return the classes without a failure if other classes have failures, otherwise an empty text."""
        bad, good = {kind for group in failed for kind in self._by("kind", group)}, self._by("kind", RIGHT)
        kinds = [kind for kind in (SOLVABLE, VALID, MISFIT) if bad and kind in good and kind not in bad]
        return ", ".join(f"every puzzle {kind} ({good[kind]:,})" for kind in kinds)

    def json(self) -> dict[str, dict[str, int]]:
        """Return the JSON form: numbers by class, by group."""
        return {group: dict(self._by("kind", group)) for group in dict.fromkeys(cause.group for cause in self.numbers)}

    def _by(self, name: str, group: str) -> Counter[str]:
        numbers: Counter[str] = Counter()
        for cause, number in self.numbers.items():
            if cause.group == group:
                numbers[getattr(cause, name)] += number
        return numbers


_MAX_CHARACTERS = 400  # maximum characters of a printed puzzle
_MAX_DRAWN = 40  # maximum rows and columns of a picture


@dataclass(frozen=True)
class Asked:
    """A case with its number and the reply of the solver."""

    case: Case
    number: int
    reply: Reply


class Observation(NamedTuple):
    """A reply to a case with a problem."""

    asked: Asked
    problem: Problem
    again: bool | None = False  # whether it recurred when the puzzle was sent again; None if there was no time for that
    minimal: bool = False  # whether every reduction of the puzzle passes
    tried: int = 0  # number of smaller puzzles tried

    def of(self, puzzle: Puzzle, reply: Reply, problem: Problem) -> Observation:
        """Return an observation about another puzzle, met while this one was looked into."""
        case = Case(puzzle, self.asked.case.family, False)
        return Observation(replace(self.asked, case=case, reply=reply), problem)


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
        meaning = FAILURES[self.problem.group] if first else f"another cause or class of puzzle, {kind}"
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
    def _shrinking(self) -> str:
        if self.again is None:
            return "the time ran out before it could be asked again"
        if not self.again:
            return f"it did not fail when asked again; --cases {self.asked} with the same seed repeats the run"
        if not self.minimal and not self.tried:
            return "it was not shrunk"
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
        grids = self.reply.solutions if isinstance(self.reply, SolverAnswer) else ()
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
            **{name: getattr(self, name) for name in ("case", "asked", "family", "minimal", "tried", "again")},
        }


def _side_by_side(blocks: list[list[str]]) -> list[str]:
    height = max(map(len, blocks))
    widths = [max(map(len, block)) + 3 for block in blocks]
    padded = [block + [""] * (height - len(block)) for block in blocks]
    return [
        "".join(f"{line:<{width}}" for line, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*padded, strict=True)
    ]
