"""The judge of the fewest presses on synthetic and on real runs."""

from __future__ import annotations

from typing import Any

import pytest

from crosslit import Grid, Limits, compare, fewest, load
from crosslit.base.errors import GaveUp, SpecError
from crosslit.contract.run import Presses, Run
from crosslit.judging.solutions import judge_fewest
from crosslit.judging.verdict import Comparison
from tests.conftest import all_grids

BOARD = load("11/11/11")  # four solutions, of 2, 2, 4 and 4 presses
TWO, OTHER_TWO, FOUR = (Grid.from_text(text) for text in ("10/00/01", "01/00/10", "11/11/00"))


def run(name: str, *grids: Grid, status: str = "complete", trusted_base: str = "", **more: Any) -> Run:
    return Run(backend=name, status=status, grids=list(grids), trusted_base=frozenset({trusted_base or name}), **more)  # type: ignore[arg-type]


def judged(*runs: Run, puzzle: Any = BOARD) -> Comparison:
    return judge_fewest(puzzle, list(runs), Limits(None))


def problems(comparison: Comparison) -> list[tuple[str, str]]:
    return [(finding.backend, finding.problem) for finding in comparison.findings]


def test_the_board_of_these_tests() -> None:
    counts = [grid.count() for grid in all_grids(3, 2) if not any(BOARD.violations(grid))]
    assert sorted(counts) == [2, 2, 4, 4]
    assert not [violation for grid in (TWO, OTHER_TWO, FOUR) for violation in BOARD.violations(grid)]


def test_different_solutions_of_the_fewest_presses_agree() -> None:
    comparison = judged(run("a", FOUR, TWO, bound=2), run("b", OTHER_TWO))
    assert comparison.presses == Presses(2, 2, True)
    verdict = comparison.verdict
    assert (verdict.status, verdict.evidence, verdict.by) == ("optimal", "agreed", ("a", "b"))
    assert comparison.consistent


def test_one_lineage_does_not_confirm_itself() -> None:
    assert judged(run("a", TWO, trusted_base="x"), run("b", TWO, trusted_base="x")).verdict.evidence == "claimed"
    assert judged(run("a", TWO), run("brute", TWO)).verdict.evidence == "brute-force"


def test_who_claims_too_many_presses_is_wrong() -> None:
    comparison = judged(run("a", FOUR), run("b", TWO, status="timeout"))
    assert problems(comparison) == [("a", "not-fewest")]
    assert comparison.findings[0].witness == TWO.text()
    assert comparison.presses == Presses(2, 2, True)  # six lights take two presses of five at least


def test_a_single_press_too_many_is_wrong() -> None:
    none, one = (run(name, Grid.from_text(text)) for name, text in (("a", "0"), ("b", "1")))
    assert problems(judged(none, one, puzzle=load("press=neighbours/0"))) == [("b", "not-fewest")]


def test_who_claims_that_there_is_none_is_wrong() -> None:
    comparison = judged(run("a"), run("b", TWO))
    assert problems(comparison) == [("a", "false-unsolvable")]
    assert comparison.verdict.by == ("b",)


def test_a_bound_above_a_solution_is_wrong_and_bounds_nothing() -> None:
    comparison = judged(run("a", status="timeout", bound=3), run("b", TWO))
    assert problems(comparison) == [("a", "false-bound")]
    assert comparison.presses == Presses(2, 2, True)


def test_a_grid_that_breaks_the_rules_is_no_optimum() -> None:
    wrong = Grid.from_text("10/00/00")
    comparison = judged(run("a", wrong), run("b", TWO))
    assert problems(comparison) == [("a", "wrong-solution")]
    assert comparison.presses == Presses(2, 2, True)
    assert problems(judged(run("a", wrong))) == [("a", "wrong-solution")]
    assert judged(run("a", wrong)).verdict.status == "undecided"


def test_solutions_that_do_not_improve() -> None:
    assert problems(judged(run("a", TWO, FOUR))) == [("a", "not-improving")]
    assert problems(judged(run("a", TWO, OTHER_TWO))) == [("a", "not-improving")]


def test_a_bound_of_one_and_a_solution_of_another_decide_together() -> None:
    board = load("000/000/000/000")
    empty = Grid.from_bits(4, 3, 0)
    assert judged(run("a", empty, status="timeout"), puzzle=board).presses == Presses(0, 0, True)
    comparison = judged(run("a", FOUR, status="timeout"), run("b", status="timeout", bound=2))
    assert comparison.presses == Presses(4, 2, False)
    assert (comparison.verdict.status, comparison.verdict.evidence) == ("undecided", None)
    sparse, two = load("00/11/00"), Grid.from_text("11/00/00")
    assert judged(run("a", two, status="timeout"), puzzle=sparse).presses == Presses(2, 1, False)
    comparison = judged(run("a", two, status="timeout"), run("b", status="timeout", bound=2), puzzle=sparse)
    assert comparison.presses == Presses(2, 2, True)
    assert (comparison.verdict.evidence, comparison.verdict.by) == ("claimed", ("a", "b"))


def test_who_is_named_as_evidence_decides_something() -> None:
    # six lights take at least two presses of five, which needs no run, so no wrong run is named
    low, liar = run("low", status="timeout", bound=1), run("liar", TWO, status="timeout", bound=5)
    comparison = judged(low, liar, run("a", TWO, status="timeout"))
    assert comparison.presses == Presses(2, 2, True)
    assert (problems(comparison), comparison.verdict.by) == ([("liar", "false-bound")], ("a",))


def test_a_bound_above_the_number_of_cells_is_wrong_without_any_solution() -> None:
    comparison = judged(run("a", status="gave-up", bound=7))
    assert problems(comparison) == [("a", "false-bound")]
    assert comparison.presses == Presses(None, 2, False)


def test_a_bound_of_all_cells_can_be_true() -> None:
    comparison = judged(run("a", status="timeout", bound=1), puzzle=load("1"))
    assert comparison.consistent
    assert comparison.presses == Presses(None, 1, False)


def test_a_bound_above_its_own_optimum_is_wrong() -> None:
    comparison = judged(run("a", Grid.from_text("1"), bound=2), puzzle=load("1"))
    assert problems(comparison) == [("a", "false-bound")]
    assert comparison.presses == Presses(1, 1, True)  # one light takes one press: the run is not needed for that


def test_of_two_with_the_same_bound_the_first_is_named() -> None:
    sparse, two = load("00/11/00"), Grid.from_text("11/00/00")
    first, second = run("a", two, status="timeout", bound=2), run("b", status="timeout", bound=2)
    assert judged(first, second, puzzle=sparse).verdict.by == ("a",)
    assert judged(second, first, puzzle=sparse).verdict.by == ("a", "b")


@pytest.mark.parametrize("first", [True, False])
def test_a_backend_that_is_wrong_in_one_repetition_supports_nothing(first: bool) -> None:
    repeated = [run("a", TWO, bound=2), run("a", FOUR, repetition=1)]
    comparison = judged(*(repeated if first else repeated[::-1]), run("b", OTHER_TWO))
    assert problems(comparison) == [("a", "not-fewest")]
    assert (comparison.verdict.evidence, comparison.verdict.by) == ("claimed", ("b",))
    sparse, two = load("00/11/00"), Grid.from_text("11/00/00")
    bounds = [run("a", status="timeout", bound=2), run("a", status="timeout", bound=3, repetition=1)]
    assert judged(*bounds, run("b", two, status="limit"), puzzle=sparse).presses == Presses(2, 1, False)


def test_a_board_without_solution() -> None:
    board = load("10")
    comparison = judged(run("a", bound=7), run("b"), puzzle=board)
    assert comparison.presses == Presses(None, None, True)
    assert (comparison.verdict.status, comparison.verdict.evidence) == ("unsolvable", "agreed")
    assert judged(run("a", status="gave-up"), puzzle=board).presses == Presses(None, 1, False)


@pytest.mark.parametrize(("text", "bound"), [("000", 0), ("100", 1), ("111/111", 2), ("press=king/1111/1111/1100", 2)])
def test_the_bound_that_the_lights_give(text: str, bound: int) -> None:
    assert load(text).min_true_cells == bound


@pytest.mark.slow
def test_backends_in_processes_of_their_own_agree() -> None:
    board = load("/".join(["1" * 7] * 7))
    comparison = compare(board, "fewest,cpsat,rc2", fewest=True)
    assert comparison.consistent
    assert comparison.presses == Presses(33, 33, True)
    assert [run.presses for run in comparison.runs] == [Presses(33, 33, True)] * 3
    assert comparison.verdict.evidence == "agreed"


@pytest.mark.slow
def test_a_run_that_is_ended_keeps_its_bound() -> None:
    comparison = compare(load("/".join(["1" * 16] * 16)), "rc2", fewest=True, timeout=2)
    run, presses = comparison.runs[0], comparison.presses
    assert run.status == "timeout"
    assert presses is not None
    assert presses.best is None
    assert run.bound == presses.bound
    assert 20 < run.bound <= 104  # OEIS A075464
    assert run.timing.total > 1.5


def test_a_kernel_that_is_too_large_is_given_up_with_the_best_found() -> None:
    board = load("/".join(["wrap=torus", *["1" * 33] * 33]))
    comparison = compare(board, "fewest", fewest=True)
    run = comparison.runs[0]
    assert run.status == "gave-up"
    assert "at most 40 connected dimensions" in run.error
    assert run.grids
    assert comparison.verdict.status == "undecided"
    with pytest.raises(GaveUp, match="at most 40 connected dimensions"):
        fewest(board)  # type: ignore[arg-type]


def test_the_question_is_one_of_lights_out() -> None:
    with pytest.raises(SpecError, match="can find the fewest presses of this nonogram puzzle of 1 x 1"):
        compare(load("1|1"), fewest=True)
    comparison = compare(load("1|1"), "cpsat", fewest=True)
    assert comparison.runs[0].error == "the question `fewest` applies only to Lights Out and modular Lights Out"
    comparison = compare(load("1"), "gauss", fewest=True)
    assert comparison.runs[0].error == "cannot find the fewest presses"
