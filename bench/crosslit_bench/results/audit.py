"""The audit of a file of results: all stored solutions against the rules of their puzzles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from crosslit.base.errors import InputError
from crosslit.kinds import Puzzle
from crosslit.kinds.batch import wrong_grids
from crosslit_bench.store.store import Store

_DIGITS = 16  # shown digits of a puzzle's id


@dataclass(frozen=True, kw_only=True)
class RefutedSolution:
    """A stored answer that breaks a rule of its puzzle, or cannot be read."""

    contestant: str
    puzzle: str
    repetition: int
    problem: str


class SolutionAudit(NamedTuple):
    """The numbers of runs with solutions, of judged solutions, and of runs whose puzzles are no longer in the file.

    ``wrong`` has at most one wrong solution for each run.
    """

    runs: int
    solutions: int
    unjudged: int
    wrong: list[RefutedSolution]


def audit_solutions(store: Store) -> SolutionAudit:
    """Judge every stored solution by the rules of its puzzle, including runs outside the plan."""
    puzzles = {instance.puzzle.id: instance.puzzle for instance in store.instances()}
    query = (
        "SELECT puzzle, contestant, repetition, solutions, answer FROM runs WHERE answer != '' OR solutions"
        " ORDER BY puzzle, contestant, repetition"
    )
    judge = cache(lambda id_, answer, count: _judged(store, puzzles[id_], answer, count))
    wrong, runs, solutions, unjudged = [], 0, 0, 0
    for id_, contestant, repetition, count, answer in store.select(query):
        if id_ not in puzzles:
            unjudged += 1
            continue
        judged, problem = judge(id_, answer, count)
        runs, solutions = runs + 1, solutions + judged
        if problem:
            name = puzzles[id_].name or id_[:_DIGITS]
            wrong.append(RefutedSolution(contestant=contestant, puzzle=name, repetition=repetition, problem=problem))
    return SolutionAudit(runs, solutions, unjudged, wrong)


def _judged(store: Store, puzzle: Puzzle, answer: str, count: int) -> tuple[int, str]:
    """Return the number of solutions, and the first problem; empty if there is none."""
    try:
        with store.understood():
            (found,) = store.answers([answer])
            grids = found.grids(puzzle)
    except InputError as error:
        return 0, str(error).removeprefix(f"{store.path}: ")
    if len(grids) != count:
        return len(grids), f"{len(grids)} of {count} solutions are stored"
    if (shape := grids.layout[:2]) != (puzzle.rows, puzzle.columns):
        return len(grids), f"solution 1 is a grid of {shape[0]} x {shape[1]}"
    for index, broken in wrong_grids(puzzle, grids):
        return len(grids), f"solution {index + 1}: {broken}"
    return len(grids), ""
