"""The description of a campaign: puzzles, contestants, a question and limits."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from crosslit import contract
from crosslit.contract import QuestionName
from crosslit.kinds import Puzzle
from crosslit.records import from_json, to_json
from crosslit.runs.run import Limits
from crosslit_bench.plan.software import Software

Asked = Literal["first", "unique", "all", "fewest"]
"""The question of a campaign: one solution; whether it is the only one; all solutions; the fewest presses."""
ASKED: tuple[Asked, ...] = get_args(Asked)
SOLUTIONS: Mapping[Asked, int | None] = {"first": 1, "unique": 2, "all": None, "fewest": None}
"""The number of solutions after which a run stops; None for all."""

PAR = 10.0
"""The default k of the PAR-k that is reported in addition to PAR-2."""


def question_of(asked: Asked) -> QuestionName:
    """Return the question that a campaign's runs ask a backend."""
    return contract.FEWEST.name if asked == contract.FEWEST.name else contract.SOLUTIONS.name


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A puzzle of a campaign."""

    puzzle: Puzzle
    family: str  # the campaign's name for puzzles of one construction; growth with size is fitted by family
    size: float  # size for the growth of time, for example n for an n x n board
    # other facts about its origin, as JSON values: ``density``, ``seed``, ``number``, ``file``
    facts: Mapping[str, Any] = field(default_factory=dict)


Source = Callable[[], Iterator[Instance]]
"""A table ``[[puzzles]]`` of the file: yields the same puzzles at every call; generating one may take a while. Raises
`InputError` if there are no such puzzles."""


@dataclass(frozen=True, kw_only=True)
class CampaignSpec:
    """A campaign, as it is planned and stored."""

    name: str  # short name, from the name of its file
    title: str
    about: str  # its purpose; may be empty
    asked: Asked
    limits: Limits
    contestants: Mapping[str, tuple[str, ...]]  # specs of backends, by group; "" if there are no groups
    sources: tuple[Source, ...] = ()  # sources of puzzles, in order; not stored, because the store has the puzzles
    repetitions: int = 1
    seeds: tuple[int, ...] = ()  # seeds with each of which a backend runs if it has an option ``seed``
    seed: int = 0  # seed for the random order of the runs
    solvers: Mapping[str, str] = field(default_factory=dict)  # commands that serve as backends, by name
    folder: Path = field(default_factory=Path)  # folder for relative paths of commands and puzzles
    text: str = ""
    # seconds below which the analysis of growth treats times as censored; None for an automatic choice
    floor: float | None = None
    without_growth: tuple[str, ...] = ()  # families for which growth with size is not fitted
    par: float = PAR  # k of the PAR-k that the report shows in addition to PAR-2
    # the part of the plan that belongs in the store, as (number, of); None for the whole plan
    shard: tuple[int, int] | None = None
    # the software at the time of planning; None in older files, which do not record it
    software: Software | None = None

    def __post_init__(self) -> None:
        number, of = self.shard or (1, 1)
        if self.repetitions < 1 or self.par < 1 or not 1 <= number <= of or min(self.seed, *self.seeds, 0) < 0:
            raise ValueError("a number of the campaign is out of its range")

    @cached_property
    def question(self) -> QuestionName:
        """The question that the runs ask a backend."""
        return question_of(self.asked)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> CampaignSpec:
        """Return the campaign from its JSON form; files of 0.2.0 have names of groups and components."""
        groups = dict.fromkeys(record.get("groups", ()), ())
        software = record.get("software")
        if isinstance(software, Mapping) and software.get("components"):
            software = {**software, **software["components"][0]}
        return from_json(cls, {"contestants": groups, **record, "software": software, "sources": ()})

    def json(self) -> dict[str, Any]:
        """Return the JSON form, without the sources of the puzzles."""
        found: dict[str, Any] = to_json(dataclasses.replace(self, sources=()))
        return found
