"""The report of a campaign: one self-contained HTML page that needs no network.

`document` assembles the page from the sections of the other modules; Jinja escapes every text. This package must not
run anything or compute a statistic.
"""

from crosslit_bench.report.document import html

__all__ = ["html"]
