"""The plan of a campaign: its contestants, and every run to make with its key.

A run's key is a hash of everything that can change its result, so a run whose key is in the store need not be repeated.
This module must not run a backend on a puzzle.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, NamedTuple

from crosslit_backends.commands.child_processes import file_digest

from crosslit.base.errors import InputError, SpecError
from crosslit.base.version import __file__ as _version_file
from crosslit.base.version import __version__
from crosslit.contract import Backend, registered
from crosslit.contract.family import shuffled
from crosslit.contract.run import full_spec
from crosslit.kinds import Puzzle
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve
from crosslit_bench.spec import CampaignSpec, Instance

_SEED = "seed"  # the backends' option for the seeds of a campaign
_MAX_PROGRAM = 1 << 16  # bytes of a program whose text is stored
_READ: Any = {"stdin": subprocess.DEVNULL, "capture_output": True, "encoding": "utf-8", "timeout": 60, "check": True}


class Contestant(NamedTuple):
    """A backend with its encoding and options, as a campaign compares it."""

    label: str  # its spec with the encoding, or its name under ``[solvers]``
    group: str  # of the campaign; may be empty
    version: str  # of the engine
    plugin: str  # the distributions that it comes from, other than Crosslit, with their versions
    sources: str  # a sha256 of its modules and programs
    programs: str  # a JSON object with the texts of its programs by path; for a large or binary one, its sha256


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """A run in the plan of a campaign."""

    key: str
    puzzle: Puzzle
    puzzle_id: str  # a hash, which the puzzle would compute again
    contestant: str  # its label
    spec: str  # of the backend, or its name under ``[solvers]``, with the campaign's seed
    seed: int | None  # the campaign's seed; None if it sets none
    repetition: int  # from 0


class Plan(NamedTuple):
    """The contestants and the runs of a campaign."""

    contestants: list[Contestant]  # by group
    runs: list[PlannedRun]  # in the order in which they are made


def plan(spec: CampaignSpec, instances: Iterable[Instance]) -> Plan:
    """Return the plan, with the runs in random order, so that background load does not favour a contestant.

    A configuration that is written in several ways counts once, and belongs to the first of its groups.
    """
    rank = {group: place for place, group in enumerate(spec.backends)}
    contestants: dict[str, Contestant] = {}
    runs: list[PlannedRun] = []
    for instance in instances:
        if spec.task == "all":
            from crosslit.questions.compare import require_listable  # loads what a status does without

            require_listable(instance.puzzle)
        seen: set[str] = set()
        for group, text in ((group, text) for group, specs in spec.backends.items() for text in specs):
            meaning = spec.resolve(text)
            for choice in spec.choices(meaning.spec, instance.puzzle):
                label = meaning.name or full_spec(choice.spec, choice.encoding.name if choice.encoding else "")
                if label in seen:
                    continue
                seen.add(label)
                runs += _runs(spec, instance, label, choice)
                # a wildcard may leave out a contestant on the first puzzles, so a later puzzle may show its group
                if label not in contestants or rank[group] < rank[contestants[label].group]:
                    contestants[label] = _contestant(label, group, choice, meaning.python)
    if not runs:
        raise SpecError("no backend of the campaign supports any of its puzzles")
    order = sorted(contestants.values(), key=lambda contestant: (rank[contestant.group], contestant.label))
    return Plan(order, shuffled(random.Random(f"campaign {spec.seed}"), runs))


def _runs(spec: CampaignSpec, instance: Instance, label: str, choice: Choice) -> Iterator[PlannedRun]:
    is_seeded = spec.seeds and _SEED in choice.backend.options and _SEED not in choice.options
    name, puzzle_id = spec.resolve(label).name or choice.spec, instance.puzzle.id
    for seed in spec.seeds if is_seeded else (None,):
        for repetition in range(spec.repetitions):
            run = PlannedRun(
                key="",
                puzzle=instance.puzzle,
                puzzle_id=puzzle_id,
                contestant=label,
                spec=name if seed is None else f"{name}:{_SEED}={seed}",
                seed=seed,
                repetition=repetition,
            )
            yield dataclasses.replace(run, key=key_of(run, spec))


def job_of(run: PlannedRun, spec: CampaignSpec) -> Job:
    """Return the job of a planned run for a runner."""
    meaning = spec.resolve(run.contestant)
    text = meaning.spec + run.spec.removeprefix(meaning.name) if meaning.name else run.spec
    (choice,) = spec.choices(text, run.puzzle)
    choice = dataclasses.replace(choice, version=_version(choice, meaning.python))
    request = Solve(question=spec.question)
    return Job(choice=choice, puzzle=run.puzzle, request=request, repetition=run.repetition, python=meaning.python)


def key_of(run: PlannedRun, spec: CampaignSpec) -> str:
    """Return a hash of everything that can change the result or the time of a run, except the machine."""
    choice = job_of(run, spec).choice
    assert choice is not None  # as a job for a solver has one
    parts = [
        run.puzzle_id,
        spec.question,
        spec.run_limits.json(),
        run.repetition,
        run.contestant,
        dict(sorted(choice.options.items())),  # with the seed
        choice.version,
        _sources(choice),  # a backend under development may change without a new version
        _command(choice.backend),
        __version__,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def share(runs: Sequence[PlannedRun], shard: tuple[int, int] | None) -> list[PlannedRun]:
    """Return the part of a plan with a number, of some parts: all runs on some of the puzzles, to be cross-checked."""
    number, count = shard or (1, 1)
    ids = set(sorted({run.puzzle_id for run in runs})[number - 1 :: count])
    return [run for run in runs if run.puzzle_id in ids]


def _contestant(label: str, group: str, choice: Choice, python: str) -> Contestant:
    plugins = {_distributions().get(package, "") for package in _packages(choice)}
    programs = {path: _program_text(path) for path in _programs(choice.backend)}
    version, plugin = _version(choice, python), ", ".join(sorted(plugins - {""}))
    return Contestant(label, group, version, plugin, _sources(choice), json.dumps(programs))


def _packages(choice: Choice) -> list[str]:
    """Return the top-level packages, or modules, outside the core that define a backend and its encoding."""
    parts: list[Any] = [type(choice.backend)]
    if (encoding := choice.encoding) is not None:
        parts += [type(encoding), getattr(encoding.encode, "func", encoding.encode)]  # of a `functools.partial`
    return sorted({str(part.__module__).partition(".")[0] for part in parts} - {"crosslit"})


def _sources(choice: Choice) -> str:
    """Return a sha256 of the packages of a backend and its encoding, and of the programs that it starts."""
    parts = [*map(_package_hash, _packages(choice)), *map(_file_hash, _programs(choice.backend))]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


@functools.cache
def _package_hash(name: str) -> str:
    """Return a sha256 of all sources of an imported package, since a solver may use any of them, or of a module."""
    package, sources = sys.modules.get(name), (".py", ".c", ".h", *EXTENSION_SUFFIXES)
    folders = [Path(folder) for folder in getattr(package, "__path__", ())]
    files = [path for folder in folders for path in folder.rglob("*") if path.name.endswith(sources)]
    # without the library of Crosslit: two machines compile it differently, and their shards belong to one campaign
    files = [path for path in files if path.name != "_kernel.so"]
    if not folders and (file := getattr(package, "__file__", None)):  # None in a notebook
        files = [Path(file)]
    lines = sorted(f"{path.name} {_file_hash(str(path))}" for path in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _file_hash(path: str) -> str:
    """Return the sha256 of a file; empty if it cannot be read, or is no plain file, as its end may never come."""
    try:
        return file_digest(path, Path(path).stat().st_mtime_ns) if Path(path).is_file() else ""
    except OSError:
        return ""


def _programs(backend: Backend) -> list[str]:
    """Return the programs and scripts that a backend starts."""
    return [str(path) for path in getattr(backend, "files", tuple)()]


def _program_text(path: str) -> str:
    try:
        if Path(path).stat().st_size <= _MAX_PROGRAM:
            return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        pass
    return f"sha256 {_file_hash(path)}"


def _command(backend: Backend) -> str:
    """Return the command line of a user's solver, without the folders of its files, which do not matter."""
    words = str(backend.summary) if backend.name in registered.defined else ""
    for path in _programs(backend):
        words = words.replace(path, Path(path).name)
    return words


@functools.cache
def _distributions() -> dict[str, str]:
    """Return the plugins with their versions, by the top-level package of what they register."""
    groups = registered.BACKENDS, registered.ENCODERS
    points = ((point.value, point.dist) for group in groups for point, _ in registered.load(group))
    return {re.split("[.:]", value)[0]: f"{plugin.name} {plugin.version}" for value, plugin in points if plugin}


def _output(*words: str) -> str:
    """Return what a command prints."""
    return str(subprocess.run(words, **_READ).stdout)


def _version(choice: Choice, python: str) -> str:
    return _version_elsewhere(python, choice.backend.name) if python else choice.version


@functools.cache
def _version_elsewhere(python: str, backend: str) -> str:
    """Return the version of a backend in another environment, whose Crosslit must be the same."""
    code = (
        "import json, sys; from crosslit.contract import registered; from crosslit_bench.plan import crosslit_version;"
        "print(json.dumps([crosslit_version(), *registered.reply(registered.named(sys.argv[1]), 'version')]))"
    )
    try:
        crosslit, version, problem = json.loads(_output(python, "-P", "-c", code, backend))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        lines = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        raise InputError(python, f"expected a Python with Crosslit: {' '.join(lines[-1:])}") from None
    if problem or crosslit != crosslit_version():
        raise InputError(python, problem or f"has Crosslit {crosslit}, and this is {crosslit_version()}")
    return str(version)


@functools.cache
def crosslit_version() -> str:
    """Return the version of Crosslit, with the commit if its sources are in a Git checkout."""
    # `core.fsmonitor` may name a program, which a foreign checkout must not start
    git = ["git", "-C", str(Path(_version_file).parent), "-c", "core.fsmonitor=false"]
    try:
        # a checkout may contain an installed Crosslit
        _output(*git, "ls-files", "--error-unmatch", Path(_version_file).name)
        return f"{__version__} ({_output(*git, 'describe', '--always', '--dirty', '--abbrev=12').strip()})"
    except (OSError, subprocess.SubprocessError):
        return __version__
