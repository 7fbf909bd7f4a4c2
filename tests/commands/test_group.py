"""How commands end and begin: exit statuses, signals at any moment, and standard streams that are closed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import pytest

from crosslit.base.errors import InputError, InternalError
from crosslit.cli import group
from crosslit.cli.output import BAD_INPUT, BUG, INTERRUPTED, PIPE_CLOSED

# a signal comes while a file is being written
_CONVERTS = """
import signal, sys
from crosslit import formats

number = int(sys.argv.pop())

def pieces(puzzles, name):
    yield b"10/"
    signal.raise_signal(number)
    yield b"01"

formats.write_all = pieces
from crosslit.cli import main
main()
"""

# for each number of modules imported before Ctrl-C: the output and exit status of a process
_INTERRUPTED = """
import os, signal, sys
from crosslit.cli import main

class Interrupting:
    def __init__(self, left):
        self.left = left

    def find_spec(self, *_):
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)

after = [int(number) for number in sys.argv.pop().split()]
for number in after:
    pid = os.fork()
    if not pid:
        sys.meta_path.insert(0, Interrupting(number))
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""

_DROPPED = """
import signal, time
from crosslit.cli.group import Interruption

class Dropping:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

class Failing:
    def __del__(self):
        raise ValueError("dropped")

Interruption().listen()
try:
    Failing()
    Dropping()
    time.sleep(60)
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_the_old_file_and_no_other(tmp_path: Path, number: signal.Signals, status: int) -> None:
    goal = tmp_path / "goal.puzzles"
    goal.write_text("old", encoding="utf-8")
    command = [sys.executable, "-c", _CONVERTS, "convert", "10/01", str(goal), str(int(number))]
    # a command in the background ignores Ctrl-C
    ignored = signal.SIGINT if number == signal.SIGTERM else signal.SIGUSR1
    before = partial(signal.signal, ignored, signal.SIG_IGN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=before)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (status, "", "")
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [(goal.name, "old")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_is_ignored_stays_so(tmp_path: Path, number: signal.Signals) -> None:
    goal = tmp_path / "goal.puzzles"
    command = [sys.executable, "-c", _CONVERTS, "convert", "10/01", str(goal), str(int(number))]
    done = subprocess.run(
        command, capture_output=True, timeout=60, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN)
    )
    assert (done.returncode, goal.read_text(encoding="utf-8")) == (0, "10/01")


def test_an_interrupt_during_any_import_ends_the_command_without_a_traceback() -> None:
    after = [1, 2, 3, 5, 10, 30, 60, 80, 100, 120, 150, 200]
    command = [sys.executable, "-c", _INTERRUPTED, "solve", "1,1|1,1", " ".join(map(str, after))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["130"] * len(after)
    assert {*done.stderr.splitlines()} <= {"", "crosslit: hybrid: interrupted"}  # where it came after the last import


def test_an_interrupt_that_python_drops_is_repeated() -> None:
    done = subprocess.run([sys.executable, "-c", _DROPPED], capture_output=True, text=True, timeout=50)
    assert (done.stdout, done.stderr.splitlines()[-1]) == ("heard\n", "ValueError: dropped")


@pytest.mark.parametrize("name", ["solve", "enumerate"])
@pytest.mark.parametrize(("closed", "status"), [((0, 1, 2), 141), ((0, 2), 0)])
def test_closed_standard_streams_are_not_mistaken_for_other_files(
    name: str, closed: tuple[int, ...], status: int
) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    command = [sys.executable, "-m", "crosslit", name, "10/01"]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=60, preexec_fn=close)
    assert (done.returncode, bool(done.stdout)) == (status, status == 0)


@pytest.mark.slow
def test_verify_works_where_input_and_errors_are_closed(tmp_path: Path) -> None:
    arguments = ["verify", "--kind", "lights-out", "--cases", "1", "--", "cat"]
    command = [sys.executable, "-m", "crosslit", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, cwd=tmp_path, preexec_fn=lambda: (os.close(0), os.close(2))
    )
    assert (done.returncode, done.stdout.splitlines()[-1][:22]) == (1, "  not covered: boards ")


def test_the_handlers_of_a_host_program_stay() -> None:
    own = "import signal, sys; signal.signal(signal.SIGTERM, own := lambda *_: None)"
    listens = "from crosslit.cli.group import Interruption; Interruption().listen()"
    looks = "print(signal.getsignal(signal.SIGTERM) is own, callable(signal.getsignal(signal.SIGHUP)))"
    done = subprocess.run([sys.executable, "-c", f"{own}; {listens}; {looks}"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True True\n", "")


@pytest.mark.parametrize(
    ("error", "status", "last"),
    [
        (InternalError("a set lacks one"), BUG, "crosslit: a bug of Crosslit, not of a solver: a set lacks one"),
        (ZeroDivisionError("1 / 0"), BUG, "ZeroDivisionError: 1 / 0"),  # with its traceback
        (MemoryError(), BAD_INPUT, "crosslit: there is not enough memory for this"),
        (InputError("a.non", "it is empty"), BAD_INPUT, "crosslit: a.non: it is empty"),
        (OSError(2, "No such file", "a.non"), BAD_INPUT, "crosslit: a.non: No such file"),
        (OSError("no device"), BAD_INPUT, "crosslit: no device"),
        (click.UsageError("what"), BAD_INPUT, "Error: what"),
        (BrokenPipeError(), PIPE_CLOSED, None),
        (SystemExit(1), PIPE_CLOSED, None),
        (KeyboardInterrupt(), INTERRUPTED, None),
        (click.Abort(), INTERRUPTED, None),
    ],
)
def test_every_end_has_its_exit_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    last: str | None,
) -> None:
    def fails(**_: object) -> None:
        raise error

    monkeypatch.setattr(group.root, "main", fails)
    assert group.run() == status
    told = capsys.readouterr().err.splitlines()
    assert told[-1:] == [last] * (last is not None)
    assert len(told) == (last is not None) or isinstance(error, ZeroDivisionError)
