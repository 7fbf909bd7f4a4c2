"""CryptoMiniSat: its default encodings, its interrupts, and the message if it is not installed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError

import pytest
from crosslit_backends import native

from crosslit import Grid, LightsOut, load
from crosslit.base.errors import GaveUp
from crosslit.contract import Task
from crosslit.registry import select, select_one
from crosslit.runs.job import drive
from tests.contract.configurations import available
from tests.driving import solve_inline

# an extra, which has no wheel for every system; the next test is for where it is missing, and runs everywhere
installed = pytest.mark.skipif(not available("cryptominisat"), reason="pycryptosat is not installed")


@pytest.mark.parametrize(
    ("first_without", "hint"),
    [(99, "pip install 'pycryptosat>=5.17'"), (11, f"it has no wheel for Python 3.{sys.version_info.minor}")],
)
def test_where_it_is_not_installed(first_without: int, hint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    requirement = f"pycryptosat>=5.17; (python_version < '3.{first_without}') and extra == 'cms'"
    monkeypatch.setattr(native, "_version", missing)
    monkeypatch.setattr("importlib.metadata.requires", lambda _: [requirement])
    (choice,) = select("cryptominisat", load("10/01"))
    assert choice.refusal == f"pycryptosat is not installed: {hint}"
    assert "cryptominisat" not in [choice.spec for choice in select("sat", load("10/01"))]


@installed
@pytest.mark.parametrize(("puzzle", "encoding"), [("10/01", "chased-xor"), ("1,1|1,1", "order")])
def test_it_is_given_parity_constraints_where_there_are_any(puzzle: str, encoding: str) -> None:
    chosen = select_one("cryptominisat", load(puzzle)).encoding
    assert chosen is not None
    assert chosen.name == encoding


@installed
def test_parity_constraints_are_counted_and_do_what_clauses_cannot() -> None:
    board = LightsOut(Grid.from_bits(29, 29, 1))  # unsolvable, nullity 10: beyond every clause
    choice = select_one("cryptominisat/full-xor", board)
    task = Task(encoding=choice.encoding)
    assert list(drive(choice.backend, board, task)) == []
    assert (task.stats["variables"], task.stats["clauses"], task.stats["xors"]) == (841, 0, 841)


@installed
def test_without_elimination() -> None:
    board = LightsOut(Grid.from_bits(4, 4, 0))
    assert len(set(solve_inline("cryptominisat:gauss=0", board))) == 16


_ENDLESS = """
import crosslit, signal
signal.alarm(60)  # should the test itself be killed
print("begun", flush=True)
try:
    crosslit.solve(crosslit.LightsOut(crosslit.Grid.from_bits(19, 19, 1)), "cryptominisat/full-xor:gauss=0")
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.slow
@installed
def test_it_hears_an_interrupt_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", _ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"begun\n"
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        rest, _ = run.communicate(timeout=30)
    assert rest.splitlines()[-1] == b"heard"


@installed
def test_an_interrupt_that_is_let_pass_is_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __init__(self) -> None:
            self.cells: list[int] = []

        def add_xor_clause(self, variables: tuple[int, ...], value: bool) -> None:
            self.cells += variables

        def solve(self) -> tuple[None, None]:
            return None, None

    monkeypatch.setattr("pycryptosat.Solver", Interrupted)
    handler = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with pytest.raises(GaveUp, match="interrupted"):
            solve_inline("cryptominisat", load("10/01"))
    finally:
        signal.signal(signal.SIGINT, handler)
