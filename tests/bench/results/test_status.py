"""The status of a campaign: the same verdicts as those of its results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from crosslit_bench.plan.campaign import Instance, puzzles_of_share
from crosslit_bench.results.frame import load
from crosslit_bench.results.status import CampaignStatus, campaign_status
from crosslit_bench.store.schema import PREFIX
from crosslit_bench.store.store import Store

from crosslit.contract.run import Run, Timing
from tests.bench.reports import BOARD, CORNER, DRAWN, PICTURE, campaign, named, solved, unsolved
from tests.bench.store.test_store import ask
from tests.bench.synthetic import fill

ONE = "key = (SELECT min(key) FROM runs WHERE status IN ('limit', 'complete') AND repetition = 2"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = fill(tmp_path_factory.mktemp("status") / "whole.sqlite", 1000, repetitions=4, wrong="gauss", done=0.9)
    return path.read_bytes()


def is_as_if_all_were_judged(path: Path) -> Counter[str]:
    """Compare the status with the judgement of all runs; the problems that were found."""
    with Store(path) as store:
        known, results = campaign_status(store), load(store)
    assert [(instance.puzzle.id, finding) for instance, finding in known.findings] == [
        (judged.instance.puzzle.id, finding) for judged, finding in results.findings
    ]
    assert [score.contestant for score in known.scores] == list(results.contestants)
    records = results.records()
    assert known.made == len(records)
    for score in known.scores:
        label = score.contestant.label
        runs = [one for one in records if one["contestant"] == label]
        asked: dict[str, list[float]] = {}
        for one in runs:
            if one["status"] != "unsupported":
                asked.setdefault(one["puzzle"], []).append(one["total"] if one["judgement"] == "right" else inf)
        assert score.statuses == Counter(one["status"] for one in runs)
        assert score.solved == sum(one["judgement"] == "right" for one in runs)
        middle = median(map(median, asked.values()))
        assert score.seconds == (None if middle == inf else pytest.approx(middle, rel=1e-12))
    return Counter(finding.problem for _, finding in known.findings)


PLANTED = {
    "timing": f"wall = wall + 5 WHERE {ONE})",
    "stray-output": f"stray = 'hello' WHERE {ONE})",
    "orphaned-process": f"left_behind = 2 WHERE {ONE})",
    "error": f"status = 'error', error = 'boom' WHERE {ONE})",
    "false-unsolvable": f"status = 'complete', answer = '', solutions = 0 WHERE {ONE} AND solutions = 1)",
    "wrong-solution": f"answer = (SELECT max(answer) FROM runs AS other WHERE other.puzzle != runs.puzzle AND"
    f" (SELECT rows FROM answers WHERE id = other.answer) = (SELECT rows FROM answers WHERE id = runs.answer))"
    f" WHERE {ONE} AND solutions = 1 AND puzzle IN (SELECT id FROM puzzles WHERE kind = 'lights-out'))",
}


@pytest.mark.slow
@pytest.mark.parametrize("problem", PLANTED)
def test_what_is_wrong_with_one_repetition_is_found(whole: bytes, tmp_path: Path, problem: str) -> None:
    (path := tmp_path / "planted.sqlite").write_bytes(whole)
    before = is_as_if_all_were_judged(path)
    ask(path, f"UPDATE runs SET {PLANTED[problem]}")
    assert is_as_if_all_were_judged(path)[problem] > before[problem]


def test_a_file_without_notes_of_claims_has_the_same_status(whole: bytes, tmp_path: Path) -> None:
    (path := tmp_path / "whole.sqlite").write_bytes(whole)
    with Store(path) as store:
        known = campaign_status(store).json()
    ask(path, f"DELETE FROM about WHERE name LIKE '{PREFIX}%'")
    with Store(path) as store:
        assert campaign_status(store).json() == known


def test_puzzles_without_findings_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fill(tmp_path / "right.sqlite", 200, errors=())
    monkeypatch.setattr("crosslit_bench.store.store.parse_line", lambda *_: pytest.fail("a puzzle was read"))
    with Store(path) as store:
        assert campaign_status(store).findings == ()


def test_what_one_shard_misses_is_as_planned(whole: bytes, tmp_path: Path) -> None:
    (path := tmp_path / "whole.sqlite").write_bytes(whole)
    with Store(path) as store:
        missing, status = {one.key for one in store.due()} - store.keys(), campaign_status(store)
        assert status.missing == len(missing) > 0
        assert status.outside == 0
        _, head, _, *rows = str(status.table()).splitlines()
        assert sum(int(row.split()[head.split().index("made")]) for row in rows if row) == status.made


SOME = [named(BOARD, "A board"), named(PICTURE, "A picture")]
RUNS: dict[str, list[Any]] = {  # two runs on each of two puzzles: seconds of a right answer, a status, or None
    "all": [1.0, 2.0, 3.0, 4.0],
    "half": [1.0, "timeout", "memory", 3.0],
    "most": [1.0, "timeout", 2.0, 3.0],
    "uneven": [None, 1.0, 5.0, 9.0],
    "refuses some": [1.0, "unsupported", "unsupported", 4.0],
    "refuses all": ["unsupported"] * 4,
    "has no run yet": [None] * 4,
    "has some runs": [None, 2.0, 4.0, None],
    "fails": ["error", "gave-up", "gave-up", "error"],
    "is wrong": ["wrong", 1.0, 2.0, 3.0],  # where it is wrong once, its other answer does not count either
}


def by_hand(folder: Path, labels: Sequence[str], groups: Mapping[str, Sequence[str]] | None = None) -> CampaignStatus:
    """The status of a campaign with some of these contestants."""
    left = {label: iter(RUNS[label]) for label in labels}

    def run(instance: Instance, label: str) -> Run | None:
        match next(left[label]):
            case float(seconds):
                return solved(seconds, CORNER if instance is SOME[0] else DRAWN)
            case "wrong":
                return solved(0.5)
            case str(status):
                return unsolved(status=status, error="why" if status == "error" else "")
        return None

    campaign(folder, SOME, groups or labels, run, runs=2)
    with Store(folder / "results.sqlite") as store:
        return campaign_status(store)


@pytest.mark.parametrize(
    ("label", "solved", "wrong", "seconds", "statuses"),
    [
        ("all", 4, 0, 2.5, {"complete": 4}),
        ("half", 2, 0, None, {"complete": 2, "memory": 1, "timeout": 1}),
        ("most", 3, 0, None, {"complete": 3, "timeout": 1}),  # of two puzzles, one has a median
        ("uneven", 3, 0, 4.0, {"complete": 3}),  # the median over puzzles, not over runs
        ("refuses some", 2, 0, 2.5, {"complete": 2, "unsupported": 2}),
        ("refuses all", 0, 0, None, {"unsupported": 4}),
        ("has no run yet", 0, 0, None, {}),
        ("has some runs", 2, 0, 3.0, {"complete": 2}),
        ("fails", 0, 0, None, {"error": 2, "gave-up": 2}),
        ("is wrong", 2, 1, None, {"complete": 4}),
    ],
)
def test_a_contestant_has_the_numbers_of_its_runs(
    tmp_path: Path, label: str, solved: int, wrong: int, seconds: float | None, statuses: dict[str, int]
) -> None:
    status = by_hand(tmp_path, [label])
    (score,) = status.scores
    assert score.json() == {
        "contestant": label,
        "group": None,
        "version": "1.0",
        "planned": 4,
        "made": sum(statuses.values()),
        "solved": solved,
        "wrong": wrong,
        "statuses": statuses,
        "seconds": seconds,
    }
    assert list(score.statuses) == list(statuses)  # the most frequent first
    assert (status.planned, status.made, status.missing) == (4, sum(statuses.values()), 4 - sum(statuses.values()))
    assert (len(status.wrong), len(status.errors)) == (wrong, statuses.get("error", 0))


@pytest.mark.parametrize(
    ("labels", "groups", "expected"),
    [
        (
            ["all", "half"],
            None,
            """backend|solved|of runs|wrong|timeouts|memory|median
all|4|4|0|0|0|2.50 s
half|2|4|0|1|1|-""",
        ),
        (
            ["refuses some", "fails"],
            None,
            """backend|solved|of runs|wrong|gave up|errors|unsupported|median
fails|0|4|0|2|2|0|-
refuses some|2|2|0|0|0|2|2.50 s""",
        ),
        (
            ["refuses some", "has some runs", "is wrong"],
            {"b": ["is wrong", "refuses some"], "a": ["has some runs"]},
            """group|backend|solved|made|of runs|wrong|unsupported|median
b|is wrong|2|4|4|1|0|-
b|refuses some|2|2|2|0|2|2.50 s
a|has some runs|2|2|4|0|0|3.00 s""",
        ),
    ],
)
def test_the_table_counts_the_runs_without_those_that_are_not_supported(
    tmp_path: Path, labels: list[str], groups: dict[str, list[str]] | None, expected: str
) -> None:
    _, head, _, *rows = str(by_hand(tmp_path, labels, groups).table()).splitlines()
    assert "\n".join(re.sub(" {2,}", "|", line.strip()) for line in [head, *rows] if line) == expected


def test_a_contestant_without_a_group_stays_in_a_table_with_groups(tmp_path: Path) -> None:
    status = by_hand(tmp_path, ["all", "half"], {"": ["all"], "b": ["half"]})
    assert [score.json()["group"] for score in status.scores] == [None, "b"]
    _, head, _, *rows = str(status.table()).splitlines()
    assert head.split()[:2] == ["group", "backend"]
    assert [row.split()[0] for row in rows if row] == ["all", "b"]


@pytest.mark.parametrize("made", [[], [0], [1], [0, 1]])
def test_a_shard_plans_its_puzzles_and_what_others_have_made(tmp_path: Path, made: list[int]) -> None:
    shares = [puzzles_of_share([one.puzzle.id for one in SOME], number, 2) for number in (1, 2)]
    for number, share in enumerate(shares, 1):

        def run(instance: Instance, _label: str) -> Run | None:
            place = SOME.index(instance)
            return solved(1.0, (CORNER, DRAWN)[place]) if place in made else None

        campaign(tmp_path, SOME, ["a", "b"], run, shard=(number, 2))
        with Store(tmp_path / "results.sqlite") as store:
            status = campaign_status(store)
        planned = [place for place, one in enumerate(SOME) if one.puzzle.id in share or place in made]
        assert (status.planned, status.made) == (2 * len(planned), 2 * len(made))
        assert [score.planned for score in status.scores] == [len(planned)] * 2
        assert status.json()["shard"] == f"{number}/2"
    assert sorted(puzzle for share in shares for puzzle in share) == sorted(one.puzzle.id for one in SOME)


@pytest.mark.parametrize("status", ["complete", "timeout", "error"])
def test_times_that_are_not_explained_are_findings_of_the_status_too(tmp_path: Path, status: Any) -> None:
    def run(_instance: Instance, label: str) -> Run:
        found = solved(1.0, CORNER) if status == "complete" else unsolved(status=status)
        wall = {"a": 1.05, "b": 9.0}[label] + (found.timing.wall - 1.0)
        return replace(found, timing=Timing(found.timing.phases, found.timing.cpu, wall))

    results = campaign(tmp_path, SOME[:1], ["a", "b"], run)
    with Store(tmp_path / "results.sqlite") as store:
        found = campaign_status(store).findings
    assert [finding for _, finding in found] == [finding for _, finding in results.findings]
