"""Checks whether a backend keeps its contract, on small puzzles whose solutions are known by the rules.

`checks` is pure: `crosslit check-backend` makes the runs.
"""
