"""Hostile and clumsy solvers: each gets one sentence, leaves nothing running, and is not accused if it is right.

The solver is asked about one puzzle, mostly three times, and then closed. It notes the processes that it starts.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from crosslit_backends.programs.protocol import SolverFailure
from crosslit_verify import Command, Function
from crosslit_verify.process import PROCESSES, Supervised

from .solvers import PUZZLE, gone, linux, problem

pytestmark = linux

_HEAD = """
import ctypes, itertools, json, os, pathlib, signal, subprocess, sys, threading, time

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
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

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


def second(code: str, failure: str, says: str, **given: Any) -> Hostile:
    """A persistent solver that is right except on the second puzzle."""
    body = code.replace("\n", "\n    ")
    return Hostile("json", f"if i == 1:\n    {body}\n    continue\nanswer()", f"right {failure} right", says, **given)


def hangs(code: str, says: str = "", mode: str = "json") -> Hostile:
    """A solver that hangs."""
    return Hostile(mode, code, "hang", f"{says}; it was asked twice", timeout=0.1)


TABLE = {
    # It ends.
    "raises": second("1 / 0", "crash", "exit status 1 without an answer: ZeroDivisionError: division by zero"),
    "exits halfway": second("sys.stdout.write('{'); sys.exit(3)", "crash", "exit status 3 after writing '{'"),
    "exits well": second("sys.exit()", "crash", "exit status 0 without an answer; a persistent solver answers until"),
    "kills itself": second("os.kill(os.getpid(), 9)", "crash", "killed by SIGKILL without an answer"),
    "ends by a signal without a name": second("os.kill(os.getpid(), 40)", "crash", "killed by signal 40 without"),
    "aborts": second("os.abort()", "crash", "killed by SIGABRT without an answer"),
    "reads address 0": second("ctypes.string_at(0)", "crash", "killed by SIGSEGV without an answer"),
    "kills its group": second("os.killpg(0, 9)", "crash", "killed by SIGKILL without an answer"),
    "ends after an answer": Hostile(
        "raw", "sys.stdin.readline(); answer()", "right crash", "; a persistent solver answers"
    ),
    "has coloured last words": second(
        r"sys.stderr.write('x\n' * 9999 + 'TypeError: \x1b[31mno\n    at main (a.js:1)\n\nNode.js\n'); sys.exit(1)",
        "crash",
        "exit status 1 without an answer: TypeError: no",
    ),
    # It writes something else.
    "says what": second("answer('what?')", "malformed-output", "not a line of JSON: 'what?'"),
    "says why": second(
        "print('why', file=sys.stderr, flush=True); answer('what?')", "malformed-output", "line of JSON: 'what?': why"
    ),
    "greets": Hostile("raw", "answer('Solver 1.0')\nfor _ in sys.stdin: answer()", " ".join(["malformed-output"] * 3)),
    "gives an empty object": second("answer('{}')", "malformed-output", "expected solution, solutions, unsolvable"),
    "is not UTF-8": second(r"os.write(1, b'\xff\n')", "malformed-output", r"not UTF-8: '\xff'"),
    "logs before its answer": second(r"answer('Solving\n[]')", "malformed-output", "more than one line for a puzzle"),
    "answers twice": second(
        'answer(\'{"solution": "11/11"}\\n\' * 2)', "malformed-output", "more than one line for a puzzle: '{\"solution"
    ),
    "answers again later": Hostile(
        "json",
        'text = json.dumps({"id": json.loads(line)["id"], "solution": "11/11"})\n'
        "answer(text)\nif i == 0:\n    time.sleep(0.05)\n    answer(text)",
        "right malformed-output right",
        "puzzle",  # its second answer comes before the next question, or in place of the next answer
    ),
    "answers another puzzle": second(
        'answer(\'{"solution": "11/11", "id": 7}\')', "malformed-output", "expected the answer to puzzle 2, found an"
    ),
    "gives a key twice": second(
        'answer(\'{"solution": "11/11", "solution": "00/00"}\')', "malformed-output", "a key given twice"
    ),
    "gives NaN": second("answer('{\"solution\": NaN}')", "malformed-output", "NaN is not JSON"),
    "nests deeply": second("answer('[' * 100_000)", "malformed-output", "JSON nested too deeply"),
    "gives a long number": second("answer('1' * 10_000)", "malformed-output", "a number with too many digits"),
    "writes a line of 20 MB": second("os.write(1, b'1' * 20_000_000)", "malformed-output", "bytes without an end: '1"),
    "writes without end": second(
        "while True: sys.stdout.write('1' * 999)", "malformed-output", "bytes without an end: '1"
    ),
    # It does not answer.
    "sleeps": hangs("time.sleep(60)"),
    "writes blank lines without end": hangs(r"while True: os.write(1, b'\n' * 99)"),
    "complains without end": hangs(r"while True: os.write(2, b'why\n' * 99)", ": why"),
    "stops in its answer": hangs("print('{', end='', flush=True); time.sleep(60)", ", only '{'"),
    "closes its output": hangs("os.close(1); time.sleep(60)"),
    "closes its input": hangs("os.close(0); time.sleep(60)"),
    "stops itself": hangs("os.kill(os.getpid(), 19)"),
    "ignores all signals": hangs(
        "for n in {*range(1, 32)} - {9, 19}: signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)"
    ),
    # It takes too much.
    "takes memory": second("held = grow(); time.sleep(60)", "memory", "more than 100 MB"),
    "has a child that takes memory": second("leave(work=grow); time.sleep(60)", "memory", "more than 100 MB"),
    "fills files in memory": second(
        "for name in 'abc':\n    os.write(os.memfd_create(name), bytes(50_000_000))\ntime.sleep(60)",
        "memory",
        "more than 100 MB",
    ),
    "leaks": Hostile(
        "json", "held = [*(held if i else ()), grow(40)]\nanswer()\ntime.sleep(0.1)", "right right memory"
    ),
    "forks many": second(
        f"for _ in range({PROCESSES + 1}): leave()\ntime.sleep(60)",
        "orphaned-process",
        f"more than {PROCESSES} proc",
        memory_mb=9000,
    ),
    # It leaves something.
    "leaves a child": Hostile("json", "i or leave()\nanswer()", end="1 process outlived it"),
    "leaves a session": Hostile("json", "i or leave(work=os.setsid)\nanswer()", end="1 process outlived it"),
    "leaves a daemon": Hostile(
        "json",
        "i or subprocess.run(['sh', '-c', 'setsid sleep 60 & echo $! >> $HOSTILE_PIDS'], stdout=2)\nanswer()",
        end="1 process outlived it",
    ),
    "leaves a program without its environment": Hostile(
        "json",
        "i or note(subprocess.Popen(['sleep', '60'], env={}, start_new_session=True).pid)\nanswer()",
        end="1 process outlived it",
    ),
    "does not end with its input": Hostile(
        "raw", "for _ in sys.stdin: answer()\ntime.sleep(60)", end="still running 2 s after its input ended"
    ),
    "has a thread that does not end": Hostile(
        "raw",
        "threading.Thread(target=time.sleep, args=[60]).start()\nfor _ in sys.stdin: answer()",
        end="still running 2 s after its input ended",
    ),
    "kills its parent": second("leave(work=os.setsid)\nos.kill(os.getppid(), 9); time.sleep(60)", "crash", "SIGKILL"),
    "kills its grandparent": second(
        "leave(work=os.setsid)\nos.kill(parent(os.getppid()), 9); time.sleep(60)", "crash", "SIGKILL"
    ),
    "kills both": second(
        "leave(work=os.setsid)\nfor pid in (parent(os.getppid()), os.getppid()): os.kill(pid, 9)\ntime.sleep(60)",
        "crash",
        "SIGKILL",
    ),
    # It is clumsy, but right.
    "writes blank lines and single bytes": Hostile(
        "json",
        r"""os.write(1, b"\n \r\n\n")
for byte in b'{ "solution" : "11/11" }\r\n': os.write(1, bytes([byte]))""",
    ),
    "begins with a byte order mark": Hostile("json", 'answer(\'\ufeff{"solution": "11/11"}\')'),
    "complains much": Hostile("json", "sys.stderr.write('x' * 1_000_000); sys.stderr.flush(); answer()"),
    "counts at the end of its input": Hostile("raw", "for _ in sys.stdin: answer()\nanswer('42 puzzles solved')"),
    "fails at the end of its input": Hostile("raw", "for _ in sys.stdin: answer()\n1 / 0"),
    "has a child that ends with it": Hostile("json", "i or leave(0.02)\nanswer()"),
    "has as many children as it may": Hostile(
        "json",
        f"if i == 0:\n    for _ in range({PROCESSES}): leave(0.1)\n    time.sleep(0.15)\nanswer()",
        memory_mb=9000,
    ),
    "does not wait for its children": Hostile("json", "if os.fork() == 0: os._exit(0)\nanswer()"),
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
    "once: exits with 1": Hostile("once", "answer('11/11'); sys.exit(1)", "crash crash crash", "after writing '11/11"),
    "once: raises": Hostile("once", "1 / 0", "crash crash crash", "ZeroDivisionError"),
    "once: reads address 0": Hostile("once", "ctypes.string_at(0)", "crash crash crash", "killed by SIGSEGV"),
    "once: says nothing": Hostile("once", "print('no', file=sys.stderr)", " ".join(["malformed-output"] * 3), "g: no"),
    "once: does not end": hangs("answer('11/11'); time.sleep(60)", ", only '11/11\\n'", "once"),
    "once: leaves a child": Hostile(
        "once", "answer('11/11'); leave()", " ".join(["orphaned-process"] * 3), "1 process"
    ),
    "once: writes without end": Hostile(
        "once", "while True: sys.stdout.write('1' * 99)", " ".join(["malformed-output"] * 3)
    ),
    "once: takes memory": Hostile("once", "held = grow(); time.sleep(60)", "memory memory memory", "more than 100 MB"),
    "once: does not read": Hostile("once", "os.close(0); time.sleep(0.02); answer('11/11')"),
    "once: answers in the background": Hostile("once", "os.fork() and os._exit(0); time.sleep(0.02); answer('11/11')"),
    "once: kills its parent": Hostile("once", "leave(); os.kill(os.getppid(), 9); time.sleep(60)", "crash crash crash"),
    # It is a function.
    "function: raises": Hostile("function", "1 / 0", "crash crash crash", "ZeroDivisionError: division by zero"),
    "function: exits": Hostile("function", "sys.exit(3)", "crash crash crash", "SystemExit: 3"),
    "function: ends its process": Hostile("function", "os._exit(3)", "crash crash crash", "exit status 3 without an"),
    "function: aborts": Hostile("function", "os.abort()", "crash crash crash", "killed by SIGABRT without an answer"),
    "function: is interrupted": Hostile(
        "function", "os.kill(os.getpid(), 2)", "crash crash crash", "KeyboardInterrupt"
    ),
    "function: recurs": Hostile("function", "return solve(puzzle)", "crash crash crash", "RecursionError"),
    "function: gives something else": Hostile(
        "function", "return object()", " ".join(["malformed-output"] * 3), "a grid"
    ),
    "function: sleeps": hangs("time.sleep(60)", " s", "function"),
    "function: stops itself": hangs("os.kill(os.getpid(), 19)", " s", "function"),
    "function: takes memory": Hostile("function", "return grow() and '11/11'", "memory memory memory", "than 100 MB"),
    "function: closes everything": Hostile("function", "os.closerange(0, 99); return '11/11'", "crash crash crash"),
    "function: leaves a child": Hostile(
        "function", "leave(); return '11/11'", end="3 processes outlived it", memory_mb=9000
    ),
    "function: kills its parent": Hostile(
        "function",
        "leave(work=os.setsid); os.kill(os.getppid(), 9); time.sleep(60)",
        "crash crash crash",
        "SIGKILL",
        memory_mb=9000,
    ),
    "function: prints": Hostile(
        "function", "print('solving' * 9999); os.write(1, b'straight'); assert not sys.stdin.read(); return '11/11'"
    ),
    "function: has a thread": Hostile(
        "function", "threading.Thread(target=time.sleep, args=[60]).start(); return '11/11'"
    ),
}


def solver_of(row: Hostile) -> Supervised:
    limits: Any = {"timeout": row.timeout, "memory_mb": row.memory_mb}
    if row.mode == "function":
        scope: dict[str, Any] = {}
        exec(f"{_HEAD}\ndef solve(puzzle):\n    {row.code}", scope)
        return Function(scope["solve"], **limits)
    body = row.code.replace("\n", "\n    ")
    code = f"for i, line in enumerate(sys.stdin):\n    {body}" if row.mode == "json" else row.code
    words = [sys.executable, "-c", _HEAD + code]
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
