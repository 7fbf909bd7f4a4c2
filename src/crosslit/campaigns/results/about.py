"""What a file of results says of its campaign."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from crosslit.campaigns.results.validation import mapping, number, text, texts, whole
from crosslit.campaigns.spec.campaign import ASKED, Asked, Campaign, question_of
from crosslit.contract import QuestionName
from crosslit.runs.run import Limits


@dataclass(frozen=True, kw_only=True)
class About:
    """What a store says of its campaign.

    Args:
        name, title, about, asked, limits, repetitions, seeds, seed, text: of the campaign.
        folder: where its paths begin.
        groups: the names of groups of contestants, in order.
        solvers: commands that are backends, by name.
        command: that made the store, as words.
        shard: which part of the plan is made here, as (number, of); None for all of it. The plan is whole.
    """

    name: str
    title: str
    about: str
    asked: Asked
    limits: Limits
    repetitions: int
    seeds: tuple[int, ...]
    seed: int
    text: str
    folder: str
    groups: tuple[str, ...]
    solvers: dict[str, str]
    command: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None

    @classmethod
    def of(cls, campaign: Campaign, command: Sequence[str] = (), shard: tuple[int, int] | None = None) -> About:
        """What there is to say of a campaign."""
        names = ("name", "title", "about", "asked", "limits", "repetitions", "seeds", "seed", "text")
        same = {name: getattr(campaign, name) for name in names}
        groups, solvers = tuple(campaign.contestants), dict(campaign.solvers)
        return cls(
            **same, folder=str(campaign.folder), groups=groups, solvers=solvers, command=tuple(command), shard=shard
        )

    @classmethod
    def from_record(cls, record: Any) -> About:
        """Return what `record` made, after a look at every value.

        Raises:
            ValueError: if a value is not of its type, or out of its range.
            KeyError: if one is not there.
        """
        known = mapping(record)
        return cls(**{name: read(known[name]) for name, read in _READERS.items()})

    def record(self) -> dict[str, Any]:
        """Return a JSON object of it."""
        return dataclasses.asdict(self)

    @cached_property
    def question(self) -> QuestionName:
        """What its runs ask a backend."""
        return question_of(self.asked)


def _asked(value: Any) -> Asked:
    found = next((asked for asked in ASKED if asked == value), None)
    if found is None:
        raise ValueError(f"expected one of {', '.join(ASKED)}, found another question")
    return found


def _limits(value: Any) -> Limits:
    limits = mapping(value)
    solutions = None if limits["solutions"] is None else whole(limits["solutions"])
    return Limits(solutions, number(limits["seconds"]), whole(limits["memory_mb"]))


def _folder(value: Any) -> str:
    if not isinstance(value, str):  # a folder's name may be no text
        raise ValueError("expected a folder")
    return value


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
}
