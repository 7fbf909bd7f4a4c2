"""The number of solutions of a generated puzzle."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

from crosslit import registry
from crosslit.errors import NoBackend
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit.questions.solve import solutions
from crosslit_generate.exhaustive import Only, is_valid


def count_up_to(puzzle: Puzzle, max_solutions: int) -> int:
    """Count up to some solutions: by the method or backend of the puzzle's kind, all grids, or a packaged engine."""
    kind = kind_of(puzzle)
    if kind.count_up_to is not None:
        return kind.count_up_to(puzzle, max_solutions)
    if (row := kind.defaults(puzzle, "few")) is not None:
        return sum(1 for _ in islice(solutions(puzzle, row.answers[0]), max_solutions))
    if puzzle.layout.bits <= MAX_CELLS:
        return min(max_solutions, len(solutions_by_rules(puzzle)))
    # Not by a native solver of a plugin, which may take for ever on a puzzle of this size.
    for choice in registry.select("default", puzzle):
        if choice.encoding is not None and choice.refusal is None:
            return sum(1 for _ in islice(solutions(puzzle, choice.spec), max_solutions))
    raise NoBackend(f"no encoding of {puzzle.plural} for the engines that list solutions")


def few_solutions(puzzle: Puzzle, max_solutions: int) -> bool:
    """Return whether there are at most ``most`` solutions."""
    kind = kind_of(puzzle)
    # The bound is arithmetic, while a count is a search, so it is tried first.
    if kind.most_solutions is not None and kind.most_solutions(puzzle) <= max_solutions:
        return True
    return count_up_to(puzzle, max_solutions + 1) <= max_solutions


def admitted(puzzle: Puzzle, solvable: bool | None, only: Only | None, max_solutions: int) -> bool:
    """Return whether a puzzle, whose solvability may be known, is as requested and has at most ``most`` solutions.

    A puzzle whose solutions cannot be counted is not admitted.
    """
    with suppress(NoBackend):
        return _admitted(puzzle, solvable, only, max_solutions)
    return False


def _admitted(puzzle: Puzzle, solvable: bool | None, only: Only | None, max_solutions: int) -> bool:
    if only == "unique":
        return solvable is not False and count_up_to(puzzle, 2) == 1
    if only == "solvable":
        few = solvable is not False and few_solutions(puzzle, max_solutions)
        return few and (solvable or count_up_to(puzzle, 1) == 1)
    if only == "unsolvable":
        return not solvable and (solvable is False or count_up_to(puzzle, 1) == 0)
    if only == "valid" and not is_valid(puzzle):
        return False
    return solvable is False or few_solutions(puzzle, max_solutions)
