"""Reports: the causes of failures, what a failure shows, JUnit, and pytest."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from crosslit_backends.programs.program import describe
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure
from crosslit_verify.failure import MAX_CAUSES, Cause, Causes, cause_of, class_of
from crosslit_verify.judging import Problem
from crosslit_verify.records import junit_xml
from crosslit_verify.reference import Reference
from crosslit_verify.solver import subject_of

import crosslit
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
        return None if list(puzzle.violations(empty(puzzle))) == [] else SolverAnswer((empty(puzzle),), False)

    found, _ = verified(change, kind="nonogram", keep_going=True, only="unsolvable", cases=400)
    assert {(failure.problem.group, failure.puzzle.text) for failure in found.failures} == {
        ("false-solvable", "0|1"),
        ("false-solvable", "2|1,0,1"),
    }
    assert len([line for line in found.summary().split("\n") if "false-solvable" in line]) == 1


def empty(puzzle: Puzzle) -> Any:
    return crosslit.Grid.from_bits(puzzle.rows, puzzle.columns, 0)


def test_a_class_is_right_only_if_none_of_it_fails() -> None:
    causes = Causes()
    for group, text, solvable in (("right", "1|1", True), ("right", "2|1,0,1", False), ("crash", "1|1", True)):
        causes.add(Cause(group, "", ""), class_of(load(text), solvable))
    assert causes.right(["crash"]) == "every puzzle valid without a solution (1)"
    assert not causes.right([])


def test_there_are_not_too_many_causes() -> None:
    causes = Causes()
    examples = [causes.add(Cause("crash", f"{'x' * number}Error", ""), "") for number in range(10)]
    assert sum(examples) == MAX_CAUSES
    assert "6 other causes" in list(causes.lines("crash"))


def test_an_unknown_class_matches_any() -> None:
    known, unknown = Cause("crash", "a", "with a solution"), Cause("crash", "a", "")
    assert known.matches(unknown)
    assert unknown.matches(known)
    assert not known.matches(Cause("crash", "a", "valid without a solution"))


def test_a_crash_on_a_puzzle_with_a_solution_stands_for_others() -> None:
    causes = Causes()
    kinds = ["valid without a solution", "with a solution", "with clues that do not fit or match"]
    assert [causes.add(Cause("crash", "a", kind), kind) for kind in kinds] == [True, True, False]
    assert [causes.add(Cause("false-solvable", "", kind), kind) for kind in kinds[::2]] == [True, True]


@pytest.mark.parametrize(
    ("verification", "failures", "skipped"),
    [
        (verified(cases=5)[0], 0, 0),
        (verified(lambda *_: Abstention("unknown"), cases=1)[0], 0, 13),
        (verified(lambda *_: SolverFailure("crash", "no"), cases=2)[0], 1, 12),
        (verified(lambda *_: SolverFailure("crash", "no"), cases=2, keep_going=True)[0], 1, 0),
    ],
)
def test_junit_has_the_same_cases_in_every_run(verification: Any, failures: int, skipped: int) -> None:
    suite = ElementTree.fromstring(junit_xml(verification, "solver"))
    assert len(suite.findall("testcase")) == int(suite.get("tests", "")) == 13
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "")) == failures
    assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped", "")) == skipped


def test_the_class_of_puzzles_that_fail_is_said() -> None:
    def crashes(number: int, puzzle: Any) -> Any:
        return SolverFailure("crash", "no way") if crosslit.solve(puzzle) is None else None

    found, _ = verified(crashes, kind="nonogram", cases=60, keep_going=True)
    (line,) = (line for line in found.summary().splitlines() if line.startswith("  crash: "))
    assert "with clues that do not fit or match" in line
    assert "  right: every puzzle with a solution (" in found.summary()


def test_the_wrong_grid_is_drawn() -> None:
    def first_right(number: int, puzzle: Any) -> Any:
        if puzzle.text != "0|0":
            return None
        return SolverAnswer((crosslit.Grid.from_text("0"), crosslit.Grid.from_text("1")), False)

    found, _ = verified(first_right, kind="nonogram", claims="all", cases=3)
    assert any("##" in line for line in found.text().splitlines())


@pytest.mark.parametrize(
    ("rows", "columns", "is_drawn"), [(40, 40, True), (41, 1, False), (1, 41, False), (40, 1, True), (1, 40, True)]
)
def test_a_puzzle_is_drawn_up_to_40_rows_and_columns(rows: int, columns: int, is_drawn: bool) -> None:
    puzzle = load("/".join(["1" * columns] * rows))
    failure = replace(verified(lambda *_: SolverFailure("crash", "no"), cases=1)[0].failures[0], puzzle=puzzle)
    assert (f"({rows} x {columns}: too large to draw)" in failure.text()) != is_drawn


@pytest.mark.parametrize(
    ("claims", "given", "right"),
    [
        ("one", "", "0111"),  # the first by its text
        ("fewest", "", "1000"),  # or by its presses
        ("one", "0111", "1000"),  # one that the answer lacks
        ("one", "0111 1000", "0111"),
    ],
)
def test_the_solution_that_is_drawn_is_new_and_the_first(claims: Any, given: str, right: str) -> None:
    first = verified(lambda *_: SolverFailure("crash", "no"), cases=1)[0].failures[0]
    known = Reference(frozenset(map(crosslit.Grid.from_text, ("1000", "0111"))), True, ("x",))
    reply = SolverAnswer(tuple(map(crosslit.Grid.from_text, given.split())), not given)
    failure = replace(first, puzzle=load("1111"), reference=known, claims=claims, reply=reply)
    drawn = failure.pictures()
    assert (drawn["right"], [*drawn]) == (
        crosslit.Grid.from_text(right),
        ["puzzle", *["answer"] * bool(given), "right"],
    )


@pytest.mark.parametrize(("random", "failed", "is_bounded"), [(29, 0, False), (30, 0, True), (30, 1, False)])
def test_enough_random_puzzles_that_all_pass_bound_the_failure_rate(random: int, failed: int, is_bounded: bool) -> None:
    found = verified(lambda *_: SolverFailure("crash", "no") if failed else None, cases=1)[0]
    found.coverage.random["random lights"] = random
    assert f"  random: {random} with seed 0 (random lights {random})\n" in found.summary()
    assert len(found.failures) == failed
    assert ("none failed: at 95% confidence, at most 0.095 of such puzzles fail" in found.summary()) == is_bounded


@pytest.mark.parametrize(
    ("cases", "seconds", "speed"),
    [(29, 2.0, ""), (30, 2.0, ", 15 a second"), (30, 0.0, "")],
)
def test_enough_cases_have_a_speed(cases: int, seconds: float, speed: str) -> None:
    found = replace(verified(cases=1)[0], seconds=seconds, end="end")
    found.coverage.sizes[1, 1] = cases
    assert found.summary().startswith(f"passed: {cases:,} boards, claims one{speed}; end\n")


SMALL = load("2,2|2,2")


@pytest.mark.parametrize(
    ("options", "reply", "has_read", "names"),
    [
        ({}, "malformed-output", False, ["expected", "input", "hint"]),
        ({"lines": True}, "malformed-output", False, ["expected"]),
        ({}, "malformed-output", True, []),
        ({}, "crash", False, []),
    ],
)
def test_a_persistent_command_that_is_not_understood_gets_an_example_and_advice(
    options: dict[str, Any], reply: Any, has_read: bool, names: list[str]
) -> None:
    with subject_of(describe(["cat"], **options), "nonogram") as subject:
        notes = subject.notes(SMALL, SolverFailure(reply, "x"), has_read)
    is_text = "lines" in options
    example = "00/00 on one line, or unsolvable" if is_text else '{"solution": "00/00"}, or {"unsolvable": true}'
    assert ([*notes], notes.get("expected", example)) == (names, example)


UNIQUE = {"format": "non", "claims": "unique"}
NOT_ONE_LINE, NOT_THIS = "if it does not read puzzles on one line: ", "if it does not read this format: "


@pytest.mark.parametrize(
    ("options", "reply", "hint"),
    [
        ({"unsolvable": "-"}, SolverFailure("crash", "x"), NOT_ONE_LINE),
        ({"unsolvable": "-"}, SolverFailure("hang", "x"), NOT_ONE_LINE),
        (
            {"unsolvable": "-"},
            SolverFailure("crash", "x", output=b"no way"),
            "if this says ",
        ),
        ({"format": "non"}, SolverFailure("crash", "x"), NOT_THIS),
        ({"format": "non"}, SolverFailure("hang", "x"), ""),
        ({"format": "nin"}, SolverFailure("crash", "x"), ""),
        (
            UNIQUE,
            SolverAnswer((), True, output=b"one more"),
            "if this says ",
        ),
        (UNIQUE, SolverAnswer((), True, False, output=b"one more"), ""),
        ({"format": "non"}, SolverAnswer((), True, output=b"one more"), ""),
    ],
)
def test_a_command_that_is_started_for_each_puzzle_gets_the_advice_that_fits(
    options: dict[str, Any], reply: Any, hint: str
) -> None:
    words = {name: value for name, value in options.items() if name != "claims"}
    with subject_of(describe(["cat"], options.get("claims", "one"), **words), "nonogram") as subject:
        notes = subject.notes(SMALL, reply)
    assert bool(hint) == ("hint" in notes)
    assert notes.get("hint", "").startswith(hint)


def test_an_unreadable_first_answer_shows_a_readable_one() -> None:
    found, _ = verified(lambda *_: SolverFailure("malformed-output", "no JSON"), cases=2)
    assert "  expected an answer" in found.text()
    found, _ = verified(lambda number, _: SolverFailure("malformed-output", "no") if number > 1 else None, cases=2)
    assert "  expected " not in found.text()


TEST = """
import crosslit

def test_right():
    assert crosslit.verify(crosslit.solve, kind="lights-out", cases=2)

def test_wrong():
    assert crosslit.verify(lambda board: None, kind="lights-out", cases=5)
"""


@pytest.mark.slow
def test_the_whole_report_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "test_solver.py").write_text(TEST, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run([*words, "test_solver.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("- crosslit verify -") == 1
    for line in ("  puzzle   0", "  answer   unsolvable", "failed: 1 board, claims one"):
        assert line in done.stdout, done.stdout
