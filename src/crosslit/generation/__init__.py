"""The only source of puzzles that are made by rule or by chance."""

from crosslit.generation.case import ONLY, Case, Only
from crosslit.generation.exhaustive import Family, families
from crosslit.generation.random_puzzles import (
    pigeonhole,
    random_board,
    random_grid,
    random_nonogram,
    random_rules,
    seeded,
)
from crosslit.generation.stream import cases

__all__ = [
    "ONLY",
    "Case",
    "Family",
    "Only",
    "cases",
    "families",
    "pigeonhole",
    "random_board",
    "random_grid",
    "random_nonogram",
    "random_rules",
    "seeded",
]
