"""What a file of results says of its campaign."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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
        words = {name: text(known[name]) for name in ("name", "title", "about", "text")}
        if not isinstance(known["folder"], str):  # a folder's name may be no text
            raise ValueError("expected a folder")
        asked = next((asked for asked in ASKED if asked == known["asked"]), None)
        if asked is None:
            raise ValueError(f"expected one of {', '.join(ASKED)}, found another question")
        limits = mapping(known["limits"])
        solutions = limits["solutions"]
        return cls(
            name=words["name"],
            title=words["title"],
            about=words["about"],
            asked=asked,
            text=words["text"],
            folder=known["folder"],
            limits=Limits(
                None if solutions is None else whole(solutions),
                number(limits["seconds"]),
                whole(limits["memory_mb"]),
            ),
            repetitions=whole(known["repetitions"], 1),
            seeds=tuple(map(whole, known["seeds"])),
            seed=whole(known["seed"]),
            groups=texts(known["groups"]),
            solvers=mapping(known["solvers"], text),
            command=texts(known["command"]),
            shard=None if known["shard"] is None else _shard(known["shard"]),
        )

    def record(self) -> dict[str, Any]:
        """Return a JSON object of it."""
        return dataclasses.asdict(self)

    @cached_property
    def question(self) -> QuestionName:
        """What its runs ask a backend."""
        return question_of(self.asked)


def _shard(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("expected a shard as two numbers")
    of = whole(value[1], 1)
    return whole(value[0], 1, of), of
