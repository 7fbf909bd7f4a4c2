"""The judge of the fewest presses on synthetic and on real runs."""

from __future__ import annotations

import pytest

from crosslit import compare, fewest, load
from crosslit.base.errors import GaveUp, SpecError
from crosslit.contract import Task
from crosslit.contract.run import Presses


def test_a_bound_is_reported_when_it_is_better_than_the_last() -> None:
    told = list[int]()
    task = Task(on_bound=told.append)
    for presses in (2, 2, 1, 3):
        task.improve_bound(presses)
    assert (told, task.bound) == ([2, 3], 3)


@pytest.mark.slow
@pytest.mark.usefixtures("isolated_runs")
def test_backends_in_processes_of_their_own_agree() -> None:
    board = load("/".join(["1" * 7] * 7))
    comparison = compare(board, "fewest,cpsat,rc2", fewest=True)
    assert comparison.consistent
    assert comparison.presses == Presses(33, 33, True)
    assert [run.presses for run in comparison.runs] == [Presses(33, 33, True)] * 3
    assert comparison.verdict.evidence == "agreed"


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
