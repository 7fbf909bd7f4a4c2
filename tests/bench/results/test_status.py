"""The status of a campaign: the same verdicts as those of its results."""

from __future__ import annotations

from collections import Counter
from math import inf
from pathlib import Path
from statistics import median

import pytest
from crosslit_bench.results.frame import load
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.schema import PREFIX
from crosslit_bench.store.store import Store

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
        asked = [one["total"] if one["judgement"] == "right" else inf for one in runs if one["status"] != "unsupported"]
        assert score.statuses == Counter(one["status"] for one in runs)
        assert score.solved == sum(one["judgement"] == "right" for one in runs)
        middle = median(asked)
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
