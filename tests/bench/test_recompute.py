"""The analysis of one campaign is what an independent script computes from its exported runs."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from crosslit_bench.analysis import tables
from crosslit_bench.results import exported, load

from tests.bench.recompute import recomputed
from tests.bench.stores import fill


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the script computes from the runs of 14 contestants, one of them wrong, and what Crosslit does."""
    path = fill(tmp_path_factory.mktemp("recompute") / "s.sqlite", 380, repetitions=1, wrong="glucose4/full-cut4")
    results = load(path)
    runs = list(csv.DictReader(io.StringIO("".join(exported(results, "csv")))))
    return recomputed(runs), tables(results.times())


def approximately(value: Any) -> Any:
    return pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else value


def test_rankings_follow_from_the_runs(both: Any) -> None:
    script, ours = both
    found = {(row["kind"], row["backend"]): row for row in ours["ranking"]}
    assert found.keys() == {(kind, who) for kind, some in script["ranking"].items() for who in some}
    assert "glucose4/full-cut4" not in script["ranking"]["lights-out"]
    for (kind, who), row in found.items():
        for name, value in script["ranking"][kind][who].items():
            assert row[name] == approximately(value), (kind, who, name)


def test_pairs_follow_from_the_runs(both: Any) -> None:
    script, ours = both
    assert len(ours["pairs"]) == len(script["pairs"]) == 36
    for row in ours["pairs"]:
        a, b = (row["a"], row["b"]) if (row["a"], row["b"]) in script["pairs"] else (row["b"], row["a"])
        found = script["pairs"][a, b]
        if a != row["a"]:
            found = {**found, "wins_a": found["wins_b"], "wins_b": found["wins_a"], "ratio": 1 / found["ratio"]}
        for name, value in found.items():
            assert row[name] == approximately(value), (a, b, name)


def test_growth_follows_from_the_runs(both: Any) -> None:
    script, ours = both
    fits = {(row["family"], row["backend"]): row for row in ours["fits"]}
    assert fits.keys() == script["fits"].keys()
    for key, row in fits.items():
        found = script["fits"][key]
        assert row["model"] == found["model"], key
        for name, aic in found["aic"].items():
            assert row[f"aic_{name}"] == pytest.approx(aic, abs=1e-4), (key, name)
    assert {row["model"] for row in ours["fits"]} >= {"power", "exponential"}
