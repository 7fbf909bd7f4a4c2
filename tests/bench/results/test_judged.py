"""Results of all runs together: times of the answers, and findings with wrong answers first."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report.puzzles import find_wrong_answers
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.store import Store

from crosslit import Grid, load
from crosslit.contract.run import Run, Timing
from tests.bench.report.test_document import BOTH, honest
from tests.bench.reports import CORNER, campaign, named, solved, unsolved


def test_a_run_that_was_refused_is_not_asked_and_no_failure(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run:
        return Run("", status={"a": "unsupported", "b": "timeout"}[label]) if label in "ab" else honest(instance, label)

    seconds = campaign(tmp_path, BOTH[:1], ["a", "b", "c"], run).table().seconds
    assert np.isnan(seconds[0, 0])
    assert math.isinf(seconds[0, 1])
    assert seconds[0, 2] > 0


def test_wrong_answers_come_before_other_findings(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run:
        if label == "good":
            return honest(instance, label)
        if instance.puzzle == BOTH[0].puzzle:
            late = solved(0.01, CORNER)
            late.timing = Timing(late.timing.phases, 0.01, 4.0)
            return late
        return solved(0.01)  # no solution, it says

    found = campaign(tmp_path, BOTH, ["good", "odd"], run).findings
    assert [(judged.instance.puzzle, finding.problem) for judged, finding in found] == [
        (BOTH[1].puzzle, "false-unsolvable"),
        (BOTH[0].puzzle, "timing"),
    ]


def test_a_wrong_grid_before_a_timeout_is_a_wrong_answer(tmp_path: Path) -> None:
    found = campaign(tmp_path, BOTH[:1], ["odd"], lambda *_: unsolved(grids=[Grid.from_text("000/000/000")]))
    assert [record["judgement"] for record in found.records()] == ["wrong"]


def test_the_order_of_stored_runs_changes_no_verdict(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run:
        return solved(0.01) if label == "odd" else solved(0.01, Grid.from_text("000/000/000"))

    orders = [campaign(tmp_path, BOTH[:1], labels, run) for labels in (["even", "odd"], ["odd", "even"])]
    one, other = ([judged.comparison.json() for judged in found.judged] for found in orders)
    assert one == other


def test_a_wrong_answer_is_not_solved(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run:
        right = label == "good" or instance.puzzle == BOTH[0].puzzle
        return honest(instance, label) if right else solved(0.01)

    campaign(tmp_path, BOTH, ["good", "odd"], run)
    with Store(tmp_path / "results.sqlite") as store:
        known = campaign_status(store).scores
        scores = {
            score.contestant.label: (score.solved, sum(score.statuses.values()), score.seconds) for score in known
        }
    assert scores == {"good": (2, 2, 0.01), "odd": (1, 2, None)}


def test_a_disagreement_with_the_nullity_disqualifies_nobody_and_solves_nothing(tmp_path: Path) -> None:
    dark = named(load("00/00/00"), "dark")  # four solutions, of which two lineages find one
    found = campaign(
        tmp_path,
        [dark],
        ["a", "b"],
        lambda _, label: solved(0.01, Grid.from_bits(3, 2, 0), trusted_base=frozenset({label})),
    )
    assert [(finding.backend, finding.problem) for _, finding in found.findings] == [
        (name, "disagreement") for name in ("a", "b", "nullity")
    ]
    assert not any(contestant.disqualified for contestant in found.contestants)
    assert {record["judgement"] for record in found.records()} == {"undecided"}
    shown = find_wrong_answers(found)
    assert (shown["verdicts"], [wrong["guilty"] for wrong in shown["listed"]]) == (
        [],
        ["a", "b", "the computed nullity"],
    )
