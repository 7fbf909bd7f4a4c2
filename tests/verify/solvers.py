"""Helpers of the tests of subjects: solvers with one fault each, and the processes of a test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure

from crosslit import Nonogram
from tests.processes.runs.test_runner import alive, wait_for

PUZZLE = Nonogram([[2], [2]], [[2], [2]])
RIGHT = ["11/11"]

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of memory and of processes left behind")

_HEAD = """
import json, os, sys, time

def answer(text='{"solution": "11/11"}'):
    print(text, flush=True)

def leave(seconds=60):
    if os.fork() == 0:
        time.sleep(seconds)
        os._exit(0)

"""


def python(code: str) -> list[str]:
    """The command for a script, which finds ``answer`` and ``leave``."""
    return [sys.executable, "-c", _HEAD + code]


def each(body: str) -> list[str]:
    """The command for a persistent solver that does so for every line; ``i`` counts them."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return python(f"for i, line in enumerate(sys.stdin):\n{lines}\n")


def problem(answer: SolverAnswer | SolverFailure) -> str:
    """The problem; ``right`` if there is none."""
    if isinstance(answer, SolverFailure):
        return answer.problem
    return "right" if [grid.text for grid in answer.solutions] == RIGHT else "wrong"


def detail(answer: SolverAnswer | SolverFailure) -> str:
    assert isinstance(answer, SolverFailure), answer
    return answer.detail


def gone(pid: int) -> bool:
    """Return whether a process ends."""
    return wait_for(lambda: not alive(pid), 30)


def number_in(path: Path) -> int:
    """Wait for a number in a file, and return it."""
    assert wait_for(lambda: path.exists() and path.read_text(encoding="utf-8").strip(), 30), "nothing was written"
    return int(path.read_text(encoding="utf-8"))
