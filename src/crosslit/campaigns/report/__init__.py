"""The report of a campaign: one self-contained HTML page, without network, that a person would want to read.

`document` makes the file. What stands in it is gathered by `wrongs` (what is wrong, and the puzzle drawn), `compared`
(the analysis, in words, tables and figures), `listing` (the table of puzzles, and the runs behind it) and `measured`
(how, where, and by what command); `pictures` and `words` serve them.
"""

from crosslit.campaigns.report.document import html

__all__ = ["html"]
