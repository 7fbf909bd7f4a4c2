"""Checks that a backend keeps its contract, on small puzzles whose solutions follow from the rules."""
