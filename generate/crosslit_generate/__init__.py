"""The only source of puzzles: exhaustive families, random puzzles, puzzles with given properties.

Equal seeds give equal puzzles on every machine. This package must not import an engine, or use any method of a random
number generator except `random()`, the only one whose results Python guarantees.
"""
