"""The store of a campaign's runs, one SQLite file.

A run is stored under its key (`plan.PlannedRun`) as soon as it ends, or with other short ones: a process that is killed
at any moment loses the current runs and at most 0.1 s of others, and repeating a campaign adds no duplicates. Only one
process writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.base.version import __version__
from crosslit.contract import SOLUTIONS
from crosslit.formats import parse_line
from crosslit.kinds import Puzzle
from crosslit_bench.plan.campaign import CampaignSpec, Instance, PlannedRun, expectation, share
from crosslit_bench.store import schema
from crosslit_bench.store.outcome import Outcome, RejectedRun, StoredAnswer, check_shapes, check_solutions, storable
from crosslit_bench.store.rows import (
    COLUMNS,
    LIMITS,
    StoredRun,
    check_values,
    from_json,
    mapping,
    plain,
    run_of,
    text,
    values_of,
)
from crosslit_bench.store.schema import is_consistent, note_name

_TIMEOUT_SECONDS = 60.0  # time to wait for another process's lock on the file
_BLOCK = 5000  # rows that are checked together
_OF_PLAN = ("contestant", "spec", "seed", "repetition")
_BROKEN = (sqlite3.Error, UnicodeDecodeError)  # the second one if SQLite's message quotes damaged bytes
# errors when reading a damaged value
_MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class PlannedContestant(NamedTuple):
    """A contestant of a plan, with its number of planned runs."""

    label: str
    group: str
    version: str
    planned: int


class Store:
    """A file of results; a context manager. Damage and failed writes are an `InputError` that names the file."""

    def __init__(self, path: Path, *, create: bool = False, write: bool = False) -> None:
        self.path = path
        self._about: CampaignSpec | None = None
        self._instances: list[Instance] | None = None
        fresh = not path.exists() or not path.stat().st_size
        if fresh and not create:
            raise InputError(str(path), "no such file of results; `crosslit bench run` makes it")
        torn = os.path.exists(f"{path}-journal")  # a writer was killed: opening for writing undoes its transaction
        if not fresh and not torn and not schema.is_store(path):
            raise InputError(str(path), "expected a file of results from `crosslit bench run`")
        writable = write or (torn and os.access(path, os.W_OK))
        mode = "rwc" if create else "rw" if writable else "ro"
        address = f"{path.resolve().as_uri()}?mode={mode}"
        with contextlib.ExitStack() as stack:
            try:
                self._database = sqlite3.connect(address, timeout=_TIMEOUT_SECONDS, isolation_level=None, uri=True)
                stack.callback(self._database.close)
                schema.check_sqlite(path)
                if create:
                    with self._transaction():
                        schema.create(self._database)
                if schema.check(path, self._database) and write:
                    with self._transaction():
                        schema.upgrade(self._database)
            except _BROKEN as error:
                raise InputError(str(path), f"cannot be opened: {_line(error)}") from None
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run the block in a transaction."""
        try:
            # The write lock at once: a transaction that begins by reading fails if another process writes in between.
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite rolls back by itself if the disk is full
                    self._database.execute("ROLLBACK")
                raise
        except _BROKEN as error:
            moved = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_DBMOVED
            problem = "it was moved or deleted" if moved else _line(error)
            raise InputError(str(self.path), f"cannot be written: {problem}") from None

    @contextlib.contextmanager
    def understood(self) -> Iterator[None]:
        """Raise InputError if the block meets damaged data."""
        try:
            yield
        except (sqlite3.Error, zlib.error, *_MALFORMED) as error:
            if isinstance(error, InputError) and str(error).startswith(f"{self.path}: "):
                raise  # from a nested call
            raise InputError(str(self.path), f"cannot be read: {_line(error)}") from None

    def prepare(self, about: CampaignSpec, instances: Iterable[Instance], planned: Iterable[PlannedRun]) -> None:
        """Store the description and the plan of the campaign, replacing an earlier plan; results are kept."""
        with self._transaction():
            self._database.execute("DELETE FROM plan")
            self._database.execute("DELETE FROM puzzles")
            self._put_about(about)
            self._instances = None
            for place, instance in enumerate(instances):
                puzzle = instance.puzzle
                name = puzzle.name.encode(errors="replace").decode()  # the name of a file may not be UTF-8
                made = (instance.family, instance.size, json.dumps(dict(instance.facts)))
                self._insert("puzzles", (puzzle.id, puzzle.kind, name, puzzle.text, *made, place))
            for run in planned:
                row = (run.key, run.place, run.puzzle.id, run.spec, run.contestant, run.group)
                self._insert("plan", (*row, run.seed, run.repetition, plain(run.version), run.content))

    def update_metadata(self, about: CampaignSpec) -> None:
        """Replace the description of the campaign, but not its plan."""
        with self._transaction():
            self._put_about(about)

    def _put_about(self, about: CampaignSpec) -> None:
        self._about = None
        record = {**about.json(), "crosslit": __version__}
        self._database.execute("INSERT OR REPLACE INTO about VALUES ('campaign', ?)", (json.dumps(record),))

    def _insert(self, table: str, row: Sequence[Any]) -> bool:
        """Add a row unless its key exists; return whether it was added. Invalid rows are an error of SQLite."""
        marks = ", ".join("?" * len(row))
        # not OR IGNORE, which would silently drop rows that violate other constraints
        query = f"INSERT INTO {table} VALUES ({marks}) ON CONFLICT({schema.KEYS[table]}) DO NOTHING"
        return self._database.execute(query, row).rowcount > 0

    def add_all(self, made: Sequence[tuple[PlannedRun, Outcome]]) -> tuple[int, list[RejectedRun]]:
        """Store runs in one transaction; return the number of new ones, and those that have an invalid value."""
        new, unkept = 0, []
        if made:
            with self._transaction():
                for planned, outcome in made:
                    try:
                        new += self._add(planned, outcome)
                    except (*_MALFORMED, sqlite3.IntegrityError, sqlite3.DataError) as error:
                        unkept.append(RejectedRun(planned, _line(error)))
        return new, unkept

    def _add(self, planned: PlannedRun, outcome: Outcome) -> bool:
        run, answer = storable(outcome.run)
        check_shapes(planned.puzzle, run.grids)
        outcome = dataclasses.replace(outcome, run=run)
        values = values_of(planned, outcome, answer.id if answer else "", self.about)
        if answer:
            self._insert("answers", dataclasses.astuple(answer))
        self._note_claim(planned.puzzle, values, run.grids)
        return self._insert("runs", tuple(values.values()))

    def _note_claim(self, puzzle: Puzzle, values: Mapping[str, Any], grids: Sequence[Grid]) -> None:
        """Note that the claim of a run with these values is consistent, if it is."""
        if values["question"] != SOLUTIONS.name:
            return
        name = note_name(puzzle.id, values["status"], values["answer"])
        if self.note(name) is None and is_consistent(puzzle, values["status"], grids):
            self._insert("about", (name, "true"))

    def import_runs(self, others: Sequence[Store]) -> list[tuple[int, int]]:
        """Add the planned runs of other stores in one transaction; return for each how many were new and known."""
        with self._transaction():
            return [self._import_runs(other) for other in others]

    def _import_runs(self, other: Store) -> tuple[int, int]:
        rows = list(other.values())
        taken = [row for row in rows if self._insert("runs", tuple(row.values()))]
        puzzles = {instance.puzzle.id: instance.puzzle for instance in other.instances()}
        distinct = {(row["answer"], row["puzzle"], row["status"]): row for row in taken}
        known = ""
        grids: Sequence[Grid] = ()  # one answer at a time, as it may be large
        for (answer, puzzle, _), row in sorted(distinct.items(), key=itemgetter(0)):
            if answer != known:
                with other.understood():
                    (found,) = other.answers([answer])
                    known, grids = answer, found.grids(puzzles[puzzle])  # checks their hash
                self._insert("answers", dataclasses.astuple(found))
            self._note_claim(puzzles[puzzle], row, grids)
        return len(taken), len(rows) - len(taken)

    @property
    def about(self) -> CampaignSpec:
        """The description of the campaign."""
        if self._about is None:
            record = self.note("campaign")
            if record is None:
                raise InputError(str(self.path), "no campaign was started in this file")
            with self.understood():
                self._about = CampaignSpec.from_json(record)
        return self._about

    @property
    def made_by(self) -> str:
        """The version of Crosslit that planned the campaign; empty if none was planned."""
        record = self.note("campaign")
        with self.understood():
            return "" if record is None else text(mapping(record)["crosslit"])

    def note(self, name: str) -> Any:
        """Return the JSON value of a note; None if there is none."""
        with self.understood():
            row = self._database.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            return None if row is None else from_json(row[0])

    def change_note(self, name: str, change: Callable[[Any], Any]) -> None:
        """Replace the value of a note by ``change(value)`` in one transaction; None removes the note."""
        with self._transaction():
            value = change(self.note(name))
            self._database.execute("DELETE FROM about WHERE name = ?", (name,))
            if value is not None:
                self._insert("about", (name, json.dumps(value)))

    def due(self) -> list[PlannedRun]:
        """Return the planned runs that belong in this store: all, or those of its shard."""
        shard, planned = self.about.shard, self.plan()
        return share(planned, *shard) if shard else planned

    def instances(self, ids: Collection[str] | None = None) -> list[Instance]:
        """Return the puzzles, or those with some ids, in the order of the campaign."""
        if ids is not None:
            return self._read_instances("WHERE id IN (SELECT value FROM json_each(?))", json.dumps([*ids]))
        if self._instances is None:
            self._instances = self._read_instances()
        return self._instances

    def _read_instances(self, chosen: str = "", *parameters: Any) -> list[Instance]:
        with self.understood():
            rows = schema.PUZZLES.check(self.select(f"SELECT * FROM puzzles {chosen} ORDER BY place", *parameters))
            return [*map(_instance, rows)]

    def plan(self) -> list[PlannedRun]:
        """Return the planned runs, in the order of the plan."""
        puzzles = {instance.puzzle.id: instance.puzzle for instance in self.instances()}
        with self.understood():
            rows = schema.PLAN.check(self.select("SELECT * FROM plan ORDER BY place"))
            return [_planned(values, puzzles) for values in rows]

    def contestants(self) -> list[PlannedContestant]:
        """Return the contestants of the plan."""
        query = "SELECT contestant, min(contestants), min(version), count(*) FROM plan GROUP BY contestant"
        with self.understood():
            return [
                PlannedContestant(text(label), text(group), text(version), count)
                for label, group, version, count in self.select(query)
            ]

    def select(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query; a list, because an open cursor of a slow reader would block the writer."""
        with self.understood():
            return self._database.execute(query, parameters).fetchall()

    def keys(self) -> set[str]:
        """Return the keys of all stored runs, planned or not."""
        return {key for (key,) in self.select("SELECT key FROM runs")}

    @property
    def made(self) -> int:
        """The number of stored runs, planned or not."""
        return int(self.select("SELECT count(*) FROM runs")[0][0])

    def outside(self) -> Iterator[tuple[str, str, int | None, int]]:
        """Yield puzzle, contestant, seed and repetition of the stored runs that are not in the plan.

        Runs with another question or other limits are left out.
        """
        about = self.about
        query = (
            "SELECT puzzle, contestant, seed, repetition FROM runs WHERE key NOT IN (SELECT key FROM plan)"
            f" AND question = ? AND {' AND '.join(f'{name} IS ?' for name in LIMITS)}"
        )
        yield from self.select(query, about.question, *dataclasses.astuple(about.limits))

    def values(self, keys: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the finished runs of the plan, or those with some keys, by column and in its order, checked.

        The labels come from the plan, because the key does not determine them.
        """
        columns = [f"{'plan' if name in _OF_PLAN else 'runs'}.{name}" for name in COLUMNS]
        chosen = "" if keys is None else "WHERE key IN (SELECT value FROM json_each(?))"
        query = f"SELECT {', '.join(columns)}, plan.puzzle FROM plan JOIN runs USING (key) {chosen} ORDER BY place"
        rows = self.select(query, *([] if keys is None else [json.dumps([*keys])]))
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            with self.understood():
                found = check_values([row[:-1] for row in block])
                if any(values["puzzle"] != row[-1] for values, row in zip(found, block, strict=True)):
                    raise ValueError("a run is on another puzzle than planned")
            yield from found

    def rows(
        self, values: Iterable[dict[str, Any]] | None = None, instances: Iterable[Instance] | None = None
    ) -> Iterator[StoredRun]:
        """Yield the finished runs of the plan with their solutions, or those with some checked values, on some puzzles.

        The puzzles are read unless they are given.
        """
        puzzles = {one.puzzle.id: one.puzzle for one in (self.instances() if instances is None else instances)}
        known: dict[str, Sequence[Grid]] = {"": []}
        source = enumerate(self.values() if values is None else values)
        while block := [*islice(source, _BLOCK)]:
            with self.understood():
                of = {row["answer"]: puzzles[row["puzzle"]] for _, row in block if row["answer"] not in known}
                known |= {answer.id: answer.grids(of[answer.id]) for answer in self.answers(of)}
                rows = []
                for place, row in block:
                    grids = known[row["answer"]]
                    check_solutions(puzzles[row["puzzle"]], grids, row["solutions"])
                    rows.append(StoredRun(row, run_of(row, grids), place, row["contestant"]))
            yield from rows

    def answers(self, ids: Collection[str]) -> list[StoredAnswer]:
        """Return the stored solutions with some ids."""
        query = "SELECT * FROM answers WHERE id IN (SELECT value FROM json_each(?))"
        found = schema.ANSWERS.check(self.select(query, json.dumps([*ids])))
        if len(found) < len(ids):
            raise ValueError("the solutions of a run are missing")
        return [StoredAnswer(**values) for values in found]


def _instance(values: Mapping[str, Any]) -> Instance:
    puzzle = parse_line(values["kind"], values["text"], "puzzle").named(values["name"])
    if puzzle.id != values["id"]:
        raise ValueError("a puzzle does not match its id")
    facts = mapping(from_json(values["facts"]))
    instance = Instance(puzzle=puzzle, family=values["family"], size=values["size"], facts=facts)
    expectation(instance)  # checks the expected verdict
    return instance


def _planned(values: dict[str, Any], puzzles: Mapping[str, Puzzle]) -> PlannedRun:
    puzzle, group = puzzles.get(values.pop("puzzle")), values.pop("contestants")
    if puzzle is None:
        raise ValueError("the puzzle of a planned run is not there")
    return PlannedRun(puzzle=puzzle, group=group, **values)


def _line(error: BaseException) -> str:
    """Return an error as a printable line."""
    words = f"there is no {error}" if isinstance(error, KeyError) else str(error)
    return "".join(filter(str.isprintable, words))[:100] or type(error).__name__
