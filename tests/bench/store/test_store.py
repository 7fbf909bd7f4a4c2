"""The file of results: stored values are read back, and invalid ones are rejected with a message."""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.plan.campaign import CampaignSpec, Instance, PlannedRun
from crosslit_bench.store import outcome as answers
from crosslit_bench.store import store as store_module
from crosslit_bench.store.outcome import Circumstances, Outcome
from crosslit_bench.store.rows import StoredRun
from crosslit_bench.store.store import Store

from crosslit import Grid, LightsOut, Nonogram
from crosslit.base.errors import InputError
from crosslit.contract import no_time
from crosslit.contract.run import Limits, Run, Timing
from crosslit.formats import parse_line
from tests.bench.synthetic import add

BOARD = LightsOut(Grid.from_text("10/01"), name="a board")
PICTURE = Nonogram(((1,), (2,)), ((2,), (1,)), name="a picture")
LIMITS = Limits(2, 7.5, 512)
CAMPAIGN = CampaignSpec(
    name="small",
    title="A small one",
    about="To see\nwhat comes back.",
    asked="unique",
    limits=LIMITS,
    contestants={"native": ("gauss",), "": ("cpsat:seed=1",)},
    sources=(),
    repetitions=2,
    seeds=(3, 4),
    seed=5,
    solvers={"mine": "./mine {cnf}"},
    folder=Path("/some/where"),
    text='title = "A small one"\n',
)
INSTANCES = [
    Instance(puzzle=BOARD, family="boards", size=2.0, facts={"seed": 1, "file": "a.txt"}),
    Instance(puzzle=PICTURE, family="pictures", size=2.5, facts={"density": 0.75}),
]
WHERE = Circumstances(
    started="2026-01-02T03:04:05.678+00:00",
    load=1.25,
    side_by_side=3,
    carrier="dask",
    host="node7",
    processor="A processor",
    processors=64,
    system="Linux 6.1",
    python="3.12.1",
    clock_mhz=3700.0,
    governor="performance",
    machine_memory_mb=64000.0,
    container="sha256:abc",
)


def planned(key: str, puzzle: LightsOut | Nonogram = BOARD, place: int = 0, seed: int | None = None) -> PlannedRun:
    return PlannedRun(
        key=key,
        place=place,
        puzzle=puzzle,
        spec="cpsat:seed=1",
        contestant="cpsat/bool-xor:seed=1",
        group="native",
        seed=seed,
        repetition=1,
        version="9.15",
    )


def a_run(**changed: object) -> Run:
    phases = no_time()
    phases.update(encode=0.1, load=0.2, solve=0.3, decode=0.4)
    run = Run(
        "cpsat:seed=1",
        "bool-xor",
        "9.15",
        frozenset({"cp-sat", "cdcl"}),
        "complete",
        [Grid.from_text("10/01"), Grid.from_text("01/10")],
        Timing(phases, 1.5, 2.5, 0.01, 0.02),
        4,
        123.5,
        {"conflicts": 10**30, "branches": 2.5, "word": "search", "power": 2**5000},
        "an error",
        "stray words",
        1,
        17,
        2,
    )
    return dataclasses.replace(run, **changed)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "some results.sqlite", create=True) as made:
        made.prepare(
            dataclasses.replace(CAMPAIGN, shard=(2, 8)),
            INSTANCES,
            [planned("a" * 64), planned("b" * 64, PICTURE, 1, 3)],
        )
        yield made


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        return database.execute(query).fetchall()


def kept(store: Store, run: Run, key: str = "a" * 64, **changed: object) -> StoredRun:
    """A run that was put into the store, as it comes out of the file."""
    outcome = dataclasses.replace(Outcome(key=key, run=run, circumstances=WHERE), **changed)  # type: ignore[arg-type]
    assert add(store, planned(key), outcome)
    with Store(store.path) as read:
        return next(row for row in read.rows() if row.values["key"] == key)


def test_every_field_of_a_run_comes_back(store: Store) -> None:
    run = a_run()
    row = kept(store, run, attempts=2, lost="worker-3 died")
    huge = {"conflicts": str(10**30), "power": {"log2": 5000}}
    assert row.run == dataclasses.replace(run, stats={**run.stats, **huge})
    where = dataclasses.asdict(WHERE)
    where["machine_load"] = where.pop("load")
    limits = {f"limit_{name}": value for name, value in dataclasses.asdict(LIMITS).items()}
    about = {"attempts": 2, "lost": "worker-3 died", "question": "solutions", "seed": None, "puzzle": BOARD.id}
    expected = {**where, **limits, **about, "contestant": "cpsat/bool-xor:seed=1"}
    assert {name: row.values[name] for name in expected} == expected


def test_every_field_of_a_run_is_kept_or_known_not_to_be() -> None:
    # `counted` and `text` belong to other questions: a new field must be considered in the store too
    kept_fields = {field.name for field in dataclasses.fields(Run)} - {"counted", "text"}
    assert kept_fields == {
        "backend", "encoding", "version", "trusted_base", "status", "grids", "timing", "threads", "memory_mb", "stats",
        "error", "stray", "repetition", "bound", "left",
    }  # fmt: skip


@pytest.mark.parametrize("status", ["timeout", "gave-up", "unsupported", "error", "memory"])
def test_a_run_without_solutions_comes_back(store: Store, status: str) -> None:
    row = kept(store, a_run(status=status, grids=[]))
    assert (row.run.status, row.run.grids) == (status, [])


def test_equal_answers_are_kept_once_and_others_apart(store: Store) -> None:
    some = [Grid.from_bits(2, 2, bits) for bits in range(16)]
    assert kept(store, a_run(grids=some), "a" * 64).run.grids == some
    add(store, planned("b" * 64), Outcome(key="b" * 64, run=a_run(grids=some), circumstances=WHERE))
    add(store, planned("c" * 64), Outcome(key="c" * 64, run=a_run(grids=some[::-1]), circumstances=WHERE))
    assert ask(store.path, "SELECT count(*) FROM answers") == [(2,)]


def test_solutions_with_more_than_two_states_come_back(store: Store) -> None:
    puzzle = parse_line("coloured-nonogram", "coloured-nonogram:1a 1b|1a,1b", "test")
    grids = [puzzle.layout.parse("12"), puzzle.layout.parse("21")]
    instance = Instance(puzzle=puzzle, family="coloured", size=2.0)
    store.prepare(CAMPAIGN, [instance], [planned("a" * 64, puzzle)])
    assert add(store, planned("a" * 64, puzzle), Outcome(key="a" * 64, run=a_run(grids=grids), circumstances=WHERE))
    assert next(store.rows()).run.grids == grids


def test_a_run_with_more_solutions_than_are_kept_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MAX_GRIDS", 10)
    run = kept(store, a_run(grids=[Grid.from_bits(2, 2, bits) for bits in range(11)])).run
    assert (run.status, run.grids) == ("memory", [])
    assert run.error == "its 11 solutions exceed the 128 MB or 10 that are stored for a run"


def test_a_key_is_kept_once_and_the_first_counts(store: Store) -> None:
    kept(store, a_run(status="timeout"))
    again = Outcome(key="a" * 64, run=a_run(), circumstances=WHERE)
    assert not add(store, planned("a" * 64), again)
    assert [row.run.status for row in store.rows()] == ["timeout"]


def test_what_the_campaign_is_comes_back(store: Store) -> None:
    with Store(store.path) as read:
        about = dataclasses.replace(CAMPAIGN, shard=(2, 8))
        assert read.about == about
        assert read.about.question == "solutions"
        assert read.instances() == INSTANCES
        assert [instance.puzzle.name for instance in read.instances()] == ["a board", "a picture"]
        assert read.plan() == [planned("a" * 64), planned("b" * 64, PICTURE, 1, 3)]


def test_a_new_plan_leaves_older_results_in_the_file_and_unread(store: Store) -> None:
    kept(store, a_run())
    store.prepare(CAMPAIGN, INSTANCES, [planned("b" * 64, PICTURE)])
    assert list(store.rows()) == []
    assert store.keys() == {"a" * 64}
    store.prepare(CAMPAIGN, INSTANCES, [planned("a" * 64)])
    assert [row.values["key"] for row in store.rows()] == ["a" * 64]


def test_a_file_without_a_campaign_says_so(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite", create=True) as made, pytest.raises(InputError, match="no campaign was started"):
        _ = made.about


MISSING = "no such file of results; `crosslit bench run` makes it"
LATER = "expected results of schema 4, found 99 of a later version of Crosslit; `crosslit bench run FILE.toml --store "


@pytest.mark.parametrize(
    ("content", "query", "message"),
    [
        (None, "", MISSING),
        (b"", "", MISSING),
        (b"title = 'a campaign'\n", "", "expected a file of results from `crosslit bench run`"),
        (None, "CREATE TABLE mine (x)", "expected a file of results, found another database"),
        (..., "PRAGMA user_version = 99", LATER),
        (..., "PRAGMA user_version = 2", "expected results of schema 4, found 2 of an earlier version of Crosslit; "),
        (..., "CREATE VIEW more AS SELECT * FROM runs", "expected the tables of a file of results, found others"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "", "cannot be opened: "),
    ],
)
def test_a_file_that_is_not_a_store_is_reported_in_one_line(
    tmp_path: Path, content: Any, query: str, message: str
) -> None:
    path = tmp_path / "some.sqlite"
    if content is ...:
        Store(path, create=True).close()
    elif content is not None:
        path.write_bytes(content)
    if query:
        ask(path, query)
    with pytest.raises(InputError) as caught:
        Store(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "message"), [("none/s.sqlite", "cannot be opened: unable to"), (".", "Is a directory")]
)
def test_a_place_where_no_file_can_be_is_reported(tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Store(tmp_path / path, create=True)


@pytest.mark.parametrize("write", [False, True])
def test_a_file_of_the_schema_before_is_read_and_is_one_of_this_schema_when_it_is_written(
    store: Store, write: bool
) -> None:
    row = kept(store, a_run())
    ask(store.path, "PRAGMA user_version = 3")
    with Store(store.path, write=write) as older:
        assert [found.values for found in older.rows()] == [row.values]
    assert ask(store.path, "PRAGMA user_version") == [(4 if write else 3,)]


def test_a_file_that_cannot_be_written_is_reported(store: Store) -> None:
    with Store(store.path) as read, pytest.raises(InputError, match="cannot be written: attempt to write a readonly"):
        add(read, planned("a" * 64), Outcome(key="a" * 64, run=a_run(), circumstances=WHERE))


def test_a_full_disk_is_reported_and_the_old_file_stays(store: Store) -> None:
    kept(store, a_run())
    (pages,) = store._database.execute("PRAGMA page_count").fetchone()
    store._database.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then reports a full disk
    large = LightsOut(Grid.from_bits(40, 40, 1))
    noise = [Grid.from_bits(40, 40, pow(3, 1500 + number) % 2**1600) for number in range(500)]
    with pytest.raises(InputError, match="cannot be written: database or disk is full"):
        add(store, planned("b" * 64, large), Outcome(key="b" * 64, run=a_run(grids=noise), circumstances=WHERE))
    with Store(store.path) as read:
        assert [row.values["key"] for row in read.rows()] == ["a" * 64]
    assert ask(store.path, "PRAGMA integrity_check") == [("ok",)]


def test_another_writer_is_waited_for_and_then_reported(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_TIMEOUT_SECONDS", 0.05)
    with Store(store.path, write=True) as second:
        store._database.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="cannot be written: database is locked"):
            second.change_note("x", lambda _: 1)
        store._database.execute("COMMIT")
        second.change_note("x", lambda _: 2)
    assert store.note("x") == 2


def test_an_error_within_a_change_undoes_it_and_the_next_change_is_made(store: Store) -> None:
    def broken(_: object) -> int:
        store._database.execute("INSERT INTO about VALUES ('half', '1')")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.change_note("whole", broken)
    store.change_note("whole", lambda value: [value])
    assert (store.note("half"), store.note("whole")) == (None, [None])


def test_one_reader_does_not_keep_a_writer_waiting(store: Store) -> None:
    kept(store, a_run())
    with Store(store.path) as read:
        rows = read.rows()
        next(rows)
        assert add(store, planned("b" * 64), Outcome(key="b" * 64, run=a_run(), circumstances=WHERE))


@pytest.mark.parametrize("write", [False, True], ids=["read", "written"])
def test_what_a_killed_writer_had_begun_is_undone(store: Store, tmp_path: Path, write: bool) -> None:
    kept(store, a_run())
    database, left = store._database, tmp_path / "left.sqlite"
    database.execute("PRAGMA cache_size = 1")  # an unfinished record reaches the file
    database.execute("BEGIN IMMEDIATE")
    for number in range(200):
        database.execute("INSERT INTO about VALUES (?, ?)", (f"note {number}", "x" * 3000))
    left.write_bytes(store.path.read_bytes())
    journal = store.path.with_name(f"{store.path.name}-journal")
    left.with_name("left.sqlite-journal").write_bytes(journal.read_bytes())
    database.execute("ROLLBACK")
    assert left.stat().st_size > 100_000  # or this test would show nothing
    with Store(left, write=write) as again:
        assert again.keys() == {"a" * 64}
        assert again.note("note 1") is None
    assert ask(left, "PRAGMA integrity_check") == [("ok",)]
    assert not left.with_name("left.sqlite-journal").exists()
