"""A program of ``crosslit.toml`` as a contestant."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.commands.program import program
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure, question

from crosslit import Grid, add_solver, compare, load, solve, verify
from crosslit.base.errors import OneFound
from crosslit.contract import ContractError, GaveUp, Task
from crosslit.registry import define_listed, select_one
from tests.conftest import executable

# all solutions of a few puzzles
SOLVER = r"""
read -r clues < "$1"
case $clues in
    "1,2|2,1") printf 'X.\nXX\n' ;;
    "1,1|1,1") printf 'X.\n.X\n\n.X\nX.\n' ;;
    "1|1") echo X ;;
    "0|0") echo . ;;
    *) echo no solution ;;
esac
"""
TABLE = """
[solvers.mine]
command = "./solver {file}"
claims = "all"
format = "inline"
cells = ".X"
unsolvable = "no solution"
"""
UNIQUE = "1,2|2,1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    executable(tmp_path / "solver", SOLVER)
    (tmp_path / "crosslit.toml").write_text(TABLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_has_phases(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice, phases = select_one("mine", load(UNIQUE)), list[str]()
    monkeypatch.setattr(Task, "phase", lambda _, phase: phases.append(phase))
    assert len(list(choice.backend.solutions(load(UNIQUE), Task()))) == 1
    assert phases == ["load", "solve", "decode"]


def test_it_agrees_with_others_and_is_no_evidence(folder: Path) -> None:
    define_listed()
    comparison = compare(load("1,1|1,1"), "mine,line", limit=None)
    assert comparison.consistent, comparison.findings
    assert (comparison.verdict.status, comparison.verdict.evidence) == ("multiple", "claimed")  # it may run any engine
    assert [run.status for run in comparison.runs] == ["complete", "complete"]


def test_python_finds_it_by_name_or_takes_its_description(folder: Path) -> None:
    add_solver("own", "./solver {file}", format="inline", cells=".X", unsolvable="no solution")
    assert solve(UNIQUE, "own") == solve(UNIQUE, "mine") == Grid.from_text("10/11")
    assert verify(backend="mine", kind="nonogram", claims="all", size="1", cases=4, junit=folder / "junit.xml")
    assert b'failures="0"' in (folder / "junit.xml").read_bytes()


def described(command: str, **options: Any) -> Any:
    """A backend of a description."""
    return program("mine", json.dumps({"command": command, **options}), "", frozenset({"own"}))


@pytest.mark.parametrize(
    ("options", "words", "data"),
    [
        ({"command": "./solver -x"}, "-x", question(load("0|1"), 1, "all")),
        ({"command": "./solver", "format": "inline"}, "", b"0|1\n"),
        ({"command": "./solver", "lines": True}, "", b"0|1\n"),
        ({"command": "./solver {file} -x={file} {file}{file}"}, "P.non -x=P.non P.nonP.non", b"width 1\n"),
    ],
)
def test_a_program_gets_its_puzzle(folder: Path, options: dict[str, Any], words: str, data: bytes) -> None:
    script = 'echo "$*" > words; cat > stdin; test -e "$1" && cp "$1" file; echo \'{"unsolvable": true}\'; echo no >&2'
    executable(folder / "solver", script)
    backend: Any = program("mine", json.dumps({"claims": "all", **options}), str(folder), frozenset())
    assert isinstance(backend.reply_to(load("0|1"), Task()), SolverAnswer) == (backend.program.mode == "json")
    assert re.sub(r"/\S*?/puzzle\.", "P.", (folder / "words").read_text(encoding="utf-8")).strip() == words
    place, empty = ("file", "stdin") if "P." in words else ("stdin", "file")
    assert (folder / place).read_bytes().startswith(data)
    assert not (folder / empty).exists() or (folder / empty).read_bytes() == b""


@pytest.mark.parametrize(("more", "fails"), [(0, False), (1, True)])
def test_an_answer_has_a_maximum_size(monkeypatch: pytest.MonkeyPatch, more: int, fails: bool) -> None:
    monkeypatch.setattr("crosslit_backends.commands.program._MAX_BYTES", 100)
    backend: Any = described(f"printf %{100 + more}s 1")
    with pytest.raises(ContractError, match="more than 100 bytes") if fails else nullcontext():
        backend.reply_to(load("1"), Task())


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
        text = json.dumps({"command": "./solver crosslit.toml", "kind": kind})
        backend: Any = program("mine", text, str(folder), frozenset({"own"}))
        assert (backend.kinds, backend.groups) == (frozenset({kind} - {""}), {"own"})
        assert backend.words == backend.program.words == (f"{folder}/solver", f"{folder}/crosslit.toml")
        assert backend.summary == f"the program {folder}/solver {folder}/crosslit.toml"


GRIDS = tuple(Grid.from_text(cells) for cells in ("10/01", "01/10", "11/11"))


@pytest.mark.parametrize(
    ("claims", "reply", "count", "error", "message"),
    [
        ("all", SolverAnswer((), True), 0, None, ""),
        ("all", SolverAnswer((GRIDS[0],), False), 1, None, ""),
        ("all", SolverAnswer(GRIDS, False, False), 3, None, ""),
        ("one", SolverAnswer(GRIDS[:1], False, True), 1, None, ""),
        ("one", SolverAnswer(GRIDS[:1], False), 1, OneFound, "one solution only$"),
        ("fewest", SolverAnswer(GRIDS[:1], False), 1, OneFound, "one solution only$"),
        ("unique", SolverAnswer(GRIDS[:1], False, False), 1, OneFound, "solution and says that there are others$"),
        ("all", SolverAnswer(GRIDS, False, None, 1), 0, GaveUp, "more solutions than are read"),
        ("all", SolverAnswer((*GRIDS[:2], GRIDS[0]), False), 2, ContractError, "a solution twice"),
        ("all", SolverAnswer((GRIDS[0], Grid.from_text("01/10/11")), False), 1, ContractError, "a grid of 3 x 2"),
        ("all", Abstention("unknown"), 0, GaveUp, "the program answers unknown"),
        ("all", SolverFailure("crash", "no"), 0, ContractError, "^crash: no$"),
    ],
)
def test_the_solutions_are_those_of_the_answer_and_all_only_if_it_says_so(
    monkeypatch: pytest.MonkeyPatch, claims: str, reply: Any, count: int, error: type[Exception] | None, message: str
) -> None:
    backend = described("x", claims=claims)
    monkeypatch.setattr(type(backend), "reply_to", lambda *_: reply)
    found = list[Grid]()
    with nullcontext() if error is None else pytest.raises(error, match=message):
        for grid in backend.solutions(load("10/01"), Task()):
            found.append(grid)
    assert len(found) == count
