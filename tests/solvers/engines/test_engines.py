"""What single engines do beyond the contract."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from crosslit_backends.engines import minizinc
from crosslit_backends.engines.minizinc import command
from crosslit_encoders.finite_domain import Linear, LinearRows, Model, Parity

from crosslit import Grid, load, registry
from crosslit.base.errors import SpecError, Unavailable
from crosslit.contract import UNKNOWN, Clock, ContractError, GaveUp, Task
from crosslit.registry import select_one
from crosslit.runs.drive import drive
from tests.conftest import executable
from tests.contract.configurations import needs
from tests.contract.test_form_meaning import INTEGERS, OTHERS, PARITIES, SUMS, integers, linear, meant, model_of


def found(spec: str, text: str, question: str = "solutions") -> list[str]:
    puzzle = load(text)
    choice = select_one(spec, puzzle, question)
    task = Task(question, None, choice.encoding, choice.options)
    return [grid.text for grid in drive(choice.backend, puzzle, task)]


def as_rows(found: Linear) -> Model:
    """A model of a sum that is kept as arrays."""
    factors, places = (np.array(numbers) for numbers in zip(*found.terms, strict=True))
    ends, exact = np.array([len(places)]), np.array([found.high is not None])
    return Model(1, 5, constraints=LinearRows(factors, places, ends, np.array([found.low]), exact))


@pytest.mark.parametrize("engine", ["choco", "clingo", "exact", "highs", "scip", "z3"])
def test_an_engine_finds_the_cells_of_all_assignments_and_then_the_fewest(engine: str) -> None:
    needs(engine)
    backend: Any = registry.all_backends()[engine]
    sums = [linear(*bounds) for bounds in (*SUMS[2:], ((1, 1), -1, None), ((1, 1), None, -1), ((1, 1), 3, 3))]
    parities = [Parity(*found) for found in PARITIES] if "linear-xor" in backend.targets else []
    models = [*map(model_of, (*sums, *parities)), *(integers(linear(*found)) for found in INTEGERS)]
    models += [as_rows(each) for each in sums if each.low is not None and each.high in (None, each.low)]
    for model in models + OTHERS * (engine == "choco"):
        expected = {values[: model.cells] for values in meant(model)}
        if len(expected) <= 6:
            found = [tuple(map(int, values)) for values in backend.search(model, Task(), False)]
            assert {*found} == expected, model.constraints
        fewest = [*map(sum, backend.search(model, Task(), True))]
        assert fewest[-1:] == sorted(map(sum, expected))[:1]


def test_scip_is_right_where_its_pairwise_presolve_is_not() -> None:
    needs("scip")
    assert found("scip", "00/11") == ["11/00"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_their_handlers_after_a_run_of_exact(number: signal.Signals) -> None:
    needs("exact")
    received: list[int] = []
    before = signal.signal(number, lambda number, _: received.append(number))
    try:
        found("exact", "10/01")
        signal.raise_signal(number)
    finally:
        signal.signal(number, before)
    assert received == [number]


def test_choco_searches_in_the_order_of_its_option() -> None:
    needs("choco")
    board, failures = load("100/000/000/000"), []
    for order in ("input-order", "dom-wdeg", "chs"):
        choice = select_one(f"choco:search={order}", board)
        task = Task(encoding=choice.encoding, options=choice.options)
        assert len(list(drive(choice.backend, board, task))) == 1
        failures.append(task.stats["failures"])
    assert failures[0] == 7  # all first rows but one
    assert len({*failures}) == 3


DEAD = "press=010,000,000/000"  # presses that toggle nothing


class Counter:
    """A counter with the interface of pyganak, by brute force, which writes to standard output."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def new_vars(self, number: int) -> None:
        self.models = [*product((-1, 1), repeat=number)]

    def set_sampling_set(self, cells: Iterable[int]) -> None:
        self.cells = [*cells]

    def add_clauses(self, clauses: Iterable[list[int]]) -> None:
        for clause in clauses:
            self.models = [model for model in self.models if any(model[abs(each) - 1] * each > 0 for each in clause)]

    def count(self) -> int:
        os.write(1, b"c s exact arb int")
        return len({tuple(model[cell - 1] for cell in self.cells) for model in self.models}) + self.seed


@pytest.mark.parametrize(("text", "number"), [("1,1|1,1", 2), ("1|0,1", 1), ("2,0|0,2", 0), ("00/00", 1), (DEAD, 8)])
def test_ganak_counts_the_values_of_the_cells(
    text: str, number: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyganak", SimpleNamespace(Counter=Counter))
    monkeypatch.setattr("crosslit_backends.base._version", lambda _: "1")
    puzzle = load(text)
    choice: Any = select_one("ganak", puzzle, "count")
    phases = list[str]()
    clock = Clock(lambda: phases.append(clock.phase))
    task = Task("count", encoding=choice.encoding, clock=clock)
    assert choice.backend.count(puzzle, task) == number
    assert phases == ["encode", "load", "solve"]
    assert {"variables", "clauses", "literals"} <= {*task.stats}
    os.write(1, b"end\n")
    assert capfd.readouterr() == ("end\n", "")


@pytest.mark.parametrize(
    ("words", "lineage"),
    [
        ("minizinc --solver gecode -a {mzn}", {"minizinc", "gecode"}),
        ("minizinc --solver Chuffed -a {mzn}", {"minizinc", "chuffed", "cdcl"}),
        ("minizinc --solver cp-sat -a {mzn}", {"minizinc", UNKNOWN}),
        ("./mine {mzn}", {"minizinc", UNKNOWN}),
    ],
)
def test_an_engine_behind_minizinc_is_independent_only_if_it_is_known(words: str, lineage: set[str]) -> None:
    backend: Any = command("mine", words, "/x", frozenset())
    assert (backend.trusted_base, backend.words[0]) == (lineage, words.split()[0].replace("./", "/x/"))


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ("echo ==========", None, ""),
        ('echo ----------; echo "x = [1, 0];"; echo ==========; echo', None, ""),
        ("echo =====UNSATISFIABLE=====; exit 3", None, ""),
        ("echo =====UNKNOWN=====", GaveUp, "^mine does not claim that there are no more solutions: =====UNKNOWN=====$"),
        (":", GaveUp, ": no output$"),
        ('echo "x = [1];"', ContractError, "^mine gives 1 values of 2 cells$"),
        ("echo no >&2; exit 3", ContractError, "^mine: exit status 3: no$"),
    ],
)
def test_a_command_of_minizinc_says_that_there_are_no_more_solutions_or_why_not(
    script: str, error: type[Exception] | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases, found, path, counted = list[str](), [], tmp_path / "model.mzn", list[Task]()
    monkeypatch.setattr(minizinc, "counting_threads", lambda task: nullcontext(counted.append(task)))
    monkeypatch.setattr(Task, "phase", lambda _, phase: phases.append(phase))
    backend: Any = command("mine", f"""sh -c 'cat > {path}; echo "x = [1, 0];"; {script}' {{mzn}}""", "", frozenset())
    with nullcontext() if error is None else pytest.raises(error, match=message):
        found.extend(backend.search(Model(1, 2), Task(), True))
    assert (found, phases, len(counted)) == ([[1, 0]] * (1 + script.count("[1, 0]")), ["solve"], 1)
    assert "minimize 1*x[1] + 1*x[2];" in path.read_text(encoding="utf-8")


LISTED = [
    {"id": "org.chuffed.chuffed", "name": "Chuffed", "version": "0.13"},
    {"id": "cplex", "name": "CPLEX", "version": "?", "requiredFlags": ["--cplex-dll"]},
]


@pytest.mark.parametrize(
    ("words", "version", "refusal"),
    [
        ("minizinc --solver Chuffed {mzn}", "Chuffed 0.13", ""),
        ("minizinc --solver org.chuffed.Chuffed {mzn}", "Chuffed 0.13", ""),
        ("minizinc {mzn}", "minizinc sha256:", ""),
        ("minizinc --solver cplex {mzn}", "", "the solver cplex is not installed in PATH/minizinc"),
        ("mini --solver cplex {mzn}", "", "the command mini is not found, or not executable"),
    ],
)
def test_the_version_of_a_solver_is_what_minizinc_lists(
    words: str, version: str, refusal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = command("mine", words, "", frozenset())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match=r"executable; Debian's package minizinc provides it, with Gecode$"):
        command("mine", "minizinc {mzn}", "", frozenset()).version()
    executable(tmp_path / "minizinc", f"test $1 = --solvers-json && echo '{json.dumps(LISTED)}'")
    with pytest.raises(Unavailable) if refusal else nullcontext() as caught:
        assert backend.version().startswith(version)
    assert not refusal or str(caught.value) == refusal.replace("PATH", str(tmp_path))


BOARD = load("1111/1111/1111/1111")
CHOICE = select_one("cpsat", BOARD)


def task(want: int | None, **options: int) -> Task:
    return Task(max_solutions_hint=want, encoding=CHOICE.encoding, options=options)


@pytest.mark.parametrize("want", [None, 2, 100])
def test_it_enumerates_with_one_worker_whatever_was_asked_for(want: int | None) -> None:
    enumeration = task(want, workers=4)
    assert len(set(drive(CHOICE.backend, BOARD, enumeration))) == 16
    assert (enumeration.stats["workers"], enumeration.threads) == (1, 1)


@pytest.mark.parametrize(("options", "workers"), [({"workers": 2}, 2), ({}, 1)])
def test_one_solution_may_take_all_workers(options: dict[str, int], workers: int) -> None:
    one = task(1, **options)
    solutions = drive(CHOICE.backend, BOARD, one)
    assert not any(BOARD.violations(next(solutions)))
    solutions.close()
    assert (one.stats["workers"], one.threads) == (workers, workers)


def test_a_search_is_stopped_at_the_exit_of_python_until_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    at_exit = set[Any]()
    monkeypatch.setattr("atexit.register", at_exit.add)
    monkeypatch.setattr("atexit.unregister", at_exit.discard)
    solutions = drive(CHOICE.backend, BOARD, task(None))
    next(solutions)
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    assert len(at_exit) == 1
    solutions.close()
    assert not at_exit
    assert all(thread.daemon for thread in others)


@pytest.mark.parametrize(("value", "number"), [("true", 1), ("false", 16), ("yes", 0)])
def test_a_parameter_may_be_a_truth_value(value: str, number: int) -> None:
    choice, grids = select_one(f"cpsat:param.stop_after_first_solution={value}", BOARD), list[Grid]()
    with pytest.raises(GaveUp, match="cannot be yes") if value == "yes" else suppress(GaveUp):
        grids += drive(choice.backend, BOARD, Task(encoding=choice.encoding, options=choice.options))
    assert len(grids) == number


def test_after_the_only_solution_that_was_wanted_it_claims_nothing() -> None:
    with pytest.raises(GaveUp, match="only one solution"):
        list(drive(CHOICE.backend, load("1"), task(1)))


def test_an_end_without_a_full_search_is_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.status_name", lambda *_: "UNKNOWN")
    with pytest.raises(GaveUp, match="ended with UNKNOWN"):
        list(drive(CHOICE.backend, BOARD, task(None)))


def test_a_bound_just_off_a_whole_number_is_that_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT gives bounds as floats, with errors of rounding: 4.9999999 and 5.0000001 presses are five."""

    def solve(solver: Any, model: object, callback: object) -> None:
        assert (solver.parameters.random_seed, solver.parameters.catch_sigint_signal) == (0, False)
        for bound in (4.0000002, 4.9999999, 5.0, 5.0000001, 5.00001):
            solver.best_bound_callback(bound)

    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.solve", solve)
    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.status_name", lambda *_: "UNKNOWN")
    told: list[int] = []
    asked = Task("fewest", encoding=select_one("cpsat", BOARD, "fewest").encoding, on_bound=told.append)
    with pytest.raises(GaveUp):
        list(drive(CHOICE.backend, BOARD, asked))
    assert told == [4, 5, 6]


UNIQUE = "101/010/101"


def test_a_parameter_of_z3_has_the_type_of_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("z3")
    given = dict[str, object]()
    monkeypatch.setattr("z3.Solver.set", lambda _, name, value: given.update({name: value}))
    assert len(found("z3:param.ctrl_c=false:param.dack.factor=2:param.timeout=9:param.logic=QF_UF", UNIQUE)) == 1
    assert repr(given) == "{'ctrl_c': False, 'dack.factor': 2.0, 'logic': 'QF_UF', 'timeout': 9, 'model': True}"


PARAMETERS = {
    "scip": ("separating/maxrounds=0", "limits/time=0.0"),
    "ortools-scip": ("separating/maxrounds=0", "limits/time=0.0"),
    "cpsat": ("linearization_level=0", "max_deterministic_time=0"),
    "clingo": ("eq=0", None),
    "z3": ("relevancy=0", "max_conflicts=0"),
}


@pytest.mark.parametrize(("engine", "harmless", "ending"), [(name, *each) for name, each in PARAMETERS.items()])
def test_a_parameter_reaches_the_engine(engine: str, harmless: str, ending: str | None) -> None:
    needs(engine)
    assert len(found(f"{engine}:param.{harmless}", UNIQUE)) == 1
    for wrong in ("no-such=x", harmless.replace("=0", "=x")):
        with pytest.raises(GaveUp, match=wrong.removesuffix("=x")):
            found(f"{engine}:param.{wrong}", UNIQUE)
    with pytest.raises(GaveUp) if ending else nullcontext():
        assert found(f"{engine}:param.{ending or harmless}", UNIQUE)


CLAIMS = {
    "cpsat": ("enumerate_all_solutions=false", "num_workers=4", "keep_all_feasible_solutions_in_presolve=false"),
    "clingo": ("models=1", "enum-mode=cautious", "project=project"),
    "z3": ("model=false",),
}
FEWEST = {"cpsat": "relative_gap_limit=10", "clingo": "opt-mode=opt,1", "ortools-scip": "limits/gap=100"}


def test_no_parameter_weakens_a_claim() -> None:
    for engine, parameters in CLAIMS.items():
        needs(engine)
        for parameter in parameters:
            assert len({*found(f"{engine}:param.{parameter}", "1,1,1,1|1,1,1,1")}) == 24, parameter
    for engine, parameter in FEWEST.items():
        assert found(f"{engine}:param.{parameter}", BOARD.text, "fewest")[-1].count("1") == 4, parameter


@pytest.mark.parametrize("spec", ["gauss:param.x=1", "highs:param.presolve=off", "scip:param.=1"])
def test_an_engine_without_parameters_refuses_them(spec: str) -> None:
    with pytest.raises(SpecError, match="unknown option"):
        registry.select(spec, BOARD)


def test_an_engine_known_for_wrong_answers_is_left_out_of_all() -> None:
    assert "ortools-scip" not in {choice.backend.name for choice in registry.select("all", BOARD)}
    assert select_one("ortools-scip", BOARD)
