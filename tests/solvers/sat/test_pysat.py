"""What single SAT solvers do beyond the contract."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from itertools import product
from typing import Any

import pytest
from crosslit_backends import base
from crosslit_backends.nonogram import hybrid
from crosslit_backends.sat import pysat
from crosslit_backends.sat.pysat import SOLVERS
from crosslit_verify.contract_checks import by_rules
from pysat.solvers import Solver

from crosslit import Grid, LightsOut, Nonogram, load
from crosslit.base.errors import GaveUp
from crosslit.contract import Clock, Task
from crosslit.judging.certificates import CHECKER
from crosslit.kinds import Puzzle
from crosslit.registry import all_backends, all_encodings, select, select_one
from crosslit.runs.drive import drive
from tests.conftest import random_rules
from tests.contract.configurations import available
from tests.driving import solve_inline
from tests.solvers.sat.abilities import works


@pytest.mark.slow
@pytest.mark.parametrize(
    ("solver", "ability"), [(solver.name, ability) for solver in SOLVERS for ability in sorted(solver.abilities)]
)
def test_every_ability_of_the_table_works(solver: str, ability: str) -> None:
    assert works(solver, ability)


def test_every_solver_takes_a_formula_without_clauses() -> None:
    dark = load("press=010,000,000/0")  # a press that toggles nothing on this board: a cell that no clause holds
    assert len(all_encodings()["lights-out", "cnf", "full-direct"].encode(dark)) == 0
    for backend in SOLVERS:
        assert sorted(grid.text for grid in solve_inline(backend.name, dark)) == ["0", "1"]


BRANCHING = [solver.name for solver in pysat.SOLVERS if solver.branches]
SPECS = [*BRANCHING, "hybrid:kernel=no", "hybrid:engine=minisat22:kernel=no"]
HYBRID = all_backends()["hybrid"].options["engine"].choices


def thin(seed: int) -> Nonogram:
    """A random picture with few cells."""
    rng = random.Random(seed)
    return Nonogram.of(Grid.from_cells([[rng.random() < 0.3 for _ in range(4)] for _ in range(4)]))


PUZZLES: list[Puzzle] = [
    load("0000/0000/0000/0000"),  # 16 solutions
    load("press=010,000,000/000"),  # 8, with cells that are in no clause
    load("1,1,1,1|1,1,1,1"),  # 24
    load("1 1,1,1,1|1,1,1,1,1"),  # 36
    *(random_rules(random.Random(seed), 3, 4) for seed in range(3)),
    *map(thin, range(3, 6)),
]


@pytest.mark.parametrize(
    ("spec", "patience"),
    [
        *((spec, 0) for spec in SPECS),
        *(("glucose4", work) for work in (5, 12)),
        *((solver.name, 10_000) for solver in SOLVERS),  # which exclude each solution by a clause
        *((f"hybrid:engine={name}:kernel=no", 10_000) for name in HYBRID if name != "ergo"),
    ],
)
def test_every_way_to_go_on_finds_all_none_twice(spec: str, patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pysat, hybrid):
        monkeypatch.setattr(module, "BLOCKED", 1)
    monkeypatch.setattr(pysat, "A_SOLUTION", 0)
    monkeypatch.setattr(pysat, "MIN_WORK", patience)
    for puzzle in PUZZLES[:: 3 if spec == "ergo" else 1]:  # it takes seconds where others take milliseconds
        if spec.startswith("hybrid") and not isinstance(puzzle, Nonogram):
            continue
        assert Counter(solve_inline(spec, puzzle)) == Counter(by_rules(puzzle).solutions)


def test_interrupts_during_a_call_of_an_engine_are_one_after_it() -> None:
    from pysat.solvers import MainThread

    heard = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        for times in (2, 1):
            heard.clear()
            with pysat.defer_sigint():
                assert not MainThread.check()
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)
                assert not heard
            assert heard == [signal.SIGINT]
        signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT] * 2
        assert MainThread.check()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with pysat.defer_sigint():
            assert MainThread.check()  # nothing to defer
    finally:
        signal.signal(signal.SIGINT, before)


class Plain:
    """A solver of clauses over four cells; it tries all values, and propagates nothing."""

    def __init__(self, clauses: Sequence[list[int]]) -> None:
        self.clauses, self.core = [*clauses], list[int]()

    def add_clause(self, clause: list[int]) -> None:
        self.clauses.append(clause)

    def propagate(self, assumed: list[int]) -> tuple[bool, list[int]]:
        return True, assumed

    def solve(self, assumptions: Sequence[int]) -> bool:
        self.core, clauses = [*assumptions], [*self.clauses, *([literal] for literal in assumptions)]
        models = product((1, -1), (2, -2), (3, -3), (4, -4))
        self.model = next((model for model in models if all({*clause} & {*model} for clause in clauses)), ())
        return bool(self.model)

    def get_model(self) -> list[int]:
        return [*self.model]

    def get_core(self) -> list[int]:
        return self.core


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ([[1, 4], [-1, -4]], [0, 0, 0, 0, 1, 2, 2, 3, 4, 4, 4, 5, 6, 6, 7, 8, 8, 8, 8, 8]),
        ([[-1, 2]], [0, 0, 0, 0, 4, *[12] * 15]),  # a core of two literals fixes none
    ],
)
def test_branching_gives_up_after_a_work_that_depends_on_what_it_finds(
    clauses: list[list[int]], expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A propagation and a refutation are a unit of work each; what is left is excluded from the rest."""
    counts, phases = [], list[str]()
    clock = Clock(lambda: phases.append(clock.phase))
    monkeypatch.setattr(pysat, "A_SOLUTION", 2)
    for work in range(20):
        monkeypatch.setattr(pysat, "MIN_WORK", work)
        solver, found = Plain(clauses), list[tuple[int, ...]]()
        assert solver.solve([])
        phases.clear()
        clock.switch("decode")
        branching = pysat.backtrack_enumerate(solver, solver.get_model(), 4, tuple, Task(clock=clock))
        with pytest.raises(StopIteration) as ended:
            while True:
                found.append(next(branching))
        counts.append(len(found))
        end = [] if ended.value.value else ["load"]
        assert phases == [*["decode", "solve"] * (len(found) + 1), *end]
        while not ended.value.value and solver.solve([]):
            found.append(solver.model)
            solver.add_clause([-literal for literal in solver.model])
        assert len(found) == len({*found}) == expected[-1]
    assert counts == expected


# an extra, which has no wheel for every system; the next test is for where it is missing, and runs everywhere
installed = pytest.mark.skipif(not available("cryptominisat"), reason="pycryptosat is not installed")


def test_where_it_is_not_installed_no_group_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(base, "_version", missing)
    monkeypatch.setattr("importlib.metadata.requires", lambda _: ["pycryptosat>=5.17; extra == 'cms'"])
    (choice,) = select("cryptominisat", load("10/01"))
    assert choice.refusal == "pycryptosat is not installed: pip install 'pycryptosat>=5.17'"
    assert "cryptominisat" not in [choice.spec for choice in select("sat", load("10/01"))]


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
    heard = list[int]()
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with pytest.raises(GaveUp, match="interrupted"):
            solve_inline("cryptominisat", load("10/01"))
    finally:
        signal.signal(signal.SIGINT, handler)
    assert heard == [signal.SIGINT]


def test_no_code_propagates_by_cadical_after_solving() -> None:
    assert not CHECKER.startswith("cadical")
    branching = [solver.name for solver in pysat.SOLVERS if solver.branches]
    assert branching
    assert not [name for name in branching if name.startswith("cadical")]
    assert [solver.name for solver in SOLVERS if solver.summary != "CDCL by PySAT, incremental"] == ["kissat404"]
    for name, abilities in (("a", ["assumptions", "propagation", "interrupt"]), ("cadical999", pysat.ABILITIES)):
        assert pysat.PySat(name, frozenset(abilities)).branches == (name == "a")


@pytest.mark.parametrize(
    ("spec", "question", "text", "phases"),
    [
        ("glucose4", "solutions", "1|1", "encode load solve decode load solve"),
        ("kissat404", "solutions", "1|1", "encode load solve decode load solve"),
        ("hybrid:kernel=no", "solutions", "1,1|1,1", "encode load solve decode load solve decode load solve"),
        ("glucose4", "mus", "0,2|2,0", "encode load solve"),
        ("rc2", "fewest", "1", "encode load solve decode"),
    ],
)
def test_an_engine_is_freed_at_the_end_of_each_way_to_search(
    spec: str, question: Any, text: str, phases: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, freed, told, new, delete = list[Any](), list[Any](), list[str](), Solver.new, Solver.delete
    monkeypatch.setattr(Solver, "new", lambda self, *args, **how: (opened.append(self), new(self, *args, **how)))
    monkeypatch.setattr(Solver, "delete", lambda self: (freed.append(self), delete(self)))
    monkeypatch.setattr(Task, "phase", lambda _, phase: told.append(phase))
    choice: Any = select_one(spec, load(text), question)
    task = Task(question, encoding=choice.encoding, options=choice.options)
    assert list(getattr(choice.backend, question)(load(text), task))
    assert opened
    assert {*map(id, opened)} == {*map(id, freed)}
    assert " ".join(told).startswith(phases)
