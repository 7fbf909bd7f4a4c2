"""Enumeration of all solutions of a puzzle, however many there are, each exactly once.

`listing` drives the run, `lists` writes files that survive a kill, and `given` checks lists of users. This package
must not import an engine, or keep all solutions of an ordered list in memory.
"""

from crosslit.questions.enumerate.given import ListCheck, batches, check_list
from crosslit.questions.enumerate.listing import Enumeration, Lister, NotAList, require_listable
from crosslit.questions.enumerate.lists import ListingFormat, SolutionFile

__all__ = [
    "Enumeration",
    "ListCheck",
    "Lister",
    "ListingFormat",
    "NotAList",
    "SolutionFile",
    "batches",
    "check_list",
    "require_listable",
]
