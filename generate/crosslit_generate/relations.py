"""Metamorphic relations: changes to a puzzle with a known effect on its solutions.

They need no solver: a solver's answers for the puzzle and for the changed one must agree. Each relation is a bijection
between the solutions of the puzzle and those of the changed puzzle.
"""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.contract.family import Relation
from crosslit.contract.puzzle import SYMMETRIES
from crosslit.kinds import Puzzle, kind_of


def relations(puzzle: Puzzle) -> Iterator[Relation]:
    """Yield every relation that needs no other puzzle: seven symmetries, and those of the kind."""
    yield from symmetries(puzzle)
    yield from kind_of(puzzle).relations(puzzle)


def symmetries(puzzle: Puzzle) -> Iterator[Relation]:
    """Yield the rotations and reflections of a puzzle: seven, if its kind has them.

    Examples:
        >>> from crosslit.formats import read
        >>> for relation in symmetries(read("100/000")):
        ...     print(relation.name, relation.puzzle.text)
        upside down 000/100
        mirrored 001/000
        turned by 180 degrees 000/001
        transposed 10/00/00
        turned left 00/00/10
        turned right 01/00/00
        transposed the other way 00/00/01
    """
    for symmetry in SYMMETRIES:
        image = puzzle.image(symmetry)
        if image is not None:
            yield Relation(symmetry.name, image, symmetry)
