"""The check that the formula of a proof forbids no solution, part by part against the rules.

A refutation certifies a formula, not the puzzle. It also has to hold that every solution of the puzzle extends to a
model of the formula. (The converse, that a model is a solution, is not needed: the rule checker accepts the solutions
of a certificate.) Clauses that share an auxiliary variable form a part; different parts share only cells. So it is
enough that every solution extends to a model of each part. A part about cells of one line follows from the clue of that
line; one about some presses of a Lights Out board from the lights that only these presses toggle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from crosslit.certificates.rup import Clause
from crosslit.kinds import Puzzle, kind_of


class WrongFormula(ValueError):
    """A formula that forbids something that the rules allow; the message says where."""


@dataclass
class Part:
    """Clauses that share auxiliary variables with each other, and only cells with all others."""

    clauses: list[Clause] = field(default_factory=list)
    cells: set[int] = field(default_factory=set)


def parts(clauses: Iterable[Clause], cells: int) -> list[Part]:
    """Split a formula, whose first variables are cells, into parts; a clause without auxiliary variables is a part."""
    # A union-find structure over auxiliary variables.
    leader: dict[int, int] = {}

    def find(variable: int) -> int:
        root = variable
        while (above := leader.setdefault(root, root)) != root:
            root = above
        # Path compression keeps the look-ups of long chains of auxiliary variables nearly constant.
        while leader[variable] != root:
            leader[variable], variable = root, leader[variable]
        return root

    kept = [(clause, [abs(literal) for literal in clause if abs(literal) > cells]) for clause in clauses]
    for _, auxiliary in kept:
        for other in auxiliary[1:]:
            leader[find(other)] = find(auxiliary[0])
    found: dict[int, Part] = defaultdict(Part)
    for number, (clause, auxiliary) in enumerate(kept):
        part = found[find(auxiliary[0]) if auxiliary else -number - 1]
        part.clauses.append(clause)
        part.cells.update(abs(literal) for literal in clause if abs(literal) <= cells)
    return list(found.values())


def check_formula(puzzle: Puzzle, clauses: Iterable[Clause]) -> str | None:
    """Check that a formula forbids no solution of a puzzle.

    Returns:
        None if this is shown, otherwise why not; the formula may still be right.
    """
    every = parts(clauses, puzzle.layout.variables)
    check = kind_of(puzzle).check_formula
    return check(puzzle, every) if check else f"there is no check of formulas of a {puzzle.kind} puzzle"


def renumbered(clauses: Sequence[Clause], places: Sequence[int]) -> tuple[Clause, ...]:
    """Renumber the variables of clauses: these cells first, then the auxiliary ones in order of appearance."""
    numbers = {variable: number for number, variable in enumerate(places, 1)}
    return tuple(
        tuple((1 if literal > 0 else -1) * numbers.setdefault(abs(literal), len(numbers) + 1) for literal in clause)
        for clause in clauses
    )
