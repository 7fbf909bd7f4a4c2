"""Damaged files of results, and full disks: one line names the file and the reason."""

from __future__ import annotations

import random
import tracemalloc
import zlib
from pathlib import Path

import pytest
from crosslit_bench.results.frame import load
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.merge import NOTE, merge
from crosslit_bench.store.store import Store

from crosslit.base.errors import InputError
from tests.bench.store.test_store import ask
from tests.bench.synthetic import fill

PAGE = 4096


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole.sqlite"
    fill(path, 60, repetitions=1)
    return path


def look(path: Path) -> None:
    with Store(path) as store:
        campaign_status(store)
        load(store)


def test_a_lost_database_page_is_reported_or_does_not_matter(whole: Path, tmp_path: Path) -> None:
    content, rng, told = whole.read_bytes(), random.Random(1), 0
    path = tmp_path / "damaged.sqlite"
    for at in range(PAGE, len(content), PAGE):
        lost = rng.randbytes(PAGE) if at // PAGE % 2 else bytes(PAGE)
        path.write_bytes(content[:at] + lost + content[at + PAGE :])
        try:
            look(path)
        except InputError as error:
            assert str(error).startswith(f"{path}: cannot be ")
            assert str(error).isprintable()
            told += 1
    assert told


_LAST = "(SELECT key FROM plan WHERE puzzle < (SELECT max(id) FROM puzzles) ORDER BY place DESC LIMIT 1)"
_LATER = "(SELECT max(key) FROM runs WHERE answer != '')"


# Random damage meets the same check nearly always, so each message has its own. The damage is at the end of a block
# where there is one: a check of the first row only would pass.
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE about SET value = '{'", ""),
        ("UPDATE about SET value = '[]'", ""),
        ('UPDATE about SET value = \'{"crosslit": "1"}\'', ""),
        ("UPDATE about SET value = CAST(x'ff0a' AS TEXT)", ""),
        ("UPDATE puzzles SET text = 'x'", ""),
        ("UPDATE puzzles SET facts = '{'", ""),
        ("UPDATE plan SET puzzle = 'x'", "a run is on another puzzle than planned"),
        ("UPDATE runs SET stats = ''", "stats: "),
        ("UPDATE runs SET stats = '{\"k\": NaN}'", "stats: expected a number, found NaN"),
        (f"UPDATE runs SET stats = '{'[' * 100_000}'", "stats: its JSON is nested too deeply"),
        ("UPDATE answers SET count = 0", "count: "),
        ("UPDATE answers SET count = 1 << 40", "a run has more solutions than are ever stored"),
        ("UPDATE puzzles SET text = (SELECT max(text) FROM puzzles)", "a puzzle does not match its id"),
        (
            f"UPDATE runs SET puzzle = (SELECT max(id) FROM puzzles) WHERE key = {_LAST}",
            "a run is on another puzzle than planned",
        ),
        ("DELETE FROM answers WHERE id = (SELECT max(id) FROM answers)", "the solutions of a run are missing"),
        (
            "UPDATE answers SET packed = substr(packed, 1, length(packed) - 1)",
            "its solutions are not the ones that were stored",
        ),
        ("UPDATE answers SET rows = rows * columns, columns = 1", "its solutions are not the ones that were stored"),
        (f"UPDATE runs SET solutions = 2 WHERE key = {_LATER}", "a run has 2 solutions, and 1 of them are stored"),
        (f"UPDATE runs SET wall = -1.0 WHERE key = {_LATER}", "wall: expected a number from 0 to 1e+15, found -1.0"),
        (f"UPDATE runs SET solutions = -1 WHERE key = {_LATER}", "solutions: expected a whole number from 0 to "),
    ],
)
def test_damage_that_only_one_check_can_see_is_reported_for_its_reason(whole: Path, change: str, message: str) -> None:
    ask(whole, change)
    with pytest.raises(InputError) as caught, Store(whole) as store:
        load(store)
    assert str(caught.value).startswith(f"{whole}: cannot be read: {message}")
    assert str(caught.value).isprintable()


def test_a_damaged_file_is_named_once_where_readers_are_nested(whole: Path) -> None:
    ask(whole, "DELETE FROM puzzles")
    with pytest.raises(InputError) as caught, Store(whole) as store, store.understood():
        store.plan()
    assert str(caught.value) == f"{whole}: cannot be read: the puzzle of a planned run is not there"


def test_solutions_that_expand_to_much_are_refused_before_they_are_decompressed(whole: Path) -> None:
    zeros = zlib.compressobj(9)
    bomb = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(64)) + zeros.flush()
    ask(whole, f"UPDATE answers SET packed = x'{bomb.hex()}'")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="its solutions are not the ones that were stored"):
            look(whole)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_a_damaged_source_is_not_merged(whole: Path, tmp_path: Path) -> None:
    ask(whole, "DELETE FROM answers")
    goal = tmp_path / "goal.sqlite"
    with pytest.raises(InputError, match=r"whole\.sqlite: cannot be read: "):
        merge(goal, [whole])
    assert [path.name for path in tmp_path.iterdir()] == ["whole.sqlite"]


def test_a_file_that_is_deleted_while_it_is_written_is_reported(whole: Path) -> None:
    with Store(whole, write=True) as store:
        whole.unlink()
        with pytest.raises(InputError, match=r"whole\.sqlite: cannot be written: it was moved or deleted"):
            store.change_note("x", lambda _: 1)


@pytest.mark.parametrize(
    "note",
    [["x"], {"pid": 1}, "x", {"host": "h", "pid": 10**30, "began": ""}, {"host": "h", "pid": "1", "began": ""}],
)
def test_a_note_that_was_never_made_is_reported(whole: Path, note: object) -> None:
    with Store(whole, write=True) as store:
        store.change_note(NOTE, lambda _: note)
    with pytest.raises(InputError, match="cannot be read: the note of its writer is damaged"):
        look(whole)
