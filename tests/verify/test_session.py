"""A verification: its coverage, its end, its failures, and answers that are none."""

from __future__ import annotations

import os
import re
import signal
from contextlib import closing
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention
from crosslit_generate import Case, families
from crosslit_verify import Function, Settings, SolverAnswer, SolverFailure, Verifier, reference
from crosslit_verify.cases import stream
from crosslit_verify.judge import claim, contradiction, format_reply, judge

import crosslit
from crosslit import LightsOut
from crosslit.base.grid import Grid

from .scripted import Scripted, verified


def test_what_is_covered_is_said_exactly() -> None:
    found, subject = verified(cases=98)
    cover = found.coverage
    whole = [family for family in families("lights-out") if family.rows * family.columns <= 4]
    assert cover.exhausted == {family.name: family.size for family in whole}
    assert (cover.cases, cover.judged, cover.random.total()) == (95, 95, 22)  # some came twice
    assert not cover.begun
    assert len(subject.asked) == 98 + 11
    assert "exhausted: every board of 1x1 (2), 1x2 (4), 2x1 (4)" in found.summary()


def test_it_stops_at_the_first_failure_unless_asked_to_continue() -> None:
    def change(number: int, puzzle: Any) -> Any:
        if puzzle.rows == 2 and puzzle.lit.count() == 2:
            return SolverFailure("crash", "two lights")
        return SolverAnswer((), True) if puzzle.lit.count() == puzzle.columns == 3 else None

    found, _ = verified(change)
    assert [failure.problem.group for failure in found.failures] == ["false-unsolvable"] or len(found.failures) == 1
    found, _ = verified(change, keep_going=True)
    assert {failure.problem.group for failure in found.failures} == {"crash", "false-unsolvable"}
    assert all(found.counts[failure.problem.group] >= 1 for failure in found.failures)
    assert {failure.puzzle.text for failure in found.failures} == {"1/1", "111"}
    with pytest.raises(AssertionError, match="false-unsolvable"):
        found.raise_for_failure()
    assert "false-unsolvable" in repr(found)


def test_every_eighth_puzzle_is_asked_again_five_puzzles_later_and_judged_again() -> None:
    _, subject = verified(cases=13)
    assert (len(subject.asked), subject.asked[13]) == (14, subject.asked[7])
    assert len(verified(cases=12)[1].asked) == 12

    def wrong(number: int, puzzle: Any) -> Any:
        """An answer that says solvable again, with a grid that breaks the rules."""
        wrong = (grid for grid in puzzle.layout.every() if any(puzzle.violations(grid)))
        return SolverAnswer((next(wrong),), False) if number == 14 else None

    assert [*verified(wrong, cases=13)[0].counts] == ["contradicts-itself"]


@pytest.mark.parametrize(("first", "has_read"), [(1, False), (5, True)])
def test_a_failure_knows_whether_any_answer_was_read_before(first: int, has_read: bool) -> None:
    class Noting(Scripted):
        def notes(self, puzzle: Any, reply: Any, has_read: bool) -> Any:
            told.append(has_read)
            return super().notes(puzzle, reply, has_read)

    told: list[bool] = []
    subject = Noting(lambda number, _: SolverFailure("crash", "x") if number >= first else None)
    Verifier(Settings("lights-out", cases=20), subject).run()
    assert {*told} == {has_read}


def test_another_grid_is_no_contradiction_but_another_set_is() -> None:
    def swaps(number: int, puzzle: Any) -> Any:
        found = list(crosslit.solutions(puzzle))
        return SolverAnswer((found[number % len(found)],), False) if found else None

    assert verified(swaps)[0].passed  # under `one`, any solution will do

    def forgets(number: int, puzzle: Any) -> Any:
        found = tuple(crosslit.solutions(puzzle))
        return SolverAnswer(found[: 1 + number % 3], False) if found else SolverAnswer((), True)

    found, _ = verified(forgets, claims="all")
    assert found.failures[0].problem.group == "contradicts-itself"


def test_only_and_square_hold_for_what_is_shrunk() -> None:
    found, _ = verified(
        lambda number, puzzle: SolverAnswer((), True) if puzzle.rows > 2 else None, only="unique", size="NxN"
    )
    (failure,) = found.failures
    assert failure.reference is not None
    assert failure.reference.unique
    assert (failure.puzzle.rows, failure.puzzle.columns) == (3, 3)


def test_an_interrupt_keeps_what_was_found() -> None:
    def change(number: int, puzzle: Any) -> Any:
        if number == 30:
            os.kill(os.getpid(), signal.SIGINT)
        return SolverAnswer((), True) if puzzle.text == "11" else None

    found, subject = verified(change, keep_going=True)
    assert found.interrupted
    assert [failure.puzzle.text for failure in found.failures] == ["11"]
    assert found.coverage.cases < 31
    assert subject.closed


def test_an_interrupt_without_a_failure_is_the_first_word() -> None:
    def change(number: int, puzzle: Any) -> None:
        if number == 30:
            os.kill(os.getpid(), signal.SIGINT)

    found, _ = verified(change)
    assert re.match(r"interrupted: [0-9]+ boards, claims one.*; no failure so far\n", found.summary())


def test_an_interrupt_while_shrinking_keeps_the_smallest_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    from crosslit_verify import session

    board = crosslit.load("/".join(["111111"] * 6))
    monkeypatch.setattr(session, "stream", lambda *_: iter([Case(board, "one board", False)]))

    def change(number: int, puzzle: Any) -> Any:
        if 0 < puzzle.lit.count() < 36:
            shrunk.append(puzzle)
        if len(shrunk) == 3:
            raise KeyboardInterrupt
        return SolverAnswer((), True) if puzzle.lit.count() > 1 else None

    shrunk: list[Any] = []
    found, _ = verified(change)
    assert found.interrupted
    (failure,) = found.failures
    assert failure.puzzle == shrunk[1]
    assert not failure.minimal


def test_an_interrupt_while_a_failure_is_confirmed_keeps_it() -> None:
    def change(_number: int, puzzle: Any) -> Any:
        if puzzle.text != "11":
            return None
        asked.append(puzzle)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return SolverAnswer((), True)

    asked: list[Any] = []
    found, _ = verified(change)
    assert found.interrupted
    assert not found.passed
    assert found.summary().startswith("failed: ")
    assert found.counts == {"false-unsolvable": 1}
    assert [failure.puzzle.text for failure in found.failures] == ["11"]


def test_what_is_out_of_reach_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from crosslit_verify import session

    monkeypatch.setattr(session, "Oracle", lambda: reference.Oracle(max_solutions=1))
    monkeypatch.setattr(session, "stream", lambda settings, *_: (_bare(case) for case in stream(settings)))
    settings = Settings("lights-out", "all", cases=40)
    with closing(Function(lambda board: list(crosslit.solutions(board)), "all")) as subject:
        found = Verifier(settings, subject).run()
    assert found.passed
    assert found.coverage.skipped["more than 1 solutions"] > 0
    assert "skipped" in found.summary()


def _bare(case: Any) -> Any:
    import dataclasses

    return dataclasses.replace(case, solutions=None)


@pytest.mark.parametrize(
    ("kind", "command", "options", "lines"),
    [
        ("lights-out", "echo X; : {file}", {}, ["file     '0\\n'", "output   'X\\n'", "--cells ?X"]),
        ("nonogram", "echo X; : {file}", {}, ["file     'width 1\\nheight", "hint     if these are", "--cells ?X"]),
        (
            "nonogram",
            "while read line; do echo x; done",
            {},
            ['input    \'{"id":', "not a line of JSON", "--format inline"],
        ),
        ("lights-out", "echo no way", {"format": "inline"}, ["input    '0", "--unsolvable 'no way'"]),
        ("nonogram", "echo .; : {file}", {"cells": ".X"}, ["puzzle   0|1", "output   '.", "--only valid"]),
    ],
)
def test_a_failure_shows_input_and_output_and_the_option_that_may_help(
    kind: str, command: str, options: dict[str, Any], lines: list[str]
) -> None:
    file = ["{file}"] if "{file}" in command else []
    found = crosslit.verify(["sh", "-c", command.replace("{file}", "$0"), *file], kind, cases=40, **options)
    text = found.render()
    assert all(line in text for line in lines), text


def test_a_function_has_no_description_of_its_text() -> None:
    with pytest.raises(TypeError, match="'cells'; it describes a command"):
        crosslit.verify(crosslit.solve, kind="lights-out", cells=".X")


def test_a_slow_solver_gets_mostly_random_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, _ = verified(cases=60)
    monkeypatch.setattr("crosslit_verify.session.SLOW_SECONDS", -1)
    found, _ = verified(cases=60)
    assert found.coverage.random.total() > 2 * usual.coverage.random.total()


def test_the_answer_that_is_shown_belongs_to_the_puzzle_that_is_shown() -> None:
    def transposed(_: int, puzzle: Any) -> Any:
        found = crosslit.solve(puzzle)
        return found and SolverAnswer((found.transposed(),), False)

    found, _ = verified(transposed, kind="nonogram", size="3x3", only="unique", cases=20)
    (failure,) = found.failures
    assert failure.minimal
    assert failure.reply == transposed(0, failure.puzzle)


UNKNOWN = Abstention("unknown")


def gives_up(number: int, puzzle: Any) -> Any:
    return UNKNOWN if puzzle.rows > 1 else None


def test_unknown_is_counted_and_does_not_fail() -> None:
    found, _ = verified(gives_up)
    assert found.passed
    assert found.coverage.abstained == {"unknown": found.coverage.cases - found.coverage.judged}
    assert found.coverage.smallest["unknown"].text == "0/0"
    assert f"  unknown: {found.coverage.abstained['unknown']:,} of 94, the smallest 0/0" in found.summary()
    assert found.json()["coverage"]["unknown"]["smallest"] == "0/0"


def test_a_solver_that_never_knows_has_not_passed() -> None:
    found, _ = verified(lambda number, puzzle: Abstention("unsupported"))
    assert not found.passed
    assert not found.failures
    assert found.summary().startswith("nothing judged")


def test_an_abstention_contradicts_nothing() -> None:
    puzzle = LightsOut(Grid.from_text("1"))
    assert judge(puzzle, "one", UNKNOWN, lambda: pytest.fail("no reference is needed")) is None
    assert claim("one", UNKNOWN) is None
    assert contradiction("all", UNKNOWN, UNKNOWN) is None
    assert format_reply(UNKNOWN) == "unknown"


def test_a_puzzle_without_an_answer_is_asked_only_once() -> None:
    assert len(verified(lambda *_: UNKNOWN)[1].asked) == 100


@pytest.mark.parametrize(
    ("puzzles", "cases", "end", "asked"),
    [
        (5, 4, "stopped after 4 cases", 4),
        (4, 4, "no puzzles left", 4),
        (3, 4, "no puzzles left", 3),
        (9, 1, "stopped after 1 cases", 1),
        (6, None, "no puzzles left", 6),
    ],
)
def test_a_verification_ends_after_its_cases_or_its_puzzles(
    monkeypatch: pytest.MonkeyPatch, puzzles: int, cases: int | None, end: str, asked: int
) -> None:
    case = Case(crosslit.load("11"), "one board", False)
    monkeypatch.setattr("crosslit_verify.session.stream", lambda *_: iter([case] * puzzles))
    found, subject = verified(cases=cases)
    assert (found.end, len(subject.asked)) == (end, asked)


@pytest.mark.parametrize(("failing", "asked"), [(1, 1), (0, 8)])
def test_a_single_puzzle_of_the_user_is_asked_until_the_solver_fails(failing: int, asked: int) -> None:
    subject = Scripted(lambda number, _: SolverFailure("crash", "x") if number == failing else None)
    found = Verifier(Settings("lights-out"), subject, own=[crosslit.load("11")]).run()
    assert (len(found.failures), found.passed, found.coverage.cases) == (failing, not failing, 1)
    assert failing or len(subject.asked) == asked


def left_behind(fails: Any = lambda *_: None, **settings: Any) -> Any:
    """The result of a solver that leaves a process behind, which is seen when it is closed."""

    class Leaving(Scripted):
        def close(self) -> Any:
            super().close()
            return SolverFailure("orphaned-process", "one is left") if self.asked else None

    subject = Leaving(fails)
    return Verifier(Settings(**{"kind": "lights-out", "cases": 5, "keep_going": True, **settings}), subject).run()


def test_what_the_end_of_a_solver_shows_is_a_failure_of_the_first_puzzle_with_it() -> None:
    found = left_behind()
    (failure,) = found.failures
    assert (failure.problem.group, failure.problem.detail, failure.puzzle.text) == (
        "orphaned-process",
        "one is left",
        "0",
    )
    assert found.counts == {"orphaned-process": 1}


def test_what_was_counted_before_is_not_counted_again_at_the_end() -> None:
    def change(number: int, _puzzle: Any) -> Any:
        return SolverFailure("orphaned-process", "at once") if number == 2 else None

    found = left_behind(change)
    assert found.counts["orphaned-process"] == 1
    assert [failure.problem.group for failure in found.failures] == ["orphaned-process"]
