"""Metamorphic relations: how a puzzle can be changed so that it is known what becomes of its solutions.

They need no solver: what a solver says of a puzzle and of the changed one must agree. Each maps all solutions of the
puzzle, one to one, to all solutions of the changed puzzle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.puzzles.symmetry import SYMMETRIES


@dataclass(frozen=True)
class Relation:
    """A changed puzzle, and what becomes of solutions.

    Args:
        name: what was done, in words.
        puzzle: the changed puzzle.
        carry: from a solution of the puzzle to one of the changed puzzle.

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
    """List every relation that needs no other puzzle: seven symmetries, and what the kind has beside."""
    yield from symmetries(puzzle)
    for relation in FURTHER.get(puzzle.kind, ()):
        yield relation(puzzle)


def symmetries(puzzle: Puzzle) -> Iterator[Relation]:
    """List the ways to turn and mirror a puzzle: seven, where its kind has them.

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


def pressed(board: LightsOut, presses: Grid) -> Relation:
    """Some cells are pressed before: a solution is then solved by what it differs in from these presses.

    Examples:
        >>> relation = pressed(LightsOut(Grid.from_text("11/11")), Grid.from_text("10/00"))
        >>> relation.puzzle.text, relation.carry(Grid.from_text("11/11")).text()
        ('00/01', '01/11')
    """
    return Relation("cells pressed before", board.pressed(presses), lambda grid: added(grid, presses))


def complemented(board: LightsOut) -> Relation:
    """Every cell is pressed before: a solution becomes its complement."""
    every = (1 << board.rows * board.columns) - 1
    present = every if board.missing is None else every & ~board.missing.bits
    relation = pressed(board, Grid.from_bits(board.rows, board.columns, present))
    return replace(relation, name="every cell pressed before")


def superposed(board: LightsOut, other: LightsOut, presses: Grid) -> Relation:
    """The lights of two boards added, cell by cell: so are their solutions.

    Args:
        board: the puzzle.
        other: a board of the same shape and rules.
        presses: a solution of ``other``.

    Raises:
        ValueError: if the shapes or the rules differ, or ``presses`` is no solution.

    Examples:
        >>> one, other = LightsOut(Grid.from_text("11/10")), LightsOut(Grid.from_text("11/01"))
        >>> relation = superposed(one, other, Grid.from_text("01/00"))
        >>> relation.puzzle.text, relation.carry(Grid.from_text("10/00")).text()
        ('00/11', '11/00')
    """
    same_shape = (other.rows, other.columns) == (board.rows, board.columns)
    if not same_shape or replace(other, lit=board.lit) != board:
        raise ValueError("boards of one shape and of the same rules can be added")
    if (wrong := next(other.violations(presses), None)) is not None:
        raise ValueError(f"the other board is not solved: {wrong}")
    lit = added(board.lit, other.lit)
    return Relation("another board added", replace(board, lit=lit), lambda grid: added(grid, presses))


def shifted(board: LightsOut, quiet: Grid) -> Relation:
    """The same board, and a quiet pattern, which changes no light, pressed beside: an element of the kernel added.

    Examples:
        >>> shifted(LightsOut(Grid.from_text("00")), Grid.from_text("11")).carry(Grid.from_text("00")).text()
        '11'
    """
    if board.pressed(quiet) != board:
        raise ValueError("a quiet pattern changes no light")
    return Relation("a quiet pattern added", board, lambda grid: added(grid, quiet))


def framed(puzzle: Nonogram) -> Relation:
    """An empty and a full row below, so that every column has one more block, which is 1.

    Examples:
        >>> relation = framed(Nonogram([[2]], [[1], [1]]))
        >>> relation.puzzle.text, relation.carry(Grid.from_text("11")).text()
        ('2,0,2|1 1,1 1', '11/00/11')
    """
    full = (1 << puzzle.columns) - 1
    rows, columns = (*puzzle.row_clues, (), (puzzle.columns,)), [(*clue, 1) for clue in puzzle.column_clues]
    return Relation(
        "an empty and a full row added",
        Nonogram(rows, columns, puzzle.name),
        lambda grid: Grid.from_rows([*grid.row_bits(), 0, full], grid.columns),
    )


def added(one: Grid, other: Grid) -> Grid:
    """Two grids of a shape, added cell by cell over GF(2).

    Examples:
        >>> added(Grid.from_text("011"), Grid.from_text("110")).text()
        '101'
    """
    if (one.rows, one.columns) != (other.rows, other.columns):
        raise ValueError(f"a {one.rows} x {one.columns} grid and a {other.rows} x {other.columns} grid do not add up")
    return Grid.from_bits(one.rows, one.columns, one.bits ^ other.bits)


FURTHER: dict[str, Sequence[Callable[[Any], Relation]]] = {LightsOut.kind: (complemented,), Nonogram.kind: (framed,)}
"""By kind, the relations beside symmetries."""
