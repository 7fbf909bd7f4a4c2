"""The SQLite schema of a file of results, and the recognition of such files."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

from crosslit.errors import InputError
from crosslit_bench.store.rows import COLUMNS
from crosslit_bench.store.validation import Columns, number, whole

SCHEMA = 4
_MIN_SCHEMA = 2  # lacks the last columns of runs; 2 and 3 call the contestants of a campaign groups
MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x43524C54  # "CRLT": distinguishes our files from other databases
_MIN_SQLITE = (3, 37)  # the first with STRICT tables; in other tables, columns accept values of any type

_COLUMNS = {
    "about": "name TEXT PRIMARY KEY, value TEXT NOT NULL",
    "puzzles": (
        "id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
        " family TEXT NOT NULL, size REAL NOT NULL, facts TEXT NOT NULL, place INTEGER NOT NULL"
    ),
    "plan": (
        "key TEXT PRIMARY KEY, place INTEGER NOT NULL, puzzle TEXT NOT NULL, spec TEXT NOT NULL,"
        " contestant TEXT NOT NULL, contestants TEXT NOT NULL, seed INTEGER, repetition INTEGER NOT NULL,"
        " version TEXT NOT NULL, content TEXT NOT NULL"
    ),
    "answers": (
        "id TEXT PRIMARY KEY, rows INTEGER NOT NULL, columns INTEGER NOT NULL, count INTEGER NOT NULL,"
        " packed BLOB NOT NULL"
    ),
    "runs": ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()),
}
TABLES = {name: f"CREATE TABLE {name} ({columns}) STRICT, WITHOUT ROWID" for name, columns in _COLUMNS.items()}
_ADDED = {name: kind for name, kind in COLUMNS.items() if " DEFAULT " in kind}
_BEFORE = {**TABLES, "runs": TABLES["runs"].replace("".join(f", {name} {kind}" for name, kind in _ADDED.items()), "")}
KEYS = {name: columns.partition(" ")[0] for name, columns in _COLUMNS.items()}
"""The primary key of each table."""
_MIN_SIZE = 1e-6  # smallest size of a puzzle, as growth is fitted to its logarithm
_KINDS = {name: dict(column.split(" ", 1) for column in columns.split(", ")) for name, columns in _COLUMNS.items()}
PUZZLES = Columns(_KINDS["puzzles"], size=partial(number, minimum=_MIN_SIZE))
PLAN = Columns(_KINDS["plan"])
_positive = partial(whole, minimum=1)
ANSWERS = Columns(_KINDS["answers"], rows=_positive, columns=_positive, count=_positive, packed=bytes)


def is_store(path: Path) -> bool:
    """Return whether a file is an SQLite database and not a campaign's TOML file; pipes are not read."""
    if path.is_fifo():
        return False
    try:
        with path.open("rb") as file:
            # The first bytes and not the extension, because users name files as they like.
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None


def check_sqlite(path: Path) -> None:
    """Reject versions of SQLite without STRICT tables."""
    if sqlite3.sqlite_version_info < _MIN_SQLITE:
        least = ".".join(map(str, _MIN_SQLITE))
        raise InputError(str(path), f"campaigns need SQLite {least}; this Python has {sqlite3.sqlite_version}")


def create(database: sqlite3.Connection) -> None:
    """Create the tables, unless there are some; call it in a transaction."""
    if database.execute("SELECT name FROM sqlite_master").fetchone() is not None:
        return
    for statement in TABLES.values():
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {_APPLICATION}")
    database.execute(f"PRAGMA user_version = {SCHEMA}")


def check(path: Path, database: sqlite3.Connection) -> bool:
    """Reject databases that are not files of results; return whether one is of an older schema."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (schema,) = database.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        raise InputError(str(path), "expected a file of results, found another database")
    if not _MIN_SCHEMA <= schema <= SCHEMA:
        which = "an earlier" if schema < SCHEMA else "a later"
        hint = "`crosslit bench run FILE.toml --store OTHER` starts a new file"
        raise InputError(
            str(path), f"expected results of schema {SCHEMA}, found {schema} of {which} version of Crosslit; {hint}"
        )
    # exactly our tables, because a view or a trigger would run SQL from an untrusted file
    if dict(database.execute("SELECT name, sql FROM sqlite_master")) != (_BEFORE if schema == _MIN_SCHEMA else TABLES):
        raise InputError(str(path), "expected the tables of a file of results, found others")
    return bool(schema < SCHEMA)


def supply(database: sqlite3.Connection) -> None:
    """Add a temporary view of the runs with the columns that are missing, without changing the older file."""
    if not _lacks_columns(database):
        return
    added = "".join(f", {kind.split()[-1]} AS {name}" for name, kind in _ADDED.items())
    # A temporary name hides the table of that name in queries, so the same SQL reads old and new files.
    database.execute(f"CREATE TEMP VIEW runs AS SELECT *{added} FROM main.runs")


def upgrade(database: sqlite3.Connection) -> None:
    """Add the missing columns to the tables of an older file; call it in a transaction."""
    if _lacks_columns(database):
        for name, kind in _ADDED.items():
            database.execute(f"ALTER TABLE runs ADD COLUMN {name} {kind}")
    database.execute(f"PRAGMA user_version = {SCHEMA}")


def _lacks_columns(database: sqlite3.Connection) -> bool:
    return bool(database.execute("PRAGMA user_version").fetchone() == (_MIN_SCHEMA,))
