"""The TOML file of a campaign as dataclasses; docs/reference/campaigns.md lists all keys.

Everything is checked before anything runs: an unknown key, a value out of range, a spec without a backend or a pattern
that matches no file is an error that names the file and the key.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from crosslit_generate.constrained import BY_OPTION

from crosslit import formats, registry
from crosslit.base.errors import InputError, SpecError
from crosslit.base.files import parse_toml, show_path
from crosslit.base.numbers import did_you_mean
from crosslit.base.records import from_json
from crosslit.contract.run import MAX_SECONDS, Limits
from crosslit.kinds import Puzzle
from crosslit.registry.specs import FILE as SOLVERS_FILE
from crosslit.registry.specs import OWN, announce, define, listed
from crosslit.runs.wire import MAX_THREADS
from crosslit_bench.plan.campaign import PAR, SOLUTIONS, Asked, CampaignSpec, Instance
from crosslit_bench.plan.sources import GENERATED, MAX_SEED, WAYS, PuzzleTable, require_range, require_text

_MAX_BYTES = 1 << 22  # size of a file; `tomllib` needs some seconds to parse that much
_MAX_RUN_SEED = 2**31 - 1  # the range of the backends' option `seed`
_MAX_REPETITIONS = 10_000
_MAX_MEMORY_MB = 1 << 40
_MAX_PAR = 1000
_MAX_LENGTH = 300  # characters of an error
_SAMPLE: Puzzle = formats.from_line("10/01")


@dataclass(frozen=True, kw_only=True)
class _Scores:
    """The table ``[scores]``."""

    par: float = PAR

    def __post_init__(self) -> None:
        require_range("par", self.par, 1, _MAX_PAR)


@dataclass(frozen=True, kw_only=True)
class _Growth:
    """The table ``[growth]``."""

    floor: float | None = None

    def __post_init__(self) -> None:
        require_range("floor", self.floor, 0, MAX_SECONDS, above=True)


@dataclass(frozen=True, kw_only=True)
class _Campaign:
    """The keys above all tables, and the tables but ``[[puzzles]]``."""

    title: str
    about: str = ""
    task: Asked = "unique"
    repetitions: int = 1
    seeds: tuple[int, ...] = ()
    seed: int = 0
    backends: Mapping[str, tuple[str, ...]]  # by group; "" if there are no groups
    limits: Limits = field(default_factory=Limits)
    scores: _Scores = field(default_factory=_Scores)
    growth: _Growth = field(default_factory=_Growth)
    solvers: Mapping[str, str] = field(default_factory=dict)
    puzzles: tuple[Mapping[str, Any], ...]

    def __post_init__(self) -> None:
        require_text("title", self.title)
        require_range("repetitions", self.repetitions, 1, _MAX_REPETITIONS)
        require_range("seeds", self.seeds, 0, _MAX_RUN_SEED)
        require_range("seed", self.seed, 0, MAX_SEED)
        require_range("limits.memory_mb", self.limits.memory_mb, 1, _MAX_MEMORY_MB)
        require_range("limits.cores", self.limits.cores, 1, MAX_THREADS)
        for name, command in self.solvers.items():
            require_text(f"solvers.{name}", command, "'COMMAND {cnf}'")
        if not self.backends or not all(self.backends.values()):
            raise ValueError("backends: expected at least one spec, and one in each group")
        groups = [name.strip() or name for name in self.backends]
        for name in groups:
            if not name.isprintable() or name.isspace() or groups.count(name) > 1 or (not name and len(groups) > 1):
                raise ValueError(f"backends: expected printable names of groups, each once, found {name!r:.60}")
        for specs in self.backends.values():
            require_text("backends", specs, "a spec such as 'glucose4/*'")
        if not self.puzzles:
            raise ValueError("puzzles: expected a table [[puzzles]], found none")


def read(path: Path) -> CampaignSpec:
    """Read a campaign from its file.

    The solvers are not registered yet: call `define_solvers` before planning.
    """
    record, content = parse_toml(path, _MAX_BYTES)
    name = path.stem.encode(errors="replace").decode()
    with _blaming(origin := show_path(path)):
        table = _read(record, name)
        solvers = _with_listed(table, folder := path.resolve().parent)
        _check_specs(table, solvers, folder)
    tables = []
    for number, entry in enumerate(table.puzzles, 1):
        with _blaming(origin, where := f"[[puzzles]] {number}"):
            tables.append((where, puzzles := _table(entry)))
            puzzles.prepare(folder)
    limits = table.limits
    return CampaignSpec(
        name=name,
        title=table.title,
        about=table.about,
        asked=table.task,
        limits=Limits(SOLUTIONS[table.task], limits.seconds, limits.memory_mb, limits.cpu_seconds, limits.cores),
        contestants={group.strip(): specs for group, specs in table.backends.items()},
        sources=tuple(partial(_instances, origin, where, puzzles) for where, puzzles in tables),
        repetitions=table.repetitions,
        seeds=tuple(dict.fromkeys(table.seeds)),
        seed=table.seed,
        solvers=solvers,
        folder=folder,
        text=content,
        floor=table.growth.floor,
        without_growth=tuple(dict.fromkeys(puzzles.name for _, puzzles in tables if not puzzles.growth)),
        par=table.scores.par,
    )


def _read(record: dict[str, Any], name: str) -> _Campaign:
    if isinstance(record.get("limits"), dict) and "solutions" in record["limits"]:
        raise ValueError("limits: `task`, above all tables, determines the number of solutions")
    given = record.get("backends", {})
    if not isinstance(given, list | dict):
        raise ValueError(f"backends: expected a list of specs, or a table of such lists, found {given!r:.60}")
    if isinstance(given, list):
        record = {**record, "backends": {"": given}}
    if record.get("seeds") == []:
        raise ValueError("seeds: expected seeds, found an empty list")
    return from_json(_Campaign, {"title": name, **record}, strict=True)


def _table(record: Mapping[str, Any]) -> PuzzleTable:
    ways = [way for way in ("generate", *WAYS) if way in record]
    if len(ways) != 1:
        raise ValueError(f"expected one of generate, files and puzzles, found {' and '.join(ways) or 'none'}")
    kind = WAYS.get(ways[0]) or GENERATED.get(word := str(record["generate"]))
    if kind is None:
        if option := BY_OPTION.get(word):
            way = f"`crosslit generate {option} -o pack.puzzles`, and then files = ['pack.puzzles']"
            raise ValueError(f"generate: {word} puzzles are made by {way}")
        hint = did_you_mean(word, GENERATED) or f"expected one of {', '.join(GENERATED)}"
        raise ValueError(f"generate: found {word!r:.60}; {hint}")
    if isinstance(record.get("expected"), str):
        record = {**record, "expected": {"*": record["expected"]}}
    return from_json(kind, record, strict=True)


def _instances(origin: str, where: str, table: PuzzleTable) -> Iterator[Instance]:
    with _blaming(origin, where):
        yield from table.instances()


@contextlib.contextmanager
def _blaming(origin: str, where: str = "") -> Iterator[None]:
    """Raise errors about a file or one of its tables as one line that names it."""
    try:
        yield
    except InputError:  # of another file, which it names
        raise
    except (ValueError, SpecError) as error:
        problem = f"{where}: {error}" if where else str(error)
        plain = "".join(character if character.isprintable() else repr(character)[1:-1] for character in problem)
        raise InputError(origin, plain[:_MAX_LENGTH]) from None


def define_solvers(campaign: CampaignSpec) -> None:
    """Register the commands of a campaign as backends in this process."""
    for name, command in campaign.solvers.items():
        define(name, command, f"campaign {campaign.name}", str(campaign.folder), OWN)


def _with_listed(table: _Campaign, folder: Path) -> dict[str, str]:
    """Return the solvers of a campaign, with those in a ``crosslit.toml`` in its folder that a spec names.

    The ``crosslit.toml`` of the working directory or of a puzzle's folder is ignored, so that a campaign means the same
    wherever it is started.
    """
    named = {re.split("[/:]", spec.strip())[0] for specs in table.backends.values() for spec in specs}
    found = listed(folder / SOLVERS_FILE, named - set(table.solvers))
    announce(str(folder / SOLVERS_FILE), found.keys() & named - table.solvers.keys())
    return {**{name: found[name] for name in found if name in named}, **table.solvers}


def _check_specs(table: _Campaign, solvers: Mapping[str, str], folder: Path) -> None:
    """Reject specs that name no backend, with the solvers of the campaign registered temporarily."""
    before = {name: registry.defined(name) for name in solvers}
    question = "fewest" if table.task == "fewest" else "solutions"
    try:
        for name, command in solvers.items():
            define(name, command, "[solvers]", str(folder), OWN)
        for specs in table.backends.values():
            for spec in specs:
                registry.select([spec], _SAMPLE, question, from_file=False)
    finally:
        for name, backend in before.items():
            if backend is not None:
                registry.add(backend)
            elif registry.defined(name) is not None:
                registry.forget(name)
