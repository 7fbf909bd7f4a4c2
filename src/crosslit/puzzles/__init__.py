"""The two puzzle families: what a puzzle is, and what is wrong with a grid by its rules alone.

Nothing here solves, and no encoder or solver is used here: this is what they are checked against.
"""

from crosslit.puzzles.lights_out import LightsOut
from crosslit.puzzles.nonogram import Nonogram

Puzzle = LightsOut | Nonogram

__all__ = ["LightsOut", "Nonogram", "Puzzle"]
