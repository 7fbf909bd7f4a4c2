"""Formulas of puzzles for external callers.

Backends choose encodings in `crosslit.registry.encodings`. This function is separate because it reads puzzles, which
backends must not depend on.
"""

from __future__ import annotations

from typing import Any

from crosslit.formats import as_puzzle
from crosslit.kinds import Puzzle
from crosslit.registry.encodings import choose, formula


def encode(puzzle: Puzzle | str, name: str | None = None, target: str | None = None) -> Any:
    """Return the formula of a puzzle, for an external solver or program.

    Args:
        puzzle: the puzzle, or its one-line form.
        name: name of the encoding, such as ``order``; by default the target's default. `crosslit encode --list` lists
            them.
        target: ``cnf`` (the default), ``cnf-xor``, ``cp-sat``, ``fd``, ``linear-xor`` or ``linear``; or a file form of
            a finite-domain model: ``mzn``, ``fzn``, ``xcsp3``, ``asp``, ``smt2``, ``opb`` or ``lp``.

    Returns:
        The formula. Every formula has ``sizes``, and ``written(comments, binary)`` yields the pieces of a file. With
            target ``cnf`` it is a `crosslit_encoders.formula.Formula`: ``clauses()`` yields lists of literals, variable
            ``1 + row * columns + column`` is a cell, and ``grid(model)`` returns the solution of a model.

    Raises:
        GaveUp: if the formula would be too large.
        InputError: if the one-line form cannot be read.
        SpecError: if there is no such encoding of such puzzles; the message lists the existing ones.
        TypeError: if ``puzzle`` is not a puzzle.

    See Also:
        solve: solves the puzzle with a registered backend.
        add_solver: registers a solver command as a backend.

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
