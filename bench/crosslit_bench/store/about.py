"""The description of a campaign in its file of results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crosslit.runs.run import Limits
from crosslit_bench.plan.campaign import ASKED, PAR, Asked, Campaign, Description
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.provenance.software import Software, software_of
from crosslit_bench.store.validation import mapping, number, text, texts, whole


@dataclass(frozen=True, kw_only=True)
class About(Description):
    """The description of a campaign in a store.

    Args:
        groups: names of the groups of contestants, in order.
        command: words of the command that created the store.
        shard: the part of the plan that belongs in this store, as (number, of); None for the whole plan.
        software: the software at the time of planning; None in older files, which do not record it.
    """

    groups: tuple[str, ...]
    command: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None
    software: Software | None = None

    @classmethod
    def of(
        cls,
        campaign: Campaign,
        command: Sequence[str] = (),
        shard: tuple[int, int] | None = None,
        planned: Sequence[PlannedRun] = (),
    ) -> About:
        """Return the description of a campaign, with the installed software for its planned runs."""
        same = {field.name: getattr(campaign, field.name) for field in dataclasses.fields(Description)}
        software = software_of(planned, campaign.question, campaign.folder) if planned else None
        groups = tuple(campaign.contestants)
        return cls(**same, groups=groups, command=tuple(command), shard=shard, software=software)

    @classmethod
    def from_record(cls, record: Any) -> About:
        """Return the description from its `record`, after checking every value.

        Raises:
            ValueError: if a value is of a wrong type or out of its range.
            KeyError: if a value is missing.
        """
        # Older files stay readable: a field that they lack gets the value that was meant then.
        known = {**_LATER, **mapping(record)}
        # Unknown fields are ignored, so that a file of a later version with the same schema can be read.
        return cls(**{name: read(known[name]) for name, read in _READERS.items()})

    def record(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**dataclasses.asdict(self), "folder": str(self.folder)}


def _asked(value: Any) -> Asked:
    found = next((asked for asked in ASKED if asked == value), None)
    if found is None:
        raise ValueError(f"expected one of {', '.join(ASKED)}, found another question")
    return found


def _limits(value: Any) -> Limits:
    limits = mapping(value)
    solutions = None if limits["solutions"] is None else whole(limits["solutions"])
    cpu, cores = limits.get("cpu_seconds"), limits.get("cores")
    return Limits(
        solutions,
        number(limits["seconds"]),
        whole(limits["memory_mb"]),
        None if cpu is None else number(cpu),
        None if cores is None else whole(cores),
    )


def _folder(value: Any) -> Path:
    if not isinstance(value, str):  # not `text`, because the name of a folder may not be UTF-8
        raise ValueError("expected a folder")
    return Path(value)


def _shard(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("expected a shard as two numbers")
    of = whole(value[1], 1)
    return whole(value[0], 1, of), of


_READERS: dict[str, Callable[[Any], Any]] = {
    "name": text,
    "title": text,
    "about": text,
    "asked": _asked,
    "limits": _limits,
    "repetitions": partial(whole, least=1),
    "seeds": lambda value: tuple(map(whole, value)),
    "seed": whole,
    "text": text,
    "folder": _folder,
    "groups": texts,
    "solvers": partial(mapping, read=text),
    "command": texts,
    "shard": _shard,
    "software": lambda value: None if value is None else Software.from_record(value),
    "floor": lambda value: None if value is None else number(value),
    "without_growth": texts,
    "par": partial(number, least=1),
}
_LATER: dict[str, Any] = {"floor": None, "without_growth": [], "software": None, "par": PAR}
"""Defaults of fields that older files lack."""
