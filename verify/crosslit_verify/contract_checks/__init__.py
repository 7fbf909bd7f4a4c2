"""Checks that a backend keeps its contract, on small puzzles whose solutions follow from the rules.

`checks` is pure, and `samples` has the puzzles. This package must not start a run: `crosslit check-backend` does.
"""
