"""All runs of a campaign, in the order in which they are made."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslit import registry
from crosslit._version import __version__
from crosslit.campaigns.spec.campaign import Campaign, Instance
from crosslit.campaigns.spec.contents import content_of, programs
from crosslit.contract import Backend, QuestionName
from crosslit.errors import SpecError
from crosslit.generation.random_puzzles import shuffled
from crosslit.puzzles import Puzzle
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits, full_spec

SEED = "seed"  # the option of a backend that a campaign's seeds set


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """A run that is to be made.

    Args:
        key: the sha256 of all that could change what it finds or how long it takes, but for the machine: the content of
            the puzzle, backend, encoding, options, question, limits, seed, repetition and versions, and the files that
            the backend and the encoding consist of.
        place: in the order of the runs, from 0.
        puzzle: what is to be solved.
        spec: of the backend, with the seed that the campaign sets.
        contestant: the spec without that seed, its encoding named: what runs are compared by.
        group: what the campaign calls it one of; may be empty.
        seed: that the campaign sets; None where it sets none.
        repetition: from 0.
        version: of the engine.
        content: a hash of the files that the run depends on; empty where there are none, and where they are unknown.
    """

    key: str
    place: int
    puzzle: Puzzle
    spec: str
    contestant: str
    group: str
    seed: int | None
    repetition: int
    version: str
    content: str = ""

    def job(self, question: QuestionName, outputs: Path | None = None) -> Job:
        """Return the run for `crosslit.runs.runner.Runner`; raw output of commands goes to a folder, under its key."""
        return Job(
            choice=chosen(self.spec, self.puzzle, question),
            puzzle=self.puzzle,
            request=Solve(question=question),
            repetition=self.repetition,
            output=str(outputs / self.key) if outputs else "",
        )


def chosen(spec: str, puzzle: Puzzle, question: QuestionName) -> Choice:
    """The one backend that a planned run's spec means.

    Raises:
        SpecError: if it means none, or several.
    """
    found = registry.select([spec], puzzle, question)
    if len(found) != 1:
        raise SpecError(f"backend {spec!r}: it means {len(found)} backends where one is expected")
    return found[0]


def plan(campaign: Campaign, instances: Iterable[Instance]) -> list[PlannedRun]:
    """The runs, shuffled by the campaign's seed, so that no contestant has the quiet hour of a machine for itself.

    Of the ways to write one configuration only the first counts, and of equal puzzles the first. A contestant that
    several groups have is of the first of them, on all puzzles.

    Raises:
        SpecError: if a spec cannot be read, or nothing that was named suits any puzzle.
    """
    runs: dict[str, PlannedRun] = {}
    for instance in instances:
        for planned in _on(campaign, instance.puzzle):
            runs.setdefault(planned.key, planned)
    if not runs:
        raise SpecError("no backend of the campaign suits any of its puzzles")
    order = shuffled(random.Random(f"campaign {campaign.seed}"), list(runs.values()))
    rank = {group: place for place, group in enumerate(campaign.contestants)}
    groups: dict[str, str] = {}
    for run in sorted(order, key=lambda run: rank[run.group]):  # a wildcard leaves out what does not suit a puzzle
        groups.setdefault(run.contestant, run.group)
    return [dataclasses.replace(run, place=place, group=groups[run.contestant]) for place, run in enumerate(order)]


def _on(campaign: Campaign, puzzle: Puzzle) -> Iterator[PlannedRun]:
    seen: set[str] = set()
    for group, specs in campaign.contestants.items():
        for choice in registry.select(specs, puzzle, campaign.question):
            contestant = label(choice)
            if contestant in seen:
                continue
            seen.add(contestant)
            for spec, seed in _seeded(choice, campaign.seeds):
                seeded = choice if seed is None else chosen(spec, puzzle, campaign.question)
                for repetition in range(campaign.repetitions):
                    key = key_of(seeded, puzzle, campaign.question, campaign.limits, repetition)
                    content = content_of(choice.backend, choice.encoding)
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
    """The specs that a campaign's seeds make of one; a seed that the spec has itself stays."""
    if not seeds or SEED not in choice.backend.options or SEED in choice.options:
        yield choice.spec, None
        return
    for seed in seeds:
        yield f"{choice.spec}:{SEED}={seed}", seed


def key_of(choice: Choice, puzzle: Puzzle, question: QuestionName, limits: Limits, repetition: int) -> str:
    """The key of a run."""
    encoding = choice.encoding
    defined = registry.defined(choice.backend.name)
    parts = [
        puzzle.id,
        label(choice),  # also where no encoding suits: what was asked for is another run each
        defined and _definition(defined),  # of a user's command: what it is, not only what it is called
        encoding and encoding.target,
        dict(sorted(choice.options.items())),  # the seed is one of them
        question,
        limits.json(),
        repetition,
        choice.version,
        __version__,  # of the encodings, and of what measures
        content_of(choice.backend, encoding),  # a version may stay the same while somebody works on a backend
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _definition(command: Backend) -> str:
    """The words of a command, its files without their folders: their content counts, wherever they are."""
    words = str(command.summary)
    for path in programs(command) or ():
        words = words.replace(path, Path(path).name)
    return words


def plan_hash(planned: Iterable[PlannedRun]) -> str:
    """Return a sha256 of the runs in their order: puzzles, backends with their options, seeds, versions of engines.

    Unlike the keys of the runs, it does not depend on the compiler that built Crosslit's kernel.
    """
    lines = (
        json.dumps([one.puzzle.id, one.contestant, one.spec, one.seed, one.repetition, one.version]) for one in planned
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def share(planned: Sequence[PlannedRun], number: int, of: int) -> list[PlannedRun]:
    """Return the ``number``-th of ``of`` parts of a plan: whatever its order, every run is in one part.

    All runs on a puzzle are in one part, so that each part can be cross-checked.

    Raises:
        ValueError: if there is no such part.
    """
    if not 1 <= number <= of:
        raise ValueError(f"a shard is from 1/{of} to {of}/{of}, not {number}/{of}")
    chosen = puzzles_of_share((run.puzzle.id for run in planned), number, of)
    return [run for run in planned if run.puzzle.id in chosen]


def puzzles_of_share(ids: Iterable[str], number: int, of: int) -> set[str]:
    """Return the puzzles, of those that the plan has runs on, whose runs are in a part of it; see `share`."""
    return set(sorted(set(ids))[number - 1 :: of])
