"""The kinds of machines in a campaign, whose times must not be mixed."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from crosslit.numbers import format_count, one_line
from crosslit_bench.results.table import Contestant
from crosslit_bench.store.outcome import Circumstances
from crosslit_bench.store.rows import Row

MachineKind = tuple[str, int, int, str]
"""Processor, number of processors, memory in 2^30 bytes, governor: equal for machines whose times can be compared."""

CONDITIONS: dict[str, Callable[[Row], str]] = {
    "Crosslit": lambda row: row.crosslit,
    "host": lambda row: row.circumstances.host,
    "processor": lambda row: row.circumstances.processor,
    "processors": lambda row: str(row.circumstances.processors),
    "clock": lambda row: f"{row.circumstances.clock_mhz:g} MHz" if row.circumstances.clock_mhz else "unknown",
    "governor": lambda row: row.circumstances.governor or "unknown",
    "memory": lambda row: f"{row.circumstances.machine_memory_mb / 1024:.0f} GB",
    "container": lambda row: row.circumstances.container or "none",
    "system": lambda row: row.circumstances.system,
    "Python": lambda row: row.circumstances.python,
    "runs side by side": lambda row: str(row.circumstances.side_by_side),
    "runs made by": lambda row: row.circumstances.carrier,
}
"""The conditions of a run that may change its time, as texts."""

_MAX_LENGTH = 60  # shown characters of a processor's model


def kind_of(where: Circumstances) -> MachineKind:
    """Return the kind of a run's machine, with its memory rounded, because it differs by some MB between kernels."""
    return where.processor, where.processors, round(where.machine_memory_mb / 1024), where.governor


def names_of(kinds: Counter[MachineKind]) -> dict[MachineKind, str]:
    """Return names for several kinds, numbered by descending number of runs; empty for a single kind."""
    ordered = sorted(kinds, key=lambda kind: (-kinds[kind], kind))
    return {kind: f"machine {number}" for number, kind in enumerate(ordered, 1)} if len(ordered) > 1 else {}


def unlike_machines(kinds: Counter[MachineKind]) -> list[str]:
    """Return descriptions of several kinds of machines, with their numbers of runs; empty for a single kind."""
    return [f"{name}: {describe(kind)}, {format_count(kinds[kind], 'run')}" for kind, name in names_of(kinds).items()]


def describe(kind: MachineKind) -> str:
    """Return a description of a kind of machine.

    Examples:
        >>> describe(("Some CPU", 4, 16, "performance"))
        'Some CPU, 4 processors, 16 GB, governor performance'
    """
    processor, processors, memory, governor = kind
    parts = [one_line(processor)[:_MAX_LENGTH], format_count(processors, "processor")]
    parts += [f"{memory} GB"] if memory else []
    return ", ".join([*parts, *([f"governor {one_line(governor)}"] if governor else [])])


def split(
    rows: Sequence[Row], contestants: Sequence[Contestant]
) -> tuple[list[Row], tuple[Contestant, ...], Mapping[MachineKind, str]]:
    """Split every contestant by kind of machine, so that no analysis mixes times of different machines.

    Wrong answers disqualify a contestant on all machines.
    """
    names = names_of(Counter(kind_of(row.circumstances) for row in rows))
    if not names:
        return list(rows), tuple(contestants), names
    labelled = [
        dataclasses.replace(row, contestant=_on(row.contestant, names[kind_of(row.circumstances)])) for row in rows
    ]
    made = {row.contestant for row in labelled}
    found = []
    for contestant in contestants:
        places = [name for name in names.values() if _on(contestant.label, name) in made]
        for name in places:
            group = _on(contestant.group, name) if contestant.group else name
            found.append(dataclasses.replace(contestant, label=_on(contestant.label, name), group=group))
        # A contestant without any run yet stays in the table under its plain name.
        if not places:
            found.append(contestant)
    return labelled, tuple(found), names


def _on(label: str, name: str) -> str:
    return f"{label} on {name}"
