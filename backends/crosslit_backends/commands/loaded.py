"""Loads, when it is imported, what every run of a program needs: otherwise its clock would count that."""

from crosslit_backends.programs import program

from crosslit.formats import FORMATS
from crosslit.kinds import all_kinds

__all__ = ["program"]

all_kinds()
list(FORMATS)
