"""The analysis as a report tells it: in words, in tables and in figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosslit.campaigns.report.words import Section
from crosslit.campaigns.results import Results
from crosslit.campaigns.table import Measure, Table


@dataclass(frozen=True)
class Compared:
    """What the analysis says.

    Args:
        summary: sentences.
        sections: in order.
    """

    summary: Sequence[str]
    sections: Sequence[Section]


def compared(results: Results, table: Table, measure: Measure) -> Compared:  # noqa: ARG001
    """The analysis of a campaign."""
    return Compared((), ())
