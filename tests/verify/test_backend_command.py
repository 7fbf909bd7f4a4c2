"""Registered backends as solvers under test."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import Abstention, Claims, Reply, SolverAnswer, SolverFailure
from crosslit_verify import Settings, verify
from crosslit_verify import solver as module
from crosslit_verify.backend_command import BackendCommand
from crosslit_verify.backend_server import CrosslitFinder, describe, reply
from crosslit_verify.judge import format_reply
from crosslit_verify.process import Solver
from crosslit_verify.solver import Pair, make_solver

from crosslit import Grid, add_solver, registry, solve
from crosslit.base.errors import InputError, SpecError
from crosslit.contract import Backend, GaveUp
from crosslit.formats import read

BOARD = read("11")
BOARDS = Settings("lights-out")


class Planted(Backend):
    """A backend of this process that gives up after its solutions, if told so."""

    name, summary = "planted", "gives grids"

    def __init__(self, *grids: str, gives_up: bool = False) -> None:
        self.grids, self.gives_up = grids, gives_up

    def solutions(self, puzzle: Any, task: Any) -> Generator[Grid, None, None]:
        """Yield the grids."""
        yield from map(Grid.from_text, self.grids)
        if self.gives_up:
            raise GaveUp("planted")


@pytest.mark.parametrize(
    ("spec", "claims", "expected"),
    [
        ("gauss", "one", {"solution": "01"}),
        ("gauss", "unique", {"solution": "01", "unique": False}),
        ("gauss", "all", {"solutions": ["01", "10"]}),
        ("fewest", "fewest", {"solution": "10"}),
    ],
)
def test_the_claims_decide_what_a_backend_answers(spec: str, claims: Claims, expected: dict[str, object]) -> None:
    assert reply(spec, BOARD, claims) == expected


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        (Planted(), {"unsolvable": True}),
        (Planted(gives_up=True), {"unknown": True}),
        (Planted("10", "01"), {"solutions": ["10", "01"]}),
        (Planted("11", gives_up=True), {"unknown": True}),
        (Planted("10", gives_up=True), {"solutions": ["10"]}),
        (Planted("11", "10", gives_up=True), {"solutions": ["11", "10"]}),
    ],
)
def test_a_backend_that_gives_up_claims_only_that_its_wrong_grids_are_right(
    backend: Backend, expected: dict[str, object]
) -> None:
    registry.add(backend)
    assert reply("planted", read("00"), "all") == expected


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
    monkeypatch: pytest.MonkeyPatch, claims: Claims, taken: int, expected: dict[str, object]
) -> None:
    class Counting(Planted):
        def solutions(self, puzzle: Any, task: Any) -> Generator[Grid, None, None]:
            for text in self.grids:
                given.append(text)
                yield Grid.from_text(text)

        fewest = solutions

    given: list[str] = []
    monkeypatch.setattr(protocol, "MAX_SOLUTIONS", 3)
    registry.add(Counting(*"101010"))
    assert (reply("planted", read("0"), claims), len(given)) == (expected, taken)


def test_a_backend_that_does_not_take_a_puzzle_says_unsupported() -> None:
    assert reply("gauss", read("1|1"), "one") == {"unsupported": True}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("no-such", "there is no 'no-such'"),
        ("gauss,first-row", "there is no 'gauss,first-row'"),
        ("native", "it selects"),
        ("line", "does not solve lights-out puzzles"),
        ("gauss:workers=2", "unknown option"),
    ],
)
def test_a_spec_of_no_single_backend_for_the_puzzles_has_a_problem(spec: str, words: str) -> None:
    assert words in describe(spec, [BOARD], "solutions")["problem"]


def test_a_solver_defined_in_this_process_is_asked_in_another(tmp_path: Path) -> None:
    script = tmp_path / "says.sh"
    script.write_text("#!/bin/sh\necho s UNSATISFIABLE\n", encoding="utf-8")
    script.chmod(0o755)
    add_solver("says-no", f"{shlex.quote(str(script))} {{cnf}}")
    with BackendCommand("says-no", BOARDS) as subject:
        assert subject.description.startswith("says-no, says.sh sha256:")
        answer = subject.ask(BOARD)
    assert isinstance(answer, SolverAnswer)
    assert answer.unsolvable


def test_a_backend_whose_engine_fails_crashes_with_its_last_words() -> None:
    add_solver("breaks", "false {cnf}")
    with BackendCommand("breaks", BOARDS) as subject:
        answer = subject.ask(BOARD)
    assert isinstance(answer, SolverFailure)
    assert answer.problem == "crash"
    assert "ContractError: the solver gives no answer, exit status 1" in answer.detail


def test_a_backend_that_supports_some_puzzles_is_verified_on_them() -> None:
    with BackendCommand("first-row", BOARDS, puzzles=[BOARD]) as subject:
        assert not isinstance(subject.ask(BOARD), Abstention)


def test_an_interpreter_without_crosslit_gets_its_packages_alone(tmp_path: Path) -> None:
    finder = CrosslitFinder({"crosslit": str(tmp_path)})
    (tmp_path / "crosslit").mkdir()
    (tmp_path / "crosslit" / "__init__.py").touch()
    found = finder.find_spec("crosslit", None)
    assert found is not None
    assert found.submodule_search_locations == [str(tmp_path / "crosslit")]
    assert finder.find_spec("ortools", None) is None


def test_the_interpreter_of_another_environment_runs_the_backend() -> None:
    with BackendCommand("gauss", BOARDS, python=sys.executable) as subject:
        assert subject.description.endswith(f" in {sys.executable}")
        assert not isinstance(subject.ask(BOARD), SolverFailure)


def test_an_interpreter_that_does_not_start_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such command, or not executable"):
        BackendCommand("gauss", BOARDS, python=str(tmp_path))


def test_an_unknown_backend_is_refused_before_any_puzzle() -> None:
    with pytest.raises(SpecError, match="no 'gaus'; did you mean gauss"):
        verify(backend="gaus", kind="lights-out", cases=1)


@pytest.mark.parametrize(("solver", "backend"), [("./solver", "gauss"), (print, "gauss"), (None, None), (3, None)])
def test_a_solver_or_a_backend_is_required_but_not_both(solver: Any, backend: str | None) -> None:
    with pytest.raises(TypeError, match="expected a solver"):
        verify(solver, "lights-out", backend=backend)


def test_the_arguments_of_a_verification_are_its_settings() -> None:
    given: Any = {"size": "2..3", "seed": 7, "only": "solvable", "keep_going": True}
    assert verify(solve, "lights-out", "one", cases=1, **given).settings == Settings("lights-out", cases=1, **given)


def test_a_backend_under_test_gets_its_environment_limits_and_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BackendCommand", lambda *given, **options: (given, options))
    made: Any = make_solver((), "gauss", BOARDS, {"timeout": 3.0, "memory_mb": 9, "python": "other"}, [BOARD])
    assert made == (("gauss", BOARDS), {"timeout": 3.0, "memory_mb": 9, "python": "other", "puzzles": [BOARD]})


def test_the_report_names_the_version_of_the_engine() -> None:
    found = verify(backend="glucose4", kind="lights-out", cases=2)
    assert found.solver.startswith("glucose4, python-sat ")
    assert f"  solver: {found.solver}\n" in found.summary()
    assert found.json()["solver"] == found.solver


class Says(Solver):
    """A solver with one reply."""

    def __init__(self, reply: Reply, claims: Claims = "one") -> None:
        self.reply, self.claims = reply, claims

    def ask(self, puzzle: Any, seconds: float | None = None) -> Reply:
        """Return the reply."""
        return self.reply

    def close(self) -> None:
        """Nothing to end."""


NONE, FIRST, SECOND, WRONG = (
    SolverAnswer((), True),
    *(SolverAnswer((Grid.from_text(row),), False) for row in ("10", "01", "00")),
)
ONE_WRONG, OTHER_WRONG = (SolverAnswer((*answer.solutions, *WRONG.solutions), False) for answer in (FIRST, SECOND))
CRASH, HANG = SolverFailure("crash", "broken"), SolverFailure("hang", "asleep")


@pytest.mark.parametrize("ends", [(None, None), (CRASH, None), (None, HANG), (CRASH, HANG)])
def test_the_end_of_two_solvers_is_that_of_both(ends: Any) -> None:
    class Ends(Says):
        def __init__(self, end: Any) -> None:
            super().__init__(NONE)
            self.end = end

        def close(self) -> Any:
            closed.append(self.end)
            return self.end

    closed: list[Any] = []
    pair = Pair(*map(Ends, ends))
    assert pair.close() == next((end for end in ends if end), None)
    assert closed == [*ends]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((("a", ""), ("b", "")), "a, against b"),
        ((("a", "a 1"), ("a", "a 2")), "a 1, against a 2"),
        ((("a", "a 1"), ("b", "")), "a 1, against b"),
        ((("a", ""), ("a", "")), "the first, against the second"),
        ((("a", ""), ("", "")), "the first, against the second"),
    ],
)
def test_two_solvers_are_named_if_their_names_differ(names: Any, shown: str) -> None:
    solvers = [Says(NONE), Says(NONE)]
    for solver, (name, description) in zip(solvers, names, strict=True):
        solver.name, solver.description = name, description
    assert Pair(*solvers).description == shown


@pytest.mark.parametrize(
    ("claims", "one", "other"),
    [
        ("one", FIRST, NONE),
        ("one", FIRST, WRONG),
        ("one", WRONG, NONE),
        ("one", FIRST, CRASH),
        ("one", HANG, CRASH),
        ("all", FIRST, SECOND),
    ],
)
def test_two_solvers_differ_if_at_most_one_of_them_is_right(claims: Claims, one: Reply, other: Reply) -> None:
    found = Pair(Says(one, claims), Says(other, claims)).ask(BOARD)
    assert isinstance(found, SolverFailure)
    assert found.problem == "disagreement"
    assert found.detail == f"the first: {format_reply(one)}; the second: {format_reply(other)}"


@pytest.mark.parametrize(
    ("claims", "one", "other"),
    [
        ("one", FIRST, SECOND),
        ("one", WRONG, WRONG),
        ("one", CRASH, CRASH),
        ("one", FIRST, Abstention("unknown")),
        ("one", Abstention("unknown"), FIRST),
        ("one", NONE, NONE),
        ("all", ONE_WRONG, OTHER_WRONG),  # a wrong grid among several suffices
    ],
)
def test_equal_replies_are_the_first_one(claims: Claims, one: Reply, other: Reply) -> None:
    assert Pair(Says(one, claims), Says(other, claims)).ask(BOARD) == one
