"""Tables of times made up for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from crosslit_bench.results.frame import Contestant, TimeTable

from crosslit.judging.verdict import Finding
from tests.bench import tables


def made_up(
    puzzles: int = 60,
    contestants: int = 6,
    families: Sequence[str] = ("solvable", "unsolvable"),
    groups: int = 3,
    limit: float = 10.0,
    sizes: int = 10,
) -> TimeTable:
    """Contestants, some exponential and some fast; times beyond the limit are unsolved."""
    chance = np.random.default_rng(7)
    kinds = [(families[at % len(families)], 4 + 2 * (at // len(families) % sizes)) for at in range(puzzles)]
    entries = tuple(tables.entry(at, family=family, size=size) for at, (family, size) in enumerate(kinds))
    size = np.array([one.size for one in entries])[:, None]
    growth = np.array([(0.02, 0.35, 0.9)[at % 3] * (1 + at / 40) for at in range(contestants)])[None]
    base = np.array([0.0008 * 1.4**at for at in range(contestants)])[None]
    seconds = base * np.exp(growth * size) * np.exp(chance.normal(0, 0.35, (puzzles, contestants)))
    seconds[seconds > limit] = np.inf
    if contestants > 3:
        seconds[size[:, 0] > 16, 3] = np.nan
    statuses = np.where(np.isposinf(seconds), "timeout", np.where(np.isnan(seconds), "", "complete"))
    named = tuple(
        Contestant(label=f"engine{at}/encoding-{at % 4}", group=f"group {at % groups}", version="1")
        for at in range(contestants)
    )
    return TimeTable(entries=entries, contestants=named, seconds=seconds, statuses=statuses, limit=limit)


def disqualify(table: TimeTable, column: int) -> TimeTable:
    one = table.contestants[column]
    finding = Finding(one.label, "wrong-solution", "it breaks the rules")
    wrong = dataclasses.replace(one, disqualified=(finding,))
    contestants = (*table.contestants[:column], wrong, *table.contestants[column + 1 :])
    return dataclasses.replace(table, contestants=contestants)


def renamed(table: TimeTable, names: list[str], families: list[str] | None = None) -> TimeTable:
    contestants = tuple(Contestant(label=name, group=name, version="1") for name in names)
    entries = table.entries
    if families:
        old = table.families
        entries = tuple(dataclasses.replace(one, family=families[old.index(one.family)]) for one in entries)
        entries = tuple(dataclasses.replace(one, name=f"{one.family}{one.name}") for one in entries)
    return dataclasses.replace(table, contestants=contestants, entries=entries)


def with_times(seconds: list[list[float]]) -> TimeTable:
    return tables.table(seconds, labels=[f"c{at}" for at in range(len(seconds[0]) if seconds else 0)])
