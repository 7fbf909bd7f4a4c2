"""What all solutions of a puzzle have in common, and how few cells tell one of them apart; by runs under limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from crosslit import registry
from crosslit.contract import Question
from crosslit.errors import InputError, SpecError
from crosslit.findings import DISCREDITS, about_running, grade
from crosslit.grid import Grid
from crosslit.isolation import Job, Runner
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.records import Evidence, Finding, Limits, Run, exact, puzzle_json

_FIRST = {LightsOut.kind: ("polynomial", "gauss"), "nonogram": ("glucose4",)}
_SECOND = {LightsOut.kind: ("gauss", "polynomial"), "nonogram": ("cadical195/automaton",)}


@dataclass(frozen=True)
class Backbone:
    """The cells that are equal in all solutions of a puzzle.

    Args:
        puzzle: whose solutions.
        solutions: some of them, checked by the rules; they differ in every cell that is known to vary.
        proved: whether all solutions agree where these do.
        evidence: of that; None where it is not proved.
        by: the backends that the evidence rests on.
        findings: what is wrong with a run.
        runs: that were made.
    """

    puzzle: Puzzle
    solutions: tuple[Grid, ...]
    proved: bool
    evidence: Evidence | None
    by: tuple[str, ...]
    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]

    @property
    def varying(self) -> Grid:
        """The cells in which two of the solutions differ."""
        return _varying(self.puzzle, self.solutions)

    @property
    def fixed(self) -> int:
        """How many cells, missing ones left out, do not vary among the solutions."""
        missing = self.puzzle.missing if isinstance(self.puzzle, LightsOut) else None
        cells = self.puzzle.rows * self.puzzle.columns - (0 if missing is None else missing.count())
        return cells - self.varying.count()

    @property
    def lines(self) -> list[str]:
        """The rows: ``1`` and ``0`` where all agree, ``?`` where they vary; all ``?`` without a solution."""
        if not self.solutions:
            return ["?" * self.puzzle.columns] * self.puzzle.rows
        pairs = zip(self.solutions[0].lines(), self.varying.lines(), strict=True)
        return ["".join("?" if open_ == "1" else value for value, open_ in zip(*pair, strict=True)) for pair in pairs]

    def json(self) -> dict[str, Any]:
        """The JSON form, documented in the README."""
        varying = self.varying.count()
        found = bool(self.solutions)
        return {
            "puzzle": puzzle_json(self.puzzle, None),
            "status": ("proved" if found else "unsolvable") if self.proved else "undecided",
            "backbone": "/".join(self.lines) if found and self.proved else None,
            "fixed": self.fixed if found and self.proved else None,
            "varying": varying if found else None,
            "evidence": self.evidence,
            "by": list(self.by),
            "findings": [finding.json() for finding in self.findings],
            "runs": [run.json() for run in self.runs],
        }


def backbone(
    puzzle: Puzzle, backends: str | None = None, *, timeout: float = Limits.seconds, memory_mb: int = Limits.memory_mb
) -> Backbone:
    """The cells that are equal in all solutions, without finding all of them.

    Args:
        puzzle: whose solutions.
        backends: one spec or several, separated by commas, that are cross-checked; by default one.
        timeout: of each run, in seconds of wall time.
        memory_mb: of each run, in 2^20 bytes.

    Raises:
        SpecError: if a spec cannot be read, or nothing suits the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    Examples:
        >>> from crosslit.formats import read
        >>> found = backbone(read("1,1,2|1,2,1"))
        >>> found.lines, found.proved
        (['?0?', '010', '?1?'], True)
    """
    with Runner(Limits(None, timeout, memory_mb)) as runner:
        found = ask_backbone(runner, puzzle, backends)
    if runner.interrupted:
        raise KeyboardInterrupt
    return found


def ask_backbone(runner: Runner, puzzle: Puzzle, backends: str | None = None) -> Backbone:
    """As `backbone`, by a runner with its limits."""
    chosen = registry.select(backends or default(puzzle, "backbone"), puzzle, "backbone")
    if not any(choice.refusal is None for choice in chosen):
        reason = "".join(f": {choice.refusal}" for choice in chosen[:1])
        raise SpecError(f"no backend among {backends} tells the backbone of this puzzle{reason}")
    runs = [run for _, run in runner.runs([Job(choice, puzzle, question="backbone") for choice in chosen])]
    return judge_backbone(puzzle, runs)


def judge_backbone(puzzle: Puzzle, runs: list[Run]) -> Backbone:
    """Check every solution by the rules, and every claim against all of them.

    Pure. A run that claims that cells are equal in all solutions is wrong where two checked solutions differ.
    """
    from crosslit.findings import checked

    wrong, finders = checked(puzzle, runs)
    solutions = tuple(finders)
    varying = _varying(puzzle, solutions).bits
    findings: list[Finding] = []
    believed = []
    for run in runs:
        about = about_running(run)
        if (bad := next((grid for grid in run.grids if grid in wrong), None)) is not None:
            about.append(Finding(run.backend, "wrong-solution", wrong[bad], bad.text()))
        if run.status == "complete" and solutions:
            own = [grid for grid in run.grids if grid in finders]
            missed = varying & ~_varying(puzzle, own).bits
            if not own:
                about.append(_denied(run, "false-unsolvable", "claims that there is no solution", solutions[0]))
            elif missed:
                other = next(grid for grid in solutions if (grid.bits ^ own[0].bits) & missed)
                detail = f"claims that {missed.bit_count()} cells are equal in all solutions that are not"
                about.append(_denied(run, "false-backbone", detail, other))
        findings += about
        if run.status == "complete" and not any(finding.problem in DISCREDITS for finding in about):
            believed.append(run)
    evidence, by = grade(believed) if believed else (None, ())
    return Backbone(puzzle, solutions, bool(believed), evidence, by, tuple(findings), tuple(runs))


def _denied(run: Run, problem: str, detail: str, witness: Grid) -> Finding:
    return Finding(run.backend, problem, detail, witness.text())


def _varying(puzzle: Puzzle, solutions: tuple[Grid, ...] | list[Grid]) -> Grid:
    bits = 0
    for grid in solutions[1:]:
        bits |= grid.bits ^ solutions[0].bits
    return Grid.from_bits(puzzle.rows, puzzle.columns, bits)


@dataclass(frozen=True)
class Smallest:
    """Some cells, or some constraints, and how well it is known that they are what was asked for.

    Args:
        chosen: the best answer; None where there is none.
        bound: no answer has fewer, as far as is proved.
        decided: whether the run that found it searched everything: then it is the smallest, or there is none.
        confirmed: by whom: another backend, asked about these alone, says that they suffice and that none can be left
            out; empty where none was asked.
        findings: what is wrong with a run.
        runs: that were made.
    """

    chosen: Grid | None
    bound: int
    decided: bool
    confirmed: str = ""
    findings: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = ()

    @property
    def evidence(self) -> Evidence | None:
        """How well it is known that the answer is one."""
        if self.chosen is None and not self.decided:
            return None
        return grade(list(self.runs) if self.confirmed else [self.runs[0]])[0]

    @property
    def by(self) -> tuple[str, ...]:
        """The backends that this rests on."""
        return tuple(filter(None, (self.runs[0].backend, self.confirmed)))

    def json(self) -> dict[str, Any]:
        """The JSON form, documented in the README."""
        return {
            "size": None if self.chosen is None else self.chosen.count(),
            "bound": exact(self.bound),
            "smallest": self.chosen is not None and self.decided,
            "evidence": self.evidence,
            "by": list(self.by),
            "findings": [finding.json() for finding in self.findings],
            "runs": [run.json() for run in self.runs],
        }


def ask_smallest(
    runner: Runner, puzzle: Puzzle, question: Question, backend: str | None = None, target: Grid | None = None
) -> Smallest:
    """An answer of one backend to ``reveal`` or ``mus``, confirmed by another one where there is one.

    The other one is asked to choose among what was chosen: it must find that none of it can be left out.
    """
    choice = registry.select_one(backend or default(puzzle, question), puzzle, question)
    job = Job(choice, puzzle, question=question, target=target)
    run = runner.run(job)
    findings = about_running(run)
    if any(finding.problem in DISCREDITS for finding in findings):
        return Smallest(None, 0, False, findings=tuple(findings), runs=(run,))
    best = min(run.grids, key=Grid.count, default=None)
    decided = run.status == "complete"
    bound = best.count() if best is not None and decided else run.bound
    if best is None or runner.interrupted:
        return Smallest(best, bound, decided, findings=tuple(findings), runs=(run,))
    second = _another(puzzle, question, choice)
    if second is None:
        return Smallest(best, bound, decided, findings=tuple(findings), runs=(run,))
    check = runner.run(Job(second, puzzle, question=question, target=target, among=best))
    if check.status != "complete":
        return Smallest(best, bound, decided, findings=tuple(findings), runs=(run, check))
    if check.grids[-1:] != [best]:
        says = f"only {check.grids[-1].text()} of it is needed" if check.grids else "it does not suffice"
        detail = f"gave {best.text()}; {check.backend} says that {says}"
        findings.append(Finding(run.backend, "unconfirmed", detail))
        return Smallest(best, bound, decided, findings=tuple(findings), runs=(run, check))
    return Smallest(best, bound, decided, check.backend, tuple(findings), (run, check))


def default(puzzle: Puzzle, question: Question) -> str:
    """The backend that answers a question about a puzzle where none is named."""
    if question == "mus" and isinstance(puzzle, LightsOut):
        return "fewest"
    for spec in _FIRST[puzzle.kind]:
        if all(choice.refusal is None for choice in registry.select(spec, puzzle, question)):
            return spec
    return _FIRST[puzzle.kind][-1]


def _another(puzzle: Puzzle, question: Question, first: registry.Choice) -> registry.Choice | None:
    """A backend of another family that answers the same question, if there is one."""
    found = []
    for spec in (*_SECOND[puzzle.kind], *_FIRST[puzzle.kind]):
        found += [choice for choice in registry.select(spec, puzzle, question) if choice.refusal is None]
    others = [choice for choice in found if choice.backend.name != first.backend.name]
    return min(others, key=lambda choice: len(choice.trusts & first.trusts), default=None)


@dataclass(frozen=True)
class Revealed:
    """The cells of a solution to reveal, so that no other solution has the same values there.

    Args:
        puzzle: that is to become unique.
        target: the solution.
        answer: which cells, and how well that is known.
    """

    puzzle: Puzzle
    target: Grid | None
    answer: Smallest = field(default_factory=lambda: Smallest(None, 0, False))

    @property
    def lines(self) -> list[str]:
        """The rows: ``1`` and ``0`` for the revealed cells, a blank for the others."""
        if self.target is None or self.answer.chosen is None:
            return []
        pairs = zip(self.target.lines(), self.answer.chosen.lines(), strict=True)
        return ["".join(value if shown == "1" else " " for value, shown in zip(*pair, strict=True)) for pair in pairs]

    def json(self) -> dict[str, Any]:
        """The JSON form, documented in the README."""
        return {
            "puzzle": puzzle_json(self.puzzle, None),
            "target": None if self.target is None else self.target.text(),
            "cells": None if self.answer.chosen is None else self.answer.chosen.text(),
            **self.answer.json(),
        }


def reveal(
    puzzle: Puzzle,
    target: Grid | None = None,
    backend: str | None = None,
    *,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
) -> Revealed:
    """The fewest cells to reveal that leave one solution: for Lights Out as many as the nullity.

    Args:
        puzzle: to make unique.
        target: the solution that is to be the only one; by default the first that is found.
        backend: one spec; by default a native solver for Lights Out, a SAT solver for nonograms.
        timeout: of each run, in seconds of wall time.
        memory_mb: of each run, in 2^20 bytes.

    Raises:
        SpecError: if the spec does not name one backend that suits the puzzle.
        InputError: if the target is no solution.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    Examples:
        >>> from crosslit.formats import read
        >>> found = reveal(read("1,1,1|1,1,1"))
        >>> found.answer.chosen.count(), found.answer.decided
        (2, True)
    """
    with Runner(Limits(None, timeout, memory_mb)) as runner:
        found = ask_reveal(runner, puzzle, target, backend)
    if runner.interrupted:
        raise KeyboardInterrupt
    return found


def ask_reveal(runner: Runner, puzzle: Puzzle, target: Grid | None = None, backend: str | None = None) -> Revealed:
    """As `reveal`, by a runner with its limits."""
    if target is None:
        found, run = some_solutions(runner, puzzle, 1)
        target = found[0] if found else None
        if target is None:
            answer = Smallest(None, 0, run.status == "complete", findings=tuple(about_running(run)), runs=(run,))
            return Revealed(puzzle, None, answer)
    elif (target.rows, target.columns) != (puzzle.rows, puzzle.columns):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError("target", f"expected a grid of {shape}, found {target.rows} x {target.columns}")
    elif (violation := next(puzzle.violations(target), None)) is not None:
        raise InputError("target", f"expected a solution: {violation}")
    return Revealed(puzzle, target, ask_smallest(runner, puzzle, "reveal", backend, target))


def some_solutions(runner: Runner, puzzle: Puzzle, count: int) -> tuple[list[Grid], Run]:
    """Up to so many solutions that the usual backend finds and the rules accept, and its run."""
    from crosslit.api import default_backend

    choice = registry.select_one(default_backend(puzzle), puzzle)
    limits = runner.limits
    runner.limits = replace(limits, solutions=count)
    try:
        run = runner.run(Job(choice, puzzle))
    finally:
        runner.limits = limits
    return [grid for grid in run.grids if not any(puzzle.violations(grid))], run
