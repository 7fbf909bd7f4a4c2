"""The description of a campaign, with the same keys in a TOML file, in Python and in a store; and its puzzles.

docs/reference/campaigns.md lists the keys. They are all checked before the first puzzle is generated; an error names
the key. This module must not know of runs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import inspect
import itertools
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import tomli_w
from crosslit_generate.generate import generate

from crosslit import contract, formats, registry
from crosslit.base.errors import GaveUp, InputError, SpecError
from crosslit.base.files import file_of, read_toml, show_path
from crosslit.base.records import from_json
from crosslit.base.text import did_you_mean
from crosslit.contract import QuestionName
from crosslit.contract.run import Limits
from crosslit.kinds import Puzzle
from crosslit.registry import OWN, Choice, define

CampaignTask = Literal["first", "unique", "all", "fewest"]
SOLUTIONS: Mapping[CampaignTask, int | None] = {"first": 1, "unique": 2, "all": None, "fewest": None}
"""The number of solutions after which a run stops; None for all."""
ExpectedVerdict = Literal["unique", "multiple", "unsolvable"]

_MAX_BYTES = 1 << 22  # of a file; `tomllib` needs some seconds for that much
_MAX_ERROR = 300  # characters
_MAX_NAME = 40  # characters of a puzzle that serves as its own name
_SAMPLE: Puzzle = formats.from_line("10/01")


@contextlib.contextmanager
def _blaming(place: str) -> Iterator[None]:
    """Put a key or a table in front of an error about it."""
    try:
        yield
    except InputError:  # of a file, which it names
        raise
    except (ValueError, TypeError, SpecError, GaveUp) as error:
        raise ValueError(f"{place}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class CampaignLimits:
    """The table ``[limits]``: the limits of each run."""

    timeout: float = Limits.timeout  # seconds of wall time, from encoding to decoding
    cpu_timeout: float | None = None  # seconds of CPU time of all its processes
    memory_mb: int = Limits.memory_mb
    cores: int | None = None  # the run is pinned to this number of cores, and shares them with no other


@dataclass(frozen=True, kw_only=True)
class PuzzleTable:
    """A table ``[[puzzles]]``, with one of the keys ``files``, ``puzzles`` and ``generate``."""

    family: str = ""
    growth: bool = True  # whether growth with size is fitted
    expected: ExpectedVerdict | None = None
    source: str = "the campaign"  # of the expected verdict
    files: tuple[str, ...] = ()
    format: str | None = None
    puzzles: tuple[str, ...] = ()
    generate: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of `crosslit.generate`; a list stands for each value

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """Return a table; a ValueError says what is wrong with it."""
        if len(ways := [way for way in ("files", "puzzles", "generate") if record.get(way)]) != 1:
            raise ValueError(f"expected one of files, puzzles and generate, found {' and '.join(ways) or 'none'}")
        own = {key.name for key in dataclasses.fields(cls)} - {"arguments"}
        more = inspect.signature(generate).parameters.keys() - {"kind", "picture"} if ways == ["generate"] else set()
        for name in record.keys() - own - more:
            hint = did_you_mean(name, own | more) or f"it has {', '.join(sorted(own | more))}"
            raise ValueError(f"there is no {name!r:.40}; {hint}")
        known = {name: value for name, value in record.items() if name in own}
        arguments = {name: value for name, value in record.items() if name in more}
        if ways == ["generate"] and "size" not in arguments:
            raise ValueError("size is missing")
        return from_json(cls, {**known, "arguments": arguments})

    @property
    def name(self) -> str:
        """The family of its puzzles, by default how they are given."""
        return self.family or self.generate or ("files" if self.files else "puzzles")

    def found(self, folder: Path) -> Iterator[Puzzle]:
        """Yield the puzzles with their names; paths start from the folder, and generating a puzzle may take a while."""
        for pattern in self.files:
            for path in _matched(pattern, folder):
                yield from formats.read_all(str(path), self.format)
        if self.puzzles:
            for number, puzzle in enumerate(formats.parse_all("\n".join(self.puzzles).encode(), "puzzles", "lines"), 1):
                is_short = len(puzzle.text) <= _MAX_NAME
                yield puzzle.named(puzzle.name or (puzzle.text if is_short else f"puzzle {number}"))
        for values in itertools.product(*map(_axis, self.arguments.values())) if self.generate else ():
            arguments = dict(zip(self.arguments, values, strict=True))
            # the name has what it takes to generate the puzzle again
            words = [f"{key}={value}" for key, value in arguments.items() if key not in ("size", "count")]
            for number, puzzle in enumerate(generate(self.generate, **arguments), 1):  # type: ignore[arg-type]
                yield puzzle.named(" ".join([f"{puzzle.rows}x{puzzle.columns}", *words, f"#{number}"]))


def _axis(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _matched(pattern: str, folder: Path) -> list[Path]:
    """Return the files of puzzles that a pattern, a folder, a path or FILE:7 means."""
    whole = folder / pattern
    if os.path.exists(file_of(str(whole))):  # before patterns: the name of a file may look like one
        found = [whole]
    else:
        found = [folder / path for path in sorted(glob.glob(pattern, root_dir=folder, recursive=True))]  # noqa: PTH207  (a pattern may be absolute)
    files = [file for path in found for file in (formats.in_folder(path) if path.is_dir() else [path])]
    if not files:
        raise ValueError(f"files: {pattern!r} matches no file of puzzles in {show_path(folder)}")
    return files


class Instance(NamedTuple):
    """A puzzle of a campaign."""

    puzzle: Puzzle
    family: str  # growth with size is fitted for each family
    expected: ExpectedVerdict | None = None
    source: str = ""  # of the expected verdict

    @property
    def size(self) -> float:
        """The n of an n x n puzzle with as many cells."""
        return math.sqrt(self.puzzle.rows * self.puzzle.columns)


@dataclass(frozen=True, kw_only=True)
class CampaignSpec:
    """A campaign: the keys of its file, then its name and folder."""

    title: str
    about: str = ""
    task: CampaignTask = "unique"
    repetitions: int = 1
    seeds: tuple[int, ...] = ()  # a backend with an option ``seed`` runs with each of them
    seed: int = 0  # of the random order of the runs
    backends: Mapping[str, tuple[str, ...]]  # specs by group; the group is "" if there are none
    limits: CampaignLimits = field(default_factory=CampaignLimits)
    solvers: Mapping[str, Any] = field(default_factory=dict)
    puzzles: tuple[Mapping[str, Any], ...]  # the tables as they are written, see `PuzzleTable`
    name: str = "campaign"  # of its file, without folder and extension
    folder: Path = field(default_factory=Path)  # from which relative paths start

    def __post_init__(self) -> None:
        bounds: list[tuple[str, float, float, float]] = [
            ("repetitions", self.repetitions, 1, 10_000),
            ("seed", self.seed, 0, 2**63 - 1),
        ]
        bounds += [("seeds", seed, 0, 2**31 - 1) for seed in self.seeds]  # the range of the backends' option
        for key, value, minimum, maximum in bounds:
            if not minimum <= value <= maximum:
                raise ValueError(f"{key}: expected a number from {minimum:g} to {maximum:g}, found {value!r:.40}")
        if not self.backends or not all(self.backends.values()):
            raise ValueError("backends: expected at least one spec, and one in each group")
        with _blaming("limits"):
            assert self.run_limits  # which checks their ranges

    @classmethod
    def of(cls, keys: Mapping[str, Any], name: str, folder: Path) -> Self:
        """Return the campaign with these keys, whose commands become backends of this process.

        A ValueError names the key that is wrong, or has a wrong value.
        """
        given = keys.get("backends", {})
        groups = given if isinstance(given, Mapping) else {"": given}
        split = {group: text.split(",") if isinstance(text, str) else text for group, text in groups.items()}
        if internal := sorted({"name", "folder"} & keys.keys()):
            raise ValueError(f"there is no {internal[0]!r}")
        spec = from_json(cls, {"title": name, **keys, "backends": split})
        if not spec.puzzles:
            raise ValueError("puzzles: expected a table [[puzzles]], found none")
        spec = dataclasses.replace(spec, name=name, folder=folder, seeds=tuple(dict.fromkeys(spec.seeds)))
        spec.define_solvers()
        for text in itertools.chain.from_iterable(spec.backends.values()):
            with _blaming("backends"):
                spec.choices(spec.resolve(text).spec, _SAMPLE)
        for number, record in enumerate(spec.puzzles, 1):
            with _blaming(f"[[puzzles]] {number}"):
                PuzzleTable.read(record)
        return spec

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a campaign from its TOML file; an InputError names the file, and the key or the line."""
        record = read_toml(path, _MAX_BYTES)
        try:
            return cls.of(record, path.stem.encode(errors="replace").decode(), path.resolve().parent)
        except InputError:
            raise
        except ValueError as error:
            raise InputError(show_path(path), " ".join(str(error).split())[:_MAX_ERROR]) from None

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of its file, without those that have their default."""
        shown = [key for key in dataclasses.fields(self) if key.name not in ("name", "folder")]
        values = dataclasses.asdict(self)
        record = {key.name: values[key.name] for key in shown if getattr(self, key.name) != key.default}
        record["backends"] = record["backends"].get("", record["backends"])
        record["limits"] = {key: value for key, value in record["limits"].items() if value is not None}
        return {key: value for key, value in record.items() if value != {}}

    @property
    def toml(self) -> str:
        """The text of its file."""
        return tomli_w.dumps(self.keys)

    @property
    def question(self) -> QuestionName:
        """The question that the runs ask a backend."""
        return contract.FEWEST.name if self.task == contract.FEWEST.name else contract.SOLUTIONS.name

    @property
    def run_limits(self) -> Limits:
        """The limits of a run."""
        limits = self.limits
        return Limits(SOLUTIONS[self.task], limits.timeout, limits.memory_mb, limits.cpu_timeout, limits.cores)

    @property
    def without_growth(self) -> frozenset[str]:
        """The families for which growth with size is not fitted."""
        return frozenset(table.name for table in map(PuzzleTable.read, self.puzzles) if not table.growth)

    def define_solvers(self) -> None:
        """Register the commands as backends of this process."""
        for name, solver in self.solvers.items():
            with _blaming(f"solvers.{name}"):
                if isinstance(solver, Mapping) and "python" in solver:
                    if solver.keys() != {"python", "backend"} or not all(map(str.__instancecheck__, solver.values())):
                        raise ValueError("expected python = 'ENVIRONMENT', backend = 'SPEC' and no other key")
                    if name in registry.all_backends():
                        raise ValueError("there is a backend of that name")
                elif isinstance(solver, str | Mapping):
                    define(name, solver, f"campaign {self.name}", str(self.folder), OWN)
                else:
                    raise ValueError(f"expected 'COMMAND {{cnf}}' or a table, found {solver!r:.40}")

    def resolve(self, text: str) -> Resolved:
        """Return what a spec of the campaign means."""
        solver = self.solvers.get(text)
        if not isinstance(solver, Mapping) or "python" not in solver:
            return Resolved(text)
        path = self.folder / Path(solver["python"]).expanduser()
        return Resolved(solver["backend"], str(path / "bin" / "python" if path.is_dir() else path), text)

    def choices(self, text: str, puzzle: Puzzle) -> list[Choice]:
        """Return what a spec of registered backends selects for a puzzle, without those of a `crosslit.toml`."""
        return registry.select([text], puzzle, self.question, from_file=False)

    def instances(self) -> Iterator[Instance]:
        """Yield the puzzles in order, each once; names are unique within a family."""
        known: set[str] = set()
        counts: dict[tuple[str, str], int] = {}
        try:
            for number, record in enumerate(self.puzzles, 1):
                with _blaming(f"[[puzzles]] {number}"):
                    table = PuzzleTable.read(record)
                    for puzzle in table.found(self.folder):
                        if puzzle.id in known:
                            continue
                        known.add(puzzle.id)
                        name = puzzle.name.encode(errors="replace").decode()  # that of a file may not be UTF-8
                        count = counts[table.name, name] = counts.get((table.name, name), 0) + 1
                        puzzle = puzzle.named(name if count == 1 else f"{name} ({count})")
                        yield Instance(puzzle, table.name, table.expected, table.source if table.expected else "")
        except InputError:
            raise
        except ValueError as error:
            raise InputError(f"campaign {self.name}", str(error)) from None


class Resolved(NamedTuple):
    """The meaning of a spec in a campaign."""

    spec: str  # a spec of registered backends
    python: str = ""  # the interpreter of another environment; empty for this one
    name: str = ""  # under ``[solvers]``, of a backend in another environment
