"""Formulas of puzzles, for users and external solvers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol, overload

from crosslit.base.grid import Grid
from crosslit.contract import Encoded, Encoding, ReadsModels
from crosslit.contract.registered import form_names
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import Puzzle
from crosslit.registry.defaults import choose_encoding


class ClauseFormula(ReadsModels, Protocol):
    """A formula with the target ``cnf`` or ``cnf-xor``; variable ``1 + row * columns + column`` is a cell."""

    @property
    def variables(self) -> int:
        """Number of variables."""

    @property
    def xors(self) -> Sequence[tuple[Sequence[int], int]]:
        """The parity constraints, of ``cnf-xor``: variables, and the parity of the number of true ones."""

    def clauses(self) -> Iterator[list[int]]:
        """Yield each clause as a list of literals."""

    def grid(self, model: list[int]) -> Grid:
        """Return the solution of a model, a list of literals in the order of their variables."""


@overload
def encode(puzzle: PuzzleLike, name: None = None, target: None = None) -> ClauseFormula: ...
@overload
def encode(puzzle: PuzzleLike, name: str | None = None, *, target: Literal["cnf", "cnf-xor"]) -> ClauseFormula: ...
@overload
def encode(puzzle: PuzzleLike, name: str | None = None, target: str | None = None) -> Encoded: ...
def encode(puzzle: PuzzleLike, name: str | None = None, target: str | None = None) -> Encoded:
    """Return the formula of a puzzle, for an external solver or program.

    Args:
        puzzle: the puzzle, or its one-line form.
        name: name of the encoding, such as ``order``; by default the target's default. `crosslit encode --list` lists
            them.
        target: ``cnf`` (the default), ``cnf-xor``, ``cp-sat``, ``fd``, ``linear-xor`` or ``linear``; or a file form of
            a finite-domain model: ``mzn``, ``xcsp3``, ``asp``, ``smt2``, ``opb`` or ``lp``.

    Returns:
        The formula: ``sizes``, and ``written(comments, binary)``, which yields the pieces of a file. With the target
            ``cnf`` it is a `ClauseFormula`.

    Raises:
        GaveUp: if the formula would be too large.
        SpecError: if there is no such encoding of such puzzles; the message lists the existing ones.

    Examples:
        >>> formula = encode("10", "full-direct")
        >>> list(formula.clauses()), formula.grid([1, 2]).text
        ([[1, -2], [-1, 2], [1, 2], [-1, -2]], '11')
        >>> b"".join(formula.written(["a board"], binary=False)).splitlines()[:2]
        [b'c a board', b'c cells of row 1, left to right: variables 1 to 2']
    """
    puzzle = as_puzzle(puzzle)
    encoded: Encoded = formula_of(puzzle, choose_encoding(puzzle, name, target), target)
    return encoded


def formula_of(puzzle: Puzzle, encoding: Encoding, target: str | None = None) -> Any:
    """Return the formula of a puzzle, in the file form that ``target`` names if it names one."""
    encoded = encoding.encode(puzzle)
    return encoded.as_form(target) if target in form_names() else encoded
