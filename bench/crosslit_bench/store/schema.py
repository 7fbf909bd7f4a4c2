"""The SQLite schema of a file of results, the recognition and the names of such files, and the notes of judged claims.

A claim is a status with solutions of a puzzle. A note says that a run with such a claim has no findings by itself, so
that readers of a large store need not judge it again. It names all three by content, so that no merge, edited row or
later run can make it untrue, and the version that judged.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.base.version import __version__
from crosslit.contract.run import Limits, Run, RunStatus
from crosslit.judging.solutions import judge
from crosslit.kinds import Puzzle
from crosslit_bench.store.rows import COLUMNS, Columns, number, whole

SCHEMA = 4
_MIN_SCHEMA = 3  # calls the contestants of a campaign groups
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


def store_path(source: str | os.PathLike[str]) -> Path:
    """Return the path of a file of results; for a TOML file, the one of its name in the working directory."""
    path = Path(source)
    if path.suffix.lower() == ".toml" and path.is_file() and not is_store(path):
        return default_store(path.stem)
    return path


def default_store(name: str, shard: tuple[int, int] | None = None) -> Path:
    """Return the default path for the results of a campaign."""
    part = f".{shard[0]}-of-{shard[1]}" if shard else ""
    return Path(f"{name}{part}.sqlite")


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
    if dict(database.execute("SELECT name, sql FROM sqlite_master")) != TABLES:
        raise InputError(str(path), "expected the tables of a file of results, found others")
    return bool(schema < SCHEMA)


def upgrade(database: sqlite3.Connection) -> None:
    """Make an older file one of this schema, which has the same tables; call it in a transaction."""
    database.execute(f"PRAGMA user_version = {SCHEMA}")


PREFIX = f"claim {__version__} "
"""The start of the names of these notes. Another version may judge differently."""
_MAX_CELLS = 10_000  # of a puzzle and of all solutions: checking more would delay the next runs

_LIMITS = Limits()  # no judge of solutions depends on them


def note_name(puzzle: str, status: str, answer: str) -> str:
    """Return the name of the note for a claim, from the ids of its puzzle and its solutions."""
    return f"{PREFIX}{puzzle} {status} {answer}"


def is_consistent(puzzle: Puzzle, status: RunStatus, grids: Sequence[Grid]) -> bool:
    """Return whether a run with this claim has no findings by itself; False for a large one, which is not judged."""
    if puzzle.rows * puzzle.columns * max(1, len(grids)) > _MAX_CELLS:
        return False
    return not judge(puzzle, [Run("", status=status, grids=grids)], _LIMITS).findings


def doubtful_puzzles(claims: Iterable[tuple[str, str, str]], noted: Collection[str]) -> set[str]:
    """Return the puzzles whose runs may have findings, from the distinct claims of all runs.

    On the others, no claim has any by itself, and all solutions are the same, also those of complete runs: then no run
    lacks a solution of another, and the number of solutions is that of each claim.
    """
    doubtful, first = set(), dict[str, str]()
    for puzzle, status, answer in claims:
        if note_name(puzzle, status, answer) not in noted or (
            (answer or status == "complete") and first.setdefault(puzzle, answer) != answer
        ):
            doubtful.add(puzzle)
    return doubtful
