"""Which backend is to cross-check another's list."""

from __future__ import annotations

from crosslit import registry
from crosslit.errors import SpecError
from crosslit.puzzles import Puzzle
from crosslit.registry import Choice

# those that enumerate fast, of different families; then whatever is in the group `default`
_FIRST = ("gauss", "polynomial", "line", "glucose4", "cpsat")


def choose_partner(choice: Choice, puzzle: Puzzle) -> Choice:
    """A backend whose correctness rests on nothing that another's rests on.

    Raises:
        SpecError: if there is none for this puzzle.

    Examples:
        >>> from crosslit.formats import read
        >>> board = read("10/01")
        >>> choose_partner(registry.select_one("polynomial", board), board).spec
        'gauss'
    """
    for spec in (*_FIRST, "default"):
        for other in registry.select(spec, puzzle):
            if other.refusal is None and other.trusts.isdisjoint(choice.trusts):
                return other
    raise SpecError(f"no backend of another family than {choice.spec} suits this puzzle: name one by --check-backend")
