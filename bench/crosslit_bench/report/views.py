"""The times of all contestants as data for the script, which draws any pair and scores any subset of the puzzles."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from crosslit_bench.report.text import brief, plain
from crosslit_bench.results.table import MEASURES, Table

UNSOLVED = -1
"""The time of an unsolved puzzle, as JSON has no infinity."""
DIGITS = 6
"""Significant digits of a time."""
WRONG = "wrong answer"
"""The additional ending of a wrong answer."""


def views(table: Table, wrong: Iterable[tuple[int, int]]) -> dict[str, Any]:
    """Return the times of a table by contestant, and the data for scoring them.

    Args:
        table: the times.
        wrong: row and column of each wrong answer.

    Returns:
        A dictionary with these keys. ``times``: for each contestant, a list of its times on the puzzles; a time is in
        seconds to six digits, `UNSOLVED`, or None if there is no time. ``endings``: the different ways in which runs
        ended. ``ends``: lists like ``times``, but of indices into ``endings``. ``nullity``: the nullity of each puzzle,
        or None. ``ranked``: for each contestant, False if it is disqualified. ``limit``: the time limit in seconds.
        ``measure``: the name of the measured time. ``ties``: two times tie if they differ by at most this share or this
        number of seconds. ``pair``: the two contestants that the page draws first.

    Examples:
        >>> import numpy as np
        >>> from crosslit_bench.results.table import Contestant
        >>> one = Contestant(label="a", group="", version="1")
        >>> times = Table(
        ...     entries=(), contestants=(one,), seconds=np.array([[0.123456789], [np.inf], [np.nan]]),
        ...     statuses=np.array([["complete"], ["timeout"], [""]]), limit=10.0,
        ... )
        >>> found = views(times, [(0, 0)])
        >>> found["times"], found["ends"], found["endings"]
        ([[0.123457, -1, None]], [[0, 1, 2]], ['complete / wrong answer', 'timeout', ''])
    """
    from crosslit_bench.analysis.pairs import TIE_SECONDS, TIE_SHARE
    from crosslit_bench.figures import pairs_of

    marked = set(wrong)
    endings: dict[str, int] = {}

    def ending(row: int, column: int) -> int:
        words = str(table.statuses[row, column])
        text = f"{words} / {WRONG}" if (row, column) in marked else words
        return endings.setdefault(plain(brief(text)), len(endings))

    rows, columns = (range(count) for count in table.seconds.shape)
    return {
        "times": [[_time(float(seconds)) for seconds in own] for own in table.seconds.T],
        "ends": [[ending(row, column) for row in rows] for column in columns],
        "endings": list(endings),
        "nullity": [entry.nullity for entry in table.entries],
        "ranked": [not one.disqualified for one in table.contestants],
        "limit": table.limit,
        "measure": MEASURES[table.measure],
        "ties": [TIE_SHARE, TIE_SECONDS],
        "pair": next(iter(pairs_of(table)), (0, 1)),
    }


def _time(seconds: float) -> float | None:
    if math.isnan(seconds):
        return None
    return UNSOLVED if math.isinf(seconds) else float(f"{seconds:.{DIGITS}g}")
