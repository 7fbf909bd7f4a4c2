"""Formulas of puzzles, and their sizes, for users and external solvers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, overload

from crosslit.base.errors import GaveUp
from crosslit.base.grid import Grid
from crosslit.contract import Encoded, Encoding, ReadsModels
from crosslit.contract.registered import all_encodings, form_names
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
        The formula. Every formula has ``sizes``, and ``written(comments, binary)`` yields the pieces of a file. With
            target ``cnf`` it is a `crosslit_encoders.formula.Formula`: ``clauses()`` yields lists of literals, variable
            ``1 + row * columns + column`` is a cell, and ``grid(model)`` returns the solution of a model.

    Raises:
        GaveUp: if the formula would be too large.
        SpecError: if there is no such encoding of such puzzles; the message lists the existing ones.

    Examples:
        >>> formula = encode("1,1|1,1", "order", target="cnf")
        >>> formula.sizes["clauses"] == len(list(formula.clauses()))
        True
        >>> from pysat.solvers import Solver
        >>> with Solver("cadical195", formula.clauses()) as solver:
        ...     solver.solve(), formula.grid(solver.get_model()).count()
        (True, 2)
        >>> print(b"".join(encode("10", "full-direct").written(["a board"], binary=False)).decode())
        c a board
        c cells of row 1, left to right: variables 1 to 2
        p cnf 2 4
        1 -2 0
        -1 2 0
        1 2 0
        -1 -2 0
        <BLANKLINE>
    """
    puzzle = as_puzzle(puzzle)
    encoded: Encoded = formula_of(puzzle, choose_encoding(puzzle, name, target), target)
    return encoded


_AGAIN = 2.0  # seconds; longer encodings are not timed twice


def formula_of(puzzle: Puzzle, encoding: Encoding, target: str | None = None) -> Any:
    """Return the formula of a puzzle, in the file form that ``target`` names if it names one."""
    encoded = encoding.encode(puzzle)
    return encoded.as_form(target) if target in form_names() else encoded


@dataclass(frozen=True)
class FormulaSize:
    """The size of a puzzle's formula in an encoding."""

    encoding: Encoding
    sizes: Mapping[str, int]  # its numbers; empty if the encoding gave up
    seconds: float  # time to make it
    reason: str = ""  # why the encoding gave up; otherwise empty

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "encoding": self.encoding.name,
            "target": self.encoding.target,
            **self.sizes,
            "seconds": round(self.seconds, 6),
            "error": self.reason or None,
        }


def sizes(puzzle: Puzzle, on_start: Callable[[Encoding], None] = lambda _: None) -> Iterator[FormulaSize]:
    """Yield the size of the puzzle's formula in every encoding; a function is called with each before.

    The first call of an encoding may import modules, so short ones are made twice, and the shorter time is reported.
    """
    for encoding in all_encodings().values():
        if encoding.kind == puzzle.kind:
            on_start(encoding)
            size = _size(puzzle, encoding)
            if size.seconds < _AGAIN:
                size = min(size, _size(puzzle, encoding), key=lambda size: size.seconds)
            yield size


def _size(puzzle: Puzzle, encoding: Encoding) -> FormulaSize:
    began = time.perf_counter()
    try:
        formula: Encoded = encoding.encode(puzzle)
    except (GaveUp, ImportError) as error:
        return FormulaSize(encoding, {}, time.perf_counter() - began, str(error))
    return FormulaSize(encoding, formula.sizes, time.perf_counter() - began)
