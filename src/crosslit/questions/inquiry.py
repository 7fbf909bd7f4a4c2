"""All solutions of one puzzle, or their number, by lists and counts of several backends that are judged together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from crosslit.contract import COUNT
from crosslit.contract.run import Limits, Run
from crosslit.judging.answers import judge_count
from crosslit.judging.solutions import TWICE, incomplete
from crosslit.judging.verdict import Finding
from crosslit.kinds import Puzzle
from crosslit.kinds.batch import first_wrong
from crosslit.questions.blame import attributed
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner


class Inquiry:
    """The runs that list or count the solutions of a puzzle, and the conclusion from them.

    Each solution is checked by the rules when it arrives, and kept, so that a solution of one run refutes every list
    that ended without it.
    """

    def __init__(self, puzzle: Puzzle, runner: Runner) -> None:
        self.puzzle, self.runner = puzzle, runner
        self.counts: list[Run] = []
        self.lists: list[Run] = []  # ``counted`` is the number of their different solutions
        self.blamed: list[Finding] = []  # for solutions of lists
        self.on_batch: Callable[[], None] = lambda: None  # called when solutions have arrived
        self.checked = 0  # solutions of the current or last list that is only a check
        self.last: dict[bytes, int] = {}  # each solution, with the number of the last list that has it, from 1
        self._choices: list[Choice] = []
        self.judge()

    def judge(self) -> None:
        """Judge all runs together."""
        self.result = judge_count(self.puzzle, self.counts, self.runner.limits, self.lists, self.blamed)

    def findings(self) -> list[Finding]:
        """Return the errors of the runs, of their encodings or engines if that is known."""
        return attributed(self.puzzle, self.result.findings, self._choices)

    def ask(self, choice: Choice, limits: Limits) -> Run:
        """Make a backend count, or list if it does not count."""
        return self.count(choice, limits) if choice.backend.answers(COUNT.name) else self.list(choice, limits)

    def count(self, choice: Choice, limits: Limits) -> Run:
        """Make a backend count."""
        self._choices.append(choice)
        request = Solve(question=COUNT.name)
        run = self.runner.run(Job(choice=choice, puzzle=self.puzzle, request=request, limits=limits))
        self.counts.append(run)
        self.judge()
        return run

    def list(self, choice: Choice, limits: Limits, batched: bool = True) -> Run:
        """Make a backend find all solutions, and compare them one by one with those of the other lists."""
        self.checked = 0

        def take(packed: bytes) -> bool:
            packed, is_right = self.sound(packed, choice.spec)
            number, _, is_new = self.note(packed, choice.spec)
            self.checked += number
            return is_right and is_new

        return self.listed(choice, limits, Solve(batched=batched), take, lambda: self.checked)

    def listed(
        self,
        choice: Choice,
        limits: Limits,
        request: Solve,
        take: Callable[[bytes], bool],
        number: Callable[[], int],  # returns the number of different solutions in the list
    ) -> Run:
        """Make a backend list what a function takes, and judge all runs again."""
        self._choices.append(choice)
        before = len(self.last)
        run = self.runner.run(Job(choice=choice, puzzle=self.puzzle, request=request, limits=limits), take)
        run.counted = number()  # in place of the solutions
        self._compare(run, before)
        self.lists.append(run)
        self.judge()
        return run

    def sound(self, packed: bytes, spec: str) -> tuple[bytes, bool]:
        """Return the solutions before the first that breaks the rules, and whether none does."""
        self.on_batch()
        rejected = first_wrong(self.puzzle, packed)
        if rejected is None:
            return packed, True
        start = rejected[0] * self.puzzle.layout.size
        self.blame("wrong-solution", rejected[1], packed[start:][: self.puzzle.layout.size], spec)
        return packed[:start], False

    def note(self, packed: bytes, spec: str) -> tuple[int, bytes, bool]:
        """Keep solutions of the current list before the first repetition.

        Returned are their number, those that were not known before, and whether none is a repetition.
        """
        current, new = len(self.lists) + 1, list[bytes]()
        for number, solution in enumerate(self.puzzle.layout.parts(packed)):
            last = self.last.get(solution)
            if last == current:
                self.blame("duplicate-solution", TWICE, solution, spec)
                return number, b"".join(new), False
            if last is None:
                new.append(solution)
            self.last[solution] = current
        return len(packed) // self.puzzle.layout.size, b"".join(new), True

    def _compare(self, run: Run, before: int) -> None:
        """Blame complete lists, the last run's included, for the solutions of other lists that they lack."""
        new = max(0, len(self.last) - before)
        for earlier in (earlier for earlier in self.lists if new and earlier.status == "complete"):
            self._lacks(earlier.backend, earlier.counted or 0, new, run.backend, next(islice(self.last, before, None)))
        current = len(self.lists) + 1
        lacking = sum(last != current for last in self.last.values()) if run.status == "complete" else 0
        if lacking:
            witness, last = next((solution, last) for solution, last in self.last.items() if last != current)
            source = self.lists[last - 1].backend if last else ""
            self._lacks(run.backend, len(self.last) - lacking, lacking, source, witness)

    def _lacks(self, spec: str, number: int, lacking: int, finder: str, witness: bytes) -> None:
        """Blame a complete list of some solutions for those that it lacks."""
        detail = incomplete(number, lacking, f"{finder} found" if finder else "was known before")
        self.blame("missing-solution" if number else "false-unsolvable", detail, witness, spec)

    def blame(self, problem: str, detail: str, packed: bytes, spec: str) -> None:
        """Note an error of a list."""
        try:
            witness = self.puzzle.layout.answers(packed)[0].text
        except ValueError:  # bits after the last cell; the detail says so
            witness = None
        self.blamed.append(Finding(spec, problem, detail, witness))
