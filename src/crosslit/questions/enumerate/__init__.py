"""All solutions of a puzzle, none twice, none missing, however many there are."""

from crosslit.questions.enumerate.arrays import batches
from crosslit.questions.enumerate.file import SolutionFile
from crosslit.questions.enumerate.layout import FORMATS, Layout, format_of
from crosslit.questions.enumerate.listing import Enumeration, Lister, NotAList

__all__ = ["FORMATS", "Enumeration", "Layout", "Lister", "NotAList", "SolutionFile", "batches", "format_of"]
