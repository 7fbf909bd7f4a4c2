"""Kinds of puzzles: a folder for each kind of Crosslit, and the kinds by name.

A kind is a class that derives from `Puzzle`, registered under the entry point group ``crosslit.kinds``: its puzzles,
their rules, and whatever else Crosslit can do with them. Everything else is checked against the rules. The modules of
puzzles and rules must not solve, or share code with a solver or an encoder.
"""

from crosslit.base.grid import Layout as Layout
from crosslit.contract.puzzle import Puzzle as Puzzle
from crosslit.kinds.lights_out.board import LightsOut as LightsOut
from crosslit.kinds.nonogram.puzzle import Nonogram as Nonogram
from crosslit.kinds.registry import Kind as Kind
from crosslit.kinds.registry import all_kinds as all_kinds
from crosslit.kinds.registry import find_kind as find_kind
from crosslit.kinds.registry import kind_of_text as kind_of_text
from crosslit.kinds.registry import register_kind as register_kind
