"""However the parent process ends, the solver under test ends too, with all its descendants."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from crosslit_verify.solver import Command

from .solvers import PUZZLE, alive, each, gone, linux, number_in, problem

pytestmark = linux

_ASKS = """
import os, pathlib, sys, time
from crosslit import Nonogram
from crosslit_verify.solver import Function

folder = pathlib.Path(sys.argv[1])

def solve(_):
    child = os.fork()
    if child == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    (folder / "child").write_text(str(child))
    (folder / "solver").write_text(str(os.getpid()))
    time.sleep(60)

with Function(solve, timeout=60) as solver:
    solver.ask(Nonogram([[1]], [[1]]))
"""


@pytest.mark.slow
def test_nothing_outlives_the_asking_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _ASKS, str(tmp_path)]
    with subprocess.Popen(command, start_new_session=True) as asking:
        solver, child = number_in(tmp_path / "solver"), number_in(tmp_path / "child")
        assert (alive(solver), alive(child)) == (True, True)
        os.killpg(asking.pid, signal.SIGKILL)  # the solver is not in this group
    assert (gone(solver), gone(child)) == (True, True)


def test_an_interrupt_ends_the_solver_and_leaves_the_subject_usable(tmp_path: Path) -> None:
    body = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nif i == 1:\n    time.sleep(60)\nanswer()"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Command(each(body), timeout=60) as solver:
            assert problem(solver.ask(PUZZLE)) == "right"
            pid = number_in(tmp_path / "pid")
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt):
                solver.ask(PUZZLE)
            assert gone(pid)
            assert problem(solver.ask(PUZZLE)) == "right"
    finally:
        signal.signal(signal.SIGALRM, before)
