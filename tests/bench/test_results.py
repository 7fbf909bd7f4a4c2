"""Results: the judgement of every run, records for export, the status, expected verdicts, and unlike machines."""

from __future__ import annotations

import csv
import io
import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.results import NAMES, exported, is_disturbed
from crosslit_bench.spec import CampaignLimits, CampaignSpec, Instance
from crosslit_bench.store import RUN_COLUMNS, TIMES

from crosslit import Grid, compare, load
from crosslit.contract.run import Run, Timing
from crosslit.judging.verdict import RUN_COLUMNS as COMPARED
from tests.bench.stores import BOARD, BOTH, PICTURE, Answer, campaign, right, solved, unsolved

DARK = Grid.from_text("000/000/000")  # no solution of BOARD
TWO = load("1,1|1,1").named("two")
ONE, OTHER = Grid.from_text("10/01"), Grid.from_text("01/10")


def honest(instance: Instance, _: str) -> Run:
    return solved(0.01, right(instance.puzzle))


def test_a_record_has_every_column_and_those_of_compare(tmp_path: Path) -> None:
    results = campaign(tmp_path / "s.sqlite", honest, {"g": ["a"]}, task="fewest")
    for record in results.records:
        assert record.keys() >= set(NAMES)
    assert set(NAMES) >= {"puzzle", "kind", *COMPARED}
    assert set(NAMES) >= RUN_COLUMNS.keys() - {"bound"}
    assert set(compare("10/01", "gauss").to_dataframe().columns) <= set(results.frame.columns)
    first = results.records[0]
    assert {name: first[name] for name in ("puzzle", "backend", "group", "judgement", "presses", "timeout")} == {
        "puzzle": "a board",
        "backend": "a",
        "group": "g",
        "judgement": "right",
        "presses": 1,
        "timeout": 5.0,
    }


@pytest.mark.parametrize(
    ("run", "judgement", "problems"),
    [
        (solved(0.1), "wrong", "false-unsolvable"),
        (solved(0.1, DARK), "wrong", "wrong-solution missing-solution"),
        (unsolved(grids=[DARK]), "wrong", "wrong-solution"),
        (unsolved(), "unsolved", ""),
        (unsolved(status="error", error="it crashed"), "unsolved", "error"),
        (unsolved(status="memory"), "unsolved", ""),
        (solved(0.1, right(BOARD)), "right", ""),
        (solved(0.1, right(BOARD), stray="x"), "right", "stray-output"),
    ],
    ids=lambda value: getattr(value, "status", value),
)
def test_an_answer_is_judged_beside_an_honest_one(tmp_path: Path, run: Run, judgement: str, problems: str) -> None:
    results = campaign(
        tmp_path / "s.sqlite", lambda one, label: run if label == "b" else honest(one, label), ["a", "b"], BOTH[:1]
    )
    record = next(record for record in results.records if record["backend"] == "b")
    assert (record["judgement"], record["problems"]) == (judgement, problems)
    assert [one.label for one in results.entrants if one.wrong] == ["b"] * (judgement == "wrong")
    assert math.isfinite(results.times().seconds.loc[BOARD.id, "b"]) == (judgement == "right")
    assert bool(results.wrong) == (judgement == "wrong")
    assert len(results.errors) == (problems == "error")


def test_a_disagreement_disqualifies_nobody_and_solves_nothing(tmp_path: Path) -> None:
    dark = Instance(load("00/00/00").named("dark"), "f")  # four solutions, of which two lineages find one
    results = campaign(
        tmp_path / "s.sqlite",
        lambda _, label: solved(0.01, Grid.from_bits(3, 2, 0), trusted_base=frozenset({label})),
        ["a", "b"],
        [dark],
    )
    assert {finding.problem for _, finding in results.wrong} == {"disagreement"}
    assert not any(one.wrong for one in results.entrants)
    assert {record["judgement"] for record in results.records} == {"unsolved"}


def test_the_order_of_runs_changes_no_verdict(tmp_path: Path) -> None:
    def answer(_: Instance, label: str) -> Run:
        return solved(0.01) if label == "odd" else solved(0.01, DARK)

    orders = [
        campaign(tmp_path / "s.sqlite", answer, labels, BOTH[:1]) for labels in (["even", "odd"], ["odd", "even"])
    ]
    one, other = ([judged.comparison.json() for judged in results.judged] for results in orders)
    assert one == other


@pytest.mark.parametrize(
    ("task", "answer", "verdict", "evidence"),
    [
        ("first", unsolved(grids=[ONE], status="limit"), "solvable", "witnessed"),
        ("first", unsolved(), "undecided", None),
        ("first", solved(0.1), "unsolvable", "claimed"),
        ("unique", unsolved(grids=[ONE]), "undecided", None),
        ("unique", unsolved(grids=[ONE, OTHER], status="limit"), "multiple", "witnessed"),
    ],
)
def test_a_puzzle_is_undecided_only_if_its_question_is(
    tmp_path: Path, task: Any, answer: Run, verdict: str, evidence: str | None
) -> None:
    results = campaign(tmp_path / "s.sqlite", lambda *_: answer, instances=[Instance(TWO, "f")], task=task)
    assert (results.judged[0].facts["verdict"], results.judged[0].facts["evidence"]) == (verdict, evidence)


def test_what_is_not_supported_is_not_asked(tmp_path: Path) -> None:
    def answer(instance: Instance, label: str) -> Run:
        return Run("", status="unsupported", error="no") if label == "b" else honest(instance, label)

    results = campaign(tmp_path / "s.sqlite", answer, ["a", "b"], BOTH[:1])
    record = results.records[1]
    assert {record[name] for name in (*TIMES, "solutions", "memory_mb")} == {None}
    assert results.times().seconds["b"].isna().all()
    assert results.rows[1]["seconds"] is None
    assert not is_disturbed(record)


def test_times_are_medians_of_the_right_answers(tmp_path: Path) -> None:
    times = iter([0.5, 0.1, 0.3, 0.2])
    results = campaign(
        tmp_path / "s.sqlite", lambda *_: solved(next(times), right(BOARD)), repetitions=4, instances=BOTH[:1]
    )
    assert results.times().seconds.loc[BOARD.id, "a"] == pytest.approx(0.25)
    assert results.times("wall").measure == "wall"
    limited = CampaignLimits(timeout=9.0, cpu_timeout=4.0)
    times = iter([0.1, 0.1, 0.1, 0.1])
    results = campaign(
        tmp_path / "s.sqlite", lambda *_: solved(next(times), right(BOARD)), limits=limited, instances=BOTH[:1]
    )
    assert (results.times().measure, results.times().limit) == ("cpu", 4.0)


@pytest.mark.parametrize(
    ("where", "timing", "disturbed"),
    [
        ({"machine_load": 4.0}, (0.1, 0.1, 0.0, 0.0), False),
        ({"machine_load": 4.1}, (0.1, 0.1, 0.0, 0.0), True),
        ({}, (0.1, 1.0, 0.9, 0.1), False),
        ({}, (0.1, 1.0, 0.9, 0.11), True),
    ],
)
def test_load_and_waiting_disturb_a_run(tmp_path: Path, where: Any, timing: Any, disturbed: bool) -> None:
    run = solved(0.1, right(BOARD))
    run.timing = Timing(run.timing.phases, *timing)
    results = campaign(tmp_path / "s.sqlite", lambda *_: (run, where), instances=BOTH[:1])
    assert is_disturbed(results.records[0]) is disturbed
    words = "1 of 1 run disturbed by other load: times may be too long"
    assert results.disturbance == (words if disturbed else "")
    assert results.json()["disturbed"] == disturbed


def test_the_status_counts_runs_by_contestant_and_status(tmp_path: Path) -> None:
    def answer(instance: Instance, label: str) -> Answer:
        if label == "b":
            return unsolved() if instance.puzzle == BOARD else None
        return solved(0.2, right(instance.puzzle))

    results = campaign(tmp_path / "s.sqlite", answer, {"x": ["a"], "y": ["b"]})
    assert [(row["backend"], row["planned"], row["made"], row["solved"], row["seconds"]) for row in results.rows] == [
        ("a", 2, 2, 2, 0.2),
        ("b", 2, 1, 0, None),
    ]
    heads = str(results.table()).split("\n")[1].split()
    assert heads == ["group", "backend", "solved", "made", "of", "runs", "wrong", "timeout", "median"]
    assert results.line() == "3 of 4 runs made, 2 complete, 1 timeout, 0 wrong answers"
    assert (results.json()["statuses"], results.json()["made"]) == ({"complete": 2, "timeout": 1}, 3)


def export(results: Any, form: str) -> str:
    return "".join(exported(results, form))


def test_exports_have_the_same_values(tmp_path: Path) -> None:
    results = campaign(
        tmp_path / "s.sqlite", lambda one, _: solved(0.01, right(one.puzzle), error="=1+1", stats={"n": 3})
    )
    lines = [json.loads(line) for line in export(results, "jsonl").splitlines()]
    rows = list(csv.DictReader(io.StringIO(export(results, "csv"))))
    assert [list(row) for row in (lines[0], rows[0])] == [list(NAMES), list(NAMES)]
    assert (lines[0]["stats"], json.loads(rows[0]["stats"])) == ({"n": 3}, {"n": 3})
    assert (lines[0]["error"], rows[0]["error"]) == ("=1+1", "'=1+1")  # no formula in a spreadsheet
    assert float(rows[0]["total"]) == lines[0]["total"] == 0.01


def test_the_exported_campaign_has_all_puzzles_and_can_be_repeated(tmp_path: Path) -> None:
    instances = [*BOTH, Instance(TWO, "pictures", "multiple", "a survey")]
    puzzles = ({"family": "boards", "growth": False, "files": ["away.non"]},)
    keys = {"title": "T", "seed": 9, "puzzles": puzzles, "task": "all"}
    results = campaign(tmp_path / "s.sqlite", lambda *_: unsolved(), ["gauss", "line"], instances, **keys)
    again = CampaignSpec.of(tomllib.loads(export(results, "toml")), "small", tmp_path)
    assert list(again.instances()) == instances
    assert (again.title, again.seed, again.task, again.backends) == ("T", 9, "all", {"": ("gauss", "line")})
    assert again.without_growth == {"boards"}


def findings(
    folder: Path, expected: Any, task: str = "unique", puzzle: Any = TWO, **runs: Run
) -> list[tuple[str, str, str]]:
    instance = Instance(puzzle, "f", expected, "a survey")
    results = campaign(folder / "s.sqlite", lambda _, label: runs[label], list(runs), [instance], task=task)
    return [(finding.backend, finding.problem, finding.detail) for _, finding in results.findings]


def test_checked_solutions_contradict_the_source_of_an_expected_verdict(tmp_path: Path) -> None:
    found = findings(tmp_path, "unique", a=solved(0.1, ONE, OTHER))
    assert found == [("a survey", "disagreement", "it says unique; 2 solutions found and checked by the rules")]


def test_a_claim_that_nothing_decides_contradicts_the_source(tmp_path: Path) -> None:
    found = findings(tmp_path, "multiple", a=solved(0.1, ONE))
    assert found == [("a", "disagreement", "it says unique; a survey says multiple")]
    assert findings(tmp_path, "multiple", a=solved(0.1, ONE), b=solved(0.1, ONE, OTHER))[0][1] == "false-unique"
    assert findings(tmp_path, "multiple", a=solved(0.1, ONE, OTHER)) == []
    assert findings(tmp_path, "multiple", a=unsolved(grids=[ONE])) == []


def test_the_fewest_presses_are_no_claim_about_other_solutions(tmp_path: Path) -> None:
    assert findings(tmp_path, "multiple", "fewest", BOARD, a=solved(0.1, right(BOARD))) == []
    assert [found[1] for found in findings(tmp_path, "multiple", "fewest", BOARD, a=solved(0.1))] == ["disagreement"]


THERE = {"host": "node", "processor": "Other CPU", "processors": 64}


def by_puzzle(*wrong: str) -> Callable[[Instance, str], Answer]:
    def answer(instance: Instance, label: str) -> Answer:
        run = solved(1.0, *([] if label in wrong else [right(instance.puzzle)]))
        return run, {} if instance.puzzle == BOARD else THERE

    return answer


def test_unlike_machines_separate_the_contestants(tmp_path: Path) -> None:
    results = campaign(tmp_path / "s.sqlite", by_puzzle(), {"": ["gauss"], "x": ["line"]})
    assert [(one.label, one.group, one.planned) for one in results.entrants] == [
        ("gauss on machine 1", "machine 1", 2),
        ("gauss on machine 2", "machine 2", 0),
        ("line on machine 1", "x on machine 1", 2),
        ("line on machine 2", "x on machine 2", 0),
    ]
    assert results.times().seconds.notna().to_numpy().tolist() in (
        [[True, False, True, False], [False, True, False, True]],
        [[False, True, False, True], [True, False, True, False]],
    )
    assert sorted(results.machines) == [
        "machine 1: Some CPU, 4, 0 GB, 2 runs",
        "machine 2: Other CPU, 64, 0 GB, 2 runs",
    ] or sorted(results.machines)[0].startswith("machine 1: Other CPU, 64")


@pytest.mark.parametrize(
    ("where", "unlike"),
    [
        ({"host": "desk2", "machine_memory_mb": 100.5}, False),
        ({"machine_memory_mb": 64000.0}, True),
        ({"governor": "powersave"}, True),
        ({"processors": 2}, True),
    ],
)
def test_only_some_facts_make_machines_unlike(tmp_path: Path, where: dict[str, Any], unlike: bool) -> None:
    results = campaign(tmp_path / "s.sqlite", lambda one, _: (honest(one, ""), where if one.puzzle == PICTURE else {}))
    assert bool(results.machines) == unlike


def test_a_wrong_answer_disqualifies_on_all_machines(tmp_path: Path) -> None:
    results = campaign(tmp_path / "s.sqlite", by_puzzle("line"), ["gauss", "line"])
    assert [one.label for one in results.entrants if one.wrong] == ["line on machine 1", "line on machine 2"]
    assert list(results.times().ranked) == ["gauss on machine 1", "gauss on machine 2"]
