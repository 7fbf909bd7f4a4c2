"""What the runs of a campaign found, in one SQLite file.

A run is kept under its key (`plan.Planned`) as soon as it has ended, in a transaction of its own: a process that is
killed at any moment loses the runs under way alone, and making a campaign again adds nothing twice. One process writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from crosslit import __version__
from crosslit.campaigns.campaign import Asked, Campaign, Instance
from crosslit.campaigns.outcome import Outcome
from crosslit.campaigns.plan import Planned, share
from crosslit.campaigns.rows import COLUMNS, Row, row_of, values_of
from crosslit.contract import Question
from crosslit.errors import InputError
from crosslit.formats import require
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.records import Limits

SCHEMA = 2
MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x43524C54  # "CRLT": tells our files from other databases
_PATIENCE = 60.0  # seconds that one process waits for what another does to the file
_LARGEST = 1 << 27  # bytes of the solutions of one run
_NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # of what no store has kept

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE puzzles (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
  family TEXT NOT NULL, size REAL NOT NULL, facts TEXT NOT NULL, place INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE plan (
  key TEXT PRIMARY KEY, place INTEGER NOT NULL, puzzle TEXT NOT NULL, spec TEXT NOT NULL, contestant TEXT NOT NULL,
  contestants TEXT NOT NULL, seed INTEGER, repetition INTEGER NOT NULL, version TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
  id TEXT PRIMARY KEY, rows INTEGER NOT NULL, columns INTEGER NOT NULL, count INTEGER NOT NULL, packed BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs ({runs}) WITHOUT ROWID;
"""


@dataclass(frozen=True)
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

    @property
    def question(self) -> Question:
        """What its runs ask a backend."""
        return "fewest" if self.asked == "fewest" else "solutions"


class Store:
    """A file of results; a context manager.

    Args:
        path: of the file.
        create: make it, where there is none.
        write: open it for writing.

    Raises:
        InputError: if it is not there, cannot be opened, or is no such file.
    """

    def __init__(self, path: Path, *, create: bool = False, write: bool = False) -> None:
        self.path = path
        fresh = not path.exists() or not path.stat().st_size
        if fresh and not create:
            raise InputError(str(path), "no such file of results; `crosslit bench run` makes it")
        torn = os.path.exists(f"{path}-journal")  # a writer was killed: opening it to write undoes what it had begun
        if not fresh and not torn and not is_store(path):
            raise InputError(str(path), "expected a file of results that `crosslit bench run` has made")
        writable = write or (torn and os.access(path, os.W_OK))
        mode = "rwc" if create else "rw" if writable else "ro"
        address = f"{path.resolve().as_uri()}?mode={mode}"
        with contextlib.ExitStack() as stack:
            try:
                self._database = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
                stack.callback(self._database.close)
                if create:
                    self._make()
                self._check()
            except sqlite3.Error as error:
                raise InputError(str(path), f"cannot be opened: {error}") from None
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _make(self) -> None:
        if self._filled():
            return
        with self._transaction():
            if self._filled():  # somebody else was quicker
                return
            runs = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
            for statement in _TABLES.format(runs=runs).split(";\n"):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {SCHEMA}")

    def _filled(self) -> bool:
        return self._database.execute("SELECT name FROM sqlite_master").fetchone() is not None

    def _check(self) -> None:
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (schema,) = self._database.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise InputError(str(self.path), "expected a file of results, found another database")
        if schema != SCHEMA:
            raise InputError(str(self.path), f"expected results of schema {SCHEMA}, found {schema}: another version's")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it, or nothing.

        Raises:
            InputError: if the file cannot be written.
        """
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite ends it by itself where the disk is full
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            moved = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_DBMOVED
            told = "it was moved or deleted" if moved else error
            raise InputError(str(self.path), f"cannot be written: {told}") from None

    @contextlib.contextmanager
    def _understood(self) -> Iterator[None]:
        """Raises InputError where what is in the file cannot be read, or is nothing that was ever kept."""
        try:
            yield
        except (sqlite3.Error, zlib.error, *_NONSENSE) as error:
            told = "".join(filter(str.isprintable, str(error)))[:100] or type(error).__name__
            raise InputError(str(self.path), f"cannot be read: {told}") from None

    def prepare(self, about: About, instances: Iterable[Instance], planned: Iterable[Planned]) -> None:
        """Note what the campaign is: its plan takes the place of any before; results that are there stay."""
        with self._transaction():
            self._database.execute("DELETE FROM plan")
            self._database.execute("DELETE FROM puzzles")
            self._put_about(about)
            for place, instance in enumerate(instances):
                puzzle = instance.puzzle
                name = puzzle.name.encode(errors="replace").decode()  # a file's name may be no text
                made = (instance.family, instance.size, json.dumps(dict(instance.facts)))
                self._insert("puzzles", (puzzle.id, puzzle.kind, name, puzzle.text, *made, place))
            for run in planned:
                row = (run.key, run.place, run.puzzle.id, run.spec, run.contestant, run.group)
                self._insert("plan", (*row, run.seed, run.repetition, run.version))

    def retell(self, about: About) -> None:
        """Note otherwise what the campaign is, and leave its plan as it is.

        Raises:
            InputError: if the file cannot be written.
        """
        with self._transaction():
            self._put_about(about)

    def _put_about(self, about: About) -> None:
        record = {**dataclasses.asdict(about), "crosslit": __version__}
        self._database.execute("INSERT OR REPLACE INTO about VALUES ('campaign', ?)", (json.dumps(record),))

    def _insert(self, table: str, row: Sequence[Any]) -> bool:
        """Add a row, unless its key is there; whether it was added."""
        marks = ", ".join("?" * len(row))
        return self._database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row).rowcount > 0

    def add(self, planned: Planned, outcome: Outcome, question: Question, limits: Limits) -> bool:
        """Keep a run; False, and nothing changes, where its key is there."""
        return self.add_all([(planned, outcome)], question, limits) > 0

    def add_all(self, made: Sequence[tuple[Planned, Outcome]], question: Question, limits: Limits) -> int:
        """Keep runs, all at once; how many were new.

        Raises:
            InputError: if the file cannot be written.
        """
        if not made:
            return 0
        with self._transaction():
            return sum(self._add(planned, outcome, question, limits) for planned, outcome in made)

    def _add(self, planned: Planned, outcome: Outcome, question: Question, limits: Limits) -> bool:
        run = outcome.run
        packed = b"".join(grid.packed for grid in run.grids)
        if len(packed) > _LARGEST:
            why = f"its {len(run.grids)} solutions are more than the {_LARGEST >> 20} MB that are kept of a run"
            run, packed = dataclasses.replace(run, status="memory", error=why, grids=[]), b""
        answer = ""
        if run.grids:
            shape = run.grids[0].rows, run.grids[0].columns, len(run.grids)
            answer = _digest(*shape, packed)
            self._insert("answers", (answer, *shape, zlib.compress(packed, 1)))
        values = values_of(planned, dataclasses.replace(outcome, run=run), answer, question, limits)
        return self._insert("runs", tuple(values.values()))

    def absorb(self, others: Sequence[Store]) -> list[tuple[int, int]]:
        """Keep the planned runs of other stores too: all of them, or none.

        Returns:
            For each of the stores, how many of its runs were new here, and how many were here already.

        Raises:
            InputError: if the file cannot be written.
        """
        with self._transaction():
            return [self._absorb(other) for other in others]

    def _absorb(self, other: Store) -> tuple[int, int]:
        rows = list(other.values())
        taken = [row for row in rows if self._insert("runs", tuple(row.values()))]
        query = "SELECT id, rows, columns, count, packed FROM answers WHERE id = ?"
        for answer in {row["answer"] for row in taken} - {""}:
            with other._understood():
                (found,) = other._database.execute(query, (answer,)).fetchall()
            self._insert("answers", found)
        return len(taken), len(rows) - len(taken)

    @property
    def about(self) -> About:
        """What the store says of its campaign.

        Raises:
            InputError: if it says nothing, because it was never filled.
        """
        record = self.note("campaign")
        if record is None:
            raise InputError(str(self.path), "no campaign was ever begun in this file")
        with self._understood():
            record.pop("crosslit")
            for name in ("seeds", "groups", "command"):
                record[name] = tuple(record[name])
            record["limits"] = Limits(**record["limits"])
            record["shard"] = tuple(record["shard"]) if record["shard"] else None
            return About(**record)

    @property
    def made_by(self) -> str:
        """The version of Crosslit that planned the campaign."""
        return str((self.note("campaign") or {"crosslit": ""})["crosslit"])

    def note(self, name: str) -> Any:
        """A JSON value that somebody has noted; None if nobody has."""
        with self._understood():
            row = self._database.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            return None if row is None else json.loads(row[0])

    def change_note(self, name: str, change: Callable[[Any], Any]) -> None:
        """Put what ``change`` makes of a note in its place, before anybody else can; None removes it.

        Raises:
            InputError: if the file cannot be written.
        """
        with self._transaction():
            value = change(self.note(name))
            self._database.execute("DELETE FROM about WHERE name = ?", (name,))
            if value is not None:
                self._insert("about", (name, json.dumps(value)))

    def due(self) -> list[Planned]:
        """The runs of the plan that are to be made here: all, or those of the shard."""
        shard, planned = self.about.shard, self.plan()
        return share(planned, *shard) if shard else planned

    def instances(self) -> list[Instance]:
        """The puzzles, in the order of the campaign."""
        with self._understood():
            rows = self._database.execute("SELECT kind, name, text, family, size, facts FROM puzzles ORDER BY place")
            return [
                Instance(_puzzle(kind, name, text), family, size, json.loads(facts))
                for kind, name, text, family, size, facts in rows
            ]

    def plan(self, instances: Sequence[Instance] = ()) -> list[Planned]:
        """The runs of the campaign, in the order in which they are made; of its ``instances``, if these are at hand."""
        puzzles = {instance.puzzle.id: instance.puzzle for instance in instances or self.instances()}
        with self._understood():
            rows = self._database.execute("SELECT * FROM plan ORDER BY place")
            return [Planned(key, place, puzzles[puzzle], *rest) for key, place, puzzle, *rest in rows]

    def keys(self) -> set[str]:
        """Of the runs that were made, planned or not."""
        with self._understood():
            return {key for (key,) in self._database.execute("SELECT key FROM runs")}

    def values(self) -> Iterator[dict[str, Any]]:
        """The runs of the plan that were made, by column, in the order of the plan."""
        query = f"SELECT {', '.join(map('runs.{}'.format, COLUMNS))} FROM plan JOIN runs USING (key) ORDER BY place"
        with self._understood():
            rows = self._database.execute(query).fetchall()  # at once: a slow reader must not keep a writer waiting
        for values in rows:
            yield dict(zip(COLUMNS, values, strict=True))

    def rows(self) -> Iterator[Row]:
        """The runs of the plan that were made, with their solutions, in the order of the plan."""
        answers: dict[str, list[Grid]] = {"": []}
        for values in self.values():
            answer = values["answer"]
            with self._understood():
                if answer not in answers:
                    answers[answer] = self._grids(answer)
                row = row_of(values, list(answers[answer]))
            yield row

    def _grids(self, answer: str) -> list[Grid]:
        query = "SELECT rows, columns, count, packed FROM answers WHERE id = ?"
        rows, columns, count, compressed = self._database.execute(query, (answer,)).fetchone()
        packed = zlib.decompress(compressed)
        if _digest(rows, columns, count, packed) != answer:
            raise ValueError("its solutions are not those that were kept")
        size = len(packed) // count
        return [Grid(rows, columns, packed[at : at + size]) for at in range(0, len(packed), size)]


def is_store(path: Path) -> bool:
    """Whether a file is a database of SQLite, and so not a campaign's description; a pipe is left unread.

    Raises:
        InputError: if it cannot be read.
    """
    if path.is_fifo():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None


def _digest(rows: int, columns: int, count: int, packed: bytes) -> str:
    """Grids of several shapes have the same bytes."""
    return hashlib.sha256(b"%d x %d, %d: " % (rows, columns, count) + packed).hexdigest()


def _puzzle(kind: str, name: str, text: str) -> Puzzle:
    parsed = require("board" if kind == LightsOut.kind else "clues").parse(text, "puzzle")
    return dataclasses.replace(parsed, name=name)
