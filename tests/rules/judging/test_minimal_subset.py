"""The judges of smallest sets, explanations and counts, on synthetic runs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from crosslit import Grid, LightsOut, Limits, load
from crosslit.contract.run import Run, RunStatus
from crosslit.judging.solutions import Solutions, judge_count, judge_minimal_subset
from crosslit.judging.verdict import Finding, MinimalSubset
from crosslit.kinds.lights_out.check import contradicting, equations, multiples
from crosslit.questions.explain import Explanation
from tests.conftest import random_grid, random_rules

ONE, BOTH, THREE = (Grid.from_bits(1, 4, bits) for bits in (0b1, 0b11, 0b111))  # of the four clues of a nonogram


@pytest.mark.parametrize(("status", "bound"), [("timeout", 1), ("complete", 2)])
def test_the_least_size_is_that_of_the_answer_only_if_the_search_ended(status: RunStatus, bound: int) -> None:
    answer = judge_minimal_subset(Run("a", status=status, grids=[BOTH], bound=1))
    assert (answer.bound, answer.decided) == (bound, status == "complete")


def test_the_smallest_answer_counts_in_whatever_order_they_came() -> None:
    run = Run("a", status="complete", grids=[THREE, ONE, BOTH])
    assert judge_minimal_subset(run).chosen == ONE


@pytest.mark.parametrize(("decided", "problems"), [(True, ["unconfirmed"]), (False, [])])
def test_only_a_search_that_ended_can_deny_that_there_is_a_contradiction(decided: bool, problems: list[str]) -> None:
    runs = (Run("b", status="complete" if decided else "timeout"),)
    nothing = MinimalSubset(None, 0, decided, runs=runs)
    explained = Explanation(load("0,2|2,0"), "unsolvable", contradiction=nothing, run=Run("a", status="complete"))
    assert [finding.problem for finding in explained.findings] == problems


def test_lights_contradict_by_the_presses_that_toggle_them_and_not_by_those_that_they_would_toggle() -> None:
    board = load("press=100,011,010/110/001/010")
    assert isinstance(board, LightsOut)
    assert board.needed(Grid.from_text("111/001/000"))
    assert board.needed(Grid.from_text("000/100/111")) is None


def test_lights_contradict_each_other_alike_on_boards_of_two_states_and_of_k() -> None:
    rng, seen = random.Random(5), {True: 0, False: 0}
    for _ in range(300):
        board = random_rules(rng, rng.randint(1, 4), rng.randint(1, 5))
        lights = random_grid(rng, board.rows, board.columns, rng.choice([0.3, 0.7, 1]))
        found, cells = contradicting(board, lights), [row * board.columns + column for row, column in lights.cells()]
        assert (found is None) == (multiples(equations(board, cells), board.rows * board.columns, 2) is None)
        seen[found is not None] += 1
        if found is not None:
            assert {*found.values()} == {1}
            needed = board.needed(lights)
            assert needed is not None
            assert needed.bits & ~lights.bits == 0
            assert board.needed(needed) == needed
    assert min(seen.values()) > 30


@pytest.mark.parametrize("text", ["110/000", "modular-lights-out:2/110/000", "modular-lights-out:4/edges=1-2/020"])
def test_lights_that_are_not_all_needed_are_no_smallest_set(text: str) -> None:
    board = load(text)
    every = Grid.from_bits(board.rows, board.columns, (1 << board.rows * board.columns) - 1)
    needed = board.needed(every)
    assert needed is not None
    for lights, problems in ((every, ["wrong-solution"]), (needed, [])):
        subset = MinimalSubset(lights, lights.count(), True, runs=(Run("b", status="complete"),))
        explained = Explanation(board, "unsolvable", contradiction=subset, run=Run("a", status="complete"))
        assert [finding.problem for finding in explained.findings] == problems


def test_a_search_without_an_answer_still_bounds_it() -> None:
    for status in ("timeout", "complete"):
        answer = judge_minimal_subset(Run("a", status=status, bound=3))  # type: ignore[arg-type]
        assert (answer.chosen, answer.bound, answer.decided) == (None, 3, status == "complete")
        assert (answer.evidence, answer.by) == ("claimed" if status == "complete" else None, ("a",))
        assert (answer.json()["size"], answer.json()["smallest"]) == (None, False)
    answer = judge_minimal_subset(Run("a", status="error", grids=[ONE], bound=3, error="?"))
    assert (answer.chosen, answer.bound, answer.decided, len(answer.findings)) == (None, 0, False, 1)


def test_an_answer_that_nothing_confirmed_rests_on_its_finder_alone() -> None:
    runs = [Run(name, status="complete", grids=[BOTH], trusted_base=frozenset(name)) for name in "ab"]
    for check, by, evidence in (
        (runs[1], ("a", "b"), "agreed"),
        (replace(runs[1], status="gave-up"), ("a",), "claimed"),
    ):
        answer = judge_minimal_subset(runs[0], check)
        assert (answer.by, answer.evidence, answer.json()["smallest"], answer.findings) == (by, evidence, True, ())
    answer = judge_minimal_subset(replace(runs[0], status="timeout"), runs[1])
    assert (answer.json()["size"], answer.json()["smallest"], answer.evidence) == (2, False, "agreed")


@pytest.mark.parametrize(
    ("found", "says"),
    [([], "it does not suffice"), ([BOTH, ONE], f"only {ONE.text} of it is needed")],
)
def test_a_check_says_what_it_found_instead(found: list[Grid], says: str) -> None:
    runs = [Run("a", status="complete", grids=[BOTH]), Run("b", status="complete", grids=found)]
    (finding,) = judge_minimal_subset(*runs).findings
    assert finding == Finding("a", "unconfirmed", f"gave {BOTH.text}; b says that {says}")


@pytest.mark.parametrize(
    ("numbers", "number", "details"),
    [
        ("3 2 2", 2, ["a: wrong-count: counts 3; b and c counted 2"]),
        (
            "3 3 2 2",
            None,
            [
                "a: counts-differ: counts 3; c counts 2: one of them is wrong",
                "b: counts-differ: counts 3; c counts 2: one of them is wrong",
                "c: counts-differ: counts 2; a counts 3: one of them is wrong",
                "d: counts-differ: counts 2; a counts 3: one of them is wrong",
            ],
        ),
    ],
)
def test_counts_that_differ_in_words(numbers: str, number: int | None, details: list[str]) -> None:
    runs = [
        Run(name, status="complete", counted=int(digits), trusted_base=frozenset(name))
        for name, digits in zip("abcd", numbers.split(), strict=False)
    ]
    told = judge_count(load("1,1|1,1"), runs, Limits(None))
    assert (told.number, [str(finding) for finding in told.findings]) == (number, details)


def test_errors_about_a_list_are_told_once_and_take_its_number_away() -> None:
    puzzle, both = load("1,1|1,1"), b"".join(Grid.from_text(text).packed for text in ("10/01", "01/10"))
    listed = Run("e", status="complete", trusted_base=frozenset("e"))
    for more, number in ((both, None), (b"", 2)):
        solutions = Solutions(puzzle)
        solutions.start("e")
        solutions.take(both + more)
        solutions.end(True)
        told = judge_count(puzzle, [], Limits(None), [listed], solutions)
        assert (told.number, told.at_least, len(told.findings)) == (number, 2, min(1, len(more)))
