"""Kinds of puzzles: the data of a puzzle, and its rule checker.

Everything else is checked against this package. A kind is a class that derives from `Puzzle`, registered under the
entry point group ``crosslit.kinds``. This package must not solve, or share code with a solver or an encoder.
"""

from crosslit.puzzles.kinds import KINDS, all_kinds, kind_of, register_kind
from crosslit.puzzles.lights_out import LightsOut
from crosslit.puzzles.nonogram import Nonogram
from crosslit.puzzles.puzzle import Puzzle

__all__ = ["KINDS", "LightsOut", "Nonogram", "Puzzle", "all_kinds", "kind_of", "register_kind"]
