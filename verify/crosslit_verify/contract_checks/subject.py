"""The backend under a check, its runs, and the small puzzles with all their solutions by the rules that it gets."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal, get_args

from crosslit.base.grid import Grid
from crosslit.contract import QuestionName, registered
from crosslit.contract.run import ENDED, Run
from crosslit.kinds import Puzzle, find_kind, kind_of
from crosslit.kinds.rules import solutions_by_rules
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Return the puzzle with all its solutions, by brute force."""
    return Specimen(puzzle, frozenset((kind_of(puzzle).solutions or solutions_by_rules)(puzzle)))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """Return every puzzle of a kind and shape: all boards of the usual rules, or all clues of pictures; else samples.

    Examples:
        >>> from crosslit.kinds.registry import OWN
        >>> [[len(floor(kind, 2, 2)), len(floor(kind, 3, 3))] for kind in OWN]
        [[16, 512], [15, 445]]
    """
    sorts = find_kind(kind).families()
    if not sorts:
        return tuple(
            specimen for specimen in samples(kind) if (specimen.puzzle.rows, specimen.puzzle.columns) == (rows, columns)
        )
    return tuple(itertools.starmap(Specimen, max(sorts, key=lambda sort: sort.solvable).members(rows, columns)))


def samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles of other shapes and rules, from a fixed seed, including some with no or many solutions."""
    return tuple(map(by_rules, sample_puzzles(kind)))


@functools.cache
def sample_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of `samples` without their solutions, which take a while to find."""
    return tuple(find_kind(kind).samples())


@functools.cache
def larger_samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles whose smallest solution is not found by luck: some with several solutions, some with none."""
    return tuple(map(by_rules, find_kind(kind).larger_samples()))


Size = Literal["quick", "usual", "full"]
Status = Literal["passed", "failed", "skipped"]
STATUSES: tuple[Status, ...] = get_args(Status)
Execute = Callable[[Sequence[Job], int | None], Generator[tuple[Job, Run], None, None]]
"""A function that starts runs, each up to a number of solutions (None: all), and yields those that have ended."""

_SMALL = 10  # maximum cells of a small puzzle
_MAX_SHOWN = 4  # maximum solutions written out


@dataclass(frozen=True)
class CheckOutcome:
    """The result of one check."""

    check: str
    status: Status
    detail: str = ""  # the number of puzzles checked, the error, or why the check was skipped
    puzzle: str | None = None  # the first puzzle with an error, in its one-line form; None if there is none
    gave: str | None = None  # the backend's answer about that puzzle
    right: str | None = None  # the right answer


@dataclass(frozen=True)
class Configuration:
    """A backend with its encoding and options, on puzzles of one kind."""

    choice: Choice
    kind: str
    questions: tuple[QuestionName, ...]


def specimens(kind: str, size: Size = "usual") -> list[Specimen]:
    """Return every puzzle of some shapes, and samples of others; only ``full`` has every puzzle of 3 x 3."""
    shapes = [(1, 3), (2, 2)] if size == "quick" else [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (2, 3)]
    found = [specimen for shape in shapes for specimen in floor(kind, *shape)]
    # odd steps: a power of two would leave some cells dark in every board
    found += floor(kind, 3, 3)[:: {"quick": 31, "usual": 3, "full": 1}[size]]
    return [*found, *some_samples(kind, size)]


def some_samples(kind: str, size: Size) -> tuple[Specimen, ...]:
    """Return puzzles of other shapes and rules."""
    return tuple(map(by_rules, sample_puzzles(kind)[:: 3 if size == "quick" else 1]))


def small_samples(kind: str, size: Size) -> list[Specimen]:
    """Return puzzles of few cells, for questions whose answers are found by trying all sets of cells."""
    step = 3 if size == "quick" else 1
    found = [*floor(kind, 2, 2)[:: 3 * step], *floor(kind, 2, 3)[:: 11 * step], *floor(kind, 3, 3)[:: 61 * step]]
    puzzles = sample_puzzles(kind)[::step]
    return [*found, *(by_rules(puzzle) for puzzle in puzzles if puzzle.layout.bits < _SMALL)]


@dataclass
class CheckedBackend:
    """A checked backend, and its runs so far."""

    configuration: Configuration
    execute: Execute
    size: Size
    late: bool = False
    # runs of the exhaustive part, up to the first that failed
    runs: list[tuple[Specimen, Run]] = field(default_factory=list)
    stray: tuple[Puzzle, Run] | None = None
    left: Puzzle | None = None
    unasked: tuple[Puzzle, str] | None = None  # a puzzle about which it could not even be asked
    _suited: dict[Puzzle, bool] = field(default_factory=dict)

    def suits(self, puzzle: Puzzle) -> bool:
        """Return whether the backend supports a puzzle."""
        if puzzle not in self._suited:
            choice = self.configuration.choice
            answer = registered.refusal(choice.backend, puzzle, choice.options)
            self._suited[puzzle] = not (answer.text or answer.problem)
            if answer.problem and self.unasked is None:
                self.unasked = puzzle, answer.problem
        return self._suited[puzzle]

    def run(
        self,
        specimens: Iterable[Specimen],
        limit: int | None = None,
        question: QuestionName = "solutions",
        hint: int | None = None,
        tries: int = 1,
        candidates: Grid | None = None,
    ) -> list[tuple[Specimen, Run]]:
        """Return runs on the puzzles that the backend supports, in order, up to the first that did not end well."""
        choice = self.configuration.choice
        request = Solve(question=question, hint=hint, candidates=candidates)
        suited = [specimen for specimen in specimens if self.suits(specimen.puzzle)]
        planned = [
            (specimen, Job(choice=choice, puzzle=specimen.puzzle, request=request, repetition=number))
            for specimen in suited
            for number in range(tries)
        ]
        ended: dict[int, Run] = {}
        with closing(self.execute([job for _, job in planned], limit)) as runs:
            for job, run in runs:
                ended[id(job)] = run
                if broke(run):
                    self.late = self.late or run.status == "timeout"
                    break  # the next would hang too
        pairs = [(specimen, ended[id(job)]) for specimen, job in planned if id(job) in ended]
        for specimen, run in pairs:
            if run.stray and self.stray is None:
                self.stray = specimen.puzzle, run
            if run.left and self.left is None and not broke(run):
                self.left = specimen.puzzle
        return pairs

    @property
    def richest(self) -> list[Specimen]:
        """The smaller puzzle with the most solutions."""
        puzzles = list(filter(self.suits, sample_puzzles(self.configuration.kind)))
        for large in (False, True):
            some = (by_rules(puzzle) for puzzle in puzzles if (puzzle.layout.bits > _SMALL) is large)
            if several := [specimen for specimen in some if len(specimen.solutions) > 2]:
                return [max(several, key=lambda specimen: len(specimen.solutions))]
        return []


def last(kind: str) -> list[Specimen]:
    """Return one puzzle, with any number of solutions."""
    return [by_rules(sample_puzzles(kind)[-1])]


def broke(run: Run) -> bool:
    """Return whether a run did not end well."""
    return run.status not in ENDED


def failed(detail: str, puzzle: Puzzle, run: Run | None = None, right: Iterable[Grid] | None = None) -> CheckOutcome:
    """Return a failed check, with the puzzle, the answer, and the right answer."""
    gave = None if run is None else grids_words(run.grids) + (" and no more" if run.status == "complete" else "")
    return CheckOutcome(
        "", "failed", detail, puzzle.text, gave, None if right is None else grids_words(sorted_grids(right))
    )


def sorted_grids(grids: Iterable[Grid]) -> list[Grid]:
    """Sort grids by their bits."""
    return sorted(grids, key=lambda grid: grid.bits)


def grids_words(grids: Iterable[Grid]) -> str:
    """Return a phrase with the number of solutions, and the first of them."""
    texts = [grid.text() for grid in grids]
    if not texts:
        return "no solution"
    more = ", ..." if len(texts) > _MAX_SHOWN else ""
    return f"{len(texts)} solution{'s'[: len(texts) > 1]}: {', '.join(texts[:_MAX_SHOWN])}{more}"


def ended(run: Run) -> str:
    """Return a phrase about a run that did not end well."""
    return f"{run.status}: {run.error}" if run.error else run.status


def first_failed(
    runs: Iterable[tuple[Specimen, Run]], judge: Callable[[Specimen, Run], str], *, shows_right: bool = True
) -> CheckOutcome | None:
    """Return the failed check for the first run that did not end well, or in which the judge finds an error."""
    for specimen, run in runs:
        if error := ended(run) if broke(run) else judge(specimen, run):
            return failed(error, specimen.puzzle, run, specimen.solutions if shows_right else None)
    return None


def passed(number: int, what: str = "puzzles") -> CheckOutcome:
    """Return a passed check, or a skipped one if there was nothing to check."""
    return (
        CheckOutcome("", "passed", f"{number} {what}")
        if number
        else CheckOutcome("", "skipped", f"no {what.split()[0]} to check")
    )
