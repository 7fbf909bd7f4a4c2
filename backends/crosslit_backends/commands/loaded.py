"""Loads, when it is imported, what every run of a program needs: otherwise its clock would count that."""

from crosslit.formats import FORMATS
from crosslit.kinds import all_kinds
from crosslit_backends.programs import program

__all__ = ["program"]

all_kinds()
list(FORMATS)
