"""The two puzzle families: the data of a puzzle, and the rule checker of a grid.

Everything else is checked against this package. Must not solve, or share code with a solver or an encoder.
"""

from crosslit.puzzles.lights_out import LightsOut
from crosslit.puzzles.nonogram import Nonogram

Puzzle = LightsOut | Nonogram

__all__ = ["LightsOut", "Nonogram", "Puzzle"]
