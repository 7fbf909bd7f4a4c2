"""The main numbers of an analysis, recomputed from the exported runs without Crosslit's analysis."""

from __future__ import annotations

import csv
import io
import math
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis.tables import tables
from crosslit_bench.results.frame import load, written
from crosslit_bench.store.store import Store
from scipy import stats

from tests.bench.synthetic import fill

Times = dict[str, dict[str, float]]  # by contestant and puzzle, in seconds; inf if unsolved


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, str]], dict[str, list[dict[str, Any]]]]:
    """The exported runs of a campaign of 14 contestants, some of them wrong, and its analysis."""
    path = fill(tmp_path_factory.mktemp("recompute") / "s.sqlite", 600, repetitions=2, wrong="glucose4/full-cut4")
    with Store(path) as store:
        runs = list(csv.DictReader(io.StringIO("".join(written(load(store).records(), "csv")))))
        return runs, tables(load(store).by_machine().table())


@pytest.fixture(scope="module")
def times(both: tuple[list[dict[str, str]], Any]) -> dict[str, Times]:
    """The median times of the contestants without a wrong answer, by kind of puzzle."""
    runs, _ = both
    harmless = {"disagreement", "error", "timing", "stray-output", "orphaned-process", "nondeterminism"}
    wrong = {run["contestant"] for run in runs if set(run["problems"].split()) - harmless}
    assert wrong == {"glucose4/full-cut4"}
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for run in runs:
        if run["contestant"] not in wrong and run["status"] != "unsupported":
            seconds = float(run["total"]) if run["judgement"] == "right" else math.inf
            own = found.setdefault(run["kind"], {}).setdefault(run["contestant"], {})
            own.setdefault(run["puzzle"], []).append(seconds)
    return {
        kind: {who: {puzzle: median(some) for puzzle, some in own.items()} for who, own in contestants.items()}
        for kind, contestants in found.items()
    }


@pytest.fixture(scope="module")
def limit(both: tuple[list[dict[str, str]], Any]) -> float:
    return float(both[0][0]["limit_seconds"])


def par2(values: list[float], limit: float) -> float:
    return sum(2 * limit if math.isinf(value) else value for value in values) / len(values)


def virtual_best(contestants: Times, without: str = "") -> list[float]:
    puzzles = dict.fromkeys(puzzle for own in contestants.values() for puzzle in own)
    return [
        min((own.get(puzzle, math.inf) for who, own in contestants.items() if who != without)) for puzzle in puzzles
    ]


def test_solved_counts_par2_and_medians_follow_from_the_runs(both: Any, times: dict[str, Times], limit: float) -> None:
    ranking = {(score["kind"], score["label"]): score for score in both[1]["ranking"]}
    assert ranking.keys() == {(kind, who) for kind, contestants in times.items() for who in contestants}
    for (kind, who), score in ranking.items():
        values = list(times[kind][who].values())
        assert (score["asked"], score["solved"]) == (len(values), sum(map(math.isfinite, values)))
        assert score["par2"] == pytest.approx(par2(values, limit))
        assert score["median"] == pytest.approx(median(values))


def test_the_virtual_best_solver_and_the_contributions_follow_from_the_runs(
    both: Any, times: dict[str, Times], limit: float
) -> None:
    for portfolio in both[1]["portfolio"]:
        contestants = times[portfolio["kind"]]
        best = virtual_best(contestants)
        assert (portfolio["puzzles"], portfolio["solved"]) == (len(best), sum(map(math.isfinite, best)))
        assert portfolio["par2"] == pytest.approx(par2(best, limit))
        single = min(contestants, key=lambda who: par2(list(contestants[who].values()), limit))
        assert portfolio["best"] == single
        assert portfolio["best_par2"] == pytest.approx(par2(list(contestants[single].values()), limit))
        for score in both[1]["ranking"]:
            if score["kind"] == portfolio["kind"]:
                loss = par2(virtual_best(contestants, score["label"]), limit) - par2(best, limit)
                assert score["contribution"] == pytest.approx(loss, abs=1e-9)


def test_paired_tests_follow_from_the_runs(both: Any, times: dict[str, Times], limit: float) -> None:
    pairs = {(pair["a"], pair["b"]): pair for pair in both[1]["pairs"]}
    for contestants in times.values():
        for a, b in combinations(contestants, 2):
            pair = pairs.get((a, b)) or pairs[b, a]
            first, second = (
                np.array([contestants[pair[who]][puzzle] for puzzle in contestants[a] if puzzle in contestants[b]])
                for who in "ab"
            )
            longer = np.fmax(first, second)
            both_solved = np.isfinite(first) & np.isfinite(second)
            with np.errstate(invalid="ignore"):
                apart = np.abs(first - second) > np.maximum(0.05 * longer, 1e-3)
            decided = np.where(both_solved, apart, np.isfinite(first) != np.isfinite(second))
            wins = decided & (first < second), decided & (second < first)
            assert (pair["wins_a"], pair["wins_b"]) == (wins[0].sum(), wins[1].sum())
            solved = np.concatenate([first[np.isfinite(first)], second[np.isfinite(second)], [limit]])
            logs = [np.log(np.where(np.isinf(own), 2 * solved.max(), own)) for own in (first, second)]
            difference = (logs[0] - logs[1])[decided]
            if len(np.unique(np.abs(difference))) == len(difference) > 0:
                method = "exact" if len(difference) <= 50 else "auto"
                assert pair["p"] == pytest.approx(stats.wilcoxon(difference, method=method).pvalue)
            if decided.any():
                assert pair["p_sign"] == pytest.approx(stats.binomtest(int(wins[0].sum()), int(decided.sum())).pvalue)
            if both_solved.any():
                ratio = math.exp((logs[0] - logs[1])[both_solved].mean())
                assert pair["ratio"] == pytest.approx(ratio)


def test_p_values_are_adjusted_by_the_method_of_holm(both: Any) -> None:
    found = sorted((pair["p"], pair["p_adjusted"]) for pair in both[1]["pairs"])
    largest = 0.0
    for rank, (p, adjusted) in enumerate(found):
        largest = max(largest, min(1.0, (len(found) - rank) * p))
        assert adjusted == pytest.approx(largest)
