"""The analysis of a campaign is what an independent script computes from its exported runs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.analysis import tables
from crosslit_bench.results import exported

from tests.bench.recompute import recomputed
from tests.bench.stores import fill


def require_equal(row: dict[str, Any], found: dict[str, Any], about: object) -> None:
    for name, value in found.items():
        expected = pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else value
        assert row[name] == expected, (about, name)


@pytest.mark.parametrize("done", [0.9, 0.95], ids=["nobody was asked all", "some were asked all"])
def test_rankings_pairs_and_growth_follow_from_the_runs(tmp_path: Path, done: float) -> None:
    liar = "glucose4/full-cut4"
    results = fill(tmp_path / "s.sqlite", 400, repetitions=1, wrong=liar, done=done)
    ours = tables(results.times())
    script = recomputed(list(csv.DictReader(io.StringIO("".join(exported(results, "csv"))))))

    ranking = {(row["kind"], row["backend"]): row for row in ours["ranking"]}
    assert ranking.keys() == {(kind, who) for kind, some in script["ranking"].items() for who in some}
    assert ("lights-out", liar) not in ranking
    for (kind, who), row in ranking.items():
        require_equal(row, script["ranking"][kind][who], who)

    assert len(ours["pairs"]) == len(script["pairs"]) == 36
    for row in ours["pairs"]:
        found = script["pairs"].get((row["a"], row["b"]))
        if found is None:
            other = script["pairs"][row["b"], row["a"]]
            found = {**other, "wins_a": other["wins_b"], "wins_b": other["wins_a"], "ratio": 1 / other["ratio"]}
        require_equal(row, found, (row["a"], row["b"]))

    fits = {(row["family"], row["backend"]): row for row in ours["fits"]}
    assert fits.keys() == script["fits"].keys()
    assert {row["model"] for row in ours["fits"]} >= {"power", "exponential"}
    for key, row in fits.items():
        found = script["fits"][key]
        assert row["model"] == found["model"], key
        assert row["slope"] == pytest.approx(found["slope"], rel=1e-3, abs=1e-4), key
        for name, aic in found["aic"].items():
            assert row[f"aic_{name}"] == pytest.approx(aic, abs=1e-4), (key, name)
