"""Kinds of puzzles: a folder for each kind of Crosslit, and the kinds by name.

A kind is one object of the class `Kind`, registered under the entry point group ``crosslit.kinds``: its puzzles, their
rules, and whatever else Crosslit can do with them. Everything else is checked against the rules. The modules of
puzzles and rules must not solve, or share code with a solver or an encoder.
"""

from crosslit.base.layout import Layout
from crosslit.contract.kind import Kind, Row
from crosslit.contract.puzzle import Puzzle
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit.kinds.registry import all_kinds, find_kind, kind_of, kind_of_text, register_kind

__all__ = [
    "Kind",
    "Layout",
    "LightsOut",
    "Nonogram",
    "Puzzle",
    "Row",
    "all_kinds",
    "find_kind",
    "kind_of",
    "kind_of_text",
    "register_kind",
]
