"""Commands as backends: their answers, their failures, and no processes left behind."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from crosslit_backends.commands import child_processes, dimacs

from crosslit import Grid, add_solver, compare, load
from crosslit.base.errors import ContractError, GaveUp, SpecError
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import define_options, select_one
from crosslit.runs.drive import drive
from tests.conftest import executable

BOARD = load("11/11")  # one solution: all four

Fake = Callable[..., None]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """Define a solver by a script for sh."""

    def make(script: str, name: str = "fake", places: str = "{cnf}") -> None:
        path = tmp_path / f"{name}-solver"
        executable(path, script)
        add_solver(name, f"{shlex.quote(str(path))} {places}")

    return make


def solve(spec: str, puzzle: Puzzle) -> list[Grid]:
    choice = select_one(spec, puzzle)
    return list(drive(choice.backend, puzzle, Task(encoding=choice.encoding)))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("printf '\\377\\n'; exit 10", "no answer, exit status 10"),
        ("echo s SATISFIABLE", "says satisfiable and gives no model"),
        ("echo no more >&2; kill -HUP $$", "was killed by SIGHUP: no more$"),
    ],
)
def test_a_broken_one_is_reported_in_one_line(fake: Fake, script: str, message: str) -> None:
    fake(script)
    with pytest.raises(ContractError, match=message) as caught:
        solve("fake/full-direct", BOARD)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("order", [(0, 1, 0), (0, 1, 1)])
def test_a_model_repeated_later_is_an_error_too(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...]
) -> None:
    for run, number in enumerate(order):
        (tmp_path / f"answer{run}").write_text(f"s SATISFIABLE\nv {('1 -2', '-1 2')[number]} 0\n", encoding="utf-8")
    fake(f"cd {shlex.quote(str(tmp_path))}\nset -- answer*\ncat $1\nrm $1\n")
    choice, phases = select_one("fake/full-direct", load("00")), list[str]()
    monkeypatch.setattr(Task, "phase", lambda _, phase: phases.append(phase))
    with pytest.raises(ContractError, match="repeats a model that a clause excludes"):
        list(choice.backend.solutions(load("00"), Task(encoding=choice.encoding)))
    assert phases == ["encode", *["load", "solve", "decode"] * 3]


@pytest.mark.parametrize(
    ("places", "script"),
    [
        (
            "--in={cnf} {cnf}{cnf} {cnf}",
            'test "$1 $2" = "--in=$3 $3$3" && cat "$3" >&2 && echo s UNSATISFIABLE',
        ),
        ("{out}", 'cat >&2; echo s UNSATISFIABLE > "$1"; echo s UNKNOWN'),
        ("", "cat >&2; echo s UNSATISFIABLE"),
        ("", "cat >&2; printf 's UNSATISFIABLE'; exit 20"),
        ("{cnf}", 'test -z "$(cat)" && echo s UNSATISFIABLE; exit 1'),  # standard input is empty
    ],
)
def test_the_places_of_a_command_are_the_formula_and_the_answer(fake: Fake, places: str, script: str) -> None:
    fake(script, places=places)
    choice = select_one("fake/full-direct", BOARD)
    assert choice.encoding is not None
    task = Task(encoding=choice.encoding)
    assert list(choice.backend.solutions(BOARD, task)) == []
    assert task.stats == choice.encoding.encode(BOARD).sizes


@pytest.mark.parametrize(
    ("cpu", "seconds", "threads", "found"),
    [(0.1, 10, 1, 1), (2.04, 10, 1, 2), (2.06, 10, 1, 3), (2.06, 10, 5, 5), (0.0, 10, 1, 1), (0.0, 0, 1, 1)],
)
def test_the_threads_of_a_command_are_its_processor_time_by_the_time_that_it_took(
    monkeypatch: pytest.MonkeyPatch, cpu: float, seconds: int, threads: int, found: int
) -> None:
    task = Task(threads=threads)
    usages = iter({"ru_utime": 4 + 6 * used, "ru_stime": 3 + 4 * used} for used in (0, cpu))
    times = iter([3.0, 3.0 + seconds])
    monkeypatch.setattr("resource.getrusage", lambda _: SimpleNamespace(**next(usages)))
    monkeypatch.setattr(child_processes, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    child_processes.output_of(["true"], task)
    assert task.threads == found


@pytest.mark.parametrize(
    ("printed", "version"), [("Kissat v4.0.1-x of today", "4.0.1-x"), ("one\ntwo", "one"), ("x" * 50, "x" * 40)]
)
def test_the_version_is_a_number_or_the_first_line_that_a_known_command_prints(
    tmp_path: Path, printed: str, version: str
) -> None:
    executable(tmp_path / "kissat", f"test $1 = --version && echo '{printed}'")
    assert dimacs.SatCommand("mine", (str(tmp_path / "kissat"), "{cnf}")).version() == f"kissat {version}"


def test_one_that_does_not_know_gives_up(fake: Fake) -> None:
    fake("echo s UNKNOWN")
    with pytest.raises(GaveUp, match="it says UNKNOWN"):
        solve("fake", BOARD)


def test_the_time_of_a_command_is_the_time_of_its_run(fake: Fake) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    fake(f"{shlex.quote(sys.executable)} -ISc '{busy}'; echo s UNKNOWN")
    (run,) = compare(BOARD, "fake", limit=1).runs
    assert run.timing.cpu >= 0.3
    assert run.timing.phases["solve"] >= 0.3


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("mine=", "--solver: solver mine: expected a command"),
        ("My=x", "--solver: solver 'My': a name is lower case"),
    ],
)
def test_definitions_that_cannot_be(option: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        define_options([option])
    assert str(caught.value).startswith(message)
    with pytest.raises(SpecError, match="two solvers are called a"):
        define_options(["a=x", "a=y"])
