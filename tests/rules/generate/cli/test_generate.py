"""The commands generate and stats."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from crosslit_generate.cli.generate import command, in_time
from crosslit_generate.generate import OPTIONS
from crosslit_generate.generate import generate as function
from crosslit_generate.nonogram import NewPuzzle

from crosslit import GaveUp, load
from crosslit.cli.group import root
from crosslit.formats import read_all


def generate(*arguments: str) -> Result:
    """In this process, which is quicker."""
    done = CliRunner().invoke(root, ["generate", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_the_command_has_the_arguments_of_the_function() -> None:
    (kind,) = [param for param in command.params if param.name == "kind"]
    assert isinstance(kind.type, click.Choice)
    assert [*kind.type.choices] == [*OPTIONS]
    names = {str(param.name).removesuffix("_file") for param in command.params}
    assert names >= set.union(*OPTIONS.values()) | {"size", "count", "seed"}


def test_puzzles_that_are_not_found_keep_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_generate.nonogram.MAX_TRIES", 12)
    path = tmp_path / "some.puzzles"
    arguments = ["--size", "5x5", "--difficulty", "probe", "--count", "9", "--seed", "1"]
    done = generate("nonogram", *arguments, "-o", str(path))
    assert done.exit_code == 3
    made = int(done.stderr.split()[1])
    assert done.stderr.startswith(f"crosslit: {made} of 9 puzzles made: none of 12 pictures has the difficulty probe")
    assert 0 < made < 9
    assert len(list(read_all(path))) == made


def test_a_puzzle_that_takes_too_long_ends_undecided(tmp_path: Path) -> None:
    path = tmp_path / "some.puzzles"
    arguments = ["--size", "60", "--density", "0.3", "--unique", "--timeout", "0.05", "-o", str(path)]
    done = generate("nonogram", *arguments)
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == "crosslit: 0 of 1 puzzles made: stopped after 0.05 s (--timeout)\n"
    assert not path.exists()


def stubborn() -> NewPuzzle:
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
    time.sleep(60)
    raise AssertionError


def fails(error: BaseException) -> Callable[[], NewPuzzle]:
    def make() -> NewPuzzle:
        raise error

    return make


def children() -> str:
    """Processes that this one has to reap."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")


MADE = NewPuzzle(load("10/01"), {"solvable": True})


@pytest.mark.parametrize(
    ("make", "raised", "message"),
    [
        (stubborn, GaveUp, r"stopped after 0.2 s \(--timeout\)"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), GaveUp, "the process that makes them was ended"),
        (fails(GaveUp("not found")), GaveUp, "not found"),
        (fails(KeyError("a mistake")), GaveUp, "the process that makes them was ended"),
    ],
)
def test_a_process_that_fails_is_reported_and_leaves_no_other(make: Any, raised: type[Exception], message: str) -> None:
    before = children()
    with pytest.raises(raised, match=message):
        in_time(make, 0.2 if make is stubborn else 60)
    assert children() == before


def test_a_process_has_all_the_time_that_the_system_accepts() -> None:
    assert in_time(lambda: MADE, 1e300) == MADE


def test_an_interrupt_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt comes while the parent waits: in the middle of a fork, Python may lose it."""

    def poll(_reader: Connection, _seconds: float) -> bool:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError

    before = children()
    monkeypatch.setattr(Connection, "poll", poll)
    with pytest.raises(KeyboardInterrupt):
        in_time(stubborn, 60)
    assert children() == before


def test_without_forks_it_says_that_no_limit_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.base.posix.isolation_problem", lambda: "no forks here")
    done = generate("nonogram", "--size", "3x3", "--unique", "--timeout", "1e-9")
    assert (done.exit_code, done.stdout) == (0, "0,0,2|1,1,0\n")
    assert done.stderr == "crosslit: --timeout has no effect on this system\n"


def test_an_interrupt_keeps_what_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> Iterator[NewPuzzle]:
        yield MADE
        raise KeyboardInterrupt

    monkeypatch.setattr("crosslit_generate.generate.generate_each", interrupted)
    done = generate("lights-out", "--count", "3")
    assert (done.exit_code, done.stdout) == (130, "10/01\n")
    assert done.stderr == "crosslit: 1 of 3 puzzles made: interrupted\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_a_signal_keeps_what_was_made_and_leaves_no_other_file(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    path = tmp_path / "many.puzzles"
    arguments = ["nonogram", "--size", "12x12", "--unique", "--count", "100000", "--json", "-o", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "crosslit", "generate", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # until the first one is there
    os.killpg(process.pid, number)  # as a terminal does
    rest, said = process.communicate(timeout=30)
    assert process.returncode == status, said
    if number == signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []
        return
    made, reported = len(list(read_all(path))), 1 + len(rest.splitlines())
    assert made in (reported, reported + 1)  # the last one was made, and its report interrupted
    assert said in {f"crosslit: {number} of 100000 puzzles made: interrupted\n" for number in (made - 1, made)}
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_what_stays_open_is_undecided_and_red(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[Any] = []
    monkeypatch.setattr("crosslit.cli.output.write_table", tables.append)
    done = CliRunner().invoke(root, ["stats", "10/01", "1|1", "--backends", "line"])
    assert (done.exit_code, done.stdout) == (3, "2 puzzles: 1 unique, 1 undecided\n")
    *_, undecided, unique = tables[0].render(styled=True).splitlines()
    assert undecided.endswith("line: does not solve lights-out puzzles\x1b[0m")
    assert "\x1b" not in unique


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "pack.puzzles"
    (hard,) = function("nonogram", 80, seed=1, density=0.5)  # without an answer in 20 s
    path.write_text(f"1|1 # first\n{hard.text} # endless\n", encoding="utf-8")
    command = [sys.executable, "-m", "crosslit", "stats", str(path), "--json", "--backends", "line"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().splitlines()
    assert first["puzzle"]["name"] == "first"
    assert process.returncode == 130
    assert json.loads(rest[-1])["totals"]["puzzles"] == 1
