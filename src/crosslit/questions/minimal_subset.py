"""Minimal subsets: cells to reveal and minimal unsatisfiable subsets of constraints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crosslit import registry
from crosslit.contract import Question
from crosslit.errors import InputError
from crosslit.grid import Grid
from crosslit.judging.findings import DISCREDITS, about_running, grade
from crosslit.judging.verdict import Evidence, Finding, puzzle_json
from crosslit.numbers import exact
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.questions.solve import some_solutions
from crosslit.runs.run import Limits, Run
from crosslit.runs.runner import Job, Runner

FIRST = {LightsOut.kind: ("polynomial", "gauss"), Nonogram.kind: ("glucose4",)}
"""By kind, the backends that are asked; a kind that is not here has those of the group ``default``."""

SECOND = {LightsOut.kind: ("gauss", "polynomial"), Nonogram.kind: ("cadical195/automaton",)}
"""By kind, those that confirm what the first one says."""

_OTHERS = ("default",)


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
    if question == "mus" and "fewest" in puzzle.questions:
        return "fewest"
    specs = FIRST.get(puzzle.kind, _OTHERS)
    for spec in specs:
        if all(choice.refusal is None for choice in registry.select(spec, puzzle, question)):
            return spec
    return specs[-1]


def _another(puzzle: Puzzle, question: Question, first: registry.Choice) -> registry.Choice | None:
    """A backend of another family that answers the same question, if there is one."""
    found = []
    for spec in (*SECOND.get(puzzle.kind, ()), *FIRST.get(puzzle.kind, _OTHERS)):
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
