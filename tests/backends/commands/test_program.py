"""A program of ``crosslit.toml`` as a contestant."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_backends.commands import child_processes
from crosslit_backends.commands.program import program
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure, question

from crosslit import Grid, add_solver, compare, load, solve, verify
from crosslit.base.errors import OneFound, SpecError
from crosslit.contract import ContractError, GaveUp, Task
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


def described(command: str, **options: Any) -> Any:
    """A backend of a description."""
    return program("mine", json.dumps({"command": command, **options}), "", frozenset({"own"}))


@pytest.mark.parametrize(
    ("options", "output", "code", "reply"),
    [
        ({}, b'{"solution": "1"}', 0, "1"),
        ({}, b'\n {"solution": "1"}\n{"unsolvable": true}\n', 0, "1"),
        ({}, b'{"solution": "1"}', 1, "exit status 1 without an answer: no"),
        ({}, b'{"solution": "1"}', -9, "exit status -9 without an answer: no"),
        ({}, b" \n", 0, "exit status 0 without an answer: no"),
        ({"lines": True}, b"1\nunsolvable\n", 0, "1"),
        ({"lines": True}, b"1", 2, "exit status 2 without an answer: no"),
        ({"lines": True, "exit": {"2": "unsolvable"}}, b"", 2, "exit status 2 without an answer: no"),
        ({"command": "x {file}"}, b"1\n", 0, "1"),
        ({"command": "x {file}"}, b"1\n", 1, "exit status 1 without an answer: no"),
        ({"command": "x {file}", "cells": ".X"}, b"progress\nX\n", 0, "1"),
        ({"command": "x {file}", "cells": ".X"}, b"X", 3, "exit status 3 without an answer: no"),
        ({"command": "x {file}", "cells": ".X"}, b"X", -11, "exit status -11 without an answer: no"),
        ({"command": "x {file}", "cells": ".X"}, b"X", -1, "exit status -1 without an answer: no"),
        ({"command": "x {file}", "exit": ["3=solved"], "cells": ".X"}, b"X", 3, "1"),
    ],
)  # fmt: skip
def test_an_answer_counts_by_the_mode_and_the_exit_status(
    options: dict[str, Any], output: bytes, code: int, reply: str
) -> None:
    backend = described(**{"command": "x", **options})
    found = backend._read(load("1"), output, b"no\n", code)
    failure = SolverFailure("crash", reply)
    assert found == (failure if " " in reply else SolverAnswer((Grid.from_text(reply),), False, None))


@pytest.mark.parametrize(
    ("options", "words", "data"),
    [
        ({"command": "./solver -x"}, "-x", question(load("0|1"), 1, "all")),
        ({"command": "./solver", "format": "inline"}, "", b"0|1\n"),
        ({"command": "./solver", "lines": True}, "", b"0|1\n"),
        ({"command": "./solver {file} -x={puzzle} {file}{puzzle}"}, "P.non -x=P.non P.nonP.non", b"width 1\n"),
    ],
)
def test_a_program_gets_its_puzzle(folder: Path, options: dict[str, Any], words: str, data: bytes) -> None:
    script = 'echo "$*" > words; cat > stdin; test -e "$1" && cp "$1" file; echo \'{"unsolvable": true}\'; echo no >&2'
    (folder / "solver").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "solver").chmod(0o755)
    backend: Any = program("mine", json.dumps({"claims": "all", **options}), str(folder), frozenset())
    assert isinstance(backend._ask(load("0|1"), Task()), SolverAnswer) == (backend.program.mode == "json")
    assert re.sub(r"/\S*?/puzzle\.", "P.", (folder / "words").read_text(encoding="utf-8")).strip() == words
    place, empty = ("file", "stdin") if "P." in words else ("stdin", "file")
    assert (folder / place).read_bytes().startswith(data)
    assert not (folder / empty).exists() or (folder / empty).read_bytes() == b""


COMMANDS = [("{cnf}", "s UNSATISFIABLE"), ("{smt2}", "unsat"), ("{file}", "unsolvable")]
IMPORTS = """
import importlib, sys
from crosslit import add_solver, load
from crosslit.contract import Task
from crosslit.registry import select_one

add_solver("own", f"sh ./solver {sys.argv[1]}")
choice, board = select_one("own", load("11")), load("11")
if choice.encoding:
    choice.encoding.encode(board)
for name in choice.backend.preload:
    importlib.import_module(name)
before = {*sys.modules}
assert list(choice.backend.solutions(board, Task(encoding=choice.encoding))) == []
print(*sorted({*sys.modules} - before))
"""


@pytest.mark.parametrize(("place", "answer"), COMMANDS)
def test_a_run_of_a_command_imports_nothing_more_than_is_imported_before_it(
    folder: Path, place: str, answer: str
) -> None:
    (folder / "solver").write_text(f"echo {answer}\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", IMPORTS, place], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.parametrize(("place", "answer"), COMMANDS)
def test_every_command_has_its_phases(folder: Path, monkeypatch: pytest.MonkeyPatch, place: str, answer: str) -> None:
    (folder / "solver").write_text(f"echo {answer}\n", encoding="utf-8")
    add_solver("own", f"sh ./solver {place}")
    choice, seen = select_one("own", load("11")), list[str]()
    monkeypatch.setattr(Task, "phase", lambda _, phase: seen.append(phase))
    assert list(choice.backend.solutions(load("11"), Task(encoding=choice.encoding))) == []
    assert seen == ["encode"] * (place != "{file}") + ["load", "solve", "decode"]


@pytest.mark.parametrize(("more", "fails"), [(0, False), (1, True)])
def test_an_answer_has_a_maximum_size(monkeypatch: pytest.MonkeyPatch, more: int, fails: bool) -> None:
    monkeypatch.setattr("crosslit_backends.commands.program._MAX_BYTES", 100)
    backend: Any = described(f"printf %{100 + more}s 1")
    with pytest.raises(ContractError, match="more than 100 bytes") if fails else nullcontext():
        backend._ask(load("1"), Task())


@pytest.mark.parametrize(
    ("options", "puzzle", "reason"),
    [
        ({}, "press=000,010,000/00", None),
        ({"lines": True}, "press=000,010,000/00", None),
        ({"command": "x {file}"}, "10/01", None),
        ({"command": "x {file}"}, "press=000,010,000/00", "only puzzles of the usual rules"),
        ({"command": "x {file}", "format": "inline"}, "press=000,010,000/00", None),
        ({"format": "non"}, "1|1", None),
        ({"format": "non"}, "10", "format non"),
    ],
)
def test_a_puzzle_is_supported_if_the_input_can_hold_it(
    options: dict[str, Any], puzzle: str, reason: str | None
) -> None:
    found = described(**{"command": "x", **options}).unsupported_reason(load(puzzle), {})
    assert (found is None) if reason is None else found.startswith(reason)


def test_a_description_names_its_kind_its_groups_and_the_paths_of_its_folder(folder: Path) -> None:
    for kind in ("nonogram", ""):
        text = json.dumps({"command": "./solver solver.py", "kind": kind})
        backend: Any = program("mine", text, str(folder), frozenset({"own"}))
        assert (backend.kinds, backend.groups) == (frozenset({kind} - {""}), {"own"})
        assert backend.words == backend.program.words == (f"{folder}/solver", f"{folder}/solver.py")
        assert backend.summary == f"the program {folder}/solver {folder}/solver.py"


GRIDS = tuple(Grid.from_text(cells) for cells in ("10/01", "01/10", "11/11"))


@pytest.mark.parametrize(
    ("claims", "reply", "count", "error", "message"),
    [
        ("all", SolverAnswer((), True), 0, None, ""),
        ("one", SolverAnswer((), True), 0, None, ""),
        ("all", SolverAnswer((GRIDS[0],), False), 1, None, ""),
        ("all", SolverAnswer(GRIDS, False, False), 3, None, ""),
        ("one", SolverAnswer(GRIDS[:1], False, True), 1, None, ""),
        ("one", SolverAnswer(GRIDS[:1], False), 1, OneFound, "one solution only$"),
        ("unique", SolverAnswer(GRIDS[:1], False, False), 1, OneFound, "solution and says that there are others$"),
        ("fewest", SolverAnswer(GRIDS[:1], False), 1, OneFound, "one solution only$"),
        ("all", SolverAnswer(GRIDS, False, None, 1), 0, GaveUp, "more solutions than are read"),
        ("all", SolverAnswer((*GRIDS[:2], GRIDS[0]), False), 2, ContractError, "a solution twice"),
        ("all", SolverAnswer((GRIDS[0], *GRIDS[1:], GRIDS[2]), False), 3, ContractError, "a solution twice"),
        ("all", SolverAnswer((GRIDS[0], Grid.from_text("01/10/11")), False), 1, ContractError, "a grid of 3 x 2"),
        ("all", SolverAnswer((Grid.from_text("011/100"),), False), 0, ContractError, "a grid of 2 x 3"),
        ("all", Abstention("unknown"), 0, GaveUp, "the program answers unknown"),
        ("all", Abstention("unsupported"), 0, GaveUp, "the program answers unsupported"),
        ("all", SolverFailure("crash", "no"), 0, ContractError, "^crash: no$"),
    ],
)
def test_the_solutions_are_those_of_the_answer_and_all_only_if_it_says_so(
    monkeypatch: pytest.MonkeyPatch, claims: str, reply: Any, count: int, error: type[Exception] | None, message: str
) -> None:
    backend = described("x", claims=claims)
    monkeypatch.setattr(type(backend), "_ask", lambda *_: reply)
    found = list[Grid]()
    with nullcontext() if error is None else pytest.raises(error, match=message):
        for grid in backend.solutions(load("10/01"), Task()):
            found.append(grid)
    assert len(found) == count


def test_the_threads_of_a_program_are_those_that_its_processor_time_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    usages = iter([1.0, 3.5])
    times = iter([5.0, 6.0])
    monkeypatch.setattr(child_processes, "_cpu", lambda: next(usages))
    monkeypatch.setattr(child_processes, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    task = Task()
    child_processes.output_of([sys.executable, "-c", ""], task)
    assert task.threads == 3


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, None])
@pytest.mark.parametrize(
    ("place", "answer"), [("{file}", "10/00"), ("{mzn}", "x = [1, 0, 0, 0];\\n----------\\n==========")]
)
def test_a_command_that_computes_on_two_processors_is_no_finding(
    folder: Path, place: str, answer: str, limit: int | None
) -> None:
    burn = "pid = os.fork()\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    ends = f"if not pid: os._exit(0)\nos.wait()\nprint('{answer}')\n"
    (folder / "two.py").write_text(f"import os, time\n{burn}{ends}", encoding="utf-8")
    add_solver("two", shlex.join([sys.executable, str(folder / "two.py"), place]))
    found = compare(load("11/10"), "two,gauss", limit=limit)
    assert found.consistent, found.verdict
