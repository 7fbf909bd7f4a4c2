"""Verification of a user's solver: send it puzzles, compare its answers with a reference, shrink failing puzzles.

`session` reads from top to bottom: it asks the `solver`, in a `process` of its own, about `cases`, judges its answers
(`judge`) by a `reference`, and makes failures smaller (`shrink`); `report` has the result. This package must not print,
or trust the solver.
"""
