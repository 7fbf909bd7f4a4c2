"""The puzzle kinds: what a puzzle is, and what is wrong with a grid by its rules alone.

Nothing here solves, and no encoder or solver is used here: this is what they are checked against. A kind is a class
that derives from `Puzzle`, registered under the entry point group ``crosslit.kinds``.
"""

from crosslit.puzzles.kinds import KINDS, all_kinds, kind_of, register_kind
from crosslit.puzzles.lights_out import LightsOut
from crosslit.puzzles.nonogram import Nonogram
from crosslit.puzzles.puzzle import Puzzle

__all__ = ["KINDS", "LightsOut", "Nonogram", "Puzzle", "all_kinds", "kind_of", "register_kind"]
