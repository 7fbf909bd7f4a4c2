"""Checks that a backend keeps its contract, on small puzzles whose solutions follow from the rules.

`checks` is pure, and `samples` has the puzzles. Must not make runs: `crosslit check-backend` makes them.
"""
