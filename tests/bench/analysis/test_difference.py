"""``crosslit bench diff``: verdicts, wrong answers, times and set-ups of two campaigns."""

from __future__ import annotations

import dataclasses
import json
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import scipy.stats
from click.testing import CliRunner
from crosslit_bench.analysis.difference import (
    MAX_P,
    Difference,
    VerdictChange,
    _trend,
    _verdict_words,
    difference,
    min_puzzles,
)
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.results.frame import Results
from crosslit_bench.store.outcome import Outcome

from crosslit import Grid
from crosslit.cli.group import root
from crosslit.contract.family import random_grid
from crosslit.contract.run import Run
from crosslit.kinds import Nonogram
from tests.bench.reports import HERE, LIMITS, Made, campaign, named, solved, unsolved
from tests.conftest import Command

PICTURES = [random_grid(random.Random(f"picture {number}"), 6, 6, 0.7) for number in range(12)]
PUZZLES = [named(Nonogram.of(grid), f"picture {number}", "pictures") for number, grid in enumerate(PICTURES)]
SOLUTIONS = {instance.puzzle.id: grid for instance, grid in zip(PUZZLES, PICTURES, strict=True)}


def right(instance: Instance, label: str, factor: float = 1.0) -> Run:
    """A run that takes 40 to 52 ms times a factor."""
    place = int(instance.puzzle.name.split()[1])
    return solved(factor * (0.04 + 0.001 * place), SOLUTIONS[instance.puzzle.id], trusted_base=frozenset({label}))


def results(folder: Path, made: dict[str, float], puzzles: int = 12, **changes: Made) -> Results:
    """A campaign in which each contestant is slower by a factor; a run may be another, as ``label_number``."""

    def run(instance: Instance, label: str) -> Made:
        other = changes.get(f"{label}_{instance.puzzle.name.split()[1]}")
        return right(instance, label, made[label]) if other is None else other

    folder.mkdir(exist_ok=True)
    return campaign(folder, PUZZLES[:puzzles], list(made), run)


def missing(label: str) -> Run:
    """A claim that there is no solution."""
    return solved(0.04, trusted_base=frozenset({label}))


def test_nothing_is_worse_where_times_only_vary(tmp_path: Path) -> None:
    old = results(tmp_path, {"quick": 1.0, "other": 2.0})
    found = difference(old, results(tmp_path, {"quick": 1.02, "other": 1.9}))
    assert not found.is_worse
    assert (found.puzzles, found.verdicts, found.wrong, found.setups) == (12, (), (), ())


@pytest.mark.slow
def test_a_planted_slow_down_and_a_planted_wrong_answer_are_found(tmp_path: Path, crosslit: Command) -> None:
    results(tmp_path / "old", {"quick": 1.0, "other": 2.0, "third": 1.0})
    results(tmp_path / "new", {"quick": 1.3, "other": 2.0, "third": 1.0}, other_3=missing("other"))
    stores = [str(tmp_path / name / "results.sqlite") for name in ("old", "new")]
    done = crosslit("bench", "diff", *stores, "--json")
    assert done.returncode == 1, done.stdout
    found = json.loads(done.stdout)
    assert [(one["contestant"], one["puzzle"]["name"], one["finding"]["problem"]) for one in found["wrong"]] == [
        ("other", "picture 3", "false-unsolvable")
    ]
    assert found["verdicts"] == []  # the correct ones are believed
    times = {one["contestant"]: one for one in found["times"]}
    assert {name: one["trend"] for name, one in times.items()} == {"quick": "slower", "other": "same", "third": "same"}
    assert times["quick"]["ratio"] == pytest.approx(1.3)
    assert (times["other"]["solved_old"], times["other"]["solved_new"]) == (12, 11)
    words = crosslit("bench", "diff", *stores).stdout
    assert "wrong: other: false-unsolvable on picture 3" in words
    assert crosslit("bench", "diff", stores[1], stores[1]).returncode == 0  # nothing of it is new


def test_a_slow_down_within_the_tolerance_is_accepted(tmp_path: Path) -> None:
    old, new = results(tmp_path, {"quick": 1.0}), results(tmp_path, {"quick": 1.3})
    assert difference(old, new).is_worse
    assert not difference(old, new, tolerance=0.4).is_worse
    assert [change.trend for change in difference(new, old).times] == ["faster"]


# with two contestants, the p-values are doubled
@pytest.mark.parametrize(
    ("puzzles", "labels", "trend"),
    [
        (7, ["a"], "too few puzzles"),
        (8, ["a"], "slower"),
        (8, ["a", "b"], "too few puzzles"),
        (9, ["a", "b"], "slower"),
    ],
)
def test_a_change_that_no_test_could_show_is_not_called_the_same(
    tmp_path: Path, puzzles: int, labels: list[str], trend: str
) -> None:
    times = [dict.fromkeys(labels, seconds) for seconds in (1.0, 2.0)]
    old, new = (results(tmp_path, contestants, puzzles=puzzles) for contestants in times)
    found = difference(old, new)
    assert {change.trend for change in found.times} == {trend}
    assert found.is_undecided == (trend == "too few puzzles")


@pytest.mark.parametrize(("count", "needed"), [(1, 8), (2, 9), (10, 11), (22, 13)])
def test_the_difference_says_how_many_puzzles_suffice(tmp_path: Path, count: int, needed: int) -> None:
    """It is the least number of equal changes that the test, adjusted for all backends, finds significant."""
    assert min_puzzles(count) == needed
    labels = [f"s{place}" for place in range(count)]
    p_values = [count * scipy.stats.wilcoxon(range(1, puzzles + 1)).pvalue for puzzles in (needed - 1, needed)]
    assert p_values[0] >= MAX_P > p_values[1]
    stores = [tmp_path / name for name in ("old", "new")]
    for folder in stores:
        results(folder, dict.fromkeys(labels, 1.0), puzzles=needed - 1, **{f"{labels[-1]}_0": unsolved()})
    done = CliRunner().invoke(root, ["bench", "diff", *(str(folder / "results.sqlite") for folder in stores)])
    assert done.output.rstrip("\n").splitlines()[-1] == (
        f"too few puzzles: for {count} backend{'s' * (count > 1)}, each needs {needed} that it solves in either file;"
        f" here at most {needed - 1 - (count == 1)}"
    )


def test_another_wrong_answer_of_the_same_backend_to_the_same_puzzle_is_new(tmp_path: Path) -> None:
    empty = solved(0.04, Grid.from_bits(6, 6, 0), trusted_base=frozenset({"liar"}))
    both = {"quick": 1.0, "liar": 1.0}
    old, new = (results(tmp_path, both, liar_3=run) for run in (missing("liar"), empty))
    assert {answer.finding.problem for answer in difference(old, new).wrong} == {"wrong-solution", "missing-solution"}
    assert [answer.finding.problem for answer in difference(new, old).wrong] == ["false-unsolvable"]
    assert difference(old, old).wrong == difference(new, new).wrong == ()


def test_a_wrong_answer_of_a_contestant_that_is_new(tmp_path: Path) -> None:
    old = results(tmp_path, {"quick": 1.0})
    assert difference(old, results(tmp_path, {"quick": 1.0, "liar": 1.0}, liar_0=missing("liar"))).is_worse


def test_puzzles_that_are_no_longer_solved_count(tmp_path: Path) -> None:
    timeouts = {f"quick_{place}": unsolved(trusted_base=frozenset({"quick"})) for place in range(12)}
    found = difference(results(tmp_path, {"quick": 1.0}), results(tmp_path, {"quick": 1.0}, **timeouts))
    assert [(change.trend, change.solved_old, change.solved_new) for change in found.times] == [("slower", 12, 0)]
    assert {(change.new, change.contradicts) for change in found.verdicts} == {("undecided", False)}


def test_a_verdict_that_is_contradicted(tmp_path: Path) -> None:
    old = results(tmp_path, {"quick": 1.0}, quick_5=missing("quick"))
    found = difference(old, results(tmp_path, {"quick": 1.0}))
    assert found.verdicts == (VerdictChange(puzzle="picture 5", old="unsolvable", new="1 solution", contradicts=True),)
    assert found.is_worse


def test_contradicted_verdicts_come_before_those_that_were_open(tmp_path: Path) -> None:
    open_ = unsolved(trusted_base=frozenset({"quick"}))
    old = results(tmp_path, {"quick": 1.0}, quick_2=open_, quick_5=missing("quick"), quick_7=open_)
    found = difference(old, results(tmp_path, {"quick": 1.0})).verdicts
    assert sorted(change.puzzle for change in found) == ["picture 2", "picture 5", "picture 7"]
    assert [change.contradicts for change in found] == [True, False, False]


def test_a_number_that_only_one_campaign_knows_is_no_other_verdict(tmp_path: Path) -> None:
    both = [Grid.from_text("10/01"), Grid.from_text("01/10")]
    instance = named(Nonogram([[1], [1]], [[1], [1]]), "two")
    runs = [replace(solved(0.01, *both), status=status) for status in ("limit", "complete")]
    old, new = (campaign(tmp_path, [instance], ["a"], lambda *_, run=run: run) for run in runs)
    assert [one.judged[0].comparison.verdict.solutions for one in (old, new)] == [None, 2]
    assert difference(old, new).verdicts == difference(new, old).verdicts == ()


def test_other_set_ups_are_listed(tmp_path: Path) -> None:
    def elsewhere(instance: Instance, label: str) -> Outcome:
        where = dataclasses.replace(HERE, processor="Other CPU")
        return Outcome(key="", run=right(instance, label), circumstances=where)

    old = results(tmp_path, {"quick": 1.0})
    limits = dataclasses.replace(LIMITS, seconds=9.0)
    found = difference(old, campaign(tmp_path, PUZZLES[1:], ["quick"], elsewhere, limits=limits))
    assert not found.is_worse
    assert {change.condition: (change.old, change.new) for change in found.setups} == {
        "limits": (
            "2 solutions, 5 s of wall time, 512 MB of memory",
            "2 solutions, 9 s of wall time, 512 MB of memory",
        ),
        "processor": ("Some CPU", "Other CPU"),
        "puzzles": ("12, 1 only here", "11, 0 only here"),
    }


def test_campaigns_of_different_questions_are_not_compared(tmp_path: Path) -> None:
    old = results(tmp_path, {"quick": 1.0})
    with pytest.raises(ValueError, match="one campaign asks for 'unique', the other for 'all'"):
        difference(old, campaign(tmp_path, PUZZLES[:1], ["quick"], right, asked="all"))


def test_files_without_a_common_puzzle_are_not_compared(tmp_path: Path) -> None:
    old = campaign(tmp_path, PUZZLES[:1], ["quick"], right)
    without_runs = campaign(tmp_path, PUZZLES[:1], ["quick"], lambda *_: None)
    for new in (campaign(tmp_path, PUZZLES[1:], ["quick"], right), without_runs):
        with pytest.raises(ValueError, match="no puzzle has runs in both files"):
            difference(old, new)


@pytest.mark.parametrize(
    ("ratio", "wins", "gained", "trend"),
    [
        (1.5, (0, 9), 1, "slower"),  # though it solves one more
        (1.05, (0, 9), 0, "same"),
        (1.05, (0, 9), -1, "slower"),
        (0.6, (9, 0), -1, "faster"),
        (0.95, (9, 0), 0, "same"),
        (0.95, (9, 0), 1, "faster"),
        (None, (0, 9), -1, "slower"),
        (None, (0, 9), 0, "same"),
        (None, (9, 0), 1, "faster"),
        (None, (9, 0), 0, "same"),
        (1.5, (5, 5), -1, "same"),  # as many won as lost
        (0.5, (5, 5), 1, "same"),
        (0.5, (0, 9), 1, "same"),  # the mean and the number of puzzles say different things
        (1.5, (9, 0), -1, "same"),
        (1.101, (0, 9), 0, "slower"),
        (1.099, (0, 9), 0, "same"),
        (1 / 1.101, (9, 0), 0, "faster"),
        (1 / 1.099, (9, 0), 0, "same"),
    ],
)
def test_a_trend_needs_a_ratio_beyond_the_tolerance_or_other_solved_puzzles(
    ratio: float | None, wins: tuple[int, int], gained: int, trend: str
) -> None:
    pair: Any = SimpleNamespace(p_adjusted=0.001, ratio=ratio, wins_a=wins[0], wins_b=wins[1])
    assert _trend(pair, gained, 0.1) == trend
    for p, expected in ((MAX_P * 0.99, trend), (MAX_P, "same"), (1.0, "same")):
        pair.p_adjusted = p
        assert _trend(pair, gained, 0.1) == expected


@pytest.mark.parametrize(
    ("part", "worse", "undecided"),
    [
        ({}, False, False),
        ({"verdicts": (VerdictChange(puzzle="p", old="a", new="b", contradicts=True),)}, True, False),
        ({"verdicts": (VerdictChange(puzzle="p", old="a", new="b", contradicts=False),)}, False, False),
        ({"wrong": (object(),)}, True, False),
        ({"times": ("slower",)}, True, False),
        ({"times": ("faster", "same")}, False, False),
        ({"times": ("same", "too few puzzles")}, False, True),
        ({"times": ("too few puzzles", "slower")}, True, True),
        ({"setups": (object(),)}, False, False),
    ],
)
def test_a_campaign_is_worse_by_any_of_three_things(part: dict[str, Any], worse: bool, undecided: bool) -> None:
    parts = {"verdicts": (), "wrong": (), "times": (), "setups": (), **part}
    parts["times"] = tuple(SimpleNamespace(trend=trend) for trend in parts["times"])
    found = Difference(puzzles=3, **parts)
    assert (found.is_worse, found.is_undecided) == (worse, undecided)


@pytest.mark.parametrize(
    ("status", "solutions", "presses", "words"),
    [
        ("unsolvable", 0, None, "unsolvable"),
        ("unique", 1, None, "1 solution"),
        ("multiple", 3, None, "3 solutions"),
        ("multiple", None, None, "multiple"),
        ("multiple", 3, (1, True), "1 press"),
        ("multiple", 3, (4, True), "4 presses"),
        ("multiple", 3, (4, False), "3 solutions"),
        ("unsolvable", 0, (None, True), "unsolvable"),
    ],
)
def test_a_verdict_is_told_by_its_best_known_number(
    status: str, solutions: int | None, presses: tuple[int | None, bool] | None, words: str
) -> None:
    verdict = SimpleNamespace(status=status, solutions=solutions)
    best = None if presses is None else SimpleNamespace(best=presses[0], proved=presses[1])
    result: Any = SimpleNamespace(comparison=SimpleNamespace(verdict=verdict, presses=best))
    assert _verdict_words(result) == words


def test_every_set_up_that_differs_is_listed_and_no_other(tmp_path: Path) -> None:
    def of(version: str, **about: Any) -> Results:
        def run(instance: Instance, label: str) -> Run:
            return right(instance, label)

        found = campaign(tmp_path, PUZZLES[:2], about.pop("labels", ["quick"]), run, **about)
        return replace(
            found, contestants=tuple(replace(contestant, version=version) for contestant in found.contestants)
        )

    def setups(old: Results, new: Results) -> dict[str, tuple[str, str]]:
        return {change.condition: (change.old, change.new) for change in difference(old, new).setups}

    same = of("1")
    assert setups(same, of("1")) == {}
    assert setups(same, of("2")) == {"version of quick": ("1", "2")}
    assert setups(same, of("1", repetitions=3)) == {"repetitions": ("1", "3")}
    assert setups(of("1", seeds=(4, 5)), same) == {"seeds": ("4, 5", "none")}
    more = of("1", labels=["other", "quick", "third"])
    assert setups(same, more) == setups(more, same) == {}
    assert [(found.only_old, found.only_new) for found in (difference(same, more), difference(more, same))] == [
        ((), ("other", "third")),
        (("other", "third"), ()),
    ]
    every = replace(LIMITS, solutions=None)
    assert setups(same, of("1", limits=every))["limits"][1].startswith("all solutions, 5 s of wall time")


def test_backends_of_only_one_file_are_one_line_for_each_file(tmp_path: Path) -> None:
    for name, labels in {"old": ["first", "quick", "second"], "new": ["quick", "third"]}.items():
        results(tmp_path / name, dict.fromkeys(labels, 1.0))
    stores = [str(tmp_path / name / "results.sqlite") for name in ("old", "new")]
    done = CliRunner().invoke(root, ["bench", "diff", *stores])
    assert done.output.splitlines()[-2:] == [f"only in {stores[0]}: first, second", f"only in {stores[1]}: third"]
    found = json.loads(CliRunner().invoke(root, ["bench", "diff", *stores, "--json"]).output)
    assert [found["setups"], found["only_old"], found["only_new"]] == [[], ["first", "second"], ["third"]]
