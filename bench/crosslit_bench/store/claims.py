"""Claims judged when they are stored, so that readers of a large store need not judge them again.

A claim is a status with solutions of a puzzle. A note says that a run with such a claim has no findings by itself. It
names all three by content, so that no merge, edited row or later run can make it untrue, and the version that judged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from crosslit._version import __version__
from crosslit.grid import Grid
from crosslit.judging.solutions import judge
from crosslit.kinds import Puzzle
from crosslit.runs.run import Limits, Run, RunStatus

PREFIX = f"claim {__version__} "
"""The start of the names of these notes. Another version may judge differently."""
_MAX_CELLS = 10_000  # of a puzzle and of all solutions: checking more would delay the next runs

_LIMITS = Limits()  # no judge of solutions depends on them


def note_name(puzzle: str, status: str, answer: str) -> str:
    """Return the name of the note for a claim, from the ids of its puzzle and its solutions."""
    return f"{PREFIX}{puzzle} {status} {answer}"


def is_consistent(puzzle: Puzzle, status: RunStatus, grids: list[Grid]) -> bool:
    """Return whether a run with this claim has no findings by itself; False for a large one, which is not judged."""
    if puzzle.rows * puzzle.columns * max(1, len(grids)) > _MAX_CELLS:
        return False
    return not judge(puzzle, [Run("", status=status, grids=grids)], _LIMITS).findings


def doubtful_puzzles(claims: Iterable[tuple[str, str, str]], noted: Collection[str]) -> set[str]:
    """Return the puzzles whose runs may have findings, from the distinct claims of all runs.

    On the others, no claim has any by itself, and all solutions are the same, also those of complete runs: then no run
    lacks a solution of another, and the number of solutions is that of each claim.
    """
    doubtful, first = set(), dict[str, str]()
    for puzzle, status, answer in claims:
        if note_name(puzzle, status, answer) not in noted or (
            (answer or status == "complete") and first.setdefault(puzzle, answer) != answer
        ):
            doubtful.add(puzzle)
    return doubtful
