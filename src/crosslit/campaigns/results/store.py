"""What the runs of a campaign found, in one SQLite file.

A run is kept under its key (`plan.PlannedRun`) as soon as it has ended, in a transaction of its own: a process that is
killed at any moment loses the runs under way alone, and making a campaign again adds nothing twice. One process writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from crosslit._version import __version__
from crosslit.campaigns.results import schema
from crosslit.campaigns.results.about import About
from crosslit.campaigns.results.answers import (
    MAX_BYTES,
    MAX_GRIDS,
    StoredAnswer,
    check_shapes,
    check_solutions,
    is_too_large,
)
from crosslit.campaigns.results.outcome import Outcome, RejectedRun
from crosslit.campaigns.results.rows import COLUMNS, LIMITS, Row, check_values, plain, row_of, values_of
from crosslit.campaigns.results.validation import from_json, mapping, number, text, whole
from crosslit.campaigns.spec.campaign import Instance
from crosslit.campaigns.spec.expected import expectation
from crosslit.campaigns.spec.plan import PlannedRun, share
from crosslit.contract import QuestionName
from crosslit.errors import InputError
from crosslit.formats import parse_line
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle
from crosslit.runs.run import Limits

_TIMEOUT_SECONDS = 60.0  # seconds that one process waits for what another does to the file
_MIN_SIZE = 1e-6  # of a puzzle; growth is told by logarithms
_PLAN = ("key", "place", "puzzle", "spec", "contestant", "group", "seed", "repetition", "version", "content")
_WHOLE = ("place", "seed", "repetition")  # of a plan; the others are texts
WRONG_PUZZLE = "a run is of another puzzle than was planned"
_OF_PLAN = ("contestant", "spec", "seed", "repetition")
_BROKEN = (sqlite3.Error, UnicodeDecodeError)  # the second where SQLite's own message quotes damaged bytes
# what a value that no store has kept can raise where it is read
_MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Store:
    """A file of results; a context manager. What cannot be read or written is an `InputError` that names the file.

    Args:
        path: of the file.
        create: make it, where there is none.
        write: open it for writing.

    Raises:
        InputError: if it is not there, cannot be opened, or is no such file.
    """

    def __init__(self, path: Path, *, create: bool = False, write: bool = False) -> None:
        self.path = path
        self._state = -1  # of the file, which another process may have changed
        self._about: About | None = None
        self._instances: list[Instance] = []
        fresh = not path.exists() or not path.stat().st_size
        if fresh and not create:
            raise InputError(str(path), "no such file of results; `crosslit bench run` makes it")
        torn = os.path.exists(f"{path}-journal")  # a writer was killed: opening it to write undoes what it had begun
        if not fresh and not torn and not schema.is_store(path):
            raise InputError(str(path), "expected a file of results that `crosslit bench run` has made")
        writable = write or (torn and os.access(path, os.W_OK))
        mode = "rwc" if create else "rw" if writable else "ro"
        address = f"{path.resolve().as_uri()}?mode={mode}"
        with contextlib.ExitStack() as stack:
            try:
                self._database = sqlite3.connect(address, timeout=_TIMEOUT_SECONDS, isolation_level=None, uri=True)
                stack.callback(self._database.close)
                schema.check_sqlite(path)
                if create:
                    self._make()
                if missing := schema.check(path, self._database):
                    if write:
                        self._upgrade()
                    else:
                        schema.supply(self._database, missing)
            except _BROKEN as error:
                raise InputError(str(path), f"cannot be opened: {_line(error)}") from None
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _make(self) -> None:
        if schema.is_filled(self._database):
            return
        with self._transaction():
            if not schema.is_filled(self._database):  # else somebody else was quicker
                schema.create(self._database)

    def _upgrade(self) -> None:
        """Give a file of an older schema the columns that writing needs; it can be read as it is."""
        with self._transaction():
            schema.upgrade(self._database)
        schema.check(self.path, self._database)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it, or nothing."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite ends it by itself where the disk is full
                    self._database.execute("ROLLBACK")
                raise
        except _BROKEN as error:
            moved = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_DBMOVED
            told = "it was moved or deleted" if moved else _line(error)
            raise InputError(str(self.path), f"cannot be written: {told}") from None

    @contextlib.contextmanager
    def understood(self) -> Iterator[None]:
        """Raises InputError where what is in the file cannot be read, or is nothing that was ever kept."""
        try:
            yield
        except (sqlite3.Error, zlib.error, *_MALFORMED) as error:
            if isinstance(error, InputError) and str(error).startswith(f"{self.path}: "):
                raise  # from a nested call
            raise InputError(str(self.path), f"cannot be read: {_line(error)}") from None

    def prepare(self, about: About, instances: Iterable[Instance], planned: Iterable[PlannedRun]) -> None:
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
                self._insert("plan", (*row, run.seed, run.repetition, plain(run.version), run.content))

    def update_metadata(self, about: About) -> None:
        """Note otherwise what the campaign is, and leave its plan as it is."""
        with self._transaction():
            self._put_about(about)

    def _put_about(self, about: About) -> None:
        self._state = -1
        record = {**about.record(), "crosslit": __version__}
        self._database.execute("INSERT OR REPLACE INTO about VALUES ('campaign', ?)", (json.dumps(record),))

    def _insert(self, table: str, row: Sequence[Any]) -> bool:
        """Add a row, unless its key is there; whether it was added. What cannot be kept is an error of SQLite."""
        marks = ", ".join("?" * len(row))
        # not OR IGNORE, which would drop a row that breaks any other rule without a word
        query = f"INSERT INTO {table} VALUES ({marks}) ON CONFLICT({schema.KEYS[table]}) DO NOTHING"
        return self._database.execute(query, row).rowcount > 0

    def add(self, planned: PlannedRun, outcome: Outcome, question: QuestionName, limits: Limits) -> bool:
        """Keep a run; False, and nothing changes, where its key is there.

        Raises:
            InputError: if the file cannot be written.
            ValueError: if the run cannot be kept.
        """
        new, unkept = self.add_all([(planned, outcome)], question, limits)
        if unkept:
            raise ValueError(unkept[0].reason)
        return new > 0

    def add_all(
        self, made: Sequence[tuple[PlannedRun, Outcome]], question: QuestionName, limits: Limits
    ) -> tuple[int, list[RejectedRun]]:
        """Keep runs, all at once.

        Returns:
            How many were new, and those that cannot be kept, because a value of theirs cannot be.
        """
        new, unkept = 0, []
        if made:
            with self._transaction():
                for planned, outcome in made:
                    try:
                        new += self._add(planned, outcome, question, limits)
                    except (*_MALFORMED, sqlite3.IntegrityError, sqlite3.DataError) as error:
                        unkept.append(RejectedRun(planned, _line(error)))
        return new, unkept

    def _add(self, planned: PlannedRun, outcome: Outcome, question: QuestionName, limits: Limits) -> bool:
        run = outcome.run
        count = len(run.grids)
        if run.grids and is_too_large(count, len(run.grids[0].packed)):
            why = f"its {count} solutions are more than the {MAX_BYTES >> 20} MB or {MAX_GRIDS} that are kept of a run"
            run = dataclasses.replace(run, status="memory", error=why, grids=[])
        check_shapes(planned.puzzle, run.grids)
        answer = StoredAnswer.of(run.grids) if run.grids else None
        outcome = dataclasses.replace(outcome, run=run)
        values = values_of(planned, outcome, answer.id if answer else "", question, limits)
        check_values(values)
        if answer:
            self._insert("answers", answer.row())
        return self._insert("runs", tuple(values.values()))

    def import_runs(self, others: Sequence[Store]) -> list[tuple[int, int]]:
        """Keep the planned runs of other stores too: all of them, or none.

        Returns:
            For each of the stores, how many of its runs were new here, and how many were here already.
        """
        with self._transaction():
            return [self._import_runs(other) for other in others]

    def _import_runs(self, other: Store) -> tuple[int, int]:
        rows = list(other.values())
        taken = [row for row in rows if self._insert("runs", tuple(row.values()))]
        for answer in {row["answer"] for row in taken} - {""}:
            with other.understood():
                found = other.answer(answer)
                found.grids()  # to see that they are those that were kept
            self._insert("answers", found.row())
        return len(taken), len(rows) - len(taken)

    @property
    def about(self) -> About:
        """What the store says of its campaign."""
        self._forget_changed()
        if self._about is None:
            record = self.note("campaign")
            if record is None:
                raise InputError(str(self.path), "no campaign was ever begun in this file")
            with self.understood():
                self._about = About.from_record(record)
        return self._about

    def _forget_changed(self) -> None:
        """Forget what was read of the campaign, if the file has changed since."""
        with self.understood():
            (state,) = self._database.execute("PRAGMA data_version").fetchone()
        if state != self._state:
            self._state, self._about, self._instances = state, None, []

    @property
    def made_by(self) -> str:
        """The version of Crosslit that planned the campaign; empty where none was planned."""
        record = self.note("campaign")
        with self.understood():
            return "" if record is None else text(mapping(record)["crosslit"])

    def note(self, name: str) -> Any:
        """A JSON value that somebody has noted; None if nobody has."""
        with self.understood():
            row = self._database.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            return None if row is None else from_json(row[0])

    def change_note(self, name: str, change: Callable[[Any], Any]) -> None:
        """Put what ``change`` makes of a note in its place, before anybody else can; None removes it."""
        with self._transaction():
            value = change(self.note(name))
            self._database.execute("DELETE FROM about WHERE name = ?", (name,))
            if value is not None:
                self._insert("about", (name, json.dumps(value)))

    def due(self) -> list[PlannedRun]:
        """The runs of the plan that are to be made here: all, or those of the shard."""
        shard, planned = self.about.shard, self.plan()
        return share(planned, *shard) if shard else planned

    def instances(self) -> list[Instance]:
        """The puzzles, in the order of the campaign."""
        self._forget_changed()
        with self.understood():
            if not self._instances:
                query = "SELECT id, kind, name, text, family, size, facts FROM puzzles ORDER BY place"
                self._instances = [_instance(*row) for row in self._database.execute(query)]
            return self._instances

    def plan(self) -> list[PlannedRun]:
        """The runs of the campaign, in the order in which they are made."""
        return self._planned("SELECT * FROM plan ORDER BY place")

    def planned(self, places: Iterable[int]) -> list[PlannedRun]:
        """Return the runs of the plan at some places."""
        return self._planned(
            "SELECT * FROM plan WHERE place IN (SELECT value FROM json_each(?))", json.dumps([*places])
        )

    def _planned(self, query: str, *parameters: str) -> list[PlannedRun]:
        puzzles = {instance.puzzle.id: instance.puzzle for instance in self.instances()}
        with self.understood():
            return [_planned(row, puzzles) for row in self.select(query, *parameters)]

    def select(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, all at once: a slow reader must not keep a writer waiting."""
        with self.understood():
            return self._database.execute(query, parameters).fetchall()

    def keys(self) -> set[str]:
        """Of the runs that were made, planned or not."""
        return {key for (key,) in self.select("SELECT key FROM runs")}

    @property
    def made(self) -> int:
        """The number of runs that were made, planned or not."""
        ((number,),) = self.select("SELECT count(*) FROM runs")
        return int(number)

    def outside(self) -> Iterator[tuple[str, str, int | None, int]]:
        """Puzzle, contestant, seed and repetition of the runs that were made and are not of the plan.

        Those of another question, or under other limits, are left out.
        """
        about = self.about
        query = (
            "SELECT puzzle, contestant, seed, repetition FROM runs WHERE key NOT IN (SELECT key FROM plan)"
            f" AND question = ? AND {' AND '.join(f'{name} IS ?' for name in LIMITS)}"
        )
        yield from self.select(query, about.question, *dataclasses.astuple(about.limits))

    def values(self) -> Iterator[dict[str, Any]]:
        """The runs of the plan that were made, by column, in the order of the plan; every value was checked.

        How a run is called is for the plan to say: a key does not hold all of it.
        """
        columns = [f"{'plan' if name in _OF_PLAN else 'runs'}.{name}" for name in COLUMNS]
        query = f"SELECT {', '.join(columns)}, plan.puzzle FROM plan JOIN runs USING (key) ORDER BY place"
        for *row, puzzle in self.select(query):
            values = dict(zip(COLUMNS, row, strict=True))
            with self.understood():
                check_values(values)
                if values["puzzle"] != puzzle:
                    raise ValueError(WRONG_PUZZLE)
            yield values

    def rows(self) -> Iterator[Row]:
        """The runs of the plan that were made, with their solutions, in the order of the plan."""
        puzzles = {instance.puzzle.id: instance.puzzle for instance in self.instances()}
        answers: dict[str, list[Grid]] = {"": []}
        for values in self.values():
            answer = values["answer"]
            with self.understood():
                if answer not in answers:
                    answers[answer] = self.answer(answer).grids()
                grids = answers[answer]
                check_solutions(puzzles[values["puzzle"]], grids, values["solutions"])
                row = row_of(values, list(grids))
            yield row

    def answer(self, answer: str) -> StoredAnswer:
        """Return the solutions that are kept under an id."""
        query = "SELECT id, rows, columns, count, packed FROM answers WHERE id = ?"
        return StoredAnswer.from_row(self._database.execute(query, (answer,)).fetchone())


def _instance(id_: str, *row: Any) -> Instance:
    kind, name, line, family = map(text, row[:4])
    puzzle = parse_line(kind, line, "puzzle").named(name)
    if puzzle.id != id_:
        raise ValueError("a puzzle is not the one that was kept")
    facts = mapping(from_json(row[5]))
    instance = Instance(puzzle=puzzle, family=family, size=number(row[4], _MIN_SIZE), facts=facts)
    expectation(instance)  # to see that it is a verdict
    return instance


def _planned(row: Sequence[Any], puzzles: Mapping[str, Puzzle]) -> PlannedRun:
    values: dict[str, Any] = dict(zip(_PLAN, row, strict=True))
    for name, value in values.items():
        if value is not None or name != "seed":
            values[name] = whole(value) if name in _WHOLE else text(value)
    if values["puzzle"] not in puzzles:
        raise ValueError("the puzzle of a planned run is not there")
    return PlannedRun(**{**values, "puzzle": puzzles[values["puzzle"]]})


def _line(error: BaseException) -> str:
    """An error in a line that can be printed."""
    return "".join(filter(str.isprintable, str(error)))[:100] or type(error).__name__
