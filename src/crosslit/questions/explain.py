"""The reason why a puzzle has no solution, or more than one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from crosslit import registry
from crosslit.base.grid import Grid, Layout
from crosslit.base.records import Result
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.solutions import judge_minimal_subset
from crosslit.judging.verdict import Finding, MinimalSubset, VerdictStatus
from crosslit.kinds import Puzzle
from crosslit.questions.solve import ask_in_turns
from crosslit.registry import Choice
from crosslit.registry.defaults import default, least_like
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """The reason why a puzzle has no solution, or more than one."""

    puzzle: Puzzle
    status: VerdictStatus
    solutions: tuple[Grid, ...] = ()  # two solutions checked by the rules, or the only one
    sums: tuple[int, int] | None = None  # filled cells that rows and columns need, if these numbers differ
    contradiction: MinimalSubset | None = None  # lines (rows first) or lights that contradict themselves
    run: Run | None = None  # the run that decided the number of solutions; None if the sums explain it
    errors: tuple[Finding, ...] = ()  # of that run and earlier ones

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
        one, other, *_ = self.solutions
        differ = [int(value != another) for value, another in zip(one.values(), other.values(), strict=True)]
        return Layout(*self.puzzle.shape).pack(differ)

    @property
    def findings(self) -> list[Finding]:
        """Errors of runs."""
        found = [*self.errors]
        if self.contradiction is None:
            return found
        found += self.contradiction.findings
        first, lights = self.contradiction.runs[0].backend, self.lights
        # No contradiction although a run says that there is no solution: it is not known which of them is wrong.
        if self.run and self.contradiction.decided and self.contradiction.chosen is None:
            detail = f"claims that there is no solution; {first} claims that the constraints are consistent"
            found.append(Finding(self.run.backend, "unconfirmed", detail))
        if lights and self.puzzle.needed(lights) != lights:
            detail = "these lights are not a minimal set that contradicts itself"
            found.append(Finding(first, "wrong-solution", detail, lights.text))
        return found

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        lights, differing = self.lights, self.differing
        return {
            "puzzle": self.puzzle.json(),
            "status": self.status,
            "grids": [grid.text for grid in self.solutions],
            "differing": differing.text if differing else None,
            "sums": dict(zip(("rows", "columns"), self.sums, strict=True)) if self.sums else None,
            "lines": self.lines,
            "lights": lights.text if lights else None,
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

    It has the ``lines`` or ``lights`` that contradict each other, or the cells ``differing`` between two solutions. The
    arguments are those of `count`; the backend finds the contradiction.

    Examples:
        >>> from crosslit.formats import read
        >>> explain(read("0,2|2,0")).lines
        ['row 1: 0', 'column 1: 2']
        >>> sorted(grid.text for grid in explain(read("1,1|1,1")).solutions)
        ['01/10', '10/01']
        >>> explain(read("100")).status, explain(read("10")).lights.text
        ('unique', '11')
    """
    puzzle = as_puzzle(puzzle)
    # Chosen before anything runs, so that a wrong spec is reported at once.
    chosen = registry.select_one(backend or default(puzzle, "mus"), puzzle, "mus")
    # Different sums are the whole proof, unless there are other reasons: a clue that is too long explains more.
    if puzzle.sums and puzzle.sums[0] != puzzle.sums[1] and len(list(puzzle.contradictions())) == 1:
        return Explanation(puzzle, "unsolvable", sums=puzzle.sums)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        found = ask_in_turns(puzzle, runner, max_solutions=2)
        status, solutions, errors = found.verdict.status, tuple(found.solutions[:2]), tuple(found.findings)
        subset = _smallest_contradiction(puzzle, chosen, runner) if status == "unsolvable" else None
        return Explanation(puzzle, status, solutions, contradiction=subset, run=found.runs[-1], errors=errors)


def _smallest_contradiction(puzzle: Puzzle, chosen: Choice, runner: Runner) -> MinimalSubset:
    """Return the answer of one backend to ``mus``, confirmed by another one if there is one."""
    request = Solve(question="mus")
    run = runner.run(Job(choice=chosen, puzzle=puzzle, request=request))
    found = judge_minimal_subset(run)
    # Only SAT solvers answer this about nonograms, so a fully independent check does not always exist.
    second = least_like(chosen, puzzle, "mus")
    if found.chosen is None or runner.interrupted or second is None:
        return found
    # The second one only confirms these candidates, which takes a few queries instead of a new search.
    request = replace(request, candidates=found.chosen)
    return judge_minimal_subset(run, runner.run(Job(choice=second, puzzle=puzzle, request=request)))
