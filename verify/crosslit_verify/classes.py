"""Classes of puzzles, to report what failures have in common, such as clues without a solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from crosslit_generate.exhaustive import is_valid

from crosslit.kinds import Puzzle

RIGHT = "right"
"""The group of correctly answered puzzles."""

SOLVABLE = "with a solution"
_OTHERS = ("valid without a solution", "with clues that do not fit or match", "of unknown class")


def class_of(puzzle: Puzzle, solvable: bool | None) -> str:
    """Return the class of a puzzle in words.

    Args:
        puzzle: a puzzle of any kind.
        solvable: whether it has a solution; None if unknown.
    """
    if solvable or solvable is None:
        return SOLVABLE if solvable else _OTHERS[2]
    return _OTHERS[0] if is_valid(puzzle) else _OTHERS[1]


class Classes:
    """Numbers of puzzles by group of failure and class.

    Examples:
        >>> from crosslit.formats import read
        >>> classes = Classes()
        >>> classes.add("crash", read("2|1"), False)
        >>> classes.add(RIGHT, read("1|1"), True)
        >>> classes.words("crash"), classes.right(["crash"])
        (', with clues that do not fit or match', 'every puzzle with a solution (1)')
    """

    def __init__(self) -> None:
        self._numbers: Counter[tuple[str, str]] = Counter()

    def add(self, group: str, puzzle: Puzzle, solvable: bool | None) -> None:
        """Count a puzzle."""
        self._numbers[group, class_of(puzzle, solvable)] += 1

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
        good = [word for word in (SOLVABLE, *_OTHERS[:2]) if word not in bad and self._numbers[RIGHT, word]]
        if not groups or not good:
            return ""
        return ", ".join(f"every puzzle {word} ({self._numbers[RIGHT, word]:,})" for word in good)

    def json(self) -> dict[str, dict[str, int]]:
        """Return the JSON form."""
        return {group: self._of(group) for group in dict.fromkeys(group for group, _ in self._numbers)}

    def _of(self, group: str) -> dict[str, int]:
        return {word: number for (other, word), number in self._numbers.items() if other == group}
