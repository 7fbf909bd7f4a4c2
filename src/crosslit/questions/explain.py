"""Minimal subsets: cells to reveal, constraints, and the reason why a puzzle has no solution or more than one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from crosslit import registry
from crosslit.base.errors import CertificateRejected, InputError
from crosslit.base.grid import Grid
from crosslit.base.layout import differing
from crosslit.base.records import Result
from crosslit.contract import Certificate, QuestionName
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.answers import MinimalSubset, RevealResult, judge_minimal_subset
from crosslit.judging.certificates import check
from crosslit.judging.verdict import Finding, puzzle_json, run_findings
from crosslit.kinds import Puzzle
from crosslit.questions.solve import some_solutions
from crosslit.registry.defaults import default, least_like
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated


def ask_smallest(
    runner: Runner, puzzle: Puzzle, question: QuestionName, backend: str | None = None, target: Grid | None = None
) -> MinimalSubset:
    """Return an answer of one backend to ``reveal`` or ``mus``, confirmed by another one if there is one."""
    choice = registry.select_one(backend or default(puzzle, question), puzzle, question)
    request = Solve(question=question, target=target)
    runs = [runner.run(Job(choice=choice, puzzle=puzzle, request=request))]
    found = judge_minimal_subset(puzzle, runs, runner.limits)
    # Only SAT solvers answer these questions about nonograms, so a fully independent check does not always exist.
    second = least_like(choice, puzzle, question)
    if found.chosen is not None and not runner.interrupted and second is not None:
        # The second one only confirms these candidates, which takes a few queries instead of a new search.
        runs.append(runner.run(Job(choice=second, puzzle=puzzle, request=replace(request, candidates=found.chosen))))
        found = judge_minimal_subset(puzzle, runs, runner.limits)
    return found


def reveal(
    puzzle: PuzzleLike,
    target: Grid | str | None = None,
    backend: str | None = None,
    *,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> RevealResult:
    """Return the fewest cells to reveal so that one solution is left; for Lights Out as many as the nullity.

    Args:
        puzzle: the puzzle, or its one-line form.
        target: the solution to make unique, or its text; by default the first solution found.
        backend: one spec; by default a native solver for Lights Out, a SAT solver for nonograms.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `RevealResult`: ``lines`` shows the cells, ``answer.decided`` says whether it is proved that fewer do not
            suffice.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        InputError: if the target is not a solution.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        backbone: the cells that are equal in all solutions.
        explain: two solutions, and the cells in which they differ.

    Examples:
        >>> from crosslit.formats import read
        >>> found = reveal(read("1,1,1|1,1,1"))
        >>> found.answer.chosen.count(), found.answer.decided
        (2, True)
    """
    puzzle = as_puzzle(puzzle)
    target = puzzle.layout.parse(target) if isinstance(target, str) else target
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        return _reveal(runner, puzzle, target, backend)


def _reveal(runner: Runner, puzzle: Puzzle, target: Grid | None, backend: str | None) -> RevealResult:
    if target is None:
        found, run = some_solutions(runner, puzzle, 1)
        target = found[0] if found else None
        if target is None:
            answer = MinimalSubset(None, 0, run.status == "complete", findings=tuple(run_findings(run)), runs=(run,))
            return RevealResult(puzzle, None, answer)
    elif not puzzle.layout.admits(target):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError("target", f"expected a grid of {shape}, found {target.rows} x {target.columns}")
    # A grid that breaks the rules cannot be made the only solution.
    elif (violation := next(puzzle.violations(target), None)) is not None:
        raise InputError("target", f"expected a solution: {violation}")
    return RevealResult(puzzle, target, ask_smallest(runner, puzzle, "reveal", backend, target))


Answer = Literal["unsolvable", "multiple", "unique", "undecided"]


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """The reason why a puzzle has no solution, or more than one."""

    puzzle: Puzzle
    status: Answer
    solutions: tuple[Grid, ...] = ()  # two solutions checked by the rules, or the only one
    sums: tuple[int, int] | None = None  # filled cells that rows and columns need, if these numbers differ
    contradiction: MinimalSubset | None = None  # lines (rows first) or lights that contradict themselves
    run: Run | None = None  # the run that decided the number of solutions; None if the sums explain it

    @property
    def lines(self) -> list[str]:
        """The contradicting lines of a nonogram, in words."""
        chosen = self.contradiction.chosen if self.contradiction else None
        if chosen is None:
            return []
        numbers = (row * chosen.columns + column for row, column in chosen.cells())
        return list(filter(None, map(self.puzzle.constraint_words, numbers)))

    @property
    def lights(self) -> Grid | None:
        """The contradicting lights of a board: every press toggles an even number of them, and an odd number is lit."""
        return self.contradiction.chosen if self.contradiction and self.puzzle.shown is not None else None

    @property
    def differing(self) -> Grid | None:
        """The cells in which the two solutions differ; None without two."""
        if len(self.solutions) < 2:
            return None
        return differing(*self.solutions)

    @property
    def findings(self) -> list[Finding]:
        """Errors of runs."""
        found = run_findings(self.run) if self.run is not None else []
        if self.contradiction is not None:
            found += self.contradiction.findings
            # Found no contradiction although a run says that there is no solution: one of them is wrong, and it is not
            # known which.
            if self.run and self.contradiction.decided and self.contradiction.chosen is None:
                denier = self.contradiction.runs[0].backend
                detail = f"claims that there is no solution; {denier} claims that the constraints are consistent"
                found.append(Finding(self.run.backend, "unconfirmed", detail))
            if lights := self.lights:
                detail = ""
                if not self.puzzle.contradicts(lights):
                    detail = "these lights do not contradict each other"
                elif self.puzzle.needed(lights) != lights:
                    detail = "some of these lights contradict each other without the others"
                if detail:
                    found.append(Finding(self.contradiction.runs[0].backend, "wrong-solution", detail, lights.text()))
        return found

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        lights, differing = self.lights, self.differing
        return {
            "puzzle": puzzle_json(self.puzzle, None),
            "status": self.status,
            "grids": [grid.text() for grid in self.solutions],
            "differing": differing.text() if differing else None,
            "sums": dict(zip(("rows", "columns"), self.sums, strict=True)) if self.sums else None,
            "lines": self.lines,
            "lights": lights.text() if lights else None,
            "contradiction": self.contradiction.json() if self.contradiction else None,
            "findings": [finding.json() for finding in self.findings],
        }


def explain(
    puzzle: PuzzleLike,
    backend: str | None = None,
    *,
    timeout: float = 10.0,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> Explanation:
    """Return the reason why a puzzle has no solution, or more than one.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec of the backend that finds the contradiction; by default `fewest` for Lights Out, a SAT solver
            for nonograms.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        An `Explanation`: ``lines`` or ``lights`` that contradict each other, or the cells ``differing`` between two
            solutions.

    Raises:
        InputError: if the one-line form cannot be read.
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        reveal: cells that make a puzzle with several solutions unique.
        audit: the status of many puzzles.

    Examples:
        >>> from crosslit.formats import read
        >>> explain(read("0,2|2,0")).lines
        ['row 1: 0', 'column 1: 2']
        >>> sorted(grid.text() for grid in explain(read("1,1|1,1")).solutions)
        ['01/10', '10/01']
        >>> explain(read("100")).status, explain(read("10")).lights.text()
        ('unique', '11')
    """
    puzzle = as_puzzle(puzzle)
    # Chosen before anything runs, so that a wrong spec is reported at once.
    chosen = registry.select_one(backend or default(puzzle, "mus"), puzzle, "mus").spec
    if (sums := _different_sums(puzzle)) is not None:
        return Explanation(puzzle, "unsolvable", sums=sums)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        solutions, run = some_solutions(runner, puzzle, 2)
        # Two solutions are proof enough, even if the search was stopped after them.
        if len(solutions) > 1:
            return Explanation(puzzle, "multiple", tuple(solutions), run=run)
        if run.status != "complete" or runner.interrupted:
            return Explanation(puzzle, "undecided", tuple(solutions), run=run)
        if solutions:
            return Explanation(puzzle, "unique", tuple(solutions), run=run)
        return Explanation(puzzle, "unsolvable", contradiction=ask_smallest(runner, puzzle, "mus", chosen), run=run)


def _different_sums(puzzle: Puzzle) -> tuple[int, int] | None:
    """Return the sums of rows and columns if they are the whole proof, which a reader can check at a glance."""
    sums = puzzle.sums
    # a clue that is too long explains more than sums
    if sums is None or not puzzle.is_refuted or len(list(puzzle.contradictions())) != 1:
        return None
    body = dict(zip(("rows", "columns"), map(str, sums), strict=True))
    try:
        # The checker adds up the clues itself. Without its consent, runs decide.
        check(puzzle, Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, body))
    except CertificateRejected:
        return None
    return sums
