"""Linear algebra that kinds, judges and solvers share, over GF(2) and modulo k; it takes the rules of boards as data.

No puzzle is known here. This package must not be used by rules, SAT encodings or certificate checkers, because they
check its results.
"""
