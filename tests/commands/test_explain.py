"""The command ``explain``, and explanations of puzzles with isolated runs."""

from __future__ import annotations

import pytest

from crosslit import load
from crosslit.contract.run import Limits
from crosslit.questions.explain import explain
from crosslit.runs.runner import Runner
from tests.conftest import Command


def test_a_set_that_may_not_be_the_smallest_is_said_to_be_one(crosslit: Command) -> None:
    board = "/".join(["1" + "0" * 64, *["0" * 65] * 64])  # a kernel of 42 dimensions: too large to be searched
    assert crosslit("explain", board).stdout.splitlines()[-1] == (
        "none can be left out; the search for a smaller set did not finish (evidence: claimed, by fewest)"
    )


@pytest.mark.parametrize("text", ["00000/00000/00000/00000/00000", "1,1|1,1"])
def test_an_interrupt_before_any_run_starts_none(text: str) -> None:
    puzzle = load(text)
    with Runner(Limits(None, 30.0, 4096)) as runner:
        runner.interrupted = True
        assert explain(puzzle, runner=runner).status == "undecided"
