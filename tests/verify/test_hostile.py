"""Hostile and clumsy solvers: each gets one sentence, leaves nothing running, and is not accused if it is right.

The solver is asked about one puzzle, mostly three times, and then closed. It notes the processes that it starts.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from crosslit_backends.programs.protocol import SolverFailure
from crosslit_verify.process import PROCESSES
from crosslit_verify.solver import Command, Function

from .solvers import PUZZLE, gone, linux, problem

pytestmark = linux

_HEAD = """
import os, signal, sys, time

def note(pid):
    with open(os.environ["HOSTILE_PIDS"], "a") as file:
        file.write(f"{pid}\\n")

def answer(text='{"solution": "11/11"}'):
    print(text, flush=True)

def leave(seconds=60, work=lambda: None):
    if pid := os.fork():
        return note(pid)
    work()
    time.sleep(seconds)
    os._exit(0)

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

def grow(megabytes=150):
    return bytearray(b"x") * (megabytes * 1_000_000)

note(os.getpid())
"""


class Hostile(NamedTuple):
    """A solver: how it is asked, what it does, and what is said about it.

    A ``json`` solver runs its code for each line, and ``i`` counts them; a ``raw`` one has all of its code. A ``once``
    solver is started for each puzzle. ``function`` is the body of one, which gets ``puzzle``.
    """

    mode: str
    code: str
    replies: str = "right right right"
    says: str = ""  # part of the second reply, or of the first failure
    end: str = ""  # what is said when it is closed
    timeout: float = 20.0
    memory_mb: int = 100


def second(failure: str, code: str, says: str, **given: Any) -> Hostile:
    """A persistent solver that is right except on the second puzzle."""
    body = code.replace("\n", "\n    ")
    return Hostile("json", f"if i == 1:\n    {body}\n    continue\nanswer()", f"right {failure} right", says, **given)


def always(mode: str, failure: str, code: str, says: str = "", **given: Any) -> Hostile:
    """A solver that fails in the same way on three puzzles."""
    return Hostile(mode, code, " ".join([failure] * 3), says, **given)


def hangs(code: str, says: str = "", mode: str = "json") -> Hostile:
    """A solver that hangs."""
    return Hostile(mode, code, "hang", f"{says}; it was asked twice", timeout=0.1)


crashes, garbles, grows = (partial(second, failure) for failure in ("crash", "malformed-output", "memory"))
ends = partial(always, "function", "crash")
STDOUT, MEMORY, LONG = "more than one line for a puzzle", "more than 100 MB", "bytes without an end: '1"
LEAVES, LATE = "1 process outlived it", "still running 2 s after its input ended"
ANSWER = '{"solution": "11/11"'

TABLE = {
    # It ends.
    "raises": crashes("1 / 0", "exit status 1 without an answer: ZeroDivisionError: division by zero"),
    "exits well": crashes("sys.exit()", "exit status 0 without an answer; a persistent solver answers until"),
    "kills itself": crashes("os.kill(os.getpid(), 9)", "killed by SIGKILL without an answer"),
    # It writes something else.
    "greets": always("raw", "malformed-output", "answer('Solver 1.0')\nfor _ in sys.stdin: answer()"),
    "is not UTF-8": garbles(r"os.write(1, b'\xff\n')", r"not UTF-8: '\xff'"),
    "answers twice": garbles(f"answer('{ANSWER}}}\\n' * 2)", STDOUT + ": '{\"solution"),
    "writes without end": garbles("while True: sys.stdout.write('1' * 999)", LONG),
    # It does not answer.
    "sleeps": hangs("time.sleep(60)", "; does it flush its output after each line?"),
    # It takes too much.
    "takes memory": grows("held = grow(); time.sleep(60)", MEMORY),
    "has a child that takes memory": grows("leave(work=grow); time.sleep(60)", MEMORY),
    "forks many": second(
        "orphaned-process",
        f"for _ in range({PROCESSES + 1}): leave()\ntime.sleep(60)",
        f"more than {PROCESSES} proc",
        memory_mb=9000,
    ),
    # It leaves something.
    "leaves a child": Hostile("json", "i or leave()\nanswer()", end=LEAVES),
    "leaves a program without its environment": Hostile(
        "json",
        "import subprocess\ni or note(subprocess.Popen(['sleep', '60'], env={}, start_new_session=True).pid)\nanswer()",
        end=LEAVES,
    ),
    "does not end with its input": Hostile("raw", "for _ in sys.stdin: answer()\ntime.sleep(60)", end=LATE),
    "kills both": crashes(
        "leave(work=os.setsid)\nfor pid in (parent(os.getppid()), os.getppid()): os.kill(pid, 9)\ntime.sleep(60)",
        "SIGKILL",
    ),
    # It is clumsy, but right.
    "writes blank lines and single bytes": Hostile(
        "json",
        r"""os.write(1, b"\n \r\n\n")
for byte in b'{ "solution" : "11/11" }\r\n': os.write(1, bytes([byte]))""",
    ),
    "complains much": Hostile("json", "sys.stderr.write('x' * 1_000_000); sys.stderr.flush(); answer()"),
    "counts at the end of its input": Hostile("raw", "for _ in sys.stdin: answer()\nanswer('42 puzzles solved')"),
    "has a child that ends with it": Hostile("json", "i or leave(0.02)\nanswer()"),
    "has as many children as it may": Hostile(
        "json",
        f"for _ in range({PROCESSES}): os.fork() or (time.sleep(0.1), os._exit(0))\n"
        f"for _ in range({PROCESSES}): os.wait()\nanswer()",
        memory_mb=9000,
    ),
    "writes to descriptors that it does not have": Hostile(
        "raw",
        "for number in range(3, 99):\n    try: os.write(number, b'x' * 16)\n    except OSError: pass\n"
        "for _ in sys.stdin: answer()",
    ),
    "maps a file in memory": Hostile(
        "json",
        "import mmap\nfile = os.memfd_create('x')\nos.write(file, bytes(50_000_000))\n"
        "held = mmap.mmap(file, 50_000_000); sum(held[::4096]); time.sleep(0.1)\nos.close(file)\ndel held\nanswer()",
    ),
    # It is started for each puzzle.
    "once: exits with 1": always("once", "crash", "answer('11/11'); sys.exit(1)", "after writing '11/11"),
    "once: does not end": hangs("answer('11/11'); time.sleep(60)", ", only '11/11\\n'", "once"),
    "once: leaves a child": always("once", "orphaned-process", "answer('11/11'); leave()", "1 process"),
    "once: does not read": Hostile("once", "os.close(0); time.sleep(0.02); answer('11/11')"),
    "once: answers in the background": Hostile("once", "os.fork() and os._exit(0); time.sleep(0.02); answer('11/11')"),
    # It is a function.
    "function: ends its process": ends(
        "os.write(1, b'Error: '); os.write(2, b'1\\n'); os._exit(3)", "exit status 3 without an answer: Error: 1"
    ),
    "function: closes everything": ends("os.closerange(0, 99); return '11/11'"),
    "function: leaves a child": Hostile(
        "function", "leave(); return '11/11'", end="3 processes outlived it", memory_mb=9000
    ),
    "function: prints": Hostile(
        "function", "print('solving' * 9999); os.write(1, b'straight'); assert not sys.stdin.read(); return '11/11'"
    ),
    "function: has a thread": Hostile(
        "function", "import threading; threading.Thread(target=time.sleep, args=[60]).start(); return '11/11'"
    ),
}


def solver_of(row: Hostile) -> Any:
    limits: Any = {"timeout": row.timeout, "memory_mb": row.memory_mb}
    if row.mode == "function":
        scope: dict[str, Any] = {}
        exec(f"{_HEAD}\ndef solve(puzzle):\n    {row.code}", scope)
        return Function(scope["solve"], **limits)
    body = row.code.replace("\n", "\n    ")
    code = f"for i, line in enumerate(sys.stdin):\n    {body}" if row.mode == "json" else row.code
    words = [sys.executable, "-IS", "-c", _HEAD + code]  # which starts in a third of the time
    return Command(words, **limits, **({"format": "inline"} if row.mode == "once" else {}))


@pytest.mark.parametrize("name", TABLE)
def test_it_gets_one_sentence_and_leaves_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row, noted = TABLE[name], tmp_path / "pids"
    monkeypatch.setenv("HOSTILE_PIDS", str(noted))
    noted.touch()
    with solver_of(row) as solver:
        if row.timeout < 1:
            solver.loading = 1.0
        replies = [solver.ask(PUZZLE) for _ in row.replies.split()]
        end = solver.close()
    assert [problem(reply) for reply in replies] == row.replies.split()
    failures = [reply for reply in replies if isinstance(reply, SolverFailure)]
    for failure in failures:
        assert row.says in failure.detail
        assert "\n" not in failure.detail
    if row.end:
        assert end is not None
        assert row.end in end.detail
    else:
        assert end is None
    for pid in {*map(int, noted.read_text().split())} - {os.getpid()}:
        assert gone(pid), pid
