"""Linear algebra over GF(2), with Python integers as bit vectors, and its results about Lights Out boards.

This package contains the linear systems of the whole board, of its first row, and of polynomials, and the search for
the lightest element of a coset. It must not be used by SAT encodings or certificate checkers, because they check its
results.
"""

from crosslit.gf2.ascending import packed_batches, reduced
from crosslit.gf2.board_system import BoardSystem, elimination_work
from crosslit.gf2.chase import chase, press_also, why_no_chase
from crosslit.gf2.coset import coset, distinguishing_cells
from crosslit.gf2.covering import MAX_STEPS, covering_radius
from crosslit.gf2.elimination import LinearSystem
from crosslit.gf2.first_row import bezout, first_row_space, solve_polynomially
from crosslit.gf2.first_row_system import first_row_system
from crosslit.gf2.lights_out import board_nullity, has_known_nullity, nullity, solution_space
from crosslit.gf2.minimum import MAX_DIMENSIONS, connected, descend, lightest, union

__all__ = [
    "MAX_DIMENSIONS",
    "MAX_STEPS",
    "BoardSystem",
    "LinearSystem",
    "bezout",
    "board_nullity",
    "chase",
    "connected",
    "coset",
    "covering_radius",
    "descend",
    "distinguishing_cells",
    "elimination_work",
    "first_row_space",
    "first_row_system",
    "has_known_nullity",
    "lightest",
    "nullity",
    "packed_batches",
    "press_also",
    "reduced",
    "solution_space",
    "solve_polynomially",
    "union",
    "why_no_chase",
]
