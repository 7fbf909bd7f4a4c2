"""Campaigns that are really run: from the file to the status, killed, interrupted, and in parts."""

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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import run as module
from crosslit_bench.results import Results, load
from crosslit_bench.run import local_runs, progress_line, run_campaign
from crosslit_bench.spec import CampaignSpec
from crosslit_bench.store import Store

from crosslit.base.errors import InputError
from tests.conftest import Command
from tests.core.runs.test_runner import HARD, needs_proc, processes, wait_for

SMALL = """
title = "Small"
backends = ["gauss", "polynomial", "line"]
[limits]
timeout = 20
[[puzzles]]
puzzles = ["10/01", "111/111/111", "1,1|1,1", "1,2|2,1"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def answers(path: Path) -> dict[str, tuple[Any, ...]]:
    """The answer of every run, by its key."""
    return {
        record["key"]: tuple(record[x] for x in ("status", "solutions", "judgement")) for record in load(path).records
    }


def test_a_campaign_is_run_and_run_again_adds_nothing(folder: Path, crosslit: Command) -> None:
    done = crosslit("bench", "run", "small.toml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    told = "`crosslit bench report small.sqlite -o small.html` makes the report"
    assert done.stdout.splitlines()[-1] == f"12 runs, 12 new; 0 wrong answers; results in small.sqlite; {told}"
    before = answers(Path("small.sqlite"))
    assert sorted(status for status, _, _ in before.values()) == ["complete"] * 5 + ["limit"] * 1 + ["unsupported"] * 6
    again = crosslit("bench", "run", "small.toml", "--json", cwd=folder)
    record = json.loads(again.stdout)
    assert (record["new"], record["made"], record["planned"], record["lost"]) == (0, 12, 12, 0)
    assert answers(Path("small.sqlite")) == before
    assert sorted(path.name for path in folder.iterdir()) == ["small.sqlite", "small.toml"]


def test_an_option_takes_the_place_of_a_limit(folder: Path, crosslit: Command) -> None:
    done = crosslit("bench", "run", "small.toml", "--timeout", "7", "-o", "other.sqlite", "--json", cwd=folder)
    assert json.loads(done.stdout)["limits"]["seconds"] == 7.0
    assert {record["timeout"] for record in load(Path("other.sqlite")).records} == {7.0}


def test_changes_of_the_file_make_the_new_runs_only(folder: Path, crosslit: Command) -> None:
    crosslit("bench", "run", "small.toml", cwd=folder)
    Path("small.toml").write_text(SMALL.replace('"line"]', '"brute"]'), encoding="utf-8")
    done = crosslit("bench", "run", "small.toml", cwd=folder)
    assert ", 4 new; 0 wrong answers; 4 runs of other software or an earlier plan, which do not count; " in done.stdout


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        (["bad.toml"], "title = 3", "crosslit: bad.toml: title: expected a text, found 3\n"),
        (["bad.toml"], SMALL.replace('"gauss"', '"gaus"'), "crosslit: bad.toml: backends: backend 'gaus': there is no"),
        (["none.toml"], "", "crosslit: none.toml: No such file or directory\n"),
        (["bad.toml", "-o", "no/s.sqlite"], SMALL, "crosslit: no/s.sqlite: there is no such folder\n"),
        (["bad.toml", "--shard", "3/2"], SMALL, "Usage: "),
        (
            ["bad.toml", "-o", "bad.toml"],
            SMALL,
            "crosslit: bad.toml: cannot be read or written: file is not a database",
        ),
    ],
)
def test_bad_input_makes_no_file(folder: Path, crosslit: Command, words: list[str], text: str, told: str) -> None:
    Path("bad.toml").write_text(text, encoding="utf-8")
    done = crosslit("bench", "run", *words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(told)
    assert not list(folder.glob("**/*.sqlite"))


def test_a_store_of_another_campaign_is_not_overwritten(folder: Path, crosslit: Command) -> None:
    crosslit("bench", "run", "small.toml", "-o", "s.sqlite", cwd=folder)
    Path("large.toml").write_text(SMALL, encoding="utf-8")
    done = crosslit("bench", "run", "large.toml", "-o", "s.sqlite", cwd=folder)
    problem = "contains the campaign 'small', not 'large': choose another file with -o"
    assert (done.returncode, done.stderr) == (2, f"crosslit: s.sqlite: {problem}\n")
    done = crosslit("bench", "report", "s.sqlite", "-o", "s.sqlite", cwd=folder)
    assert (done.returncode, done.stderr) == (2, "crosslit: s.sqlite: is a file of results, which is not overwritten\n")


def test_a_wrong_answer_and_a_crash_end_with_1(folder: Path, crosslit: Command) -> None:
    program = folder / "liar"
    program.write_text("#!/bin/sh\necho s UNSATISFIABLE\n", encoding="utf-8")
    program.chmod(0o755)
    (folder / "crash").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    (folder / "crash").chmod(0o755)
    head = '[solvers]\nliar = "./liar {cnf}"\ncrash = "./crash {cnf}"\n[limits]\n'
    text = SMALL.replace("[limits]\n", head).replace('"line"', '"line", "liar", "crash"')
    Path("small.toml").write_text(text, encoding="utf-8")
    done = crosslit("bench", "run", "small.toml", cwd=folder)
    assert done.returncode == 1
    assert "wrong: liar: false-unsolvable on 10/01: " in done.stdout
    assert "error: crash: error on 10/01: " in done.stdout
    results = load(Path("small.sqlite"))
    starts = {record["backend"].split("/")[0] for record in results.records if record["start"] is not None}
    assert starts == {"liar"}  # a backend in Python has no start of its own, and a crash no time
    assert all(0 < record["start"] <= 10 for record in results.records if record["start"] is not None)
    assert crosslit("bench", "status", "small.toml", cwd=folder).returncode == 1


def test_shards_together_are_the_campaign(folder: Path, crosslit: Command) -> None:
    crosslit("bench", "run", "small.toml", cwd=folder)
    for part in ("1/2", "2/2"):
        assert crosslit("bench", "run", "small.toml", "--shard", part, cwd=folder).returncode == 0
    parts = [f"small.{number}-of-2.sqlite" for number in (1, 2)]
    kept = [answers(Path(part)) for part in parts]
    assert not kept[0].keys() & kept[1].keys()
    status = crosslit("bench", "status", parts[0], cwd=folder).stdout.splitlines()[-1]
    assert status.startswith(f"{len(kept[0])} of {len(kept[0])} runs made (shard 1 of 2), ")
    done = crosslit("bench", "merge", "all.sqlite", *parts, "--json", cwd=folder)
    assert [one["new"] for one in json.loads(done.stdout)["merged"]] == [len(one) for one in kept]
    assert answers(Path("all.sqlite")) == answers(Path("small.sqlite")) == kept[0] | kept[1]
    assert ", 0 new; " in crosslit("bench", "run", "small.toml", "-o", "all.sqlite", cwd=folder).stdout


def test_the_exported_campaign_makes_the_same_runs(folder: Path, crosslit: Command) -> None:
    crosslit("bench", "run", "small.toml", cwd=folder)
    done = crosslit("bench", "export", "small.sqlite", "-o", "again.toml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "crosslit: again.toml: written\n")
    crosslit("bench", "run", "again.toml", cwd=folder)
    assert answers(Path("again.sqlite")) == answers(Path("small.sqlite"))


def test_two_environments_take_part_in_one_campaign(folder: Path, crosslit: Command) -> None:
    older = f'[solvers]\nolder = {{python = "{sys.executable}", backend = "line"}}\n[limits]\n'
    text = SMALL.replace('"line"', '"line", "older"').replace("[limits]\n", older)
    Path("small.toml").write_text(text, encoding="utf-8")
    assert crosslit("bench", "run", "small.toml", "--jobs", "2", cwd=folder).returncode == 0
    found = {row["backend"]: (row["solved"], row["version"]) for row in load(Path("small.sqlite")).rows}
    assert found["older"] == found["line"]


def spec(folder: Path) -> CampaignSpec:
    return CampaignSpec.read(folder / "small.toml")


@pytest.mark.parametrize("seconds", [0.0, 100.0])
def test_runs_are_stored_as_they_end_unless_they_are_short(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(module, "_MAX_BATCH_SECONDS", seconds)
    path, seen = Path("s.sqlite"), list[int]()

    def say(text: str) -> None:
        if "runs" in text:
            with Store(path) as store:
                seen.append(len(store.keys()))

    assert run_campaign(spec(folder), path, local_runs, say=say).new == 12
    assert seen == (list(range(1, 13)) if seconds == 0 else [0] * 12)


def test_a_store_that_fails_ends_all_running_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handler = signal.getsignal(signal.SIGINT)

    def full(*_: object) -> int:
        raise InputError("s.sqlite", "cannot be written: database or disk is full")

    monkeypatch.setattr(Store, "add", full)
    with pytest.raises(InputError, match="disk is full"):
        run_campaign(spec(folder), Path("s.sqlite"), local_runs)
    assert signal.getsignal(signal.SIGINT) is handler
    assert [path.name for path in folder.iterdir() if path.suffix == ".lock"] == []


def test_an_interrupt_while_it_warms_up_ends_it_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> dict[str, object]:
        os.kill(os.getpid(), signal.SIGINT)
        return {}

    monkeypatch.setattr(module, "warm_up", interrupted)
    made = run_campaign(spec(folder), Path("s.sqlite"), local_runs)
    assert (made.new, made.interrupted) == (0, True)
    assert list(local_runs(spec(folder), [], lambda: None)) == []


def test_progress_is_one_line() -> None:
    from collections import Counter

    assert progress_line(Counter(), 3, 0.0) == "0 of 3 runs"
    assert progress_line(Counter(error=2, timeout=2), 4, 8.0) == "4 of 4 runs, 2 failed, 2 timeouts"


QUICK = """
repetitions = 4
[limits]
timeout = 20
memory_mb = 1024
[backends]
native = ["gauss", "first-row"]
sat = ["glucose4/full-direct", "glucose4/chased-cut4"]
[[puzzles]]
generate = "lights-out"
size = [4, 5, 6, 7]
count = 2
"""
ENDLESS = f"""
task = "all"
backends = ["gauss", "glucose4/full-direct"]
[limits]
timeout = 600
[[puzzles]]
puzzles = ["10/01", "{HARD}"]
"""
KILLS, RUNS = 6, 128


class Started:
    """A running ``crosslit bench``, whose processes have a mark in their environment."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.mark = f"CROSSLIT_TEST_MARK={random.SystemRandom().getrandbits(64):x}"
        key, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crosslit", "bench", *words],
            cwd=folder,
            env={**os.environ, key: value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self, number: signal.Signals) -> tuple[str, str]:
        self.process.send_signal(number)
        output = self.process.communicate(timeout=60)
        assert wait_for(lambda: not processes(self.mark), 10), "something stayed"
        return output


def rows_in(path: Path) -> int:
    """Number of runs in a file that may be being written, or not exist."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as database,
    ):
        ((count,),) = database.execute("SELECT count(*) FROM runs").fetchall()
        return int(count)
    return 0


@pytest.mark.slow
@needs_proc
def test_a_campaign_killed_many_times_has_the_same_results(folder: Path, crosslit: Command) -> None:
    Path("quick.toml").write_text(QUICK, encoding="utf-8")
    assert crosslit("bench", "run", "quick.toml", cwd=folder).returncode == 0
    killed, rng, deaths, before = Path("killed.sqlite"), random.Random(1), 0, 0
    for kill in range(KILLS):
        bench = Started(folder, "run", "quick.toml", "-o", str(killed), "--jobs", str(1 + kill % 3))
        if kill < 3:
            time.sleep(0.25 * kill)  # while it starts, reads, plans and makes its file
        else:
            enough: Callable[[int], bool] = lambda count: rows_in(killed) >= count or bench.process.poll() is not None  # noqa: B023, E731
            wait_for(functools.partial(enough, before + rng.randrange(1, 6)), 30)
            time.sleep(0.01 * rng.random())
        bench.end(signal.SIGKILL)
        deaths += bench.process.returncode == -signal.SIGKILL
        assert rows_in(killed) >= before, "a run that was stored is gone"
        before = rows_in(killed)
    assert deaths > KILLS // 2
    assert before > 0
    last = crosslit("bench", "run", "quick.toml", "-o", str(killed), "--json", cwd=folder)
    record = json.loads(last.stdout)
    assert (record["made"], record["planned"], record["new"]) == (RUNS, RUNS, RUNS - before)
    assert answers(killed) == answers(Path("quick.sqlite"))
    assert not [path.name for path in folder.iterdir() if path.suffix not in (".toml", ".sqlite")]


@pytest.fixture
def hanging(tmp_path: Path) -> Started:
    """A campaign whose quick runs are made, and which now makes an endless one."""
    (tmp_path / "endless.toml").write_text(ENDLESS, encoding="utf-8")
    bench = Started(tmp_path, "run", "endless.toml", "--jobs", "3")
    assert wait_for(lambda: rows_in(tmp_path / "endless.sqlite") == 3, 60)
    return bench


@pytest.mark.slow
@needs_proc
def test_an_interrupt_keeps_what_was_made_and_says_how_to_go_on(tmp_path: Path, hanging: Started) -> None:
    output, errors = hanging.end(signal.SIGINT)
    assert hanging.process.returncode == 130
    assert output.splitlines()[-1] == (
        "interrupted: 3 of 4 runs made, 3 new; 0 wrong answers; `crosslit bench run endless.toml` continues"
    )
    assert errors == ""
    results: Results = load(tmp_path / "endless.sqlite")
    assert [record["status"] for record in results.records] == ["complete"] * 3


@pytest.mark.slow
@needs_proc
def test_a_second_process_is_refused_while_the_first_lives(tmp_path: Path, hanging: Started, crosslit: Command) -> None:
    (tmp_path / "other.sqlite").write_bytes((tmp_path / "endless.sqlite").read_bytes())
    for words in (["run", "endless.toml"], ["merge", "endless.sqlite", "other.sqlite"]):
        done = crosslit("bench", *words, cwd=tmp_path)
        problem = "crosslit: endless.sqlite: another process is writing to it\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", problem)
    assert crosslit("bench", "status", "endless.sqlite", cwd=tmp_path).returncode == 0
    hanging.end(signal.SIGKILL)
    assert crosslit("bench", "merge", "endless.sqlite", "other.sqlite", cwd=tmp_path).returncode == 0
