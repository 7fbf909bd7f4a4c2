"""The only source of puzzles: exhaustive families, random puzzles, puzzles with given properties, variants.

Equal seeds give equal puzzles on every machine. This package must not import an engine, or use any method of a random
number generator except `random()`, the only one whose results Python guarantees.
"""

from crosslit_generate.exhaustive import ONLY, Case, Family, Only, families
from crosslit_generate.stream import cases

__all__ = [
    "ONLY",
    "Case",
    "Family",
    "Only",
    "cases",
    "families",
]
