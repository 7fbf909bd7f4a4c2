"""However the parent process ends, the solver under test ends too, with all its descendants."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_verify.channel import Channel, NoAnswer, ProcessExit
from crosslit_verify.commands import PersistentCommand
from crosslit_verify.function import Function
from crosslit_verify.guard import Bounds

from crosslit import Nonogram
from crosslit.base.errors import CrosslitError
from crosslit.runs.linux import children

from .solvers import PUZZLE, alive, each, gone, linux, number_in, problem, python

pytestmark = linux

_SOLVER = """
child = os.fork()
if child == 0:
    os.setsid()
    time.sleep(60)
    os._exit(0)
(folder / "child").write_text(str(child))
(folder / "solver").write_text(str(os.getpid()))
time.sleep(60)
"""

_ASKS_A_COMMAND = f"""
import sys
from crosslit import Nonogram
from crosslit_verify.commands import OneShotCommand, PersistentCommand

solver = '''import os, pathlib, sys, time
folder = pathlib.Path({{!r}})
sys.stdin.readline()
{_SOLVER}'''.format(sys.argv[2])
kind = {{"persistent": PersistentCommand, "one-shot": OneShotCommand}}[sys.argv[1]]
with kind([sys.executable, "-c", solver], timeout=60) as subject:
    subject.ask(Nonogram([[1]], [[1]]))
"""

_ASKS_A_FUNCTION = f"""
import os, pathlib, sys, time
from crosslit import Nonogram
from crosslit_verify.function import Function

folder = pathlib.Path(sys.argv[2])

def solve(_):
{_SOLVER.replace(chr(10), chr(10) + "    ")}

with Function(solve, timeout=60) as subject:
    subject.ask(Nonogram([[1]], [[1]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
@pytest.mark.parametrize("kind", ["persistent", "one-shot", "function"])
def test_nothing_outlives_the_asking_process(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    code = _ASKS_A_FUNCTION if kind == "function" else _ASKS_A_COMMAND
    command = [sys.executable, "-c", code, kind, str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as asking:
        solver, child = number_in(tmp_path / "solver", 30), number_in(tmp_path / "child")
        assert alive(solver)
        assert alive(child)
        os.killpg(asking.pid, number)  # as a terminal does: the solver is not in this group
        assert asking.stderr is not None
        told = asking.stderr.read().decode()
    assert asking.returncode == -number
    assert told.strip().endswith("KeyboardInterrupt" if number == signal.SIGINT else "")
    assert gone(solver)
    assert gone(child)


def test_an_interrupt_ends_the_solver_and_leaves_the_subject_usable(tmp_path: Path) -> None:
    body = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nif i == 1:\n    time.sleep(60)\nanswer()"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with PersistentCommand(each(body), timeout=60) as subject:
            assert problem(subject.ask(PUZZLE)) == "right"
            solver = number_in(tmp_path / "pid")
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt):
                subject.ask(PUZZLE)
            assert gone(solver)
            assert problem(subject.ask(PUZZLE)) == "right"
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_guard_that_is_killed_takes_the_solver_along_and_is_replaced(tmp_path: Path) -> None:
    body = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nanswer()"
    before = set(children(os.getpid()))
    with PersistentCommand(each(body), timeout=20) as subject:
        assert problem(subject.ask(PUZZLE)) == "right"
        (guard,) = set(children(os.getpid())) - before
        os.kill(guard, signal.SIGKILL)
        assert gone(number_in(tmp_path / "pid"))
        assert [problem(subject.ask(PUZZLE)) for _ in range(2)] == ["crash", "right"]


_KILLS_ITS_GUARD = """
child = os.fork()
if child == 0:
    os.setsid()
    (folder / "child").write_text(str(os.getpid()))
    time.sleep(60)
    os._exit(0)
while not ((folder / "child").exists() and (folder / "child").read_text()):
    time.sleep(0.001)
guard = os.getppid()
watcher = int(pathlib.Path(f"/proc/{guard}/stat").read_text().rpartition(")")[2].split()[1])
"""


@pytest.mark.parametrize("killed", ["[guard]", "[watcher]", "[watcher, guard]"])
def test_a_command_that_kills_its_guard_leaves_nothing_running(killed: str, tmp_path: Path) -> None:
    kill = f"for pid in {killed}:\n    os.kill(pid, 9)\ntime.sleep(60)\n"
    head = f"import pathlib\nfolder = pathlib.Path({str(tmp_path)!r})\n"
    with PersistentCommand(python(f"{head}sys.stdin.readline()\n{_KILLS_ITS_GUARD}{kill}"), timeout=20) as subject:
        assert problem(subject.ask(PUZZLE)) == "crash"
    assert not alive(number_in(tmp_path / "child"))


def test_a_function_that_kills_its_guard_leaves_nothing_running(tmp_path: Path) -> None:
    def solve(_: Nonogram) -> None:
        if os.fork() == 0:
            os.setsid()
            (tmp_path / "child").write_text(str(os.getpid()), encoding="utf-8")
            time.sleep(60)
            os._exit(0)
        number_in(tmp_path / "child")
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)

    with Function(solve, timeout=20) as subject:
        assert {problem(subject.ask(PUZZLE)) for _ in range(2)} == {"crash"}
    assert not alive(number_in(tmp_path / "child"))


@pytest.mark.parametrize(
    ("end", "name", "says"),
    [
        ((-9, "memory", 0, 0), "memory", "more than 100 MB"),
        ((0, "", 0, (100 << 20) + 1), "memory", "more than 100 MB"),
        ((0, "", 0, 100 << 20), "crash", "exit status 0 without an answer"),
        ((-9, "orphaned-process", 0, 0), "orphaned-process", "more than 5 processes at a time besides the first"),
        ((-9, "asked", 0, 0), "crash", "killed by SIGKILL without an answer"),
    ],
)
def test_the_end_of_a_process_instead_of_an_answer_has_a_reason(end: Any, name: str, says: str) -> None:
    channel = Channel("x", lambda _: str, Bounds(100 << 20, 5))
    channel.ended = ProcessExit(*end)
    failure = channel.crash().failure
    assert (failure.problem, failure.detail) == (name, says)


@pytest.mark.parametrize(
    ("output", "line", "rest"),
    [
        (b"a\nb\n", b"a", b"b\n"),
        (b"\n \r\nx\r\n", b"x\r", b""),
        (b"half", None, b"half"),
        (b"\n\t\n", None, b""),
        (b"", None, b""),
    ],
)
def test_an_answer_is_the_first_line_that_is_not_blank(output: bytes, line: bytes | None, rest: bytes) -> None:
    channel = Channel("x", lambda _: str, Bounds(1, 1))
    channel._buffer += output
    assert (channel._cut(0), bytes(channel._buffer)) == (line, rest)
    if rest.strip():
        for answer, words in ((b"", "output that answers no puzzle"), (b"1\n", "more than one line for a puzzle")):
            with pytest.raises(NoAnswer, match=f"{words}: '"):
                channel._take_nothing(answer)
    else:
        channel._buffer += b" \n"
        channel._take_nothing()
        assert not channel._buffer


def test_a_guard_that_ends_at_once_is_a_bug_of_crosslit_with_its_reason() -> None:
    with pytest.raises(CrosslitError, match="the process that watches the solver did not start: why"):
        Channel("x", lambda _: lambda _: "why", Bounds(1, 1)).start()


def test_without_a_guard_a_process_was_killed() -> None:
    channel = Channel("x", lambda _: str, Bounds(1, 1))
    channel._obey(None)
    assert channel.ended == ProcessExit(-9, "", 0, 0)


@pytest.mark.parametrize(
    ("is_running", "end", "left", "extra", "is_early", "expected"),
    [
        (False, None, 9.0, b"", False, None),
        (True, None, 9.0, b"", False, ("orphaned-process", "still running 2 s after its input ended")),
        (True, None, 1.9, b"", False, None),  # it had less time than usual
        (True, (-9, "memory", 0, 0), 9.0, b"", False, ("memory", "more than 1 MB")),
        (True, (3, "", 0, 0), 9.0, b"", True, ("crash", "exit status 3 after its last answer, before its input ended")),
        (True, (3, "", 0, 0), 9.0, b" \n", False, None),
        (True, (3, "", 0, 0), 9.0, b"x", False, ("malformed-output", "more than one line for a puzzle: 'x'")),
        (True, (0, "", 2, 0), 9.0, b"", False, ("orphaned-process", "2 processes outlived it")),
    ],
)
def test_a_persistent_solver_ends_well_or_with_one_failure(
    is_running: bool, end: Any, left: float, extra: bytes, is_early: bool, expected: tuple[str, str] | None
) -> None:
    with PersistentCommand(["cat"], memory_mb=1) as subject:
        channel: Any = subject._channel
        ended = end and ProcessExit(*end)
        channel.running, channel.deadline = is_running, SimpleNamespace(cap=lambda seconds: min(seconds, left))
        channel.ended = ended if is_early else None
        channel.idle, channel.finish = lambda _: extra, lambda _: setattr(channel, "ended", ended)
        found = subject._finished()
        channel.running = False
    assert (found and (found.problem, found.detail)) == expected
