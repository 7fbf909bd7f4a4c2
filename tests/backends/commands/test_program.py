"""A program of ``crosslit.toml`` as a contestant."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.commands.program import program
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure

from crosslit import Grid, add_solver, compare, load, solve, verify
from crosslit.base.errors import OneFound, SpecError
from crosslit.contract import Task
from crosslit.registry import select_one
from crosslit.registry.specs import define_all

# by brute force; `wrong` leaves the last row empty, `one` stops at the first solution
SOLVER = """
import itertools, sys
rows, columns = ([[int(n) for n in clue.split() if n != "0"] for clue in side.split(",")]
                 for side in open(sys.argv[2]).read().strip().split("|"))
blocks = lambda line: [len(block) for block in "".join(line).split("X") if 0] or [
    len(block) for block in "".join(line).replace(".", " ").split()]
found = [grid for grid in itertools.product(itertools.product(".X", repeat=len(columns)), repeat=len(rows))
         if [blocks(row) for row in grid] == rows and [blocks(column) for column in zip(*grid)] == columns]
if sys.argv[1] == "stuck":
    sys.exit(3)
if not found:
    print("no solution")
for grid in found[: 1 if sys.argv[1] == "one" else None]:
    lines = ["".join(row) for row in grid]
    if sys.argv[1] == "wrong":
        lines[-1] = "." * len(columns)
    print(*lines, "", sep="\\n")
"""
UNIQUE, SEVERAL, NONE = "2,1|1,2", "1,1|1,1", "0|1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "solver.py").write_text(SOLVER, encoding="utf-8")
    python = shlex.quote(sys.executable)
    tables = [
        f'[programs.{name}]\ncommand = "{python} -S solver.py {name} {{file}}"\nclaims = "{claims}"\n'
        'format = "inline"\ncells = ".X"\nunsolvable = "no solution"\nexit = {3 = "unknown"}\n'
        for name, claims in (("mine", "all"), ("one", "one"), ("wrong", "all"), ("stuck", "all"))
    ]
    (tmp_path / "crosslit.toml").write_text("\n".join(tables), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("puzzle", "verdict"), [(UNIQUE, "unique"), (SEVERAL, "multiple"), (NONE, "unsolvable")])
def test_it_agrees_with_others_and_is_no_evidence(folder: Path, puzzle: str, verdict: str) -> None:
    define_all()
    comparison = compare(load(puzzle), "mine,line", limit=None)
    assert comparison.consistent, comparison.findings
    assert (comparison.verdict.status, comparison.verdict.evidence) == (verdict, "claimed")  # it may run any engine
    assert [run.status for run in comparison.runs] == ["complete", "complete"]


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [("one", "one found", "gives one solution only"), ("stuck", "gave-up", "answers unknown")],
)
def test_it_gives_up(folder: Path, name: str, status: str, reason: str) -> None:
    define_all()
    (run,) = compare(load(SEVERAL), name, limit=None).runs
    assert run.status == status
    assert reason in run.error


def test_python_finds_it_by_name_or_takes_its_description(folder: Path) -> None:
    solution = solve(UNIQUE, "mine")
    assert solution is not None
    command = f"{shlex.quote(sys.executable)} -S solver.py one {{file}}"
    add_solver("own", command, format="inline", cells=".X", unsolvable="no solution")
    assert solve(UNIQUE, "own") == solution
    assert verify(backend="mine", kind="nonogram", claims="all", size="2x2", cases=10, junit=folder / "junit.xml")
    assert b'failures="0"' in (folder / "junit.xml").read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[programs.mine]\ncell = ".X"', r"crosslit.toml: program mine: a program has no key 'cell'"),
        ("[programs.mine]\ncommand = [1]", "program mine: expected command ="),
        ('[programs.mine]\ncommand = "x"\nkind = [1]', "program mine: expected text for kind, found"),
        ('[programs]\nmine = "x"', "expected tables such as"),
        ('[program.mine]\ncommand = "x"', r"found \[program\]; did you mean programs"),
        ('[solvers]\nmine = "x {cnf}"\n[programs.mine]\ncommand = "x"', "expected one definition of mine"),
    ],
)
def test_what_is_no_description(folder: Path, content: str, message: str) -> None:
    (folder / "crosslit.toml").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        define_all()


def test_a_format_that_does_not_hold_the_puzzle_is_no_crash(folder: Path) -> None:
    (folder / "crosslit.toml").write_text('[programs.mine]\ncommand = "sh {file}"\nformat = "non"', encoding="utf-8")
    define_all()
    with pytest.raises(SpecError, match="format non"):
        select_one("mine", load("10/01"))


@pytest.mark.parametrize(("code", "crashed"), [(0, False), (1, True), (-9, True)])
def test_an_answer_on_a_line_counts_only_with_the_exit_status_0(code: int, crashed: bool) -> None:
    backend: Any = program("mine", "cat", "", frozenset())
    assert isinstance(backend._read(load("1"), b'{"solution": "1"}', b"", code), SolverFailure) == crashed


def test_the_first_line_is_the_answer() -> None:
    backend: Any = program("mine", "cat", "", frozenset())
    reply = backend._read(load("1"), b'{"solution": "1"}\n{"unsolvable": true}\n', b"", 0)
    assert reply == SolverAnswer((Grid.from_text("1"),), False, None)


@pytest.mark.parametrize(("unique", "is_complete"), [(True, True), (False, False), (None, False)])
def test_one_solution_is_all_only_if_the_program_says_unique(
    monkeypatch: pytest.MonkeyPatch, unique: bool | None, is_complete: bool
) -> None:
    backend: Any = program("mine", "cat", "", frozenset())
    monkeypatch.setattr(type(backend), "_ask", lambda *_: SolverAnswer((Grid.from_text("1"),), False, unique))
    words = "solution only" if unique is None else "solution and says that there are others"
    with nullcontext() if is_complete else pytest.raises(OneFound, match=f"^the program gives one {words}$"):
        assert len(list(backend.solutions(load("1"), Task()))) == 1
