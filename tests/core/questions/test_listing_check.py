"""Lists that are accepted as complete, by synthetic runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from crosslit import Grid, Limits, load, solutions
from crosslit.contract.run import Run
from crosslit.judging.answers import judge_count
from crosslit.kinds import Puzzle, Row
from crosslit.questions import enumerate as listing
from crosslit.questions.enumerate import Enumeration, Lister, NotAList
from crosslit.registry import select_one
from crosslit.registry.defaults import checks_of
from crosslit.registry.table import NONOGRAM
from crosslit.runs.job import Job
from crosslit.runs.runner import Sink
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
    lister = Lister(puzzle, choice, runner, lambda _: None, checks)
    return lister.run([grid.packed for grid in known])


def problems(outcome: Enumeration) -> list[tuple[str, str]]:
    return [(finding.backend, finding.problem) for finding in outcome.findings]


def test_a_list_of_as_many_as_the_nullity_says_is_complete() -> None:
    outcome = listed(BOARD, ("complete", list(solutions(BOARD, "gauss"))))
    assert (problems(outcome), outcome.found, outcome.complete) == ([], 16, True)


def test_a_shorter_list_is_no_evidence_for_the_number_of_a_longer_one() -> None:
    runs = [Run(name, status="complete", trusted_base=frozenset({name}), counted=n) for name, n in (("a", 6), ("b", 5))]
    counted = judge_count(PERMUTATIONS, [], Limits(None), runs)
    assert (counted.number, counted.evidence, counted.by) == (6, "claimed", ("a",))


def test_a_list_that_the_nullity_contradicts_is_not_complete() -> None:
    outcome = listed(BOARD, ("complete", list(solutions(BOARD, "gauss"))[:-1]))
    assert problems(outcome) == [("glucose4", "contradicts-nullity")]
    assert (outcome.found, outcome.complete, outcome.evidence) == (15, False, None)


def test_a_list_that_lacks_what_the_check_finds_is_not_complete() -> None:
    outcome = listed(PERMUTATIONS, ("complete", SIX[:-1]), ("complete", SIX), check="line")
    assert problems(outcome) == [("glucose4", "missing-solution")]
    assert (outcome.complete, outcome.evidence, outcome.by) == (False, None, ())


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
    outcome = Lister(
        LONG, choice, runner, lambda _: None, checked_by(check, LONG) if check else checks_of(choice, LONG)
    ).run()
    assert dict(problems(outcome)) == problem
    assert (outcome.evidence, outcome.complete) == (evidence, evidence is not None)
    assert outcome.reason.startswith(reason)
    assert list(runner.left) == []


def test_a_wrong_solution_ends_an_ordered_list_though_the_next_ones_ascend() -> None:
    went_on: list[bool] = []

    class Noting(Scripted):
        def run(self, job: Job, sink: Sink | None = None) -> Run:
            assert sink is not None
            return super().run(job, lambda packed: went_on.append(sink(packed)) or True)

    right = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)
    runner: Any = Noting(("complete", [right[0], Grid.from_bits(4, 4, 1 << 15), right[1]]))
    outcome = Lister(BOARD, select_one("gauss", BOARD), runner, lambda _: None).run()
    assert (went_on[:2], problems(outcome)) == ([True, False], [("gauss", "wrong-solution")])


def test_a_run_that_lacks_a_single_solution_that_was_known_before_is_wrong() -> None:
    outcome = listed(PERMUTATIONS, ("complete", SIX[1:]), known=SIX)
    assert problems(outcome) == [("glucose4", "missing-solution")]
    assert (outcome.found, outcome.complete) == (6, False)


def test_an_ordered_run_that_ends_before_the_known_solutions_lacks_some_of_them() -> None:
    known = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)
    outcome = listed(BOARD, ("complete", []), known=known, by="gauss")
    assert ("gauss", "missing-solution") in problems(outcome)


def test_only_the_run_that_lists_is_limited_and_an_ordered_one_repeats_one_known_solution() -> None:
    known = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)
    ordered, checked = Scripted(("complete", known[2:]), limit=10), Scripted(ALL, ALL, limit=10)
    for puzzle, backend, runner, grids in ((BOARD, "gauss", ordered, known[:3]), (LONG, "glucose4", checked, [])):
        choice, tools = select_one(backend, puzzle), cast(Any, runner)
        checks = checked_by("line", puzzle) if runner is checked else None
        Lister(puzzle, choice, tools, lambda _: None, checks).run([grid.packed for grid in grids])
    (first,) = ordered.asked
    assert (first.request.skip, first.limits.solutions) == (2, 10 - 2)
    assert [job.limits.solutions for job in checked.asked] == [10, None]


@pytest.mark.parametrize("more", [0, 2])
def test_no_more_solutions_than_are_wanted_are_asked_for(more: int) -> None:
    known, runner = (
        sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)[:3],
        cast(Any, Scripted(("limit", []))),
    )
    lister = Lister(BOARD, select_one("gauss", BOARD), runner, lambda _: None, more=more)
    lister.run([grid.packed for grid in known])
    assert [job.limits.solutions for job in runner.asked] == [1 + more]  # the last known one, once


def test_an_ordered_list_is_found_again_by_the_check() -> None:
    every = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)
    outcome = listed(BOARD, ("complete", every), ("complete", every[::-1]), by="gauss", check="polynomial")
    assert (outcome.evidence, outcome.by, outcome.consistent) == ("agreed", ("gauss", "polynomial"), True)
    runs: list[Script] = [("complete", every), ("complete", every[1:]), ("complete", 16)]
    outcome = listed(BOARD, *runs, by="gauss", check="polynomial")
    assert (problems(outcome), outcome.consistent) == ([("polynomial", "missing-solution")], False)


def test_a_list_that_did_not_end_is_not_checked() -> None:
    outcome = listed(PERMUTATIONS, ("timeout", SIX[:2]), check="line")
    assert (outcome.found, outcome.complete, outcome.evidence, problems(outcome)) == (2, False, None, [])
    assert outcome.reason == "glucose4: stopped after 60 s"


def test_what_is_known_is_read_before_the_list_is_ready_and_that_before_anything_is_delivered() -> None:
    events: list[str] = []

    class Guarded(Scripted):
        @contextmanager
        def guard(self) -> Iterator[None]:
            events.append("guarded")
            yield
            events.append("free")

    def known() -> Iterator[bytes]:
        events.append("read")
        yield SIX[0].packed

    runner: Any = Guarded(("complete", SIX[:2]))
    lister = Lister(PERMUTATIONS, select_one("glucose4", PERMUTATIONS), runner, lambda _: events.append("delivered"))
    lister.on_batch = lambda: events.append("arrived")
    lister.run(known(), lambda: events.append("ready"))
    assert events == ["guarded", "read", "ready", "arrived", "arrived", "delivered", "free"]


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (("limit", SIX[:2]), "stopped at 2, as requested; there may be more"),
        (("timeout", SIX[:2]), "stopped after 60 s"),
        (("memory", SIX[:2]), "stopped at 4096 MB of memory"),
        (("gave-up", SIX[:2]), "gave-up"),
        (("complete", [SIX[0], SIX[0]]), "its number of solutions is contradicted"),
        (("timeout", [SIX[0], SIX[0]]), "it is wrong"),
    ],
)
def test_an_incomplete_list_says_why(run: Script, reason: str) -> None:
    runner: Any = Scripted(run, limit=2)
    lister = Lister(PERMUTATIONS, select_one("glucose4", PERMUTATIONS), runner, lambda _: None)
    assert (lister.run().reason, lister.outcome.complete) == (f"glucose4: {reason}", False)


def test_a_limit_cuts_a_batch_that_has_more() -> None:
    delivered: list[bytes] = []
    batch: Any = SimpleNamespace(packed=b"".join(grid.packed for grid in SIX[:4]))
    runner: Any = Scripted(("limit", [batch]), limit=3)
    lister = Lister(PERMUTATIONS, select_one("glucose4", PERMUTATIONS), runner, delivered.append)
    lister.run([SIX[5].packed])
    assert (b"".join(delivered), lister.outcome.found, lister.outcome.known) == (batch.packed[: 2 * 2], 3, 1)
    assert [number for _, number in lister.outcome.runs] == [2]


def test_an_ordered_list_repeats_nothing_across_an_empty_batch() -> None:
    first, empty = min(solutions(BOARD, "gauss"), key=lambda grid: grid.text), cast(Any, SimpleNamespace(packed=b""))
    assert problems(listed(BOARD, ("complete", [first, empty, first]), by="gauss"))[0][1] == "duplicate-solution"


@pytest.mark.parametrize(("given", "check"), [(SIX[2:], ("complete", SIX)), (SIX[1:], ("timeout", SIX[:2]))])
def test_the_first_solution_that_a_check_finds_first_is_the_witness_even_if_it_times_out(
    given: list[Grid], check: Script
) -> None:
    (finding,) = listed(PERMUTATIONS, ("complete", given), check, check="line").findings
    assert (finding.backend, finding.problem, finding.witness) == ("glucose4", "missing-solution", SIX[0].text)


def test_a_known_and_a_repeated_solution_in_one_batch_are_told_apart() -> None:
    known, new = SIX[:2]
    batch: Any = SimpleNamespace(packed=known.packed + new.packed * 2)
    outcome = listed(PERMUTATIONS, ("complete", [batch]), known=[known])
    assert problems(outcome) == [("glucose4", "duplicate-solution")]
    assert (outcome.known, outcome.found) == (1, 2)


IN_ORDER = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)


@pytest.mark.parametrize(
    ("by", "known", "limit", "skip", "bound"),
    [
        ("gauss", 0, None, 0, None),
        ("gauss", 0, 10, 0, 10),
        ("gauss", 1, None, 0, None),
        ("gauss", 3, 10, 2, 8),  # the last known one again
        ("gauss", 10, 10, 9, 1),
        ("gauss", 12, 10, 11, 1),
        ("glucose4", 0, 10, 0, 10),
        ("glucose4", 3, 10, 0, None),  # it gives the known ones again, at any place
    ],
)
def test_a_list_is_continued_after_what_is_known_if_there_is_an_order(
    by: str, known: int, limit: int | None, skip: int, bound: int | None
) -> None:
    runner: Any = Scripted(("limit", IN_ORDER[skip : skip + 1]), limit=limit)
    Lister(BOARD, select_one(by, BOARD), runner, lambda _: None).run([each.packed for each in IN_ORDER[:known]])
    (job,) = runner.asked
    assert (job.request.skip, job.request.batched, job.limits.solutions) == (skip, True, bound)


@pytest.mark.parametrize("by", ["gauss", "glucose4"])
@pytest.mark.parametrize(
    ("batches", "problem"),
    [
        ([[0, 1, 2], [3, None]], "solution 5: row 1, column 1 stays lit"),
        ([[None]], "solution 1: row 1, column 1 stays lit"),
        ([[0, 1, 2], [3, 2]], "solution 5: it is (repeated|out of order)"),
        ([[0, 1, 1, 2]], "solution 3: it is (repeated|out of order)"),
    ],
)
def test_a_list_with_a_fault_is_not_continued_and_its_place_is_named(
    by: str, batches: list[list[int | None]], problem: str
) -> None:
    wrong = Grid.from_text("1000/0000/0000/0000")
    known = [b"".join((wrong if at is None else IN_ORDER[at]).packed for at in batch) for batch in batches]
    lister = Lister(BOARD, select_one(by, BOARD), cast(Any, Scripted()), lambda _: None)
    with pytest.raises(NotAList, match=f"^{problem}$"):
        lister.run(known)


@pytest.mark.parametrize("known", [0, 16])
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
    monkeypatch: pytest.MonkeyPatch, by: str, check: str, most: int, is_kept: bool, known: int
) -> None:
    monkeypatch.setattr(listing, "MAX_KEPT", most)
    choice, runner = select_one(by, BOARD), cast(Any, Scripted(("timeout", IN_ORDER[max(0, known - 1) :])))
    lister = Lister(BOARD, choice, runner, lambda _: None, checked_by(check, BOARD))
    kept: list[bool] = []
    read = [each.packed for each in IN_ORDER[:known]]
    assert lister.run(read, lambda: kept.append(lister.keeps_solutions)).found == 16
    assert kept == [is_kept or not known]
    assert (lister.keeps_solutions) == is_kept
