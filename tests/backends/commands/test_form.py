"""Solver commands that read a model in a file form."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from crosslit import registry
from crosslit.base.errors import SpecError, Unavailable
from crosslit.contract import ContractError, GaveUp, Task
from crosslit.formats import read
from crosslit.registry.specs import define

BOARD = read("11")  # two solutions
Solve = Callable[..., list[str]]


def solutions(command: str) -> list[str]:
    """The solutions of the board by a command."""
    define("mine", command, "test")
    # the default encoding of the richest forms has few cells, of others all
    spec = "mine/xor" if any(form in command for form in ("{smt2}", "{asp}")) else "mine"
    choice = registry.select_one(spec, BOARD)
    found = choice.backend.solutions(BOARD, Task(encoding=choice.encoding))
    return [grid.text() for grid in found]


@pytest.fixture
def solve(tmp_path: Path) -> Solve:
    """Solve the board by a command that gives one of some answers after another."""

    def by_answers(*answers: str, place: str = "{smt2}", end: str = "") -> list[str]:
        for number, answer in enumerate(answers):
            (tmp_path / f"answer{number}").write_text(answer, encoding="utf-8")
        script = tmp_path / "solver.sh"
        script.write_text(
            f'#!/bin/sh\ncd {shlex.quote(str(tmp_path))}\ncp "$1" model\nset -- answer*\ncat "$1"\nrm "$1"\n{end}\n',
            encoding="ascii",
        )
        script.chmod(0o755)
        return solutions(f"{shlex.quote(str(script))} {place}")

    return by_answers


def test_each_solution_is_excluded_before_the_next_start(solve: Solve, tmp_path: Path) -> None:
    assert solve("sat\n((x1 true) (x2 false))", "sat\n((x1 false) (x2 true))", "unsat") == ["10", "01"]
    assert (tmp_path / "model").read_text(encoding="utf-8").count("(assert (or ") == 2


@pytest.mark.parametrize(
    ("place", "answer"),
    [
        ("{lp}", "infeasible"),
        ("{opb}", "s UNSATISFIABLE"),
        ("{asp}", "UNSATISFIABLE"),
        ("{xcsp3}", "s UNSATISFIABLE"),
    ],
)
def test_the_answer_is_read_in_the_form_of_the_file(solve: Solve, place: str, answer: str) -> None:
    assert solve(answer, place=place) == []


@pytest.mark.parametrize(
    ("answer", "end", "error", "message"),
    [
        ("unknown", "", GaveUp, "it does not know"),
        ("(error)", "echo no license >&2; exit 3", ContractError, "no model and no verdict, exit status 3: no license"),
        ("sat", "", ContractError, "no model and no verdict, exit status 0"),
        ("sat\n((x1 true) (x1 false))", "", ContractError, "the solver's answer is wrong: it gives x1 twice"),
        ("unsat", "kill -SEGV $$", ContractError, "the solver was killed by SIGSEGV"),
    ],
)
def test_an_answer_that_decides_nothing_has_its_reason(
    solve: Solve, answer: str, end: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        solve(answer, end=end)


def test_a_repeated_model_is_an_error(solve: Solve) -> None:
    with pytest.raises(ContractError, match="repeats a model"):
        solve(*["sat\n((x1 true) (x2 false))"] * 2)


def test_the_file_of_the_answer_has_priority_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others may run on this machine
    script = tmp_path / "solver.sh"
    script.write_text('#!/bin/sh\necho unsat > "$2"\necho sat\n', encoding="utf-8")
    script.chmod(0o755)
    assert solutions(f"{shlex.quote(str(script))} {{smt2}} {{out}}") == []
    assert not list(Path(tempfile.gettempdir()).glob("crosslit-program-*"))


@pytest.mark.parametrize(
    ("command", "place"),
    [("solver {smt3} {lp}", "{smt3}"), ("solver {cnf2}", "{cnf2}"), ("solver {lp} {opb}", "{lp}")],
)
def test_an_unknown_word_in_braces_is_refused(command: str, place: str) -> None:
    with pytest.raises(SpecError, match=f"found {place}"):
        define("mine", command, "test")


@pytest.mark.parametrize("place", ["{cnf}", "{lp}"])
def test_a_file_that_is_no_program_is_not_available(tmp_path: Path, place: str) -> None:
    program = tmp_path / "solver.jar"
    program.write_bytes(b"PK\3\4")
    program.chmod(0o755)
    define("mine", f"{shlex.quote(str(program))} {place}", "test")
    with pytest.raises(Unavailable, match="cannot be started: it is no program"):
        registry.all_backends()["mine"].version()


@pytest.mark.parametrize(
    "command",
    ["cbc {lp} solve solu {out}", "glpsol --lp {lp} -o {out}", "z3 {smt2}", "clingo {asp}", "fzn-gecode {fzn}"],
)
def test_a_real_command_finds_all_solutions(command: str) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed")  # from the distribution; CI installs it
    assert sorted(solutions(command)) == ["01", "10"]
