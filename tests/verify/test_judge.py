"""The judge of answers, claim by claim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from crosslit_backends.programs.protocol import Abstention, Problem, SolverAnswer, SolverFailure
from crosslit_verify.contract_checks import by_rules
from crosslit_verify.judge import CERTAIN, contradiction, format_reply, format_right, judge
from crosslit_verify.reference import Reference, Unanswered

from crosslit import Grid, load
from crosslit.judging.verdict import PROBLEMS

SEVERAL, ONE, NONE = "1,1|1,1", "1,2|2,1", "0|1"  # two solutions, one, none


def truth_of(text: str) -> Reference:
    return Reference(by_rules(load(text)).solutions, True, ("rules",))


def answer(grids: str, unique: bool | None = None) -> SolverAnswer:
    found = tuple(Grid.from_text(grid) for grid in grids.split())
    return SolverAnswer(found, not found, unique)


@pytest.mark.parametrize(
    ("claims", "text", "reply", "group"),
    [
        ("one", SEVERAL, answer("10/01"), None),
        ("one", SEVERAL, answer(""), "false-unsolvable"),
        ("one", SEVERAL, answer("11/00"), "wrong-solution"),
        ("one", SEVERAL, answer("100/010"), "wrong-solution"),
        ("one", SEVERAL, answer("10/01", True), "false-unique"),
        ("one", NONE, answer(""), None),
        ("one", NONE, answer("0"), "wrong-solution"),
        ("unique", ONE, answer("10/11", True), None),
        ("unique", ONE, answer("10/11", False), "false-multiple"),
        ("unique", ONE, answer("10/11"), "malformed-output"),
        ("unique", ONE, answer("10/11 10/11", True), None),
        ("unique", SEVERAL, answer("10/01", False), None),
        ("unique", SEVERAL, answer("10/01 01/10", True), "contradicts-itself"),
        ("unique", NONE, answer(""), None),
        ("all", SEVERAL, answer("01/10 10/01"), None),
        ("all", SEVERAL, answer("10/01"), "missing-solution"),
        ("all", SEVERAL, answer("10/01 10/01"), "missing-solution"),  # as many as there are
        ("all", SEVERAL, answer("01/10 10/01 01/10"), "duplicate-solution"),
        ("all", ONE, answer("10/11", False), "false-multiple"),
        ("all", NONE, answer(""), None),
        ("fewest", "000/000", answer("000/000"), None),
        ("fewest", "000/000", answer("101/101"), "not-fewest"),
        ("fewest", "000/000", answer("000/000 101/101"), "not-fewest"),
        ("fewest", "000/000", answer(""), "false-unsolvable"),
        ("fewest", "100/000", answer(""), None),
    ],
)
def test_each_claim_has_its_own_meaning_of_wrong(
    claims: Any, text: str, reply: SolverAnswer, group: str | None
) -> None:
    found = judge(load(text), claims, reply, lambda: truth_of(text))
    assert (found and found.group) == group


@pytest.mark.parametrize("group", get_args(Problem))
def test_a_mishap_needs_no_truth(group: Any) -> None:
    found = judge(load(ONE), "all", SolverFailure(group, "it is gone"), lambda: pytest.fail("asked for the reference"))
    assert found is not None
    assert (found.group, found.detail) == (group, "it is gone")


def test_a_wrong_grid_is_wrong_where_the_truth_is_out_of_reach() -> None:
    def out_of_reach() -> Reference:
        raise Unanswered("too many")

    found = judge(load(ONE), "one", answer("11/11"), out_of_reach)
    assert found is not None
    assert found.group == "wrong-solution"
    with pytest.raises(Unanswered):
        judge(load(ONE), "one", answer(""), out_of_reach)
    assert judge(load(SEVERAL), "unique", answer("10/01 01/10", False), out_of_reach) is None


def test_of_an_answer_that_was_cut_only_what_was_read_is_judged() -> None:
    for claims, unique in (("one", None), ("fewest", None), ("unique", False)):
        cut = replace(answer("10/01", unique), more=1)
        with pytest.raises(Unanswered, match="more than 10,000 grids in an answer"):
            judge(load(SEVERAL), claims, cut, lambda: truth_of(SEVERAL))  # type: ignore[arg-type]
    cut = replace(answer("10/01 10/01"), more=1)
    found = judge(load(SEVERAL), "all", cut, lambda: truth_of(SEVERAL))
    assert found is not None
    assert (found.group, format_reply(cut)) == ("duplicate-solution", "10/01 10/01")
    assert contradiction("all", cut, answer("")) is None


def test_a_puzzle_asked_again() -> None:
    one, other, both = answer("10/01"), answer("01/10"), answer("10/01 01/10")
    assert contradiction("one", one, other) is None
    assert contradiction("one", one, answer("")) is not None
    assert contradiction("all", both, answer("01/10 10/01")) is None
    assert contradiction("all", one, both) is not None
    assert contradiction("fewest", one, other) is None
    assert contradiction("fewest", one, answer("10/01 11/11")) is None  # both have a solution of two presses
    assert contradiction("fewest", one, answer("11/10")) is not None
    assert contradiction("unique", answer("10/01", True), answer("10/01", False)) is not None
    assert contradiction("unique", answer("10/01", False), answer("01/10", False)) is None
    assert contradiction("unique", answer("10/01 10/01"), answer("10/01", True)) is None
    assert contradiction("unique", both, answer("10/01", True)) is not None
    assert contradiction("one", one, SolverFailure("crash", "")) is None
    assert contradiction("all", one, Abstention("unknown")) is None


def test_a_right_answer_that_is_shown_has_the_fewest_presses_if_they_are_claimed() -> None:
    assert format_right("fewest", truth_of("100/011")) == "011/000 (2 presses)"


def test_every_word_is_documented() -> None:
    assert {"contradicts-itself", *get_args(Problem)} == CERTAIN <= set(PROBLEMS)
