"""Damaged or forged files of results: one line and exit status 2, or a result; never a traceback."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import sqlite3
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.cli import report as bench_report
from crosslit_bench.cli import run as bench_run
from crosslit_bench.store import schema

from crosslit.base.errors import InputError
from tests.bench.store.test_store import ask
from tests.bench.synthetic import fill

pytestmark = pytest.mark.slow

MUTATIONS = 60  # of each kind
DEEP = "[" * 100_000
ODD: list[Any] = [
    None, -1, 0, 2**63 - 1, -(2**63), 1e300, -1e300, 5e-324, float("inf"), "", "x", "\0", b"\xff", b"", "[]", "{}",
    "null", "3", "[[]]", '{"a": [1]}', '"\\ud800"', '{"k": "\\ud800"}', DEEP, '{"crosslit": 1}', "1e999", '{"x": NaN}',
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = fill(tmp_path_factory.mktemp("fuzz") / "whole.sqlite", 21, repetitions=1, wrong="glucose4/full-cut4")
    ask(path, "VACUUM")
    return path.read_bytes()


@contextlib.contextmanager
def forged(path: Path) -> Iterator[sqlite3.Connection]:
    """A database whose tables take values of any type, and look STRICT again afterwards."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        loose = "replace(replace(sql, ' STRICT,', ''), ' NOT NULL', '')"
        database.execute(f"UPDATE sqlite_master SET sql = {loose}")
        database.commit()
    with contextlib.closing(sqlite3.connect(path)) as database:
        yield database
        database.execute("PRAGMA writable_schema = ON")
        for name, sql in schema.TABLES.items():
            database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, name))
        database.commit()


def odd_value(path: Path, rng: random.Random) -> str:
    """Put an odd value into a row, or into a column."""
    with forged(path) as database:
        table = rng.choice([*schema.TABLES, "runs", "plan"])
        columns = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
        column, value = rng.choice(columns), rng.choice(ODD)
        where = f" WHERE {columns[0]} = (SELECT max({columns[0]}) FROM {table})" if rng.random() < 0.5 else ""
        with contextlib.suppress(sqlite3.IntegrityError):  # a key that all rows would share
            database.execute(f"UPDATE {table} SET {column} = ?{where}", (value,))
        return f"{table}.{column} = {value!r:.40}{where}"


def odd_json(path: Path, rng: random.Random) -> str:
    """Put an odd value into the metadata of the campaign or of a puzzle."""
    table, column = rng.choice([("about", "value"), ("puzzles", "facts"), ("runs", "stats"), ("runs", "trusts")])
    ((content,),) = ask(path, f"SELECT {column} FROM {table} LIMIT 1")
    record = json.loads(str(content))
    value = rng.choice([None, -1, 1e300, "x", "\ud800", [], [[]], {}, {"x": [1]}, True, 2**80])
    if isinstance(record, dict) and record:
        key = rng.choice(sorted(record))
        if isinstance(record[key], dict) and record[key] and rng.random() < 0.5:
            record[key][rng.choice(sorted(record[key]))] = value
        else:
            record[key] = value
    else:
        record = value
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE {table} SET {column} = ?", (json.dumps(record),))
    return f"{table}.{column}: {record!r:.60}"


def flipped_bytes(path: Path, rng: random.Random) -> str:
    """Change some bytes of the file."""
    content = bytearray(path.read_bytes())
    places = [rng.randrange(len(content)) for _ in range(rng.choice([1, 3, 30]))]
    for place in places:
        content[place] = rng.randrange(256)
    path.write_bytes(content)
    return f"bytes {places}"


def is_refused(command: Callable[[], int]) -> bool:
    """Run a command; whether it was refused, by one line that can be printed."""
    try:
        assert command() in (0, 1)
    except InputError as error:
        assert str(error).isprintable()
        return True
    return False


@pytest.mark.parametrize("mutate", [odd_value, odd_json, flipped_bytes])
def test_a_damaged_file_is_refused_in_a_line_or_read(
    whole: bytes, tmp_path: Path, mutate: Callable[[Path, random.Random], str]
) -> None:
    rng, refused = random.Random(f"store {mutate.__name__}"), 0
    for number in range(MUTATIONS):
        path, goal = tmp_path / f"{number}.sqlite", tmp_path / f"{number}.merged"
        path.write_bytes(whole)
        what = mutate(path, rng)
        try:
            refused += is_refused(functools.partial(bench_run.show_status, str(path), False))
            is_refused(functools.partial(bench_report.export, path, str(tmp_path / "out.csv"), None))
            is_refused(functools.partial(bench_run.merge_stores, str(goal), [str(path)], False))
        except BaseException as error:
            raise AssertionError(f"mutation {number}, {what}: {error!r}") from error
        path.unlink()
    assert refused > MUTATIONS // 10


def test_a_small_file_that_expands_to_much_is_refused(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bomb.sqlite"
    path.write_bytes(whole)
    zeros = zlib.compressobj(9)
    bomb = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(64)) + zeros.flush()
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE answers SET packed = ?", (bomb,))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="its solutions are not the ones that were stored"):
            bench_run.show_status(str(path), False)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
        ask(path, "UPDATE answers SET count = 1 << 40")
        with pytest.raises(InputError, match="a run has more solutions than are ever stored"):
            bench_run.show_status(str(path), False)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()
