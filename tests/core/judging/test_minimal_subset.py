"""The judges of backbones, smallest sets and explanations, on synthetic runs."""

from __future__ import annotations

import random
from typing import Any

import pytest

from crosslit import Grid, LightsOut, Limits, load, solutions
from crosslit.contract.run import Run, RunStatus
from crosslit.contract.shapes import ASCII
from crosslit.judging.answers import MinimalSubset, judge_backbone, judge_count, judge_minimal_subset
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.lights_out import contradiction
from crosslit.kinds.lights_out.contradiction import multiples
from crosslit.questions.explain import Explanation, ask_smallest, explain
from tests.conftest import random_grid, random_rules
from tests.driving import Scripted

DARK = load("0000/0000/0000/0000")
ONE, BOTH, THREE = (Grid.from_bits(4, 4, bits) for bits in (0b1, 0b11, 0b111))


def smallest(runner: Any, puzzle: Puzzle = DARK, backend: str | None = None) -> MinimalSubset:
    return ask_smallest(runner, puzzle, "reveal", backend, Grid.from_bits(puzzle.rows, puzzle.columns, 0))


def test_an_answer_that_another_backend_finds_again_is_confirmed() -> None:
    runner = Scripted(("complete", [THREE, BOTH]), ("complete", [BOTH]))
    answer = smallest(runner)
    assert runner.asked[1].request.candidates == answer.chosen == BOTH
    assert (answer.confirmed, answer.evidence, answer.by) == ("gauss", "agreed", ("polynomial", "gauss"))
    assert not answer.findings


@pytest.mark.parametrize("found", [[], [ONE], [BOTH, ONE]])
def test_an_answer_that_does_not_suffice_or_could_be_smaller_is_unconfirmed(found: list[Grid]) -> None:
    answer = smallest(Scripted(("complete", [BOTH]), ("complete", found)))
    assert (answer.confirmed, answer.evidence) == ("", "claimed")
    assert [(finding.backend, finding.problem) for finding in answer.findings] == [("polynomial", "unconfirmed")]


def test_a_check_that_did_not_end_confirms_and_denies_nothing() -> None:
    answer = smallest(Scripted(("complete", [BOTH]), ("timeout", [BOTH])))
    assert (answer.confirmed, answer.evidence, answer.findings) == ("", "claimed", ())


@pytest.mark.parametrize(("status", "bound"), [("timeout", 1), ("complete", 2)])
def test_the_least_size_is_that_of_the_answer_only_if_the_search_ended(status: RunStatus, bound: int) -> None:
    answer = judge_minimal_subset(DARK, [Run("a", status=status, grids=[BOTH], bound=1)], Limits(None))
    assert (answer.bound, answer.decided) == (bound, status == "complete")


def test_the_smallest_answer_counts_in_whatever_order_they_came() -> None:
    run = Run("a", status="complete", grids=[THREE, ONE, BOTH])
    assert judge_minimal_subset(DARK, [run], Limits(None)).chosen == ONE


def test_the_backend_that_shares_least_with_the_first_confirms() -> None:
    runner = Scripted(("complete", [Grid.from_text("10/00")]), ("timeout", []))
    smallest(runner, load("1,1|1,1"), "minisat22")
    assert [job.spec for job in runner.asked] == ["minisat22", "cadical195/automaton"]


def test_a_backbone_with_a_wrong_solution_is_not_believed() -> None:
    run = Run("a", status="complete", grids=[ONE], trusted_base=frozenset({"a"}))
    told = judge_backbone(DARK, [run], Limits(None))
    assert (told.proved, told.evidence, told.solutions) == (False, None, ())
    assert [finding.problem for finding in told.findings] == ["wrong-solution"]


def test_wrong_grids_do_not_hide_a_difference_that_a_run_misses() -> None:
    one, other, *wrong = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00", "00/11"))
    runs = [Run("a", status="complete", grids=[one, *wrong]), Run("b", status="complete", grids=[one, other])]
    told = judge_backbone(load("1,1|1,1"), runs, Limits(None))
    assert {(found.backend, found.problem) for found in told.findings} == {
        ("a", "wrong-solution"),
        ("a", "false-backbone"),
    }


def test_a_run_misses_a_difference_that_two_of_its_solutions_do_not_show() -> None:
    puzzle = load("1,1,1|1,1,1")
    every = list(solutions(puzzle, "line"))
    runs = [Run("a", status="complete", grids=every[:2]), Run("b", status="complete", grids=every)]
    told = judge_backbone(puzzle, runs, Limits(None))
    assert [(found.backend, found.problem) for found in told.findings] == [("a", "false-backbone")]
    assert told.varying.count() == 9
    assert told.findings[0].witness not in {grid.text() for grid in every[:2]}


@pytest.mark.parametrize(("decided", "problems"), [(True, ["unconfirmed"]), (False, [])])
def test_only_a_search_that_ended_can_deny_that_there_is_a_contradiction(decided: bool, problems: list[str]) -> None:
    runs = (Run("b", status="complete" if decided else "timeout"),)
    nothing = MinimalSubset(None, 0, decided, runs=runs)
    explained = Explanation(load("0,2|2,0"), "unsolvable", contradiction=nothing, run=Run("a", status="complete"))
    assert [finding.problem for finding in explained.findings] == problems


def test_one_solution_of_a_search_that_did_not_end_is_not_the_only_one() -> None:
    runner: Any = Scripted(("timeout", [Grid.from_text("10/01")]))
    assert explain(load("1,1|1,1"), runner=runner).status == "undecided"


def test_lights_contradict_by_the_presses_that_toggle_them_and_not_by_those_that_they_would_toggle() -> None:
    board = load("press=100,011,010/110/001/010")
    assert isinstance(board, LightsOut)
    assert board.contradicts(Grid.from_text("111/001/000"))
    assert not board.contradicts(Grid.from_text("000/100/111"))


def test_a_count_below_the_solutions_that_were_found_is_no_number() -> None:
    puzzle, one, other = load("1,1|1,1"), Grid.from_text("10/01"), Grid.from_text("01/10")
    counts = [Run("a", status="complete", counted=1, trusted_base=frozenset({"a"}))]
    told = judge_count(puzzle, counts, Limits(None), [Run("b", status="timeout", grids=[one, other])])
    assert (told.number, told.evidence) == (None, None)
    assert [(found.backend, found.problem) for found in told.findings] == [("a", "wrong-count")]


def test_a_missing_cell_is_no_light_that_could_contradict_others() -> None:
    board = load("1_/00")
    assert isinstance(board, LightsOut)
    for bits in range(16):
        lights = Grid.from_bits(2, 2, bits)
        assert board.contradicts(lights) == board.contradicts(Grid.from_bits(2, 2, bits & ~2))


def test_lights_contradict_each_other_alike_on_boards_of_two_states_and_of_k() -> None:
    rng, seen = random.Random(5), {True: 0, False: 0}
    for _ in range(300):
        board = random_rules(rng, rng.randint(1, 4), rng.randint(1, 5))
        lights = random_grid(rng, board.rows, board.columns, rng.choice([0.3, 0.7, 1]))
        found, cells = multiples(board, lights), [row * board.columns + column for row, column in lights.cells()]
        assert (found is not None) == (contradiction._multiples(board, cells) is not None), board.text
        seen[found is not None] += 1
        if found is not None:
            needed = board.needed(lights)
            assert needed.bits & ~lights.bits == 0
            assert board.needed(needed) == needed
    assert min(seen.values()) > 30


@pytest.mark.parametrize(
    ("text", "lights", "reason"),
    [
        ("110/000", "101/101", "every press toggles an even number of these 4 lights, and 1 of them is lit"),
        ("110/000", "111/101", "every press toggles an even number of 4 of these 5 lights, and 1 of them is lit"),
        (
            "modular-lights-out:2/110/000",
            "111/101",
            "4 of these 5 lights, times 1, 1, 1, 1 in the order of rows, "
            "add up to 1 modulo 2, and no press changes that",
        ),
        ("press=neighbours/1", "1", "no press toggles this light, and it is lit"),
        ("press=neighbours/1_1", "111", "no press toggles the light in row 1, column 1, and it is lit"),
        ("11/11", "10/11", "these lights do not contradict each other"),
    ],
)
def test_the_reason_names_the_lights_that_contradict_each_other(text: str, lights: str, reason: str) -> None:
    board = load(text)
    draw = kind_of(board).contradiction
    assert draw is not None
    assert draw(board, Grid.from_text(lights), ASCII)[1].removesuffix(" (checked by the rules)") == reason


@pytest.mark.parametrize("text", ["110/000", "modular-lights-out:2/110/000", "modular-lights-out:4/edges=1-2/020"])
def test_lights_that_are_not_all_needed_are_no_smallest_set(text: str) -> None:
    board = load(text)
    every = Grid.from_bits(board.rows, board.columns, (1 << board.rows * board.columns) - 1)
    for lights, problems in ((every, ["wrong-solution"]), (board.needed(every), [])):
        subset = MinimalSubset(lights, lights.count(), True, runs=(Run("b", status="complete"),))
        explained = Explanation(board, "unsolvable", contradiction=subset, run=Run("a", status="complete"))
        assert [finding.problem for finding in explained.findings] == problems
