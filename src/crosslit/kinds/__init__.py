"""Kinds of puzzles: the data of a puzzle, and its rule checker.

Everything else is checked against this package. A kind is a class that derives from `Puzzle`, registered under the
entry point group ``crosslit.kinds``. This package must not solve, or share code with a solver or an encoder.
"""

from crosslit.kinds.lights_out.puzzle import LightsOut
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit.kinds.puzzle import Puzzle
from crosslit.kinds.registry import KINDS, all_kinds, kind_of, register_kind

__all__ = ["KINDS", "LightsOut", "Nonogram", "Puzzle", "all_kinds", "kind_of", "register_kind"]
