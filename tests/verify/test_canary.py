"""Mistakes planted in what Crosslit sends to a solver and in its grids: no solver is blamed for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import SolverAnswer
from crosslit_verify import canary
from crosslit_verify.commands import OneShotCommand, PersistentCommand
from crosslit_verify.function import Function
from crosslit_verify.records import Verification
from crosslit_verify.session import Verifier
from crosslit_verify.subject import Subject

import crosslit
from crosslit.base.errors import InternalError
from crosslit.base.grid import Grid
from crosslit.contract.run import Run
from crosslit.formats.clue_lists import NIN
from crosslit.kinds import LightsOut, all_kinds, find_kind
from crosslit.kinds.registry import NAMED, OWN
from crosslit.questions import self_check
from crosslit.runs.runner import Runner
from tests.verify.scripted import verified


@pytest.fixture(autouse=True)
def _unchecked() -> Iterator[None]:
    """Let the check run again, with what is planted."""
    self_check.check.cache_clear()
    yield
    self_check.check.cache_clear()


def wrong(_number: int, puzzle: Any) -> SolverAnswer | None:
    return SolverAnswer((), True) if puzzle.rows == 2 else None


@pytest.mark.parametrize("kind", all_kinds())
def test_it_passes_without_a_mistake(kind: str) -> None:
    self_check.check(kind)


def test_every_kind_of_crosslit_has_an_example() -> None:
    assert {*self_check._EXAMPLES} == {*OWN, *NAMED}


@pytest.mark.parametrize("kind", all_kinds())
def test_an_interrupt_during_its_last_run_is_not_lost(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def interrupted_before(leave: Any) -> Any:
        return lambda self, *error: (setattr(self, "interrupted", True), leave(self, *error))[-1]

    monkeypatch.setattr(Runner, "__exit__", interrupted_before(Runner.__exit__))
    with pytest.raises(KeyboardInterrupt):
        self_check.check(kind)


@pytest.mark.parametrize("subject", [Function, PersistentCommand, OneShotCommand])
def test_an_interrupt_of_the_right_solver_is_not_lost(subject: type[Subject]) -> None:
    class Interrupted(Verifier):
        def run(self) -> Verification:
            return replace(super().run(), interrupted=True)

    with pytest.raises(KeyboardInterrupt):
        canary.require_transport(Interrupted.of_stand_in, subject)


def test_a_passing_solver_costs_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "check", lambda _kind: pytest.fail("it was checked"))
    assert verified()[0].passed


def plant_narrow_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Grid.each_row
    monkeypatch.setattr(Grid, "each_row", lambda self: (row & 127 if self.columns == 8 else row for row in rows(self)))


def plant_transposed(monkeypatch: pytest.MonkeyPatch) -> None:
    transposed = Grid.transposed
    monkeypatch.setattr(Grid, "transposed", lambda self: self if self.rows == 6 else transposed(self))


def plant_lost_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    _change_run(monkeypatch, lambda run: replace(run, grids=run.grids[:1024]))


def plant_masked_count(monkeypatch: pytest.MonkeyPatch) -> None:
    _change_run(monkeypatch, lambda run: replace(run, counted=run.counted and run.counted % 2**64))


def _change_run(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    run = Runner.run

    def planted(self: Runner, *given: Any) -> Run:
        changed: Run = change(run(self, *given))
        return changed

    monkeypatch.setattr(Runner, "run", planted)


@pytest.mark.parametrize("plant", [plant_narrow_rows, plant_transposed, plant_lost_solutions, plant_masked_count])
def test_a_mistake_in_a_part_that_all_share_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch, plant: Any) -> None:
    plant(monkeypatch)
    with pytest.raises(InternalError):
        verified(wrong)


def other_data(puzzle: Any) -> dict[str, Any]:
    return {"lit": [line[::-1] for line in puzzle.lit.lines()]}


@pytest.mark.parametrize(
    ("part", "value"),
    [("data", property(other_data)), ("text", property(lambda puzzle: puzzle.lit.text()[::-1]))],
)
def test_a_question_about_another_puzzle_is_a_bug_of_crosslit(
    monkeypatch: pytest.MonkeyPatch, part: str, value: property
) -> None:
    monkeypatch.setattr(LightsOut, part, value)
    words = "is about (100|001)|cannot be read: data: expected .text. and lit of one puzzle, found two"
    with pytest.raises(InternalError, match=rf"^the question about (100|001) ({words})$"):
        verified(lambda _number, puzzle: SolverAnswer((), True) if puzzle.lit.lines() == ["100"] else None)


@pytest.mark.parametrize("kind", OWN + NAMED)
def test_every_key_of_the_question_is_read_back(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    keys = set()
    for puzzle in find_kind(kind).samples():
        protocol.require_same_question(puzzle)
        for key, value in puzzle.data.items():
            damaged = {name: puzzle.data[name] for name in puzzle.data if name != key}
            if isinstance(value, list | tuple):
                damaged[key] = value[:-1]
            keys.add(key)
            with monkeypatch.context() as patch, pytest.raises(InternalError, match=r"^the question about "):
                patch.setattr(type(puzzle), "data", damaged)
                protocol.require_same_question(puzzle)
    assert keys >= {*find_kind(kind).data_keys}


def test_a_file_with_another_puzzle_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NIN, "write", lambda _puzzle: "1 1\n1\n1\n")
    with pytest.raises(InternalError, match=r"^the question about 1,0\|1 is about 1\|1$"):
        protocol.text(crosslit.load("1,0|1"), "nin")
