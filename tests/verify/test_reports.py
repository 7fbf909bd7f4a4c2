"""Reports: causes, claims, pictures, advice, pytest, and the corpus; ``cli/commands.txt`` has whole ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure
from crosslit_generate.cases import Case
from crosslit_verify.cases import Settings
from crosslit_verify.judge import Problem
from crosslit_verify.report import Coverage, FamilyCount, cause_of
from crosslit_verify.report import read_corpus as read
from crosslit_verify.report import write_corpus as write

import crosslit
from crosslit import Grid, InputError, load, pytest_plugin

from .scripted import verified

CRASH = SolverFailure("crash", "no")


@pytest.mark.parametrize(
    ("group", "one", "other", "are_equal"),
    [
        ("crash", "exit status 1 without an answer: 3 of [1]", "exit status 1 after writing '1': 12 of [7]", True),
        ("crash", "killed by SIGSEGV without an answer", "killed by SIGABRT without an answer", False),
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
        (29, 29, {"own": True}, True),
        (30, 30, {"own": True}, True),
        (49, 49, {}, False),
        (50, 1000, {}, True),
        (50, 1001, {}, False),
        (1, 1000, {"own": True}, True),
        (1, 1000, {"settings": Settings("lights-out", cases=1000)}, True),
        (0, 1000, {"own": True}, False),
        (0, 0, {}, False),
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
    assert (("`crosslit generate`" if sent else "no such puzzle was found") in found.summary()) != is_enough
    assert (" a second; " in found.summary()) == (sent >= 30)


@pytest.mark.parametrize(("random", "bound"), [(29, None), (30, "at most 0.095 of"), (300, "at most 0.0099 of")])
def test_the_failure_rate_is_bounded_from_thirty_random_puzzles_on(random: int, bound: str | None) -> None:
    found, _ = verified(cases=1)
    found.coverage.families["random lights"] = FamilyCount(False, random, random)
    assert f"  random: {random} with seed 0 (random lights {random})\n" in found.summary()
    assert bound in found.summary() if bound else "at most" not in found.summary()


def test_an_answer_that_was_not_read_shows_a_readable_one() -> None:
    (failure,) = crosslit.verify(["sh", "-c", "while read line; do echo x; done"], "lights-out", cases=2).failures
    assert """'x'; expected {"solution": "0"}, or {"unsolvable": true}""" in failure.problem.detail


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


def failed(text: str) -> Any:
    """A verification of a solver that takes a puzzle for unsolvable."""
    puzzle = load(text)
    no = SolverAnswer((), True)
    return verified(lambda *_: no, own=[puzzle], kind=puzzle.kind, claims="unique", seed=10**90)[0]


@pytest.mark.parametrize("text", ["101", "press=king/wrap=torus/0_0", "1,1|1,1", "modular-lights-out:3/00"])
def test_the_file_of_a_failure_is_a_puzzle_in_json(text: str, tmp_path: Path) -> None:
    found = failed(text)
    write(found, tmp_path / "new", "crosslit verify -- node 'é'")
    (path,) = (tmp_path / "new").iterdir()
    (failure,) = found.failures
    for length in (40, 41):
        drawn = replace(failure, puzzle=load("0" * length), reply=CRASH, reference=None).render()
        assert ("too large to draw" in drawn) == (length > 40)
    assert path.name.startswith("false-unsolvable-")
    assert read(path.parent) == [load(str(path))] == [failure.puzzle]
    record = json.loads(written := path.read_text(encoding="utf-8"))
    assert record["command"] == "crosslit verify -- node 'é'"
    assert "node 'é'" in written
    assert (record["problem"], record["answer"]) == ("false-unsolvable", "unsolvable")
    assert record["right"] == failure.json()["right"]
    assert (record["family"], record["case"], record["seed"]) == ("own puzzles", 1, 10**90)
    write(found, path.parent)
    assert [*path.parent.iterdir()] == [path]
    assert "found on case 1 (own puzzles); " in str(found)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        write(found, tmp_path / "file" / "folder")


def test_python_reads_and_fills_a_corpus(tmp_path: Path) -> None:
    folder, junit = tmp_path / "new" / "corpus", tmp_path / "result.xml"
    wrong = lambda board: None if board.columns > 2 else crosslit.solve(board)  # noqa: E731
    first = crosslit.verify(wrong, "lights-out", cases=100, corpus=folder)
    assert len([*folder.iterdir()]) == len(first.failures) == 1
    wrong.__name__ = "\0\x1b<wrong>"
    again = crosslit.verify(wrong, cases=100, corpus=folder, junit=junit)
    assert (again.coverage.cases, again.failures[0].family, again.failures[0].case) == (1, "corpus", 1)
    assert ElementTree.parse(junit).find("testcase/failure") is not None
    assert crosslit.verify(crosslit.solve, cases=20, corpus=folder, junit=junit).passed
    assert 'name="crosslit verify solve"' in junit.read_text(encoding="utf-8")


def press_all(_: int, puzzle: Any) -> SolverAnswer:
    return SolverAnswer((Grid.from_bits(puzzle.rows, puzzle.columns, (1 << puzzle.rows * puzzle.columns) - 1),), False)


@pytest.mark.parametrize(
    ("given", "size", "smallest"),
    [
        ("wrap=torus/0110/0000/0000", "3x3", "wrap=torus/100"),
        ("press=king/011/000/000", "1..12", "press=king/0"),
        ("press=king/011/000/000", "3x3", "press=king/000/000/000"),  # it has the size that the solver takes
        ("1" * 13, "1..12", "0"),
    ],
)
def test_own_puzzles_of_other_rules_and_sizes_are_shrunk(given: str, size: str, smallest: str) -> None:
    (failure,) = verified(press_all, own=[load(given)], size=size)[0].failures
    assert (failure.puzzle.text, failure.minimal) == (smallest, True)
