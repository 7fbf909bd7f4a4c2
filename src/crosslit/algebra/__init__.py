"""Linear algebra over GF(2), with Python integers as bit vectors, and polynomials: no puzzle is known here.

The linear systems of boards are in the folder of Lights Out. This package must not be used by SAT encodings or
certificate checkers, because they check its results.
"""
