"""Failures of one group are distinguished by their causes."""

from __future__ import annotations

from typing import Any

import pytest
from crosslit_backends.programs.protocol import Answer, SolverFailure
from crosslit_verify.failure import MAX_CAUSES, Cause, Tally, cause_of, class_of
from crosslit_verify.judging import Problem

from crosslit import load
from crosslit.kinds import Puzzle

from .scripted import verified


def words(detail: str, group: str = "crash") -> str:
    return cause_of(Problem(group, detail), load("1|1"), None).words


def test_numbers_and_quotations_do_not_matter() -> None:
    assert words("exit status 1 without an answer: IndexError: 3 of [1, 2]") == words(
        "exit status 1 after writing '1/0': IndexError: 12 of [7]"
    )
    assert words("TypeError: no len") != words("TypeError: no index")
    assert words("killed by SIGSEGV without an answer") != words("killed by SIGABRT without an answer")
    one, other = "not a line of JSON: 'Solving...'", "not a line of JSON: 'working 10\\r'... (102 bytes)"
    assert words(one, "malformed-output") == words(other, "malformed-output")


def test_each_cause_has_its_smallest_example() -> None:
    def change(number: int, puzzle: Any) -> Any:
        if puzzle.lit.count() == 2 and puzzle.rows == 2:
            return SolverFailure("crash", f"IndexError: {puzzle.columns}")
        return SolverFailure("crash", "KeyError: 'a'") if puzzle.columns == 3 else None

    found, _ = verified(change, keep_going=True, only="solvable")
    assert {(failure.puzzle.text, failure.problem.detail) for failure in found.failures} == {
        ("000", "KeyError: 'a'"),
        ("1/1", "IndexError: 1"),
    }
    text = found.text()
    assert text.count("crash: it ended, or raised an error") == 1
    assert text.count("crash: another cause or class of puzzle, with a solution") == 1
    assert " KeyError: ...\n" in text
    assert " IndexError: N\n" in text


@pytest.mark.slow
def test_classes_of_puzzles_are_causes() -> None:
    def change(number: int, puzzle: Any) -> Any:
        return None if list(puzzle.violations(empty(puzzle))) == [] else Answer((empty(puzzle),), False)

    found, _ = verified(change, kind="nonogram", keep_going=True, only="unsolvable", cases=400)
    assert {(failure.problem.group, failure.puzzle.text) for failure in found.failures} == {
        ("wrong-solvable", "0|1"),
        ("wrong-solvable", "2|1,0,1"),
    }
    assert len([line for line in found.summary().split("\n") if "wrong-solvable" in line]) == 1


def empty(puzzle: Puzzle) -> Any:
    from crosslit import Grid

    return Grid.from_bits(puzzle.rows, puzzle.columns, 0)


def test_a_class_is_right_only_if_none_of_it_fails() -> None:
    tally = Tally()
    for group, text, solvable in (("right", "1|1", True), ("right", "2|1,0,1", False), ("crash", "1|1", True)):
        tally.add(Cause(group, "", ""), class_of(load(text), solvable))
    assert tally.right(["crash"]) == "every puzzle valid without a solution (1)"
    assert not tally.right([])


def test_there_are_not_too_many_causes() -> None:
    tally = Tally()
    examples = [tally.add(Cause("crash", f"{'x' * number}Error", ""), "") for number in range(10)]
    assert sum(examples) == MAX_CAUSES
    assert "6 other causes" in list(tally.causes("crash"))


def test_an_unknown_class_matches_any() -> None:
    known, unknown = Cause("crash", "a", "with a solution"), Cause("crash", "a", "")
    assert known.matches(unknown)
    assert unknown.matches(known)
    assert not known.matches(Cause("crash", "a", "valid without a solution"))


def test_a_crash_on_a_puzzle_with_a_solution_stands_for_others() -> None:
    tally = Tally()
    kinds = ["valid without a solution", "with a solution", "with clues that do not fit or match"]
    assert [tally.add(Cause("crash", "a", kind), kind) for kind in kinds] == [True, True, False]
    assert [tally.add(Cause("wrong-solvable", "", kind), kind) for kind in kinds[::2]] == [True, True]
