"""All solutions of a puzzle, none twice, none missing, however many there are."""

from crosslit.enumeration.arrays import batches
from crosslit.enumeration.file import SolutionFile
from crosslit.enumeration.layout import FORMATS, Layout, format_of
from crosslit.enumeration.listing import Enumeration, Lister, NotAList
from crosslit.enumeration.partner import choose_partner, default_lister

__all__ = [
    "FORMATS",
    "Enumeration",
    "Layout",
    "Lister",
    "NotAList",
    "SolutionFile",
    "batches",
    "choose_partner",
    "default_lister",
    "format_of",
]
