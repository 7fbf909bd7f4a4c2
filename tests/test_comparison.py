"""The judge on runs that are made up: what follows from what."""

from __future__ import annotations

from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.comparison import judge
from crosslit.findings import PROBLEMS
from crosslit.records import Comparison, Run, Timing
from tests.conftest import all_grids

PUZZLE = load("1,1|1,1")  # two solutions
ONE, OTHER, WRONG = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00"))


def run(name: str, *grids: Grid, status: str = "complete", trusts: str = "", **more: Any) -> Run:
    return Run(backend=name, status=status, grids=list(grids), trusts=frozenset({trusts or name}), **more)  # type: ignore[arg-type]


def judged(*runs: Run, puzzle: Any = PUZZLE) -> Comparison:
    return judge(puzzle, list(runs), Limits())


def test_two_lineages_that_agree() -> None:
    verdict = judged(run("a", ONE, OTHER), run("b", OTHER, ONE)).verdict
    assert (verdict.status, verdict.solutions, verdict.complete) == ("multiple", 2, True)
    assert (verdict.evidence, verdict.by) == ("agreed", ("a", "b"))


def test_one_lineage_does_not_vouch_for_itself() -> None:
    verdict = judged(run("a", ONE, OTHER, trusts="chase"), run("b", ONE, OTHER, trusts="chase")).verdict
    assert (verdict.evidence, verdict.by) == ("claimed", ("a",))


def test_brute_force_is_the_best_evidence() -> None:
    verdict = judged(run("a", ONE, OTHER), run("b", ONE, OTHER), run("brute", ONE, OTHER)).verdict
    assert (verdict.evidence, verdict.by) == ("brute-force", ("brute",))


def test_two_solutions_are_witnesses_whoever_found_them() -> None:
    verdict = judged(run("a", ONE, status="timeout"), run("b", OTHER, status="limit")).verdict
    assert (verdict.status, verdict.solutions, verdict.at_least) == ("multiple", None, 2)
    assert (verdict.complete, verdict.evidence, verdict.by) == (False, "witnessed", ("a", "b"))


def test_one_solution_without_a_complete_run_decides_nothing() -> None:
    verdict = judged(run("a", ONE, status="limit")).verdict
    assert (verdict.status, verdict.at_least, verdict.evidence, verdict.by) == ("undecided", 1, None, ())


def test_a_run_that_lacks_a_checked_solution_is_not_believed() -> None:
    comparison = judged(run("a", ONE), run("b", ONE), run("c", OTHER, status="limit"))
    assert [(f.backend, f.problem, f.witness) for f in comparison.findings] == [
        ("a", "false-unique", "01/10"),
        ("b", "false-unique", "01/10"),
    ]
    assert comparison.verdict.status == "multiple"
    assert comparison.verdict.evidence == "witnessed"


def test_a_wrong_solution_counts_for_nothing() -> None:
    comparison = judged(run("a", WRONG), run("b", ONE, OTHER))
    assert [(f.backend, f.problem) for f in comparison.findings] == [("a", "wrong-solution"), ("a", "missing-solution")]
    assert comparison.findings[0].detail == "row 1 has blocks 2, its clue is 1"
    assert comparison.solutions == [OTHER, ONE]


def test_a_run_with_a_wrong_solution_is_not_believed_when_it_says_that_there_are_no_others() -> None:
    comparison = judged(run("a", WRONG))
    assert comparison.verdict.status == "undecided"


def test_a_run_that_did_not_finish_claims_nothing() -> None:
    for status in ("limit", "gave-up", "timeout", "memory", "interrupted", "unsupported"):
        assert judged(run("a", status=status), run("b", ONE, OTHER)).consistent


def test_the_number_of_solutions_of_a_board_is_checked_against_its_nullity() -> None:
    board = load("00/00/00")  # nullity 2
    comparison = judged(run("a", Grid.from_bits(3, 2, 0)), puzzle=board)
    assert comparison.nullity == 2
    assert [(f.backend, f.problem) for f in comparison.findings] == [("a", "contradicts-nullity")]
    assert comparison.verdict.status == "undecided"


def test_a_nullity_that_sound_runs_contradict_is_itself_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    board = load("00/00/00")
    grids = [grid for grid in all_grids(3, 2) if not any(board.violations(grid))]
    # too small for what was found, by complete runs or not; too large, but two lineages agree
    for nullity, runs, status in ((1, ["a"], "complete"), (1, ["a"], "limit"), (3, ["a", "b"], "complete")):
        monkeypatch.setattr("crosslit.comparison.gf2.board_nullity", lambda *_, nullity=nullity: nullity)
        comparison = judged(*(run(name, *grids, status=status) for name in runs), puzzle=board)
        assert [(f.backend, f.problem) for f in comparison.findings] == [("nullity", "contradicts-nullity")]
        assert (comparison.verdict.status, comparison.verdict.at_least) == ("multiple", 4)


def test_every_run_of_one_lineage_is_to_blame_for_too_few_solutions() -> None:
    grid = Grid.from_bits(3, 2, 0)
    comparison = judged(run("a", grid, trusts="x"), run("b", grid, trusts="x"), puzzle=load("00/00/00"))
    assert [(f.backend, f.problem) for f in comparison.findings] == [
        ("a", "contradicts-nullity"),
        ("b", "contradicts-nullity"),
    ]


@pytest.mark.parametrize("status", ["complete", "limit", "gave-up"])
def test_the_time_of_every_run_that_tells_its_end_is_checked(status: str) -> None:
    timing = Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=2.0, overhead=0.1)
    comparison = judged(run("a", ONE, OTHER, status=status, timing=timing))
    assert [finding.problem for finding in comparison.findings] == ["timing"]


@pytest.mark.parametrize(
    ("timing", "threads", "wrong"),
    [
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=1.1, overhead=0.1), 1, False),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=1.3, overhead=0.1), 1, True),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=0.8, overhead=0.0), 1, True),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=2.0, wall=1.0, overhead=0.0), 1, True),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=2.0, wall=1.0, overhead=0.0), 2, False),
        (Timing({"encode": 0, "load": 0, "solve": 0.01, "decode": 0}, cpu=0.02, wall=0.029, overhead=0.0), 1, False),
    ],
)
def test_unexplained_time_is_found_beyond_a_tenth_and_twenty_milliseconds(
    timing: Timing, threads: int, wrong: bool
) -> None:
    comparison = judged(run("a", ONE, OTHER, timing=timing, threads=threads))
    assert [finding.problem for finding in comparison.findings] == (["timing"] if wrong else [])
    assert comparison.verdict.status == "multiple"


def test_every_finding_uses_a_documented_word() -> None:
    comparison = judged(
        run("a", WRONG, ONE, ONE), run("b"), run("c", status="error", error="?"), run("d", ONE, OTHER, stray="hello")
    )
    assert {finding.problem for finding in comparison.findings} <= set(PROBLEMS)
    assert {finding.backend for finding in comparison.findings} == {"a", "b", "c", "d"}
