"""Proofs by a fresh SAT solver that there are no more solutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crosslit.certificates import Certificate
from crosslit.certificates.refutation import MAX_SOLUTIONS, refutation
from crosslit.contract import GaveUp, Task
from crosslit.contract.clauses import prove
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit_backends.sat.interrupts import defer_sigint


def refute(puzzle: Puzzle, task: Task, solutions: Sequence[Grid], engine: str) -> Certificate:
    """Return a fresh solver's proof that a puzzle's formula has no models except the given solutions.

    The solver that found the solutions took clauses between them, and its proof could be rejected; so this one starts
    with the formula and all clauses that exclude solutions.

    Raises:
        GaveUp: if there are more solutions than a certificate may contain, or another solution.
    """
    if len(solutions) > MAX_SOLUTIONS:
        raise GaveUp(f"a proof about {len(solutions)} solutions has a clause over all cells for each: at most 10,000")
    formula = task.encode(puzzle)
    task.phase("load")
    excluding = [[-literal for literal in formula.values(solution)] for solution in solutions]
    clauses = [*formula.clauses(), *excluding]
    task.phase("solve")
    with defer_sigint():
        model, proof = prove(clauses, engine)
    if model is not None:
        raise GaveUp(f"{engine} finds another solution: {formula.grid(model).text()[:60]}")
    assert task.encoding is not None  # set, because it has encoded
    return refutation(puzzle, task.encoding.name, engine, solutions, proof)


def refute_by(puzzle: Puzzle, task: Task, solutions: Sequence[Grid], engine: str, encoding: str) -> Certificate:
    """Return the proof of `refute` for a solver without an encoding, by the named one."""
    from crosslit.registry.encodings import choose

    return refute(puzzle, replace(task, encoding=choose(puzzle, encoding)), solutions, engine)
