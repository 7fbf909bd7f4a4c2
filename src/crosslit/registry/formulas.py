"""Formulas of puzzles for callers from outside.

Backends choose encodings in `crosslit.registry.encodings`; they share no reader of puzzles, so it is not there.
"""

from __future__ import annotations

from typing import Any

from crosslit.formats import as_puzzle
from crosslit.puzzles import Puzzle
from crosslit.registry.encodings import choose, formula


def encode(puzzle: Puzzle | str, name: str | None = None, target: str | None = None) -> Any:
    """Return the formula of a puzzle, for a solver or a program that you have.

    Args:
        puzzle: to encode, or its one-line form.
        name: of the encoding, such as ``order``; by default the target's default. `crosslit encode --list` lists them.
        target: ``cnf`` (the default), ``cnf-xor``, ``cp-sat``, ``fd``, ``linear-xor`` or ``linear``; or a file form of
            a finite-domain model: ``mzn``, ``fzn``, ``xcsp3``, ``asp``, ``smt2``, ``opb`` or ``lp``.

    Returns:
        The formula. All have ``sizes``, and ``written(comments, binary)`` yields the pieces of a file. One of ``cnf``
        is a `crosslit_encoders.formula.Formula`: ``clauses()`` yields lists of literals, variable ``1 + row * columns +
        column`` is a cell, and ``grid(model)`` reads a model.

    Raises:
        GaveUp: if the formula would be too large.
        InputError: if the one-line form is none.
        SpecError: if there is no such encoding of such puzzles; says which there are.
        TypeError: if it is no puzzle.

    Examples:
        >>> formula = encode("1,1|1,1", "order")
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
    return formula(puzzle, choose(puzzle, name, target), target)
