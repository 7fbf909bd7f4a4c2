"""The backends that answer when none is named, and which backends are independent of which."""

from __future__ import annotations

from crosslit.contract import Question
from crosslit.errors import SpecError
from crosslit.gf2 import why_no_chase
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.registry import specs
from crosslit.registry.specs import Choice


def default_backend(puzzle: Puzzle, question: Question = "solutions") -> str:
    """The backend that answers a question about a puzzle where none is named."""
    if question == "fewest":
        return "fewest"
    if not isinstance(puzzle, LightsOut):
        return "frontier" if question == "count" else "hybrid"
    return "polynomial" if why_no_chase(puzzle) is None else "gauss"


# those that enumerate fast, of different families; then whatever is in the group `default`
_FIRST = ("gauss", "polynomial", "line", "glucose4", "cpsat")


def default_lister(puzzle: Puzzle) -> str:
    """The backend that lists all solutions where none is named.

    As clauses that exclude solutions add up, Glucose slows down and CaDiCaL next to nothing: of 40,000 solutions the
    last thousand took seven times as long as the first, and 1.1 times (`benchmarks/enumeration.py`); without clauses,
    as the offspring of MiniSat go on after a thousand, they are still behind CaDiCaL.

    Examples:
        >>> from crosslit.formats import read
        >>> default_lister(read("10/01")), default_lister(read("1|1"))
        ('polynomial', 'hybrid:engine=cadical195')
    """
    return "hybrid:engine=cadical195" if isinstance(puzzle, Nonogram) else default_backend(puzzle)


def choose_partner(choice: Choice, puzzle: Puzzle) -> Choice:
    """A backend whose correctness rests on nothing that another's rests on.

    Raises:
        SpecError: if there is none for this puzzle.

    Examples:
        >>> from crosslit.formats import read
        >>> board = read("10/01")
        >>> choose_partner(specs.select_one("polynomial", board), board).spec
        'gauss'
    """
    for spec in (*_FIRST, "default"):
        for other in specs.select(spec, puzzle):
            if other.refusal is None and other.trusts.isdisjoint(choice.trusts):
                return other
    raise SpecError(f"no backend of another family than {choice.spec} suits this puzzle: name one by --check-backend")
