"""Campaigns that are really run: from the file to the status, killed, interrupted, and in parts."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_bench import run as module
from crosslit_bench.plan import PlannedRun
from crosslit_bench.results import load
from crosslit_bench.run import local_runs, run_campaign
from crosslit_bench.spec import CampaignSpec, Instance
from crosslit_bench.store import RunRow, Store

from crosslit import load as load_puzzle
from crosslit.base.errors import InputError
from crosslit.cli.group import root
from crosslit.cli.output import Progress
from crosslit.contract.run import Run, Timing
from tests.bench.stores import a_spec, campaign, honest, made, right, solved, unsolved
from tests.conftest import Command
from tests.processes.runs.test_runner import Started, needs_proc, wait_for

SMALL = """
backends = ["gauss", "polynomial", "line"]
limits = {timeout = 20}
puzzles = [{puzzles = ["10/01", "111/111/111", "1,1|1,1", "1,2|2,1"]}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def answers(path: Path) -> dict[str, tuple[Any, ...]]:
    """The answer of every run, by its key."""
    names = ("status", "solutions", "judgement")
    return {record["key"]: tuple(record[name] for name in names) for record in load(path).records}


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


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        ([], "title = 3", "crosslit: bad.toml: title: expected a text, found 3\n"),
        (["-o", "bad.toml"], SMALL, "crosslit: bad.toml: cannot be read or written: file is not a database\n"),
    ],
)
def test_bad_input_makes_no_file(folder: Path, crosslit: Command, words: list[str], text: str, told: str) -> None:
    Path("bad.toml").write_text(text, encoding="utf-8")
    done = crosslit("bench", "run", "bad.toml", *words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(told)
    assert not list(folder.glob("**/*.sqlite"))


@pytest.mark.parametrize(("task", "needs"), [("unique", "unique needs two"), ("all", "all needs all")])
def test_a_program_that_finds_one_solution_solves_nothing(
    folder: Path, crosslit: Command, task: str, needs: str
) -> None:
    def answer(instance: Instance, label: str) -> Run:
        return solved(0.1, right(instance.puzzle), status="one found") if label == "a" else unsolved()

    campaign(Path("s"), answer, ["a", "b"], task=task)
    done = crosslit("bench", "status", "s", cwd=folder)
    assert done.stdout.count("gives one solution") == 1
    assert f"\na gives one solution; the task {needs}, the task first one\n" in done.stdout


def test_a_status_warns_of_times_that_cannot_be_compared(folder: Path, crosslit: Command) -> None:
    where = {label: {"processors": number, "machine_load": 9.0} for label, number in (("a", 4), ("b", 8))}
    campaign(Path("s"), lambda one, label: (honest(one, label), where[label]), ["a", "b"])
    for words in (["status", "s"], ["merge", "all", "s"]):
        found = crosslit("bench", *words, cwd=folder).stdout
        assert "warning: different kinds of machines made the runs, so their times are separated: machine 1: " in found
        assert "\nwarning: 4 of 4 runs disturbed by other load: times may be too long\n" in found


@pytest.mark.parametrize("number", [10, 11])
def test_ten_errors_are_shown_and_the_number_of_the_others(folder: Path, crosslit: Command, number: int) -> None:
    boards = [Instance(load_puzzle(f"{bits:05b}"), "some") for bits in range(number)]
    campaign(Path("s"), lambda *_: unsolved(status="error", error="x"), instances=boards)
    lines = crosslit("bench", "status", "s", cwd=folder).stdout.splitlines()
    shown = [line for line in lines if line.startswith("error: ")]
    assert (len(shown), "error: 1 more" in shown) == (number, number > 10)


@pytest.mark.slow
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


def spec(folder: Path) -> CampaignSpec:
    return CampaignSpec.read(folder / "small.toml")


def test_a_store_that_fails_ends_all_running_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise InputError("s.sqlite", "cannot be written: database or disk is full")

    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(Store, "add", full)
    with pytest.raises(InputError, match="disk is full"):
        run_campaign(spec(folder), Path("s.sqlite"), local_runs)
    assert signal.getsignal(signal.SIGINT) is handler
    assert not Path("s.sqlite.lock").exists()


def test_an_interrupt_while_it_warms_up_ends_it_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handler = signal.getsignal(signal.SIGINT)

    def interrupted(*_: object) -> dict[str, object]:
        assert signal.getsignal(signal.SIGINT) is not handler  # so that a run ends before the interrupt counts
        os.kill(os.getpid(), signal.SIGINT)
        return {}

    monkeypatch.setattr(module, "warm_up", interrupted)
    made = run_campaign(spec(folder), Path("s.sqlite"), local_runs)
    assert (made.new, made.interrupted) == (0, True)
    assert list(local_runs(spec(folder), [], lambda: None)) == []


@pytest.mark.parametrize(
    ("walls", "batches"), [([0.05, 0.05, 0.0], [2, 1]), ([0.5, 0.0, 0.04], [1, 2]), ([0.0] * 201, [100, 100, 1])]
)
def test_runs_wait_until_they_are_many_or_took_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch, walls: list[float], batches: list[int]
) -> None:
    few, stored, add = a_spec("gauss", repetitions=len(walls)), list[int](), Store.add
    monkeypatch.setattr(Store, "add", lambda store, some: (stored.append(len(some)), add(store, some))[1])

    def make(_: CampaignSpec, runs: Sequence[PlannedRun], __: Callable[[], None]) -> Generator[RunRow, None, None]:
        for wall, planned in zip(walls, runs, strict=True):
            yield made(planned, unsolved(timing=Timing(wall=wall)))

    assert run_campaign(few, folder / "few.sqlite", make).new == len(walls)
    assert stored == batches


@pytest.mark.parametrize(("count", "is_interrupted"), [(1, True), (3, False)])
def test_an_interrupt_counts_if_runs_are_missing(folder: Path, count: int, is_interrupted: bool) -> None:
    def make(_: CampaignSpec, runs: Sequence[PlannedRun], __: Callable[[], None]) -> Generator[RunRow, None, None]:
        yield from (made(planned, unsolved(timing=Timing(wall=1e-3))) for planned in runs[:count])
        raise KeyboardInterrupt

    said: list[str] = []
    done = run_campaign(a_spec("gauss", repetitions=3), folder / "s", make, say=said.append)
    assert (done.new, done.interrupted) == (count, is_interrupted)
    assert said[3] == "1 of 3 runs, 1 timeout, about 0:00:00 left"


@pytest.mark.parametrize(
    ("ends", "status", "words"),
    [
        ("", 130, "interrupted: 0 of 12 runs made, 0 new; 0 wrong answers; `crosslit run 'a b' --timeout 3` continues"),
        ("lost", 1, "0 runs, 0 new; 12 runs lost, which the same command makes again; 0 wrong answers; results in "),
        ("timeout", 0, "12 runs, 12 new; 0 wrong answers; results in small.sqlite; "),
    ],
)
def test_a_command_says_what_it_does_and_how_to_continue(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ends: Any, status: int, words: str
) -> None:
    def make(_: object, runs: Sequence[PlannedRun], *__: object, **___: object) -> Generator[RunRow, None, None]:
        yield from (made(planned, unsolved(status=ends)) for planned in runs if ends)
        if not ends:
            raise KeyboardInterrupt

    said: list[str] = []
    monkeypatch.setattr(module, "local_runs", make)
    monkeypatch.setattr(Progress, "says", lambda _, text: said.append(text))
    monkeypatch.setattr("crosslit.registry.kernel_note", lambda versions: f"{sorted(versions)} are slow")
    monkeypatch.setattr(sys, "argv", ["python", "run", "a b", "--timeout", "3"])
    done = CliRunner().invoke(root, ["bench", "run", "small.toml"], standalone_mode=False)
    assert (done.return_value, done.stdout.splitlines()[-1][: len(words)]) == (status, words)
    assert done.stderr == "crosslit: ['gauss', 'line', 'polynomial'] are slow\n" * (ends == "timeout")
    assert (said[1:4], said[-1]) == (["generating the puzzles", "planning", "warming up"], "comparing the answers")


QUICK = """
repetitions = 4
backends = {native = ["gauss", "first-row"], sat = ["glucose4/full-direct", "glucose4/chased-cut4"]}
puzzles = [{generate = "lights-out", size = [4, 5, 6, 7], count = 2}]
"""
RUNS = 128


def rows_in(path: Path) -> int:
    """Number of runs in a file that may be being written, or not exist."""
    with contextlib.suppress(InputError), Store(path) as store:
        return len(store.keys())
    return 0


@pytest.mark.slow
@needs_proc
def test_a_campaign_that_was_killed_has_the_same_results(folder: Path, crosslit: Command) -> None:
    Path("quick.toml").write_text(QUICK, encoding="utf-8")
    assert crosslit("bench", "run", "quick.toml", cwd=folder).returncode == 0
    killed, before = Path("killed.sqlite"), 0
    for number in ("1", "3"):
        bench = Started({**os.environ}, "bench", "run", "quick.toml", "-o", str(killed), "--jobs", number)
        assert wait_for(lambda: rows_in(killed) > before, 60)  # noqa: B023
        bench.process.kill()
        bench.process.communicate(timeout=60)
        assert bench.nothing_left()
        assert rows_in(killed) > before, "a run that was stored is gone"
        before = rows_in(killed)
    last = crosslit("bench", "run", "quick.toml", "-o", str(killed), "--json", cwd=folder)
    record = json.loads(last.stdout)
    assert (record["made"], record["planned"], record["new"]) == (RUNS, RUNS, RUNS - before)
    assert answers(killed) == answers(Path("quick.sqlite"))
    assert not [path.name for path in folder.iterdir() if path.suffix not in (".toml", ".sqlite")]
