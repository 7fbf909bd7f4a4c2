"""Classes and causes of failures: the class of puzzle, such as clues without a solution, and the cause.

Within a group, causes differ by the output of the solver, or by the class of puzzle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from crosslit_generate.exhaustive import is_valid

from crosslit.kinds import Puzzle
from crosslit.numbers import shorten
from crosslit_verify.judging import Problem

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
