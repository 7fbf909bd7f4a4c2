"""A campaign that is killed many times at any moment, and interrupted: its final results are the same."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from crosslit_bench.results.frame import load
from crosslit_bench.store.store import Store

from crosslit.base.errors import InputError
from tests.bench.store.test_store import ask
from tests.conftest import Command
from tests.core.runs.test_runner import HARD, needs_proc, processes, wait_for

pytestmark = pytest.mark.slow

# more quick runs than ten killed campaigns can make
QUICK = """
task = "unique"
repetitions = 4
[limits]
seconds = 20
memory_mb = 1024
[backends]
native = ["gauss", "first-row"]
sat = ["glucose4/full-direct", "glucose4/chased-cut4"]
[[puzzles]]
generate = "lights-out"
sizes = [4, 5, 6, 7]
count = 2
solvable = true
"""
ENDLESS = f"""
task = "all"
backends = ["gauss", "glucose4/full-direct"]
[limits]
seconds = 600
[[puzzles]]
puzzles = ["10/01", "{HARD}"]
"""
KILLS, RUNS = 6, 128

Found = dict[str, tuple[str, frozenset[str]]]


def found(path: Path) -> tuple[Found, dict[str, str]]:
    """The result of every run in a store, and the verdict about every puzzle."""
    with Store(path) as store:
        results = load(store)
    runs = [row for judged in results.judged for row in judged.rows]
    rows = {row.values["key"]: (row.run.status, frozenset(grid.text() for grid in row.run.grids)) for row in runs}
    assert len(rows) == len(runs)
    return rows, {one.instance.puzzle.id: one.comparison.verdict.status for one in results.judged}


def rows_in(path: Path) -> int:
    """Number of runs in a file that may be being written."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0)) as database:
            (count,) = database.execute("SELECT count(*) FROM runs").fetchone()
    except sqlite3.Error:
        return 0
    return int(count)


def rows_left(path: Path) -> int:
    """Number of runs in a file whose writer was killed, maybe before it created the file."""
    with contextlib.suppress(InputError), Store(path) as store:
        return len(store.keys())
    return 0


class Bench:
    """A running ``crosslit bench``, whose processes have a mark in their environment."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.mark = f"CROSSLIT_TEST_MARK={random.SystemRandom().getrandbits(64):x}"
        key, _, value = self.mark.partition("=")
        environment = {**os.environ, key: value}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crosslit", "bench", *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def has_kept(self, path: Path, rows: int) -> bool:
        return rows_in(path) >= rows or self.process.poll() is not None

    def end(self, number: signal.Signals) -> tuple[str, str]:
        self.process.send_signal(number)
        output = self.process.communicate(timeout=30)
        assert wait_for(lambda: not processes(self.mark), 5), "something stayed"
        return output


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    path = tmp_path / "quick.toml"
    path.write_text(QUICK, encoding="utf-8")
    return path


@needs_proc
def test_a_campaign_killed_many_times_has_the_same_results(quick: Path, crosslit: Command) -> None:
    folder, killed = quick.parent, quick.with_name("killed.sqlite")
    undisturbed = crosslit("bench", "run", quick.name, cwd=folder)
    assert undisturbed.returncode == 0, undisturbed.stderr
    rng, deaths, before = random.Random(1), 0, 0
    for kill in range(KILLS):
        resumed = kill % 2 and before > 0
        words = ["run", killed.name] if resumed else ["run", quick.name, "--store", killed.name]
        bench = Bench(folder, *words, "--jobs", str(1 + kill % 3))
        if kill < 3:
            time.sleep(0.25 * kill)  # while it starts, reads, plans and makes its file
        else:
            goal = before + rng.randrange(1, 6)
            wait_for(functools.partial(bench.has_kept, killed, goal), 20)
            time.sleep(0.01 * rng.random())
        bench.end(signal.SIGKILL)
        deaths += bench.process.returncode == -signal.SIGKILL
        now = rows_left(killed)
        assert now >= before, "a run that was kept is gone"
        before = now
    assert deaths > KILLS // 2
    assert before > 0
    last = crosslit("bench", "run", killed.name, "--json", cwd=folder)
    assert last.returncode == 0, last.stderr
    told = json.loads(last.stdout)
    assert (told["made"], told["planned"], told["new"]) == (RUNS, RUNS, RUNS - before)
    assert found(killed) == found(quick.with_name("quick.sqlite"))
    assert ask(killed, "PRAGMA integrity_check") == [("ok",)]
    assert ask(killed, "SELECT name FROM about WHERE name NOT GLOB 'claim *'") == [("campaign",)]
    assert {path.name for path in folder.iterdir()} == {"quick.toml", "quick.sqlite", "killed.sqlite"}


def hanging(tmp_path: Path) -> Bench:
    """A campaign whose quick runs are made, and which now makes an endless one."""
    path = tmp_path / "endless.toml"
    path.write_text(ENDLESS, encoding="utf-8")
    bench = Bench(tmp_path, "run", path.name, "--jobs", "3")
    assert wait_for(lambda: rows_in(tmp_path / "endless.sqlite") == 3, 40)
    return bench


@needs_proc
def test_an_interrupt_keeps_what_was_made_and_says_how_to_go_on(tmp_path: Path) -> None:
    bench = hanging(tmp_path)
    output, errors = bench.end(signal.SIGINT)
    assert bench.process.returncode == 130
    assert output.splitlines()[-1] == (
        "interrupted: 3 of 4 runs made, 3 new; 0 wrong answers; `crosslit bench run endless.sqlite` continues"
    )
    assert errors == ""
    statuses = sorted(status for status, _ in found(tmp_path / "endless.sqlite")[0].values())
    assert statuses == ["complete"] * 3


@needs_proc
def test_a_second_process_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    bench = hanging(tmp_path)
    for words in (["run", "endless.toml"], ["run", "endless.sqlite"], ["merge", "endless.sqlite", "other.sqlite"]):
        if words[0] == "merge":
            (tmp_path / "other.sqlite").write_bytes((tmp_path / "endless.sqlite").read_bytes())
        second = Bench(tmp_path, *words)
        output, errors = second.process.communicate(timeout=30)
        assert second.process.returncode == 2
        assert (output, errors) == ("", f"crosslit: endless.sqlite: process {bench.process.pid} is writing to it\n")
    status = Bench(tmp_path, "status", "endless.sqlite", "--json")
    assert json.loads(status.process.communicate(timeout=30)[0])["running"] is True
    bench.end(signal.SIGKILL)
    status = Bench(tmp_path, "status", "endless.sqlite", "--json")
    assert json.loads(status.process.communicate(timeout=30)[0])["running"] is False
