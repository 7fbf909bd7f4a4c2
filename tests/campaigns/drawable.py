"""Tables of times made up for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from crosslit.campaigns.results.table import Contestant, Entry, Table
from crosslit.judging.verdict import Finding


def entry(at: int, family: str, size: float) -> Entry:
    return Entry(
        f"{at:032x}", f"{family} {size:g} #{at}", family, "lights-out", 4, 4, size, 0, None, None, "unique", None
    )


def made_up(
    puzzles: int = 60,
    contestants: int = 6,
    families: Sequence[str] = ("solvable", "unsolvable"),
    groups: int = 3,
    limit: float = 10.0,
    sizes: int = 10,
) -> Table:
    """Contestants of which some take exponential time and some little, with what exceeds the limit not solved."""
    chance = np.random.default_rng(7)
    entries = tuple(
        entry(at, families[at % len(families)], 4 + 2 * (at // len(families) % sizes)) for at in range(puzzles)
    )
    size = np.array([one.size for one in entries])[:, None]
    growth = np.array([(0.02, 0.35, 0.9)[at % 3] * (1 + at / 40) for at in range(contestants)])[None]
    base = np.array([0.0008 * 1.4**at for at in range(contestants)])[None]
    seconds = base * np.exp(growth * size) * np.exp(chance.normal(0, 0.35, (puzzles, contestants)))
    seconds[seconds > limit] = np.inf
    if contestants > 3:
        seconds[size[:, 0] > 16, 3] = np.nan
    statuses = np.where(np.isposinf(seconds), "timeout", np.where(np.isnan(seconds), "", "complete"))
    named = tuple(Contestant(f"engine{at}/encoding-{at % 4}", f"group {at % groups}", "1") for at in range(contestants))
    return Table(entries, named, seconds, statuses, limit)


def disqualify(table: Table, column: int) -> Table:
    one = table.contestants[column]
    finding = Finding(one.label, "wrong-solution", "it breaks the rules")
    wrong = Contestant(one.label, one.group, one.version, (finding,))
    return Table(
        table.entries,
        (*table.contestants[:column], wrong, *table.contestants[column + 1 :]),
        table.seconds,
        table.statuses,
        table.limit,
    )


def renamed(table: Table, names: list[str], families: list[str] | None = None) -> Table:
    contestants = tuple(Contestant(name, name, "1") for name in names)
    entries = table.entries
    if families:
        old = table.families
        entries = tuple(dataclasses.replace(one, family=families[old.index(one.family)]) for one in entries)
        entries = tuple(dataclasses.replace(one, name=f"{one.family}{one.name}") for one in entries)
    return dataclasses.replace(table, contestants=contestants, entries=entries)


def with_times(seconds: list[list[float]]) -> Table:
    times = np.array(seconds, float)
    entries = tuple(entry(at, "boards", 4 + at) for at in range(times.shape[0]))
    contestants = tuple(Contestant(f"c{at}", "", "1") for at in range(times.shape[1]))
    return Table(entries, contestants, times, np.full(times.shape, ""), 10.0)
