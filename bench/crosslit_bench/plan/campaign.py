"""A campaign and its plan: puzzles, contestants, a question and limits, and all runs in their order."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from crosslit import contract, registry
from crosslit.base.errors import SpecError
from crosslit.base.records import from_json, to_json
from crosslit.base.version import __version__
from crosslit.contract import Backend, QuestionName
from crosslit.contract.family import shuffled
from crosslit.contract.run import Limits, full_spec
from crosslit.kinds import Puzzle
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve
from crosslit_bench.plan.software import Software, content_of, programs

Asked = Literal["first", "unique", "all", "fewest"]
"""The question of a campaign: one solution; whether it is the only one; all solutions; the fewest presses."""
ASKED: tuple[Asked, ...] = get_args(Asked)
SOLUTIONS: Mapping[Asked, int | None] = {"first": 1, "unique": 2, "all": None, "fewest": None}
"""The number of solutions after which a run stops; None for all."""

ExpectedVerdict = Literal["unique", "multiple", "unsolvable"]
EXPECTED: tuple[ExpectedVerdict, ...] = get_args(ExpectedVerdict)
NOBODY = "the campaign"
"""The default source of expected verdicts."""

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


class Expectation(NamedTuple):
    """The verdict that is expected for a puzzle, and its source."""

    verdict: ExpectedVerdict
    source: str


def expectation(instance: Instance) -> Expectation | None:
    """Return the verdict that is expected for a puzzle, if any."""
    verdict = instance.facts.get("expected")
    if verdict is None:
        return None
    if verdict not in EXPECTED:
        raise ValueError(f"expected a verdict, found {verdict!r:.40}")
    source = instance.facts.get("expected_by", NOBODY)
    if not isinstance(source, str):
        raise ValueError(f"expected the source of a verdict, found {source!r:.40}")
    return Expectation(verdict, source)


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


SEED = "seed"  # the backends' option for a campaign's seeds


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """A run in the plan of a campaign."""

    # the sha256 of everything that could change its result or its time, except the machine: the content of the puzzle,
    # backend, encoding, options, question, limits, seed, repetition and versions, and the files of the backend and the
    # encoding
    key: str
    place: int  # index in the order of the runs
    puzzle: Puzzle
    spec: str  # spec of the backend, with the campaign's seed
    contestant: str  # the spec with its encoding and without that seed, under which runs are compared
    group: str  # the campaign's group for it; may be empty
    seed: int | None  # the campaign's seed; None if it sets none
    repetition: int
    version: str
    content: str = ""  # a hash of the files that the run depends on; empty if there are none or they are unknown

    def job(self, question: QuestionName, outputs: Path | None = None) -> Job:
        """Return the job for `crosslit.runs.runner.Runner`; raw output of commands goes to a folder, under its key."""
        return Job(
            choice=chosen(self.spec, self.puzzle, question),
            puzzle=self.puzzle,
            request=Solve(question=question),
            repetition=self.repetition,
            output=str(outputs / self.key) if outputs else "",
        )


def chosen(spec: str, puzzle: Puzzle, question: QuestionName) -> Choice:
    """Return the backend that a planned run's spec names."""
    found = registry.select([spec], puzzle, question)
    if len(found) != 1:
        raise SpecError(f"backend {spec!r}: it means {len(found)} backends where one is expected")
    return found[0]


def plan(campaign: CampaignSpec, instances: Iterable[Instance]) -> list[PlannedRun]:
    """Return the runs, shuffled by the campaign's seed so that background load does not favour a contestant.

    Configurations written in several ways and equal puzzles count once. A contestant in several groups belongs to the
    first of them, on all puzzles.
    """
    runs: dict[str, PlannedRun] = {}
    for instance in instances:
        for planned in _on(campaign, instance.puzzle):
            runs.setdefault(planned.key, planned)
    if not runs:
        raise SpecError("no backend of the campaign supports any of its puzzles")
    order = shuffled(random.Random(f"campaign {campaign.seed}"), list(runs.values()))
    rank = {group: place for place, group in enumerate(campaign.contestants)}
    groups: dict[str, str] = {}
    for run in sorted(order, key=lambda run: rank[run.group]):  # by puzzle, a wildcard may leave out a contestant
        groups.setdefault(run.contestant, run.group)
    return [dataclasses.replace(run, place=place, group=groups[run.contestant]) for place, run in enumerate(order)]


def _on(campaign: CampaignSpec, puzzle: Puzzle) -> Iterator[PlannedRun]:
    seen: set[str] = set()
    for group, specs in campaign.contestants.items():
        for choice in registry.select(specs, puzzle, campaign.question):
            contestant = label(choice)
            if contestant in seen:
                continue
            seen.add(contestant)
            for spec, seed in _seeded(choice, campaign.seeds):
                seeded = choice if seed is None else chosen(spec, puzzle, campaign.question)
                content = content_of(choice.backend, choice.encoding)
                for repetition in range(campaign.repetitions):
                    key = key_of(seeded, puzzle, campaign.question, campaign.limits, repetition)
                    yield PlannedRun(
                        key=key,
                        place=0,
                        puzzle=puzzle,
                        spec=spec,
                        contestant=contestant,
                        group=group,
                        seed=seed,
                        repetition=repetition,
                        version=choice.version,
                        content=content,
                    )


def label(choice: Choice) -> str:
    """Return the spec of a choice with its encoding named."""
    return full_spec(choice.spec, choice.encoding.name if choice.encoding else "")


def _seeded(choice: Choice, seeds: Sequence[int]) -> Iterator[tuple[str, int | None]]:
    """Yield a spec once for each of the campaign's seeds; a seed in the spec itself stays."""
    if not seeds or SEED not in choice.backend.options or SEED in choice.options:
        yield choice.spec, None
        return
    for seed in seeds:
        yield f"{choice.spec}:{SEED}={seed}", seed


def key_of(choice: Choice, puzzle: Puzzle, question: QuestionName, limits: Limits, repetition: int) -> str:
    """Return the key of a run."""
    encoding = choice.encoding
    defined = registry.defined(choice.backend.name)
    parts = [
        puzzle.id,
        label(choice),  # with the requested encoding, which is in no other part if it is not available
        defined and _definition(defined),  # the command line of a user's solver, as its name says too little
        encoding and encoding.target,
        dict(sorted(choice.options.items())),  # with the seed
        question,
        limits.json(),
        repetition,
        choice.version,
        __version__,  # for the encodings and the measurement
        content_of(choice.backend, encoding),  # a backend under development may change without a new version
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def find_change(run: PlannedRun, campaign: CampaignSpec, choice: Choice) -> str:
    """Return how the software of a planned run has changed since; empty if its key still describes it."""
    if key_of(choice, run.puzzle, campaign.question, campaign.limits, run.repetition) == run.key:
        return ""
    if choice.version == run.version:
        return f"the files of {run.contestant} or of Crosslit differ from those of the plan"
    now, then = choice.version or "not available", run.version or "not available"
    return f"{run.contestant} was planned with version {then} and is {now}"


def _definition(command: Backend) -> str:
    """Return a command line with its files' names without folders, because their location does not matter."""
    words = str(command.summary)
    for path in programs(command):
        words = words.replace(path, Path(path).name)
    return words


def share(planned: Sequence[PlannedRun], number: int, of: int) -> list[PlannedRun]:
    """Return the ``number``-th of ``of`` parts of a plan; the parts do not depend on its order.

    All runs on a puzzle are in the same part, so that each part can be cross-checked.
    """
    chosen = puzzles_of_share((run.puzzle.id for run in planned), number, of)
    return [run for run in planned if run.puzzle.id in chosen]


def puzzles_of_share(ids: Iterable[str], number: int, of: int) -> set[str]:
    """Return the ids of the puzzles whose runs are in a part of the plan; see `share`."""
    return set(sorted(set(ids))[number - 1 :: of])
