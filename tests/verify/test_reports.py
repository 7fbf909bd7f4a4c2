"""Reports: causes, claims, pictures, advice, pytest; ``cli/commands.txt`` has whole ones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention, SolverFailure
from crosslit_generate.cases import Case
from crosslit_verify.cases import Settings
from crosslit_verify.judge import Problem
from crosslit_verify.report import Coverage, FamilyCount, cause_of

import crosslit
from crosslit import load, pytest_plugin

from .scripted import verified

CRASH = SolverFailure("crash", "no")


@pytest.mark.parametrize(
    ("group", "one", "other", "are_equal"),
    [
        ("crash", "exit status 1 without an answer: 3 of [1]", "exit status 1 after writing '1': 12 of [7]", True),
        ("crash", "TypeError: no len", "TypeError: no index", False),
        ("crash", "killed by SIGSEGV without an answer", "killed by SIGABRT without an answer", False),
        ("malformed-output", "not JSON: 'Solving...'", "not JSON: 'working 10\\r'... (102 bytes)", True),
        ("wrong-solution", "there is no solution; 1: row 1", "0: row 1", False),
    ],
)  # fmt: skip
def test_numbers_and_quotations_do_not_matter(group: str, one: str, other: str, are_equal: bool) -> None:
    assert (cause_of(Problem(group, one)) == cause_of(Problem(group, other))) == are_equal


def test_each_cause_has_its_smallest_example_up_to_four() -> None:
    def change(_: int, puzzle: Any) -> Any:
        if puzzle.lit.count() == 2 and puzzle.rows == 2:
            return SolverFailure("crash", f"IndexError: {puzzle.columns}")
        return SolverFailure("crash", f"{'x' * puzzle.columns}Error") if puzzle.columns > 2 else None

    found, _ = verified(change, keep_going=True, only="solvable", cases=200)
    smallest = {(failure.puzzle.text, failure.problem.detail) for failure in found.failures}
    assert {("000", "xxxError"), ("1/1", "IndexError: 1"), ("0000", "xxxxError")} < smallest
    assert len(smallest) == 4
    text = found.render()
    assert text.count("crash: it ended, or raised an error") == 4


def test_a_puzzle_that_is_judged_at_last_is_no_longer_skipped() -> None:
    cover, case = Coverage(), Case(load("1"), "f", False)
    cover.count(case, Abstention("unknown"))
    cover.count(case, CRASH)
    assert (cover.cases, cover.json()["skipped"]) == (1, {})


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
    puzzles = [load(f"{number:010b}") for number in range(sent)]
    found.coverage.answered = dict.fromkeys(puzzles[:judged], "")
    found.coverage.skipped = dict.fromkeys(puzzles[judged:], "unknown")
    assert found.passed == is_enough
    word = "passed" if is_enough else "too few judged" if judged else "nothing judged"
    assert found.summary().startswith(f"{word}: ")
    assert ("`crosslit generate`" in found.summary()) != is_enough


@pytest.mark.parametrize(("random", "bound"), [(29, None), (30, "at most 0.095 of"), (300, "at most 0.0099 of")])
def test_the_failure_rate_is_bounded_from_thirty_random_puzzles_on(random: int, bound: str | None) -> None:
    found, _ = verified(cases=1)
    found.coverage.families["random lights"] = FamilyCount(False, random, random)
    assert f"  random: {random} with seed 0 (random lights {random})\n" in found.summary()
    assert bound in found.summary() if bound else "at most" not in found.summary()


@pytest.mark.parametrize(
    ("code", "options", "words"),
    [
        ("while read line; do echo x; done", {}, """'x'; expected {"solution": "0"}, or {"unsolvable": true}"""),
        ("while read line; do echo x; done", {"lines": True}, "; expected 0 on one line, or unsolvable"),
        ("echo no way", {"format": "inline"}, "; expected 1 line such as '0', or unsolvable"),
    ],
)
def test_an_answer_that_was_not_read_shows_a_readable_one(code: str, options: dict[str, Any], words: str) -> None:
    (failure,) = crosslit.verify(["sh", "-c", code], "lights-out", cases=2, **options).failures
    assert words in failure.problem.detail


@pytest.mark.parametrize("is_failed", [True, False])
def test_pytest_shows_the_whole_report_once_below_a_test_that_failed(
    request: pytest.FixtureRequest, is_failed: bool
) -> None:
    wrong, right = verified(lambda *_: CRASH, cases=1)[0], verified(cases=60)[0]
    assert (bool(wrong), bool(right), [*pytest_plugin.failed]) == (False, True, [wrong])
    for sections in ([("crosslit verify", wrong.render())] * is_failed, []):
        report, call = SimpleNamespace(failed=is_failed, sections=[]), pytest.CallInfo.from_call(int, "call")
        hook = pytest_plugin.pytest_runtest_makereport(request.node, call)
        next(hook)
        with pytest.raises(StopIteration):
            hook.send(SimpleNamespace(get_result=lambda report=report: report))
        assert report.sections == sections
