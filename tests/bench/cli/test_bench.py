"""``crosslit bench``, from the file of a campaign to the export of its results."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest
from crosslit_bench.cli import report as bench_report
from crosslit_bench.cli import run as bench_run
from crosslit_bench.execution.campaign import ExecutionOptions
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.results.frame import NAMES, load, written
from crosslit_bench.store.store import Store

from crosslit import registry
from crosslit.base.errors import CrosslitError, InputError, SpecError, Unavailable
from crosslit.base.numbers import format_count
from crosslit.cli.group import root
from tests.bench.execution.test_kill import found, rows_left
from tests.bench.reports import BOARD, CORNER, DRAWN, PICTURE, Made, campaign, named, solved, unsolved
from tests.bench.synthetic import fill
from tests.conftest import Command

SMALL = """
title = "Small"
task = "unique"
backends = ["gauss", "polynomial", "line"]
[limits]
seconds = 20
[[puzzles]]
puzzles = ["10/01", "111/111/111", "1,1|1,1", "1,2|2,1"]
"""
LOCAL = ExecutionOptions(jobs=1, dask=None)

Run = Callable[..., int]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def run(name: str = "small.toml", goal: str | None = None, shard: tuple[int, int] | None = None, jobs: int = 1) -> int:
    return bench_run.run_file(name, goal, ExecutionOptions(jobs=jobs, dask=None), shard, False)


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_a_campaign_is_made_and_made_again_adds_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    told = "`crosslit bench report small.sqlite -o small.html` makes the report"
    assert last_line(capsys) == f"12 runs, 12 new; 0 wrong answers; results in small.sqlite; {told}"
    first = Path("small.sqlite").read_bytes()
    before = found(Path("small.sqlite"))
    assert run() == 0
    assert last_line(capsys).startswith("12 runs, 0 new; ")
    assert bench_run.run_file("small.sqlite", None, LOCAL, None, False) == 0
    assert last_line(capsys).startswith("12 runs, 0 new; ")
    assert found(Path("small.sqlite")) == before
    assert len(Path("small.sqlite").read_bytes()) == len(first)


@pytest.mark.slow
def test_only_report_and_diff_need_pandas(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert run() == 0
    assert bench_run.merge_stores("all.sqlite", ["small.sqlite"], False) == 0
    assert bench_run.show_status("all.sqlite", False) == bench_report.check("all.sqlite", False) == 0
    capsys.readouterr()
    assert bench_report.export("all.sqlite", None, "csv") == 0
    assert capsys.readouterr().out.count("\n") == 13
    needs = r"^a data frame needs pandas, which is not installed: pip install "
    with pytest.raises(Unavailable, match=needs):
        bench_report.report("all.sqlite", path="small.html")
    with pytest.raises(Unavailable, match=needs):
        bench_report.diff("all.sqlite", "small.sqlite", None, 10, False)


@pytest.mark.slow
def test_shards_together_are_the_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    for number in (1, 2, 3):
        assert run(shard=(number, 3)) == 0
    parts = [f"small.{number}-of-3.sqlite" for number in (1, 2, 3)]
    kept = [found(Path(part))[0] for part in parts]
    assert sum(map(len, kept)) == 12
    capsys.readouterr()
    assert bench_run.show_status(parts[0], False) == 0
    assert last_line(capsys).startswith(f"{len(kept[0])} of {format_count(len(kept[0]), 'run')} made (shard 1 of 3), ")
    assert bench_run.merge_stores("all.sqlite", parts[:2], False) == 0
    assert last_line(capsys).startswith(f"all.sqlite: {len(kept[0]) + len(kept[1])} of 12 runs made, ")
    with click.Context(root):
        assert bench_run.merge_stores("all.sqlite", ["all.sqlite", *parts], True) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(one["new"], one["twice"]) for one in told["merged"]] == [
        (0, len(kept[0])),
        (0, len(kept[1])),
        (len(kept[2]), 0),
    ]
    assert told["shard"] is None
    assert found(Path("all.sqlite")) == found(Path("small.sqlite"))
    assert bench_run.run_file("all.sqlite", None, LOCAL, None, False) == 0
    assert last_line(capsys).startswith("12 runs, 0 new; ")


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_results_of_another_campaign_are_not_merged(folder: Path, there: bool) -> None:
    run(shard=(1, 2))
    Path("other.toml").write_text(SMALL.replace("seconds = 20", "seconds = 21"), encoding="utf-8")
    run("other.toml")
    if there:
        bench_run.merge_stores("all.sqlite", ["small.1-of-2.sqlite"], False)
    before = Path("all.sqlite").read_bytes() if there else b""
    with pytest.raises(InputError) as caught:
        bench_run.merge_stores("all.sqlite", ["small.1-of-2.sqlite", "other.sqlite"], False)
    first = "all.sqlite" if there else "small.1-of-2.sqlite"
    assert str(caught.value) == f"other.sqlite: belongs to another campaign: different limits than in {first}"
    assert (Path("all.sqlite").read_bytes() if there else b"") == before
    assert not [path for path in folder.iterdir() if path.name.startswith(".crosslit")]
    assert Path("all.sqlite").exists() == there


@pytest.mark.slow
def test_results_of_another_version_are_not_merged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shard=(1, 2))
    monkeypatch.setattr(type(registry.all_backends()["gauss"]), "version", lambda self: "99.0")
    run(shard=(2, 2))
    with pytest.raises(InputError, match=r"small\.2-of-2\.sqlite: has runs of gauss 99\.0, small\.1-of-2"):
        bench_run.merge_stores("all.sqlite", ["small.1-of-2.sqlite", "small.2-of-2.sqlite"], False)


def test_a_changed_version_is_not_mixed_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(goal="half.sqlite")
    with closing(sqlite3.connect("half.sqlite")) as store, store:
        store.execute("DELETE FROM runs WHERE contestant = 'gauss'")  # a shard may have them all: it goes by the keys
    with Store(Path("half.sqlite")) as kept:
        version = next(planned.version for planned in kept.plan() if planned.contestant == "gauss")
    monkeypatch.setattr(type(registry.all_backends()["gauss"]), "version", lambda self: "99.0")
    with pytest.raises(SpecError) as caught:
        bench_run.run_file("half.sqlite", None, LOCAL, None, False)
    told = f"half.sqlite: gauss was planned with version {version} and is 99.0; "
    assert str(caught.value) == f"{told}`crosslit bench run` on the campaign's file makes a new plan"


def test_a_changed_campaign_ignores_earlier_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    Path("small.toml").write_text(SMALL.replace('"line"]', '"first-row"]'), encoding="utf-8")
    run()
    assert ", 4 new; " in last_line(capsys)
    bench_run.show_status("small.sqlite", False)
    assert "4 runs of an earlier plan, which do not count" in last_line(capsys)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title = 3", "bad.toml: title: "),
        (SMALL.replace('"gauss"', '"gaus"'), "bad.toml: backend 'gaus': there is no 'gaus'; did you mean gauss"),
        (
            SMALL.replace('"gauss", "polynomial", "line"', '"fewest:x=*"'),
            "bad.toml: backend 'fewest:x=*': unknown option",
        ),
        (SMALL.replace('"gauss", "polynomial", "line"', '"rc2*"'), "no backend of the campaign supports any"),
    ],
)
def test_bad_input_makes_no_file(folder: Path, crosslit: Command, text: str, told: str) -> None:
    Path("bad.toml").write_text(text, encoding="utf-8")
    done = crosslit("bench", "run", "bad.toml", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"crosslit: {told}")
    assert done.stderr.count("\n") == 1
    assert not list(folder.glob("*.sqlite"))


def test_a_campaign_may_come_through_a_pipe(folder: Path) -> None:
    os.mkfifo("piped.toml")
    writer = threading.Thread(target=Path("piped.toml").write_text, args=(SMALL,))
    writer.start()
    assert run("piped.toml") == 0
    writer.join()
    assert rows_left(Path("piped.sqlite")) == 12


@pytest.mark.parametrize(
    ("limits", "changed", "message"),
    [
        ("", {"file": "small.sqlite", "shard": (1, 2)}, "goes without --store and --shard"),
        ("", {"store": "precious.txt"}, r"precious\.txt: expected a file of results"),
        ("", {"store": "none/s.sqlite"}, "none/s.sqlite: there is no such folder"),
        ("", {"store": "/proc/s.sqlite"}, "/proc/s.sqlite: cannot be (opened|written)"),
        ("", {"outputs": "small.toml"}, r"small\.toml: cannot be a folder for output: File exists"),
        ("", {"outputs": "/proc/self"}, "/proc/self: cannot be a folder for output: "),
        ("", {"dask": "nonsense://x"}, "--dask nonsense://x: "),
        ("", {"dask": "local", "outputs": "out"}, "--keep-output works only on this machine, not with --dask"),
        ("cores = 1", {"dask": "local"}, "limits.cores works only on this machine, not with --dask"),
        ("cores = 1000", {}, "cores = 1000: a run needs 1000 processor cores"),
    ],
)
def test_what_cannot_be_run_is_refused_and_makes_no_file(
    folder: Path, limits: str, changed: dict[str, Any], message: str
) -> None:
    if "dask" in changed:
        pytest.importorskip("distributed")
    Path("small.toml").write_text(SMALL.replace("seconds = 20", f"seconds = 20\n{limits}"), encoding="utf-8")
    Path("precious.txt").write_text("mine", encoding="utf-8")
    if changed.get("file"):
        run()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    options = ExecutionOptions(dask=changed.get("dask"), outputs=changed.get("outputs"))
    with pytest.raises(CrosslitError, match=message):
        bench_run.run_file(
            changed.get("file", "small.toml"), changed.get("store"), options, changed.get("shard"), False
        )
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_goal_that_holds_another_campaign_is_left_alone(folder: Path) -> None:
    run()
    before = Path("small.sqlite").read_bytes()
    Path("other.toml").write_text(SMALL, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        run("other.toml", goal="small.sqlite")
    assert str(caught.value) == (
        "small.sqlite: contains the campaign small, not other: choose another file with --store"
    )
    assert Path("small.sqlite").read_bytes() == before


def test_wrong_answers_are_reported_first(folder: Path, crosslit: Command, planted_environment: dict[str, str]) -> None:
    Path("lies.toml").write_text(
        SMALL.replace('"line"]', '"lies-unsolvable", "crashes"]').replace("[limits]", "repetitions = 2\n[limits]"),
        encoding="utf-8",
    )
    done = crosslit("bench", "run", "lies.toml", cwd=folder, env=planted_environment)
    assert done.returncode == 1, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith("wrong: lies-unsolvable: false-unsolvable on ")
    cells = {line.split()[0]: line.split()[1:5] for line in rest if line.startswith((" ", "lies", "crashes", "gauss"))}
    assert cells["lies-unsolvable"] == ["0", "8", "4", "0"]  # wrong once a puzzle, however often it was repeated
    assert cells["crashes"][0] == "0"
    assert "; 4 wrong answers; " in rest[-1]
    with click.Context(root):
        assert bench_run.show_status("lies.toml", True) == 1
    with Store(Path("lies.sqlite")) as store:
        judged = {(row["contestant"], row["judgement"]) for row in load(store).records()}
    assert judged == {
        ("lies-unsolvable", "wrong"),
        ("crashes", "undecided"),
        ("gauss", "right"),
        ("gauss", "undecided"),  # the nonograms, which it does not take
        ("polynomial", "right"),
        ("polynomial", "undecided"),
    }


HOSTILE = ["=cmd|' /C calc'!A0", 'a,b\n"c"', "<script>alert(1)</script>", "\x1b[31mred\x1b[0m", "[bold]", "+1"]


def test_the_export_has_every_run_and_every_column(tmp_path: Path) -> None:
    path = fill(tmp_path / "s.sqlite", 300, repetitions=1, names=HOSTILE, errors=HOSTILE, wrong="glucose4/full-cut4")
    with Store(path) as store:
        rows = [json.loads(line) for line in written(load(store).records(), "jsonl")]
        table = list(csv.reader(io.StringIO("".join(written(load(store).records(), "csv")))))
        keys = [one.key for one in store.plan()]
    assert [row["key"] for row in rows] == keys
    assert list(rows[0]) == table[0] == [*NAMES]
    assert len(table) == len(keys) + 1
    assert {len(line) for line in table} == {len(table[0])}
    names = {row["puzzle_name"] for row in rows}
    assert set(HOSTILE) <= names
    shown = {line[table[0].index("puzzle_name")] for line in table[1:]}
    assert {"'" + HOSTILE[0], "'+1", *HOSTILE[1:5]} <= shown
    judged = {(row["contestant"], row["judgement"]) for row in rows if row["status"] == "complete"}
    assert ("glucose4/full-cut4", "wrong") in judged
    assert {row["judgement"] for row in rows if row["status"] == "timeout"} == {"undecided"}
    assert {row["contestant"] for row in rows if row["judgement"] == "wrong"} == {"glucose4/full-cut4"}


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = fill(tmp_path / "s.sqlite", 300, names=HOSTILE * 4, errors=HOSTILE, wrong="gauss", repetitions=1)
    assert bench_run.show_status(str(path), False) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "wrong: gauss: false-unsolvable on " in told


@pytest.mark.slow
def test_the_panel_shows_progress_on_a_terminal(folder: Path) -> None:
    import pty

    more = [f"1{'0' * n}/{'0' * (n + 1)}" for n in range(20)]
    Path("slow.toml").write_text(f"{SMALL}[[puzzles]]\npuzzles = {json.dumps(more)}\n", encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "crosslit", "bench", "run", "slow.toml"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:  # its other end is closed
                break
            if not data:
                break
            shown += data
        assert process.stdout is not None
        output = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    assert b" of 72 runs" in shown
    assert "\x1b" not in output
    assert " wrong answers; results in slow.sqlite" in output


def test_output_of_commands_is_kept_by_the_key_of_the_run(folder: Path) -> None:
    Path("own.toml").write_text(
        'backends = ["mine"]\n[solvers]\nmine = "sh -c \'echo c words; echo s UNKNOWN\'"\n'
        '[[puzzles]]\npuzzles = ["1,1|1,1"]\n',
        encoding="utf-8",
    )
    options = ExecutionOptions(jobs=1, dask=None, outputs="out/put")
    assert bench_run.run_file("own.toml", None, options, None, False) == 0
    with Store(Path("own.sqlite")) as store:
        (row,) = store.rows()
    assert [path.name for path in Path("out/put").iterdir()] == [f"{row.values['key']}.stdout"]
    assert Path(f"out/put/{row.values['key']}.stdout").read_text(encoding="utf-8") == "c words\ns UNKNOWN\n"


@pytest.mark.parametrize(
    ("asked", "needs", "other"),
    [("unique", "two", "timeout"), ("all", "all", "one found"), ("unique", None, "complete")],
)
def test_a_contestant_that_only_ever_finds_one_solution_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: str, needs: str | None, other: str
) -> None:
    def run_of(instance: Instance, label: str) -> Made:
        if label == "gauss" or (instance.puzzle == PICTURE and other == "complete"):
            return solved(1.0, CORNER if instance.puzzle == BOARD else DRAWN)
        return unsolved(status="one found" if instance.puzzle == BOARD else other)

    campaign(tmp_path, [named(BOARD, "A board"), named(PICTURE, "A picture")], ["gauss", "mine"], run_of, asked=asked)
    assert bench_run.show_status(str(tmp_path / "results.sqlite"), False) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "gives one solution" in line]
    assert lines == ([f"mine gives one solution; the task {asked} needs {needs}, the task first one"] if needs else [])


def test_a_local_cluster_has_as_many_workers_as_asked_for() -> None:
    assert ExecutionOptions(dask="local:3").parallel == 3
    assert ExecutionOptions(jobs=2, dask="local").parallel == 2
    assert ExecutionOptions(jobs=2, dask="tcp://127.0.0.1:1").parallel == 2
    with pytest.raises(InputError, match="--dask local:0: expected local:N, with a number of workers"):
        _ = ExecutionOptions(dask="local:0").parallel


def test_a_limit_of_cpu_time_and_cores_are_part_of_the_results(folder: Path) -> None:
    Path("small.toml").write_text(
        SMALL.replace("seconds = 20", "seconds = 20\ncpu_seconds = 5\ncores = 1"), encoding="utf-8"
    )
    assert run() == 0
    with Store(Path("small.sqlite")) as store:
        assert {(row.values["limit_cpu_seconds"], row.values["limit_cores"]) for row in store.rows()} == {(5.0, 1)}
        assert (store.about.limits.cpu_seconds, store.about.limits.cores) == (5.0, 1)
