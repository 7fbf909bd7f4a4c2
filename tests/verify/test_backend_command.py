"""Registered backends as solvers under test, and two solvers that are compared."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention, Claims, Reply, SolverAnswer, SolverFailure, question
from crosslit_verify import solver as module
from crosslit_verify.cases import Settings
from crosslit_verify.judge import format_reply
from crosslit_verify.session import verify
from crosslit_verify.solver import Pair, make_solver
from crosslit_verify.solver import backend_reply as reply
from crosslit_verify.solver import backend_version as version_of

from crosslit import Grid, InputError, registry, solve
from crosslit.base.errors import SpecError
from crosslit.contract import Backend, GaveUp
from crosslit.formats import read

from ..conftest import executable
from .scripted import Scripted

BOARD = read("11")
BOARDS = Settings("lights-out")


class Planted(Backend):
    """A backend of this process that gives up after its solutions, if told so, and counts those that were taken."""

    name, summary = "planted", "gives grids"

    def __init__(self, *grids: str, gives_up: bool = False) -> None:
        self.grids, self.gives_up, self.taken = grids, gives_up, 0

    def solutions(self, puzzle: Any, task: Any) -> Generator[Grid, None, None]:
        """Yield the grids."""
        for text in self.grids:
            self.taken += 1
            yield Grid.from_text(text)
        if self.gives_up:
            raise GaveUp("planted")

    fewest = solutions


@pytest.mark.parametrize(
    ("grids", "gives_up", "expected"),
    [
        ("10 01", False, {"solutions": ["10", "01"]}),
        ("11", True, {"unknown": True}),
        ("10", True, {"solutions": ["10"]}),
    ],
)
def test_a_backend_that_gives_up_claims_only_that_its_wrong_grids_are_right(
    grids: str, gives_up: bool, expected: Any
) -> None:
    registry.add(Planted(*grids.split(), gives_up=gives_up))
    assert reply("planted", read("00"), "all") == expected
    assert not gives_up or not reply("planted", read("00"), "unique").get("unique")


@pytest.mark.parametrize(
    ("claims", "taken", "expected"),
    [
        ("one", 1, {"solution": "1"}),
        ("unique", 2, {"solution": "1", "unique": False}),
        ("all", 4, {"solutions": ["1", "0", "1", "0"]}),  # one more than a reader accepts, who then says so
        ("fewest", 6, {"solution": "0"}),
    ],
)
def test_no_more_grids_are_taken_than_the_claims_need(
    monkeypatch: pytest.MonkeyPatch, claims: Claims, taken: int, expected: Any
) -> None:
    monkeypatch.setattr(module, "MAX_SOLUTIONS", 3)
    registry.add(backend := Planted(*"101010"))
    assert (reply("planted", read("0"), claims), backend.taken) == (expected, taken)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("no-such", "there is no 'no-such'"),
        ("gauss,first-row", "there is no 'gauss,first-row'"),
        ("gluecard*", "it selects 2 backends"),
        ("line", "does not solve lights-out puzzles"),
    ],
)
def test_a_spec_of_no_single_backend_for_the_puzzles_is_refused(spec: str, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        version_of(spec, [BOARD], "one")


def test_a_puzzle_of_another_kind_is_unsupported() -> None:
    assert reply("gauss", read("coloured-nonogram:1a|1a"), "one") == {"unsupported": True}


def asked(spec: str, **options: Any) -> tuple[str, Reply]:
    """The description of a backend in a process of its own, and its reply to a board."""
    with make_solver((), spec, BOARDS, {"timeout": 20.0, "memory_mb": 900, **options}, [BOARD]) as subject:
        return subject.description, subject.ask(BOARD)


def test_the_interpreter_of_another_environment_runs_the_backend(tmp_path: Path) -> None:
    description, answer = asked("gauss", python=sys.executable)
    assert description.endswith(f" in {sys.executable}")
    assert isinstance(answer, SolverAnswer)
    with pytest.raises(InputError, match="no such command, or not executable"):
        asked("gauss", python=str(tmp_path))
    python = tmp_path / "bin" / "python"  # of an environment without Crosslit
    python.parent.mkdir()
    executable(python, f'exec {sys.executable} -I -S "$@"')
    with pytest.raises(InputError, match="needs the same Crosslit"):
        asked("gauss", python=str(tmp_path))


def test_what_an_engine_prints_is_no_answer(planted_environment: dict[str, str]) -> None:
    words, sent = [sys.executable, "-m", "crosslit_verify.solver", "prints-rubbish"], question(BOARD, 1, "one")
    done = subprocess.run(words, input=sent, env=planted_environment, capture_output=True, check=True)
    assert json.loads(done.stdout) == {"solution": "10"}
    assert b"c a comment of the engine" in done.stderr


@pytest.mark.parametrize(("solver", "backend"), [("./solver", "gauss"), (print, "gauss"), (None, None), (3, None)])
def test_a_solver_or_a_backend_is_required_but_not_both(solver: Any, backend: str | None) -> None:
    with pytest.raises(TypeError, match="expected a solver"):
        verify(solver, "lights-out", backend=backend)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cells": ".X"}, "'cells'; it describes a command"),
        ({"backend": "gaus"}, "no 'gaus'; did you mean gauss"),
        ({"like": "1|1"}, "1\\|1: expected a lights-out puzzle, found a nonogram"),
    ],
)
def test_wrong_arguments_of_a_verification_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, SpecError, InputError), match=message):
        verify(None if "backend" in options else solve, "lights-out", cases=1, **options)


def test_the_arguments_of_a_verification_are_its_settings() -> None:
    given: Any = {"size": "2..3", "seed": 7, "only": "solvable", "keep_going": True}
    assert verify(solve, "lights-out", "one", cases=1, **given).settings == Settings("lights-out", cases=1, **given)
    assert verify(solve, like="wrap=torus/1", seconds=0.01).settings.seconds == 0.01


def test_the_report_names_the_version_of_the_engine(tmp_path: Path) -> None:
    found = verify(backend="glucose4", kind="lights-out", cases=2, junit=tmp_path / "junit.xml")
    assert 'name="crosslit verify glucose4"' in (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert found.solver.startswith("glucose4, python-sat ")
    assert f"  solver: {found.solver}\n" in found.summary()
    assert found.json()["solver"] == found.solver


def says(reply: Any, claims: Claims) -> Any:
    """A solver with one reply."""
    solver = Scripted(lambda *_: reply)
    solver.claims = claims
    return solver


NONE, FIRST, SECOND, WRONG = (
    SolverAnswer((), True),
    *(SolverAnswer((Grid.from_text(row),), False) for row in ("10", "01", "00")),
)
ONE_WRONG, OTHER_WRONG = (SolverAnswer((*answer.solutions, *WRONG.solutions), False) for answer in (FIRST, SECOND))
CRASH, HANG = SolverFailure("crash", "broken"), SolverFailure("hang", "asleep")
UNKNOWN = Abstention("unknown")


@pytest.mark.parametrize(
    ("claims", "one", "other", "differ"),
    [
        ("one", FIRST, NONE, True),
        ("one", FIRST, WRONG, True),
        ("one", FIRST, CRASH, True),
        ("one", HANG, CRASH, True),
        ("all", FIRST, SECOND, True),
        ("one", FIRST, SECOND, False),
        ("one", WRONG, WRONG, False),
        ("one", FIRST, UNKNOWN, False),
        ("all", ONE_WRONG, OTHER_WRONG, False),  # a wrong grid among several suffices
    ],
)
def test_two_solvers_differ_if_at_most_one_of_them_is_right(
    claims: Claims, one: Reply, other: Reply, differ: bool
) -> None:
    found = Pair(says(one, claims), says(other, claims)).ask(BOARD)
    words = f"scripted: {format_reply(one)}; scripted: {format_reply(other)}"
    assert found == (SolverFailure("disagreement", words) if differ else one)


@pytest.mark.parametrize("place", [0, 1])
def test_what_the_end_of_either_solver_shows_is_shown(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    pair = [says(FIRST, "one"), says(FIRST, "one")]
    monkeypatch.setattr(pair[place], "close", lambda: CRASH)
    assert Pair(*pair).close() == CRASH
