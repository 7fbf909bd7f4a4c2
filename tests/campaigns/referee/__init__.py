"""A referee: recompute every number of a report from the page's own rules and the exported runs.

It knows nothing of the program that made the page: constants are read from the page, data from the CSV, and all
formulas are written from the definitions on the page. Every number that a reader can see must be explained: as a
constant of a rule, as part of a name, or as a value that was recomputed to the digits shown.
"""

from tests.campaigns.referee.report import problems

__all__ = ["problems"]
