"""The store: what is kept and read again, merging, the lock, and files that are refused."""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import store as module
from crosslit_bench.plan import PlannedRun
from crosslit_bench.results import load
from crosslit_bench.store import Store, merge, store_path, writer_lock

from crosslit import Grid, InputError
from crosslit.contract.run import Run
from tests.bench.stores import BOTH, CORNER, HERE, a_plan, a_spec, made, right, solved, unsolved

STATS = {"nodes": 2**70, "rate": 0.5, "words": "é"}
RUN = Run(
    "gauss", "xor", "1", frozenset("ab"), "complete", [CORNER], solved(0.25).timing, 3, 12.5, STATS, "\ud800", "x", 0, 7
)


def ask(path: Path, query: str, *values: Any) -> list[Any]:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        return database.execute(query, values).fetchall()


def prepared(
    path: Path, backends: Any = ("gauss",), shard: tuple[int, int] | None = None, filled: bool = False, **keys: Any
) -> Path:
    """A store with a plan, and with its runs if it is filled."""
    spec = a_spec(backends, **keys)
    with Store(path, create=True) as store:
        store.prepare(spec, BOTH, a_plan(spec, BOTH), shard)
        store.add(some_run(run) for run in (store.plan().runs if filled else ()))
    return path


def some_run(planned: PlannedRun) -> Any:
    return made(planned, solved(0.1, right(planned.puzzle)))


def test_everything_about_a_run_returns(tmp_path: Path) -> None:
    with Store(prepared(tmp_path / "s.sqlite")) as store:
        planned = store.plan().runs
        assert store.add([made(planned[0], dataclasses.replace(RUN), 0.125)]) == 1
        assert store.add([made(planned[0], unsolved())]) == 0  # the first one stays
        ((back, columns, run, _),) = store.runs(planned)
    with pytest.raises(InputError, match="closed database"):
        store.keys()
    assert back == planned[0]
    assert run == dataclasses.replace(RUN, stats={**STATS, "nodes": {"log2": 70}}, error="?")
    assert {name: columns[name] for name in HERE} == HERE
    assert (columns["start"], columns["total"], columns["solutions"]) == (0.125, 0.25, 1)


def test_a_new_plan_keeps_the_runs_and_ignores_those_outside(tmp_path: Path) -> None:
    path = prepared(tmp_path / "s.sqlite", ["gauss", "line"], filled=True)
    assert ask(path, "SELECT count(*) FROM answers") == [(2,)]  # equal solutions are stored once
    assert [ask(path, f"PRAGMA {name}") for name in ("application_id", "user_version")] == [[(0x43524C54,)], [(5,)]]
    results = load(prepared(path, ["gauss"]))
    assert (results.planned, results.made, results.outside) == (2, 2, 2)
    assert results.line().endswith("0 wrong answers, 2 runs of an earlier plan, which do not count")
    assert load(prepared(path, ["gauss", "line"])).made == 4


def test_an_answer_has_the_id_of_its_cells_and_of_their_number_of_states() -> None:
    three = Grid.from_text(CORNER.text, 3)
    ids = [module.StoredAnswer.of(grids).id[:8] for grids in ([CORNER], [three], [CORNER, CORNER])]
    assert ids == ["c2341dc6", "009ba33b", "5979f334"]


def test_too_many_solutions_are_out_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_BYTES", 1)  # as many as the smaller solution has
    with Store(prepared(tmp_path / "s.sqlite", filled=True)) as store:
        runs = [one.run for one in store.runs(store.plan().runs)]
    assert [(run.status, len(run.grids)) for run in runs] == [("memory", 0), ("complete", 1)]
    assert runs[0].error == "its 1 solutions exceed the 0 MB that are stored for a run"


def test_a_failed_transaction_stores_nothing(tmp_path: Path) -> None:
    with Store(prepared(tmp_path / "s.sqlite")) as store:
        first, second = store.plan().runs
        broken = some_run(second)
        broken.columns["total"] = "fast"
        with pytest.raises(InputError, match=r"s\.sqlite: cannot be read or written: "):
            store.add([some_run(first), broken])
        assert store.keys() == set()


def test_a_path_of_a_campaigns_file_is_that_of_its_store(tmp_path: Path) -> None:
    path = prepared(tmp_path / "s.toml")  # a store, whatever its name
    (tmp_path / "c.toml").write_text("", encoding="utf-8")
    assert store_path(path) == path
    assert store_path(tmp_path / "c.toml") == Path("c.sqlite")
    assert store_path("none.toml") == Path("none.toml")


def test_stores_are_merged_and_no_run_twice(tmp_path: Path) -> None:
    one, other = (prepared(tmp_path / name, shard=(1, 2), filled=name == "1") for name in "12")
    with Store(other) as store:
        store.add([some_run(store.plan().runs[0])])
    target = tmp_path / "all"
    assert merge(target, [other, one]) == [(other, 1, 0), (one, 1, 1)]
    assert merge(target, [target, one]) == [(one, 0, 2)]
    results = load(target)
    assert (results.shard, results.made, results.wrong) == (None, 2, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "all"]


def test_what_does_not_belong_together_is_not_merged(tmp_path: Path) -> None:
    one, other = prepared(tmp_path / "1"), prepared(tmp_path / "2", ["line"])
    with pytest.raises(InputError, match=r"2: belongs to another campaign or plan than .*1$"):
        merge(tmp_path / "all", [one, other])
    with pytest.raises(InputError, match="nothing to merge into it"):
        merge(one, [one])
    assert not (tmp_path / "all").exists()


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    path = prepared(tmp_path / "s.sqlite")
    with writer_lock(path), pytest.raises(InputError, match="another process is writing to it"), writer_lock(path):
        pass
    with writer_lock(path), pytest.raises(InputError, match="another process is writing to it"):
        merge(path, [tmp_path / "other"])
    with writer_lock(path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["s.sqlite"]
    with pytest.raises(InputError, match="No such file"), writer_lock(tmp_path / "no" / "s.sqlite"):
        pass


def test_a_store_of_another_version_is_refused_by_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    for query in ("CREATE TABLE x (y)", f"PRAGMA application_id = {module.APPLICATION}", "PRAGMA user_version = 4"):
        ask(path, query)
    with pytest.raises(InputError, match=r"is a file of results of schema 4, this Crosslit reads 5$"):
        load(path)


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        "CREATE VIEW v AS SELECT * FROM runs",
        "ALTER TABLE runs ADD COLUMN x TEXT",
        "DROP TABLE answers",
    ],
)
def test_other_tables_are_refused(tmp_path: Path, query: str) -> None:
    path = prepared(tmp_path / "s.sqlite")
    ask(path, query)
    with pytest.raises(InputError, match="expected a file of results, found another database"):
        Store(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answers SET packed = x'00'",
        "UPDATE answers SET rows = 4, columns = 2",
        "UPDATE runs SET solutions = 2",
        "UPDATE runs SET stats = '{'",
        "UPDATE runs SET error = CAST(x'ff' AS TEXT)",
        "UPDATE puzzles SET text = '000/000/000' WHERE kind = 'lights-out'",
        "UPDATE puzzles SET kind = 'chess'",
        "UPDATE about SET value = '3' WHERE name = 'campaign'",
        "DELETE FROM about",
    ],
)
def test_damage_is_one_line_with_the_file(tmp_path: Path, change: str) -> None:
    path = prepared(tmp_path / "s.sqlite", filled=True)
    ask(path, change)
    with pytest.raises(InputError, match=r"^[^\n]*s\.sqlite: [^\n]*$"):
        load(path)


def test_data_that_grows_without_end_is_not_decompressed(tmp_path: Path) -> None:
    path = prepared(tmp_path / "s.sqlite", filled=True)
    ask(path, "UPDATE answers SET packed = ?", zlib.compress(bytes(50 << 20)))
    tracemalloc.start()
    with pytest.raises(InputError):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()


def test_a_store_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = prepared(tmp_path / "s.sqlite", filled=True)
    path.chmod(0o400)
    assert load(path).made == 2
    with pytest.raises(InputError, match="no such file of results; `crosslit bench run` makes it"):
        load(tmp_path / "none.sqlite")
    (tmp_path / "text").write_text("text", encoding="utf-8")
    with pytest.raises(InputError, match="file is not a database"):
        load(tmp_path / "text")
