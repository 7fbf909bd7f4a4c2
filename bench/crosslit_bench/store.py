"""The store of a campaign: one SQLite file with its description, its plan, and all runs with their solutions.

A run is stored under its key, so no run is stored twice. The file may come from anybody: its tables must be exactly
these, solutions must have the hash under which they are stored, and texts are trusted no further. This module must not
judge an answer.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid, Grids, Layout, pack
from crosslit.base.posix import fcntl, require_isolation
from crosslit.base.records import from_json
from crosslit.base.text import exact, one_line
from crosslit.contract import PHASES
from crosslit.contract.run import Run, Timing
from crosslit.formats import parse_line
from crosslit.kinds import Puzzle
from crosslit_bench.plan import Contestant, Plan, PlannedRun
from crosslit_bench.spec import CampaignSpec, Instance

SCHEMA, APPLICATION = 5, 0x43524C54  # "CRLT": distinguishes our files from other databases
_MAX_BYTES = 1 << 27  # of the packed solutions of a run

_TEXT, _REAL, _INTEGER = "TEXT NOT NULL", "REAL NOT NULL", "INTEGER NOT NULL"
TIMES = (*PHASES, "total", "cpu", "wall", "overhead", "delayed")
"""The columns of times, in seconds."""
RUN_COLUMNS = {
    **dict.fromkeys(("encoding", "version", "status", "error"), _TEXT),
    **dict.fromkeys(("solutions", "bound"), _INTEGER),
    **dict.fromkeys(TIMES, _REAL),
    "start": "REAL",  # seconds of a run on a tiny puzzle, of a program that is started for each run
    "memory_mb": _REAL,
    **dict.fromkeys(("threads", "left_behind"), _INTEGER),
    **dict.fromkeys(("stray", "stats", "trusts", "started", "limits_by"), _TEXT),
    "machine_load": _REAL,
    **dict.fromkeys(("jobs", "processors"), _INTEGER),
    **dict.fromkeys(("crosslit", "python", "system", "host", "processor", "governor", "container"), _TEXT),
    **dict.fromkeys(("clock_mhz", "machine_memory_mb"), _REAL),
}
"""The columns of a run, with their SQL types."""
_TABLES = {
    "about": "name TEXT PRIMARY KEY, value TEXT NOT NULL",
    "puzzles": (
        "id TEXT PRIMARY KEY, place INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
        " family TEXT NOT NULL, expected TEXT, source TEXT NOT NULL"
    ),
    "contestants": (
        "label TEXT PRIMARY KEY, place INTEGER NOT NULL, team TEXT NOT NULL, version TEXT NOT NULL,"
        " plugin TEXT NOT NULL, sources TEXT NOT NULL, programs TEXT NOT NULL"
    ),
    "plan": (
        "key TEXT PRIMARY KEY, place INTEGER NOT NULL, puzzle_id TEXT NOT NULL, contestant TEXT NOT NULL,"
        " spec TEXT NOT NULL, seed INTEGER, repetition INTEGER NOT NULL"
    ),
    "answers": (
        "id TEXT PRIMARY KEY, rows INTEGER NOT NULL, columns INTEGER NOT NULL, count INTEGER NOT NULL,"
        " packed BLOB NOT NULL"
    ),
    "runs": ", ".join(["key TEXT PRIMARY KEY, answer TEXT NOT NULL", *(f"{x} {y}" for x, y in RUN_COLUMNS.items())]),
}
_CONTESTANT = "label, team, version, plugin, sources, programs"
TABLES = {name: f"CREATE TABLE {name} ({columns}) STRICT, WITHOUT ROWID" for name, columns in _TABLES.items()}


class StoredAnswer(NamedTuple):
    """The solutions of a run, as a row of the table ``answers``."""

    id: str  # a sha256 of their layout, their number and their cells
    rows: int
    columns: int
    number: int
    packed: bytes  # compressed

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> StoredAnswer:
        """Return the stored form of solutions, at least one."""
        packed, first = pack(grids), grids[0]
        key = _digest(Layout(first.rows, first.columns, first.states), len(grids), packed)
        return cls(key, first.rows, first.columns, len(grids), zlib.compress(packed, 1))

    def grids(self, puzzle: Puzzle) -> Grids:
        """Return the solutions of a puzzle; a ValueError if they are not those that were stored."""
        layout = Layout(self.rows, self.columns, puzzle.layout.states)
        # with a limit: damaged data can decompress to a thousand times its size
        packed = zlib.decompressobj().decompress(self.packed, min(_MAX_BYTES, layout.size * self.number) + 1)
        if layout != puzzle.layout or _digest(layout, self.number, packed) != self.id:
            raise ValueError("its solutions are not the ones that were stored")
        layout.require(packed)
        return Grids(layout, packed)


def _digest(layout: Layout, count: int, packed: bytes) -> str:
    states = b" x %d" % layout.states if layout.states > 2 else b""
    return hashlib.sha256(b"%d x %d%s, %d: " % (layout.rows, layout.columns, states, count) + packed).hexdigest()


class RunRow(NamedTuple):
    """A finished run, as it is stored."""

    key: str
    columns: dict[str, Any]  # by name, see `RUN_COLUMNS`
    answer: StoredAnswer | None  # None without solutions

    @classmethod
    def of(cls, planned: PlannedRun, run: Run, circumstances: dict[str, Any], start: float | None) -> RunRow:
        """Return a planned run that was made under these circumstances; see `RUN_COLUMNS` for the start."""
        if run.grids and len(run.grids) * len(run.grids[0].packed) > _MAX_BYTES:
            why = f"its {len(run.grids)} solutions exceed the {_MAX_BYTES >> 20} MB that are stored for a run"
            run = replace(run, status="memory", error=why, grids=[])
        own = ("encoding", "version", "status", "error", "bound", "memory_mb", "threads", "stray")
        timing = {name: getattr(run.timing, name) for name in ("total", "cpu", "wall", "overhead", "delayed")}
        columns: dict[str, Any] = {
            **{name: getattr(run, name) for name in own},
            **{str(phase): seconds for phase, seconds in run.timing.phases.items()},
            **timing,
            "start": start,
            "solutions": len(run.grids),
            "left_behind": run.left,
            "stats": json.dumps({key: exact(value) for key, value in run.stats.items()}),
            "trusts": json.dumps(sorted(run.trusted_base)),
            **circumstances,
        }
        return cls(planned.key, columns, StoredAnswer.of(run.grids) if run.grids else None)


class StoredRun(NamedTuple):
    """A finished run of the plan."""

    planned: PlannedRun
    columns: dict[str, Any]
    run: Run
    label: str  # the contestant; of one on unlike machines, with the machine


def is_store(path: Path) -> bool:
    """Return whether a plain file is an SQLite database and not a campaign's TOML file."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise InputError(str(path), str(error.strerror)) from None


def store_path(source: str | os.PathLike[str]) -> Path:
    """Return the path of a store; for a campaign's TOML file, that of its name in the working directory."""
    path = Path(source)
    is_toml = path.suffix.lower() == ".toml" and path.is_file() and not is_store(path)
    return Path(f"{path.stem}.sqlite") if is_toml else path


class Store:
    """A store; a context manager. Damage and failed writes are an `InputError` that names the file."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and (not path.exists() or not path.stat().st_size):
            raise InputError(str(path), "no such file of results; `crosslit bench run` makes it")
        with self._understood():
            mode = "rwc" if create else "rw" if os.access(path, os.W_OK) else "ro"
            address = f"{path.resolve().as_uri()}?mode={mode}"
            self._database = sqlite3.connect(address, timeout=60.0, isolation_level=None, uri=True)
        with contextlib.ExitStack() as unusable, self._understood():
            unusable.callback(self._database.close)
            if create and not self._select("SELECT name FROM sqlite_master"):
                with self._transaction():
                    for statement in TABLES.values():
                        self._database.execute(statement)
                    self._database.execute(f"PRAGMA application_id = {APPLICATION}")
                    self._database.execute(f"PRAGMA user_version = {SCHEMA}")
            self._require_schema()
            unusable.pop_all()

    def _require_schema(self) -> None:
        # exactly our tables, because a view or a trigger would run SQL from an untrusted file
        if dict(self._select("SELECT name, sql FROM sqlite_master")) == TABLES:
            return
        ((application,),), ((schema,),) = self._select("PRAGMA application_id"), self._select("PRAGMA user_version")
        if application == APPLICATION and schema != SCHEMA:
            raise InputError(str(self.path), f"is a file of results of schema {schema}, this Crosslit reads {SCHEMA}")
        raise InputError(str(self.path), "expected a file of results, found another database")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    @contextlib.contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except (sqlite3.Error, zlib.error, ArithmeticError, LookupError, TypeError, ValueError) as error:
            words = one_line(str(error)) or type(error).__name__
            raise InputError(str(self.path), f"cannot be read or written: {words:.100}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._understood():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                self._database.execute("ROLLBACK")
                raise

    def _select(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query; a list, because an open cursor of a slow reader would block the writer."""
        with self._understood():
            return self._database.execute(query, parameters).fetchall()

    def _insert(self, table: str, row: Iterable[Any]) -> bool:
        """Add a row unless its key exists; return whether it was added."""
        values = [value.encode(errors="replace").decode() if isinstance(value, str) else value for value in row]
        query = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(values))})"
        return self._database.execute(query, values).rowcount > 0

    def prepare(
        self, spec: CampaignSpec, instances: Iterable[Instance], plan: Plan, shard: tuple[int, int] | None = None
    ) -> None:
        """Store the description and the plan of the campaign, replacing an earlier plan; runs are kept."""
        with self._transaction():
            for table in ("about", "puzzles", "contestants", "plan"):
                self._database.execute(f"DELETE FROM {table}")
            self._insert("about", ("campaign", json.dumps({"name": spec.name, **spec.keys})))
            self._insert("about", ("shard", json.dumps(shard)))
            for place, (puzzle, *others) in enumerate(instances):
                self._insert("puzzles", (puzzle.id, place, puzzle.kind, puzzle.name, puzzle.text, *others))
            for place, (label, *others) in enumerate(plan.contestants):
                self._insert("contestants", (label, place, *others))
            for place, run in enumerate(plan.runs):
                own = (run.puzzle_id, run.contestant, run.spec, run.seed, run.repetition)
                self._insert("plan", (run.key, place, *own))

    def add(self, rows: Iterable[RunRow]) -> int:
        """Store finished runs in one transaction; return the number of new ones."""
        new = 0
        with self._transaction():
            for key, columns, answer in rows:
                if answer is not None:
                    self._insert("answers", answer)
                new += self._insert("runs", (key, answer.id if answer else "", *(columns[x] for x in RUN_COLUMNS)))
        return new

    @functools.cached_property
    def _about(self) -> dict[str, Any]:
        rows = self._select("SELECT name, value FROM about")
        if not rows:
            raise InputError(str(self.path), "no campaign was started in this file")
        with self._understood():
            return {name: json.loads(value) for name, value in rows}

    @property
    def spec(self) -> CampaignSpec:
        """The description of the campaign."""
        keys = self._about["campaign"]
        with self._understood():
            groups = keys["backends"]
            known = {field.name: keys[field.name] for field in fields(CampaignSpec) if field.name in keys}
            return from_json(CampaignSpec, known | {"backends": groups if isinstance(groups, dict) else {"": groups}})

    @property
    def shard(self) -> tuple[int, int] | None:
        """The part of the plan that belongs in this store, as (number, of); None for the whole plan."""
        with self._understood():
            return from_json(tuple[int, int], self._about["shard"]) if self._about["shard"] else None

    @functools.cached_property
    def instances(self) -> list[Instance]:
        """The puzzles, in the order of the campaign."""
        with self._understood():
            found = []
            for id_, _, kind, name, text, *others in self._select("SELECT * FROM puzzles ORDER BY place"):
                puzzle = parse_line(kind, text, str(self.path)).named(name)
                if puzzle.id != id_:
                    raise ValueError("a puzzle does not match its id")
                found.append(Instance(puzzle, *others))
            return found

    def plan(self) -> Plan:
        """Return the plan."""
        contestants = [
            Contestant(*row) for row in self._select(f"SELECT {_CONTESTANT} FROM contestants ORDER BY place")
        ]
        puzzles = {instance.puzzle.id: instance.puzzle for instance in self.instances}
        names = ("key", "puzzle_id", "contestant", "spec", "seed", "repetition")
        rows = self._select(f"SELECT {', '.join(names)} FROM plan ORDER BY place")
        with self._understood():
            runs = [PlannedRun(puzzle=puzzles[row[1]], **dict(zip(names, row, strict=True))) for row in rows]
        return Plan(contestants, runs)

    def keys(self) -> set[str]:
        """Return the keys of all stored runs, planned or not."""
        return {key for (key,) in self._select("SELECT key FROM runs")}

    def runs(self, planned: Iterable[PlannedRun]) -> Iterator[StoredRun]:
        """Yield the finished ones of some planned runs, in their order."""
        stored = {row[0]: row for row in self._select("SELECT * FROM runs")}
        answers: dict[str, Sequence[Grid]] = {"": []}
        with self._understood():
            for run in planned:
                if run.key not in stored:
                    continue
                _, answer, *values = stored[run.key]
                if answer not in answers:
                    (row,) = self._select("SELECT * FROM answers WHERE id = ?", answer)
                    answers[answer] = StoredAnswer(*row).grids(run.puzzle)
                columns = dict(zip(RUN_COLUMNS, values, strict=True))
                if len(answers[answer]) != columns["solutions"]:
                    raise ValueError("a run has not the number of solutions that are stored")
                yield StoredRun(run, columns, _run(run, columns, answers[answer]), run.contestant)


_phases_of, _times_of = itemgetter(*PHASES), itemgetter("cpu", "wall", "overhead", "delayed")


def _run(planned: PlannedRun, columns: dict[str, Any], grids: Sequence[Grid]) -> Run:
    timing = Timing(dict(zip(PHASES, _phases_of(columns), strict=True)), *_times_of(columns))
    own = {name: columns[name] for name in ("encoding", "version", "status", "error", "bound", "stray", "threads")}
    return Run(
        planned.spec,
        grids=grids,
        timing=timing,
        trusted_base=_names(columns["trusts"]),
        memory_mb=columns["memory_mb"],
        stats=json.loads(columns["stats"]),
        repetition=planned.repetition,
        left=columns["left_behind"],
        **own,
    )


@functools.lru_cache(maxsize=1024)
def _names(text: str) -> frozenset[str]:
    return frozenset(json.loads(text))


@contextlib.contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the lock of the only process that writes to a store; the system releases it when the process ends."""
    require_isolation()
    # a file of its own, because closing a descriptor of the store would release the locks of SQLite
    lock = Path(f"{path}.lock")
    try:
        file = lock.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(str(path), str(error.strerror)) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(str(path), "another process is writing to it") from None
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def merge(target: Path, sources: Sequence[Path]) -> list[tuple[Path, int, int]]:
    """Merge several stores into one, which may exist; if they do not belong together, nothing is changed.

    Every store has the whole plan, so stores with equal plans belong to one campaign. Return, for each source, the
    numbers of new runs and of those that the target had already.
    """
    paths = [path for path in dict.fromkeys(sources) if path != target]
    if not paths:
        raise InputError(str(target), "nothing to merge into it")
    with contextlib.ExitStack() as stack:
        stack.enter_context(writer_lock(target))
        stores = [stack.enter_context(Store(path)) for path in ([target] if target.exists() else []) + paths]
        plan = stores[0].plan()
        for store in stores[1:]:
            if {run.key for run in store.plan().runs} != {run.key for run in plan.runs}:
                raise InputError(str(store.path), f"belongs to another campaign or plan than {stores[0].path}")
        # all are read before the first is written
        taken = {store.path: [_row(run) for run in store.runs(plan.runs)] for store in stores if store.path != target}
        merged = stack.enter_context(Store(target, create=True))
        merged.prepare(stores[0].spec, stores[0].instances, plan)
        counts = [(path, merged.add(runs), len(runs)) for path, runs in taken.items()]
    return [(path, new, count - new) for path, new, count in counts]


def _row(stored: StoredRun) -> RunRow:
    return RunRow(stored.planned.key, stored.columns, StoredAnswer.of(stored.run.grids) if stored.run.grids else None)
