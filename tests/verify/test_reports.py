"""Reports: the causes of failures, what a failure shows, JUnit, and pytest."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure
from crosslit_generate import Case
from crosslit_verify import Command, Settings, Verifier, session
from crosslit_verify.judge import Problem
from crosslit_verify.reference import Reference
from crosslit_verify.report import FamilyCount, cause_of, junit_xml

import crosslit
from crosslit import load

from .scripted import verified

UNSUPPORTED = Abstention("unsupported")


def words(detail: str, group: str = "crash") -> str:
    return cause_of(Problem(group, detail)).words


def test_numbers_and_quotations_do_not_matter() -> None:
    assert words("exit status 1 without an answer: IndexError: 3 of [1, 2]") == words(
        "exit status 1 after writing '1/0': IndexError: 12 of [7]"
    )
    assert words("TypeError: no len") != words("TypeError: no index")
    assert words("killed by SIGSEGV without an answer") != words("killed by SIGABRT without an answer")
    one, other = "not a line of JSON: 'Solving...'", "not a line of JSON: 'working 10\\r'... (102 bytes)"
    assert words(one, "malformed-output") == words(other, "malformed-output")


def test_each_cause_has_its_smallest_example_up_to_a_number() -> None:
    def change(number: int, puzzle: Any) -> Any:
        if puzzle.lit.count() == 2 and puzzle.rows == 2:
            return SolverFailure("crash", f"IndexError: {puzzle.columns}")
        return SolverFailure("crash", f"{'x' * puzzle.columns}Error") if puzzle.columns > 2 else None

    found, _ = verified(change, keep_going=True, only="solvable", cases=200)
    smallest = {(failure.puzzle.text, failure.problem.detail) for failure in found.failures}
    assert {("000", "xxxError"), ("1/1", "IndexError: 1"), ("0000", "xxxxError")} < smallest
    assert len(smallest) == session.MAX_CAUSES
    text = found.render()
    assert text.count("crash: it ended, or raised an error") == 1
    assert text.count("crash: another cause") == 3
    assert " IndexError: N\n" in text
    assert " other causes\n" in text


def test_only_judged_and_different_puzzles_are_claimed() -> None:
    found, _ = verified(lambda _, puzzle: None if puzzle.lit.count() == puzzle.columns else UNSUPPORTED, cases=120)
    cover = found.coverage
    assert found.passed
    assert found.summary().startswith(f"passed: {cover.judged} judged of {cover.cases} boards, claims one")
    assert "exhausted" not in found.summary()
    assert "  judged in part: every board of " in found.summary()
    for _ in range(40):
        cover.count(Case(load("1" * 40), "long ones", False), SolverAnswer((), True))
    assert cover.families["long ones"].sent == 1


@pytest.mark.parametrize(
    ("judged", "sent", "given", "is_enough"),
    [
        (49, 49, {}, False),
        (50, 1000, {}, True),
        (50, 1001, {}, False),
        (1, 1000, {"own": True}, True),
        (1, 1000, {"settings": Settings("lights-out", cases=1000)}, True),
        (0, 1000, {"own": True}, False),
    ],
)
def test_of_puzzles_that_it_drew_itself_a_verification_must_judge_enough(
    judged: int, sent: int, given: dict[str, Any], is_enough: bool
) -> None:
    found = replace(verified(cases=1)[0], **{"settings": Settings("lights-out", seconds=1), **given})
    found.coverage.cases, found.coverage.judged = sent, judged
    assert found.passed == is_enough
    word = "passed" if is_enough else "too few judged" if judged else "nothing judged"
    assert found.summary().startswith(f"{word}: ")
    assert ("`crosslit generate`" in found.summary()) != is_enough


def test_families_that_a_solver_abstains_from_are_drawn_less_and_less() -> None:
    answers = verified(lambda *_: None, cases=400)[0].coverage.families
    change = lambda _, puzzle: None if puzzle.rows < 4 else UNSUPPORTED  # noqa: E731
    thinned = verified(change, cases=400)[0].coverage.families
    random = [name for name, family in answers.items() if not family.exhaustive]
    dropped = [name for name in random if not thinned[name].judged]
    assert sum(thinned[name].sent for name in dropped) < 0.7 * sum(answers[name].sent for name in dropped)
    assert sum(family.sent for family in thinned.values()) > 380


@pytest.mark.parametrize(("random", "bound"), [(29, None), (30, "at most 0.095 of"), (300, "at most 0.0099 of")])
def test_the_failure_rate_is_bounded_from_thirty_random_puzzles_on(random: int, bound: str | None) -> None:
    found, _ = verified(cases=1)
    found.coverage.families["random lights"] = FamilyCount(False, random, random)
    assert f"  random: {random} with seed 0 (random lights {random})\n" in found.summary()
    assert bound in found.summary() if bound else "at most" not in found.summary()


@pytest.mark.parametrize(
    ("verification", "failures", "skipped"),
    [
        (verified(cases=5)[0], 0, 0),
        (verified(lambda *_: Abstention("unknown"), cases=1)[0], 0, 1),
        (verified(lambda *_: SolverFailure("crash", "no"), cases=2)[0], 1, 0),
    ],
)
def test_junit_has_one_case_which_passed_failed_or_was_skipped(verification: Any, failures: int, skipped: int) -> None:
    suite = ElementTree.fromstring(junit_xml(verification, "solver"))
    assert len(suite.findall("testcase")) == int(suite.get("tests", "")) == 1
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "")) == failures
    assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped", "")) == skipped


def test_the_wrong_grid_is_drawn() -> None:
    def first_right(number: int, puzzle: Any) -> Any:
        if puzzle.text != "0|0":
            return None
        return SolverAnswer((crosslit.Grid.from_text("0"), crosslit.Grid.from_text("1")), False)

    found, _ = verified(first_right, kind="nonogram", claims="all", cases=3)
    assert any("##" in line for line in found.render().splitlines())


@pytest.mark.parametrize(
    ("rows", "columns", "is_drawn"), [(40, 40, True), (41, 1, False), (1, 41, False), (40, 1, True), (1, 40, True)]
)
def test_a_puzzle_is_drawn_up_to_40_rows_and_columns(rows: int, columns: int, is_drawn: bool) -> None:
    puzzle = load("/".join(["1" * columns] * rows))
    failure = replace(verified(lambda *_: SolverFailure("crash", "no"), cases=1)[0].failures[0], puzzle=puzzle)
    assert (f"({rows} x {columns}: too large to draw)" in failure.render()) != is_drawn


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
    with Command(["cat"], kind="nonogram", **options) as subject:
        notes = subject.notes(SMALL, SolverFailure(reply, "x"), has_read)
    is_text = "lines" in options
    example = "00/00 on one line, or unsolvable" if is_text else '{"solution": "00/00"}, or {"unsolvable": true}'
    assert ([*notes], notes.get("expected", example)) == (names, example)


@pytest.mark.parametrize("words", [["cat"], ["cat", "{file}"]])
def test_a_command_that_is_started_for_each_puzzle_shows_its_input_and_output(words: list[str]) -> None:
    reply = SolverFailure("crash", "x", output=b"no way")
    with Command(words, kind="nonogram", format="inline") as subject:
        notes = subject.notes(SMALL, reply)
    hint = "if this says that there is no solution: --unsolvable 'no way'"
    assert notes == {"file" if len(words) > 1 else "input": "'2,2|2,2\\n'", "output": "'no way'", "hint": hint}


@pytest.mark.parametrize("fails_from", [1, 2])
def test_an_unreadable_first_answer_shows_a_readable_one(fails_from: int) -> None:
    code = """for i, _ in enumerate(sys.stdin): print('no' if i >= %d else '{"unknown": true}', flush=True)"""
    command = Command([sys.executable, "-c", f"import sys\n{code % (fails_from - 1)}"])
    found = Verifier(Settings("lights-out", cases=2), command, shrinking=0).run()
    assert ("  expected {" in found.render()) == (fails_from == 1)


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
