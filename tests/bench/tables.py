"""Tables of synthetic times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from crosslit_bench.results.frame import Contestant, Entry, TimeTable

from crosslit.judging.verdict import Finding

INF, NAN = float("inf"), float("nan")


def entry(at: int, **facts: Any) -> Entry:
    known: dict[str, Any] = {
        "id": f"id{at}",
        "name": f"puzzle {at}",
        "family": "boards",
        "kind": "lights-out",
        "rows": 3,
        "columns": 3,
        "size": float(at + 1),
        "nullity": None,
        "difficulty": None,
        "density": None,
        "verdict": "unique",
        "evidence": "agreed",
    }
    return Entry(**{**known, **facts})


def table(
    seconds: Any,
    limit: float = 10.0,
    *,
    facts: Sequence[dict[str, Any]] | None = None,
    labels: Sequence[str] = (),
    groups: Sequence[str] = (),
    wrong: Sequence[str] = (),
    statuses: Any = None,
) -> TimeTable:
    """Times as a table; contestants are called a, b, c... unless they have labels; ``wrong`` ones are disqualified."""
    times = np.array(seconds, dtype=float)
    puzzles, count = times.shape
    names = list(labels) or [chr(ord("a") + at) for at in range(count)]
    contestants = tuple(
        Contestant(
            label=name,
            group=groups[at] if groups else "",
            version="1.0",
            disqualified=(Finding(name, "false-unsolvable", "there is a solution"),) if name in wrong else (),
        )
        for at, name in enumerate(names)
    )
    if statuses is None:
        statuses = np.where(np.isnan(times), "", np.where(np.isinf(times), "timeout", "complete"))
    entries = tuple(entry(at, **(facts[at] if facts else {})) for at in range(puzzles))
    return TimeTable(entries=entries, contestants=contestants, seconds=times, statuses=np.array(statuses), limit=limit)
