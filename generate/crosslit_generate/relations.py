"""Metamorphic relations: changes to a puzzle with a known effect on its solutions.

They need no solver: a solver's answers for the puzzle and for the changed one must agree. Each relation is a bijection
between the solutions of the puzzle and those of the changed puzzle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.symmetry import SYMMETRIES


@dataclass(frozen=True)
class Relation:
    """A changed puzzle, and the map of its solutions.

    Args:
        name: a description of the change.
        puzzle: the changed puzzle.
        carry: maps a solution of the original puzzle to one of the changed puzzle.

    Examples:
        >>> found = {relation.name: relation for relation in relations(Nonogram([[1]], [[], [1]]))}
        >>> turned = found["transposed"]
        >>> turned.puzzle.text, turned.carry(Grid.from_text("01")).text()
        ('0,1|1', '0/1')
    """

    name: str
    puzzle: Puzzle
    carry: Callable[[Grid], Grid]


def relations(puzzle: Puzzle) -> Iterator[Relation]:
    """Yield every relation that needs no other puzzle: seven symmetries, and those of the kind."""
    yield from symmetries(puzzle)
    for relation in FURTHER.get(puzzle.kind, ()):
        yield relation(puzzle)


def symmetries(puzzle: Puzzle) -> Iterator[Relation]:
    """Yield the rotations and reflections of a puzzle: seven, if its kind has them.

    Examples:
        >>> for relation in symmetries(LightsOut(Grid.from_text("100/000"))):
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


def complemented(board: LightsOut) -> Relation:
    """Press every cell of the board first: a solution becomes its complement.

    Examples:
        >>> relation = complemented(LightsOut(Grid.from_text("11/11")))
        >>> relation.puzzle.text, relation.carry(Grid.from_text("11/11")).text()
        ('00/00', '00/00')
    """
    every = (1 << board.rows * board.columns) - 1
    present = every if board.missing is None else every & ~board.missing.bits

    def carry(grid: Grid) -> Grid:
        return Grid.from_bits(board.rows, board.columns, grid.bits ^ present)

    pressed = board.pressed(Grid.from_bits(board.rows, board.columns, present))
    return Relation("every cell pressed before", pressed, carry)


def framed(puzzle: Nonogram) -> Relation:
    """Add an empty and a full row at the bottom, so that every column has one more block of 1.

    Examples:
        >>> relation = framed(Nonogram([[2]], [[1], [1]]))
        >>> relation.puzzle.text, relation.carry(Grid.from_text("11")).text()
        ('2,0,2|1 1,1 1', '11/00/11')
    """
    full = (1 << puzzle.columns) - 1
    # The empty row separates the new blocks from those above, so each column's clue just gets one more 1.
    rows, columns = (*puzzle.row_clues, (), (puzzle.columns,)), [(*clue, 1) for clue in puzzle.column_clues]
    return Relation(
        "an empty and a full row added",
        Nonogram(rows, columns, puzzle.name),
        lambda grid: Grid.from_rows([*grid.row_bits(), 0, full], grid.columns),
    )


FURTHER: dict[str, Sequence[Callable[[Any], Relation]]] = {LightsOut.kind: (complemented,), Nonogram.kind: (framed,)}
"""By kind, the relations other than symmetries."""
