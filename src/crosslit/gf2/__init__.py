"""Linear algebra over GF(2), with Python integers as bit vectors, polynomials, and the search for light vectors.

The linear systems of boards are in the folder of Lights Out. This package must not be used by SAT encodings or
certificate checkers, because they check its results.
"""

from crosslit.gf2.ascending import packed_batches, reduced
from crosslit.gf2.coset import coset, distinguishing_cells
from crosslit.gf2.covering import MAX_STEPS, covering_radius
from crosslit.gf2.elimination import LinearSystem
from crosslit.gf2.minimum import MAX_DIMENSIONS, connected, descend, lightest, union

__all__ = [
    "MAX_DIMENSIONS",
    "MAX_STEPS",
    "LinearSystem",
    "connected",
    "coset",
    "covering_radius",
    "descend",
    "distinguishing_cells",
    "lightest",
    "packed_batches",
    "reduced",
    "union",
]
