"""The progress of a running campaign: finished runs, remaining time, wrong answers so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from crosslit.contract import SOLUTIONS, QuestionName, find_question
from crosslit.kinds import Puzzle
from crosslit.runs.run import Limits, Run
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.results.judged import WRONG

_MAX_SHARE = 0.02  # share of the elapsed time that judging may take
_MAX_SOLUTIONS = 1000  # runs with more solutions are judged only at the end


class ProgressEstimate:
    """An estimate of the remaining time of a campaign.

    Each remaining run is assumed to take the mean time of its contestant's finished runs, or of all finished runs if
    there are none. Runs are in random order, so the mean is unbiased.

    Args:
        due: all runs of the campaign, including finished ones.
        side_by_side: number of parallel runs.
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
        """The number of finished runs."""
        return sum(self.statuses.values())

    def ended(self, contestant: str, status: str, wall: float) -> None:
        """Count a finished run, which took ``wall`` seconds."""
        self.statuses[status] += 1
        self._left[contestant] -= 1
        self._made[contestant] += 1
        self._seconds[contestant] += wall  # type: ignore[assignment]

    @property
    def seconds_left(self) -> float | None:
        """The remaining time in seconds; None before the first run has ended.

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
    """A counter of wrong answers during a campaign, which cross-checks runs in a small share of the time.

    Args:
        limits: limits of the runs.
        question: the question of the campaign.
        clock: returns the time in seconds.
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
        """The number of wrong answers found so far."""
        return sum(self._wrong.values())

    def saw(self, puzzle: Puzzle, puzzle_id: str, run: Run) -> None:
        """Judge a run, now or later."""
        if run.grids or run.status == "complete":
            if len(run.grids) > _MAX_SOLUTIONS:
                return
            self._runs.setdefault(puzzle_id, (puzzle, []))[1].append(run)
            self._waiting[puzzle_id] = None
        self.look()

    def look(self, share: float = _MAX_SHARE) -> None:
        """Judge waiting runs while judging has taken at most this share of the elapsed time."""
        # Judging a puzzle again after each run may take as long as short runs, so it gets a share of the time.
        while self._waiting and self._spent <= share * (self._clock() - self._began):
            began = self._clock()
            # The one that has waited longest; a puzzle that gets another run meanwhile is judged once for both.
            puzzle_id = next(iter(self._waiting))
            del self._waiting[puzzle_id]
            puzzle, runs = self._runs[puzzle_id]
            findings = self._asked.judged(puzzle, runs, self._limits).findings
            self._wrong[puzzle_id] = sum(finding.problem in WRONG for finding in findings)
            self._spent += self._clock() - began
