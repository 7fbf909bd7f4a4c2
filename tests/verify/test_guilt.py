"""Mistakes planted in families, relations, judges, transports and workers: no solver is blamed for them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from crosslit_generate import Case
from crosslit_verify import (
    ReferencesDiffer,
    Settings,
    SolverAnswer,
    SolverFailure,
    Verifier,
    canary,
    channel,
    judging,
    parts,
    session,
    trial,
)
from crosslit_verify.clock import OutOfTime
from crosslit_verify.commands import Command
from crosslit_verify.failure import Asked, Cause, Observation
from crosslit_verify.function import Function
from crosslit_verify.judging import Problem
from crosslit_verify.reference import Oracle, Reference, Unanswered
from crosslit_verify.stream import stream

import crosslit
from crosslit.base import layout as answers
from crosslit.base.errors import InternalError
from crosslit.contract.family import Relation

from .scripted import Scripted
from .test_parts import Backwards


@pytest.fixture(autouse=True)
def _unchecked() -> Iterator[None]:
    """Let the transport be checked again, with what is planted."""
    canary.require_transport.cache_clear()
    yield
    canary.require_transport.cache_clear()


def honest(_number: int, puzzle: Any) -> SolverAnswer:
    found = tuple(crosslit.solutions(puzzle))
    return SolverAnswer(found[:1], not found, len(found) == 1 if found else None)


def verified(change: Any = honest, cases: int = 60, kind: str = "lights-out", **given: Any) -> Any:
    return Verifier(Settings(kind, "unique", cases=cases, **given), Scripted(change)).run()


def plant_family(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family that loses a solution of each of its puzzles."""

    def fewer(case: Any) -> Any:
        return case if case.solutions is None else replace(case, solutions=frozenset([*case.solutions][:1]))

    monkeypatch.setattr(session, "stream", lambda *given: map(fewer, stream(*given)))


def plant_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relation to a puzzle with other solutions."""
    other = Relation("other", crosslit.load("10/00"), lambda grid: grid)
    monkeypatch.setattr(trial, "related", lambda *_: [other])


def plant_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """References, each of which lacks a solution."""
    found = Oracle._found

    def fewer(*given: Any) -> Any:
        reference = found(*given)
        return replace(reference, solutions=frozenset([*reference.solutions][:1]), complete=True)

    monkeypatch.setattr(Oracle, "_found", fewer)


def plant_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that finds every third answer wrong."""
    number = 0

    def judge(*given: Any, **options: Any) -> Any:
        nonlocal number
        number += 1
        return Problem("wrong-multiple", "made up") if number % 3 == 0 else judging.judge(*given, **options)

    monkeypatch.setattr(trial, "judge", judge)


def plant_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two answers make the same claim."""
    monkeypatch.setattr(judging, "claim", lambda *_: object())


@pytest.mark.parametrize("plant", [plant_family, plant_relation, plant_reference, plant_judge, plant_claim])
def test_a_mistake_in_a_judgement_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch, plant: Any) -> None:
    plant(monkeypatch)
    with pytest.raises(ReferencesDiffer):
        verified()


def test_a_digit_that_is_read_wrongly_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(text: str, states: int) -> Any:
        return answers.parse_any(text[::-1] if states > 2 else text, states)

    monkeypatch.setattr("crosslit_backends.programs.protocol.parse_any", turned)

    def sent(_number: int, puzzle: Any) -> Any:
        found = honest(0, puzzle)
        return replace(found, solutions=tuple(turned(grid.text(), grid.states) for grid in found.solutions))

    with pytest.raises(ReferencesDiffer, match="are read as others"):
        verified(sent, kind="modular-lights-out")


def cut(_self: Any, _before: bytes, data: bytes) -> bytes:
    return data[:-3]


def stale(_self: Any, before: bytes, data: bytes) -> bytes:
    return before or data


def kept(_self: Any, before: bytes, data: bytes) -> bytes:
    """A buffer that is not cleared."""
    return before + data


@pytest.mark.parametrize("change", [cut, stale, kept])
@pytest.mark.parametrize("solver", [lambda _: None, ["cat"], ["cat", "{file}"]])
def test_a_mistake_in_a_transport_is_a_bug_of_crosslit(
    monkeypatch: pytest.MonkeyPatch, solver: Any, change: Any
) -> None:
    for name in ("line", "whole"):
        received = getattr(channel.Channel, name)

        def changed(self: Any, *given: Any, received: Any = received, before: Any = {}, **named: Any) -> bytes:  # noqa: B006
            answers, data = before.get(self, b""), received(self, *given, **named)
            before[self] = data
            return change(self, answers, data)  # type: ignore[no-any-return]

        monkeypatch.setattr(channel.Channel, name, changed)
    with pytest.raises(InternalError, match="a solver that is right fails"):
        crosslit.verify(solver, "lights-out", cases=3)


@pytest.mark.slow
def test_an_input_that_is_not_closed_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel.Channel, "_close_input", lambda _: None)
    monkeypatch.setitem(Command.__init__.__kwdefaults__, "timeout", 1)  # also of the solver that is right
    with pytest.raises(InternalError, match="a solver that is right fails"):
        crosslit.verify(["cat", "-"], "lights-out", cases=3, format="inline")


def test_a_failing_solver_is_asked_through_a_sound_transport() -> None:
    for subject in (Function(lambda _: "rubbish"), Function(honest)):
        canary.require_transport(Verifier.of_stand_in, type(subject))
    assert canary.require_transport.cache_info().currsize == 1


@pytest.mark.parametrize(("seen", "recurs"), [({1}, False), ({3}, False), ({1, 2}, True), ({1, 3}, True)])
def test_a_wrong_answer_that_does_not_recur_is_a_contradiction(seen: set[int], recurs: bool) -> None:
    board = crosslit.load("11")
    wrong = crosslit.Grid.from_text("11")
    asked: list[Any] = []

    def sometimes(_number: int, puzzle: Any) -> Any:
        asked.extend([puzzle] if puzzle == board else [])
        return SolverAnswer((wrong,), False) if puzzle == board and len(asked) in seen else None

    found = Verifier(Settings("lights-out"), Scripted(sometimes)).replay(board)
    (failure,) = found.failures
    assert failure.problem.group == ("wrong-grid" if recurs else "contradicts-itself")
    assert ("; asked again, it gave 10" in failure.problem.detail) != recurs


CRASH, PROBLEM = SolverFailure("crash", "x"), Problem("crash", "x")
ONE, FULL, EMPTY = crosslit.load("11"), crosslit.Grid.from_text("11"), crosslit.Grid.from_text("00")


@pytest.mark.parametrize(
    ("claims", "answer", "known", "complete", "wrong"),
    [
        ("unique", SolverAnswer((), True), [FULL, EMPTY], True, True),
        ("unique", SolverAnswer((), True), [], True, False),
        ("unique", SolverAnswer((FULL,), False, False), [FULL], True, True),
        ("unique", SolverAnswer((FULL,), False, False), [FULL], False, False),  # another one may be found
        ("unique", SolverAnswer((FULL,), False, False), [EMPTY], False, False),
        ("unique", SolverAnswer((FULL,), False, True), [EMPTY], False, True),
        ("unique", SolverAnswer((FULL,), False), [FULL], True, True),  # it does not say whether
        ("unique", SolverAnswer((FULL, EMPTY), False), [FULL], False, False),
        ("one", SolverAnswer((FULL,), False), [FULL, EMPTY], True, False),
        ("all", SolverAnswer((FULL,), False), [FULL, EMPTY], True, True),
        ("all", SolverAnswer((FULL, EMPTY), False), [FULL, EMPTY], True, False),
        ("all", SolverAnswer((FULL,), False, more=1), [FULL, EMPTY], True, False),  # it may be among those not read
        ("all", SolverAnswer((FULL, FULL), False, more=1), [FULL], True, True),
        ("fewest", SolverAnswer((FULL,), False), [FULL, EMPTY], True, True),
        ("fewest", SolverAnswer((EMPTY, FULL), False), [FULL, EMPTY], True, True),
        ("fewest", SolverAnswer((EMPTY,), False), [FULL, EMPTY], True, False),
    ],
)
def test_an_answer_is_wrong_if_a_solution_refutes_it(
    claims: Any, answer: SolverAnswer, known: list[crosslit.Grid], complete: bool, wrong: bool
) -> None:
    assert canary._is_wrong(claims, answer, Reference(frozenset(known), complete, ("x",))) == wrong


@pytest.mark.parametrize(("claims", "wanted"), [("one", 2), ("unique", 2), ("all", None), ("fewest", "fewest")])
def test_a_reply_is_judged_again_by_as_many_solutions_as_its_claims_need(claims: Any, wanted: Any) -> None:
    def reference(_puzzle: Any, want: Any = "fewest") -> Reference:
        asked.append(want)
        return Reference(frozenset([EMPTY]), True, ("x",))

    asked: list[Any] = []
    oracle: Any = SimpleNamespace(reference=reference, fewest=reference)
    board, answer = crosslit.load("press=000,010,000/00"), SolverAnswer((EMPTY,), False, True)
    assert canary._acquitting(board, claims, answer, oracle) == ("x", "rules")
    assert asked == [wanted]
    for wrong in ([], [FULL], [EMPTY, FULL]):  # a reference that the rules refute accuses nobody
        oracle.reference = oracle.fewest = lambda *_, wrong=wrong: Reference(frozenset(wrong), True, ("x",))
        with pytest.raises(ReferencesDiffer, match="x are wrong on "):
            canary._acquitting(board, claims, answer, oracle)


def test_a_failure_that_the_second_judge_cannot_confirm_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def unanswered(*_: Any) -> None:
        raise Unanswered("too large")

    monkeypatch.setattr(session, "require_guilt", unanswered)
    found = verified(lambda *_: SolverAnswer((), True), cases=3)
    assert (found.failures, found.counts, found.passed) == ((), {}, False)
    assert found.coverage.skipped == {"wrong by the first judgement, and none by the second: too large": 3}


def test_a_grid_that_breaks_the_rules_is_wrong_without_a_reference() -> None:
    def none(*_: Any) -> Any:
        raise Unanswered("too large")

    oracle: Any = SimpleNamespace(reference=none)
    for grid, expected in ((FULL, nullcontext()), (crosslit.Grid.from_text("10"), pytest.raises(Unanswered))):
        asked: Any = SimpleNamespace(case=SimpleNamespace(puzzle=ONE, family=""), reply=SolverAnswer((grid,), False))
        with expected:
            canary.require_guilt(Observation(asked, Problem("wrong-solution", "it is wrong")), "one", oracle)


@pytest.mark.parametrize("guilty", [False, True])
def test_what_could_not_be_confirmed_in_time_is_kept_only_if_it_is_judged_again(
    guilty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Verifier, "_is_guilty", lambda *_: guilty)
    monkeypatch.setattr(Verifier, "_failure", lambda *_, **__: SimpleNamespace())
    verifier, asked = (
        Verifier(Settings("lights-out"), Scripted(honest)),
        SimpleNamespace(case=SimpleNamespace(puzzle=ONE)),
    )
    verifier._keep_unconfirmed(Observation(cast(Any, asked), Problem("wrong-grid", "made up")))
    assert len(verifier.failures) == guilty


@pytest.mark.parametrize(
    ("again", "met", "is_late", "shown"),
    [
        (False, [], False, False),
        (False, [], True, None),  # there was no time to ask again
        (True, [], True, True),
        (None, ["11"], False, None),
        (None, ["1"], False, True),  # a smaller puzzle was asked later
        (False, ["11"], True, True),
        (None, ["11", "1"], True, True),
    ],
)
def test_a_failure_says_whether_it_was_seen_again(
    monkeypatch: pytest.MonkeyPatch, again: bool | None, met: list[str], is_late: bool, shown: bool | None
) -> None:
    def smallest(_: Any) -> Iterator[Observation]:
        yield from (found.of(crosslit.load(text), CRASH, PROBLEM) for text in met)
        if is_late:
            raise OutOfTime

    found = Observation(Asked(Case(ONE, "boards", False), 1, CRASH), PROBLEM, again=again)
    verifier = Verifier(Settings("lights-out"), Scripted())
    monkeypatch.setattr(verifier, "_search", lambda *_: SimpleNamespace(smallest=smallest))
    verifier._keep(found, Cause("crash", "", ""))
    (failure,) = verifier.failures
    assert (failure.again, failure.puzzle.text, failure.original) == (shown, [ONE.text, *met][-1], ONE)


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_failure_that_only_another_machine_sees_names_its_worker(
    monkeypatch: pytest.MonkeyPatch, keep_going: bool
) -> None:
    monkeypatch.setattr(parts, "platform", SimpleNamespace(node=lambda: "rogue"))
    settings = Settings("lights-out", cases=60, keep_going=keep_going)
    worker = functools.partial(parts.share, settings, lambda: Scripted(lambda *_: SolverAnswer((), True)))
    found = Verifier(settings, Scripted(), executor=Backwards(worker)).run()
    assert (found.failures, found.passed) == ((), False)
    assert found.summary().startswith("undecided: ")
    assert "\n  not repeated: wrong-unsolvable on " in found.summary()
    assert "by the worker on rogue" in found.summary()


def test_a_failure_made_up_by_a_worker_names_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lying(trial.Trial):
        def _judged(self, _: Any) -> Problem:
            return Problem("wrong-multiple", "made up")

    monkeypatch.setattr(parts, "Trial", Lying)
    settings = Settings("lights-out", "unique", cases=60)
    executor = Backwards(functools.partial(parts.share, settings, lambda: Scripted(honest)))
    with pytest.raises(ReferencesDiffer, match="judged by a worker on "):
        Verifier(settings, Scripted(honest), executor=executor).run()
