"""How a campaign goes on while it runs: what is done, how long the rest takes, what was wrong so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from crosslit.campaigns.results.judged import WRONG
from crosslit.campaigns.spec.plan import PlannedRun
from crosslit.contract import SOLUTIONS, QuestionName, find_question
from crosslit.puzzles import Puzzle
from crosslit.runs.run import Limits, Run

_MAX_SHARE = 0.02  # of the time so far that judging on the way may take
_MAX_SOLUTIONS = 1000  # solutions of a run that is judged on the way


class ProgressEstimate:
    """Counts runs, and guesses when the last one ends.

    A run that remains takes as long as those of its contestant took so far, on the average; one of a contestant that
    has made none, as long as any. Runs come in an order by chance, so the average is fair.

    Args:
        due: the runs that are to be made, those included that were.
        side_by_side: how many at a time.
    """

    def __init__(self, due: Sequence[PlannedRun], side_by_side: int = 1) -> None:
        self.total = len(due)
        self.statuses: Counter[str] = Counter()
        self._side_by_side = side_by_side
        self._left = Counter(one.contestant for one in due)
        self._seconds: Counter[str] = Counter()
        self._made: Counter[str] = Counter()

    @property
    def done(self) -> int:
        """How many were made."""
        return sum(self.statuses.values())

    def ended(self, contestant: str, status: str, wall: float) -> None:
        """Count a run, now or earlier, that took so many seconds from start to end."""
        self.statuses[status] += 1
        self._left[contestant] -= 1
        self._made[contestant] += 1
        self._seconds[contestant] += wall  # type: ignore[assignment]

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes; None before anything was made.

        Examples:
            >>> pace = ProgressEstimate([], 2)
            >>> pace.seconds_left is None
            True
        """
        made = sum(self._made.values())
        if not made:
            return None
        average = sum(self._seconds.values()) / made
        rest = 0.0
        for contestant, left in self._left.items():
            known = self._made[contestant]
            rest += max(0, left) * (self._seconds[contestant] / known if known else average)
        return rest / self._side_by_side


class AnswerMonitor:
    """Counts wrong answers on the way: every puzzle's runs are cross-checked as they come, in little time.

    Args:
        limits: of the runs.
        question: that was asked.
        clock: the time, in seconds.
    """

    def __init__(
        self, limits: Limits, question: QuestionName = SOLUTIONS.name, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._asked = find_question(question)
        self._limits, self._clock = limits, clock
        self._began, self._spent = clock(), 0.0
        self._runs: dict[str, tuple[Puzzle, list[Run]]] = {}
        self._wrong: dict[str, int] = {}
        self._waiting: dict[str, None] = {}

    @property
    def wrong(self) -> int:
        """How many wrong answers there were."""
        return sum(self._wrong.values())

    def saw(self, puzzle: Puzzle, puzzle_id: str, run: Run) -> None:
        """Look at a run: now, or when there is time for it."""
        if run.grids or run.status == "complete":
            if len(run.grids) > _MAX_SOLUTIONS:
                return
            self._runs.setdefault(puzzle_id, (puzzle, []))[1].append(run)
            self._waiting[puzzle_id] = None
        self.look()

    def look(self, share: float = _MAX_SHARE) -> None:
        """Judge what waits, as long as judging has taken at most this share of the time."""
        while self._waiting and self._spent <= share * (self._clock() - self._began):
            began = self._clock()
            puzzle_id = next(iter(self._waiting))
            del self._waiting[puzzle_id]
            puzzle, runs = self._runs[puzzle_id]
            findings = self._asked.judged(puzzle, runs, self._limits).findings
            self._wrong[puzzle_id] = sum(finding.problem in WRONG for finding in findings)
            self._spent += self._clock() - began
