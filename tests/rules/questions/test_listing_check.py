"""Lists that are accepted as complete, by synthetic runs."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from crosslit import Grid, load, solutions
from crosslit.kinds import Puzzle
from crosslit.questions import enumerate as listing
from crosslit.questions.enumerate import Enumeration, Lister
from crosslit.registry import select_one
from crosslit.registry.defaults import checks_of
from crosslit.registry.table import NONOGRAM, Row
from tests.driving import Script, Scripted, checked_by

BOARD = load("0000/0000/0000/0000")  # 16 solutions, as its nullity says too
PERMUTATIONS = load("1,1,1|1,1,1")  # six solutions, and nothing but runs says so
SIX = list(solutions(PERMUTATIONS, "line"))


def listed(
    puzzle: Puzzle, *runs: Script, known: Sequence[Grid] = (), check: str = "", by: str = "glucose4"
) -> Enumeration:
    runner: Any = Scripted(*runs)
    choice = select_one(by, puzzle)
    checks = checked_by(check, puzzle) if check else None
    lister = Lister(Enumeration(puzzle), choice, runner, lambda _: None, checks)
    return lister.run([grid.packed for grid in known])


def problems(outcome: Enumeration) -> list[tuple[str, str]]:
    return [(finding.backend, finding.problem) for finding in outcome.findings]


def test_a_list_that_the_nullity_contradicts_is_not_complete() -> None:
    outcome = listed(BOARD, ("complete", list(solutions(BOARD, "gauss"))[:-1]))
    assert problems(outcome) == [("glucose4", "contradicts-nullity")]
    assert (outcome.found, outcome.complete, outcome.evidence) == (15, False, None)


def test_a_list_is_complete_only_if_its_run_is_not_to_blame_and_all_agree_on_the_number() -> None:
    outcome = listed(PERMUTATIONS, ("complete", [*SIX, SIX[0]]), ("complete", SIX), check="line")
    assert (problems(outcome), outcome.complete) == ([("glucose4", "duplicate-solution")], False)
    fifteen = list(solutions(BOARD, "gauss"))[:-1]
    outcome = listed(BOARD, ("complete", fifteen), ("complete", fifteen), check="gauss")
    assert problems(outcome) == [(name, "disagreement") for name in ("glucose4", "gauss", "nullity")]
    assert (outcome.complete, outcome.evidence) == (False, None)


def test_a_check_that_did_not_end_lacks_nothing_and_agrees_with_nothing() -> None:
    outcome = listed(PERMUTATIONS, ("complete", SIX), ("timeout", SIX[:-1]), check="line")
    assert problems(outcome) == []
    assert (outcome.complete, outcome.evidence, outcome.by) == (True, "claimed", ("glucose4",))
    assert outcome.reason.startswith("not cross-checked: line: stopped after")


LONG = load("1,1,1,0|1,1,1,0")  # six solutions too, of more cells than brute force takes
EACH = list(solutions(LONG, "line"))
ALL: Script = ("complete", EACH)
DIFFER = {"glucose4": "counts-differ", "frontier": "counts-differ"}
LATE: Script = ("timeout", EACH[1:])


@pytest.mark.parametrize(
    ("check", "runs", "problem", "evidence", "reason"),
    [
        (None, [ALL, ("complete", 6)], {}, "agreed", ""),
        ("frontier", [ALL, ("complete", 6)], {}, "agreed", ""),
        ("frontier", [ALL, ("timeout", 0)], {}, "claimed", "not cross-checked: frontier: stopped after"),
        ("frontier", [ALL, ("complete", 5)], {"frontier": "wrong-count"}, "claimed", "not cross-checked: frontier: it"),
        ("frontier", [ALL, ("complete", 7)], DIFFER, None, "glucose4: its"),
        (None, [ALL, ("complete", 7), ALL], {"frontier": "wrong-count"}, "agreed", ""),
        (None, [("complete", EACH[1:]), ("complete", 6), ALL], {"glucose4": "missing-solution"}, None, "glucose4: it"),
        (None, [ALL, ("timeout", 0), ALL], {}, "agreed", ""),
        (None, [ALL, ("timeout", 0), LATE, ALL], {}, "agreed", ""),
        (None, [ALL, ("timeout", 0), ("complete", EACH[1:]), ALL], {"line": "missing-solution"}, "agreed", ""),
    ],
)  # fmt: skip
def test_a_long_list_is_complete_if_an_independent_backend_counts_or_finds_as_many(
    check: str | None,
    runs: list[Script],
    problem: dict[str, str],
    evidence: str | None,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listing, "FEW", 4)
    monkeypatch.setitem(NONOGRAM, "count", Row(("frontier",), ("frontier", "line", "alignment")))
    runner: Any = Scripted(*runs)
    choice = select_one("glucose4", LONG)
    checks = checked_by(check, LONG) if check else checks_of(choice, LONG)
    outcome = Lister(Enumeration(LONG), choice, runner, lambda _: None, checks).run()
    assert dict(problems(outcome)) == problem
    assert (outcome.evidence, outcome.complete) == (evidence, evidence is not None)
    assert outcome.reason.startswith(reason)
    assert list(runner.left) == []
    assert not any(job.request.batched for job in runner.asked[1:])


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (("limit", SIX[:2]), "stopped at 2, as requested; there may be more"),
        (("timeout", SIX[:2]), "stopped after 60 s"),
        (("memory", SIX[:2]), "stopped at 4,096 MB of memory"),
        (("gave-up", SIX[:2]), "gave-up"),
        (("complete", [SIX[0], SIX[0]]), "its number of solutions is contradicted"),
        (("timeout", [SIX[0], SIX[0]]), "it is wrong"),
    ],
)
def test_an_incomplete_list_says_why(run: Script, reason: str) -> None:
    runner: Any = Scripted(run, limit=2)
    outcome = Lister(Enumeration(PERMUTATIONS), select_one("glucose4", PERMUTATIONS), runner, lambda _: None).run()
    assert (outcome.reason, outcome.complete, f"reason: {outcome.reason}" in str(outcome)) == (
        f"glucose4: {reason}",
        False,
        True,
    )


def test_an_ordered_list_repeats_nothing_across_an_empty_batch() -> None:
    first, empty = min(solutions(BOARD, "gauss"), key=lambda grid: grid.text), cast(Any, SimpleNamespace(packed=b""))
    assert problems(listed(BOARD, ("complete", [first, empty, first]), by="gauss"))[0][1] == "duplicate-solution"


@pytest.mark.parametrize(("given", "check"), [(SIX[2:], ("complete", SIX)), (SIX[1:], ("timeout", SIX[:2]))])
def test_the_first_solution_that_a_check_finds_first_is_the_witness_even_if_it_times_out(
    given: list[Grid], check: Script
) -> None:
    (finding,) = listed(PERMUTATIONS, ("complete", given), check, check="line").findings
    assert (finding.backend, finding.problem, finding.witness) == ("glucose4", "missing-solution", SIX[0].text)


IN_ORDER = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)


@pytest.mark.parametrize(
    ("by", "check", "most", "is_kept"),
    [
        ("gauss", "polynomial", 15, False),
        ("gauss", "polynomial", 16, True),
        ("gauss", "cadical195", 15, True),  # which cannot count
        ("glucose4", "gauss", 15, True),  # its order is unknown
    ],
)
def test_a_long_ordered_list_is_kept_only_if_it_cannot_be_counted(
    monkeypatch: pytest.MonkeyPatch, by: str, check: str, most: int, is_kept: bool
) -> None:
    monkeypatch.setattr(listing, "MAX_KEPT", most)
    choice, runner = select_one(by, BOARD), cast(Any, Scripted(("timeout", IN_ORDER)))
    lister = Lister(Enumeration(BOARD), choice, runner, lambda _: None, checked_by(check, BOARD))
    assert lister.run().found == 16
    assert (lister.keeps_solutions, any(lister.solutions.all())) == (is_kept, is_kept)
