"""Campaigns in Python."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.spec import CampaignSpec

from crosslit import Campaign, CampaignResults, load
from crosslit.base.errors import InputError


def test_its_arguments_are_the_keys_of_a_file(tmp_path: Path) -> None:
    campaign = Campaign(
        ["10/01", load("1,1|1,1").named("two"), {"generate": "nonogram", "size": 3}],
        {"native": "gauss,line", "SAT": ["glucose4"]},
        task="all",
        limits={"timeout": 5, "memory_mb": 99},
        repetitions=2,
        seeds=[1, 2],
        title="T",
    )
    assert tomllib.loads(campaign.toml) == {
        "title": "T",
        "task": "all",
        "repetitions": 2,
        "seeds": [1, 2],
        "backends": {"native": ["gauss", "line"], "SAT": ["glucose4"]},
        "limits": {"timeout": 5.0, "memory_mb": 99},
        "puzzles": [{"generate": "nonogram", "size": 3}, {"puzzles": ["10/01", "1,1|1,1 # two"]}],
    }
    path = tmp_path / "campaign.toml"
    path.write_text(campaign.toml, encoding="utf-8")
    assert CampaignSpec.read(path).keys == campaign._spec.keys
    assert repr(Campaign.read(path)) == "<Campaign T: all; gauss, line, glucose4>"


@pytest.mark.parametrize(
    ("arguments", "keys", "problem"),
    [
        (([], "gauss"), {}, "puzzles: expected a table"),
        ((["10/01"], []), {}, "backends: expected at least one spec"),
        ((["10/01"], "gaus"), {}, "backends: backend 'gaus': there is no 'gaus'"),
        ((["10/01"], "gauss"), {"task": "both"}, "task: expected 'first'"),
        ((["10/01"], "gauss"), {"limits": {"seconds": 1}}, "limits: there is no 'seconds'"),
        ((["10/01"], "gauss"), {"repetitions": 0}, "repetitions: expected a number from 1"),
        (([{"size": 3}], "gauss"), {}, "expected one of files, puzzles and generate"),
    ],
)
def test_a_wrong_argument_is_named(arguments: Any, keys: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Campaign(*arguments, **keys)
    with pytest.raises(TypeError):
        Campaign([3], "gauss")  # type: ignore[list-item]


def test_results_are_the_same_from_a_run_and_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    campaign = Campaign(["10/01", "11/11"], "gauss,polynomial", task="all")
    results = campaign.run(path, jobs=2)
    again = CampaignResults.read(path)
    assert results.records == again.records
    assert (results.wrong, repr(results)) == ([], "<CampaignResults: 4 runs, 0 wrong answers>")
    assert [row["solved"] for row in results.status] == [2, 2]
    assert str(results).splitlines()[-1] == "4 runs, 0 wrong answers"
    assert "<td" in results._repr_html_()
    frame = results.to_dataframe()
    assert frame.groupby("backend")["solutions"].sum().to_dict() == {"gauss": 2, "polynomial": 2}
    assert results.analysis()["ranking"][0]["solved"] == 2
    assert next(plot.kind for plot in results.plots()) == "cactus"
    results.report(tmp_path / "r.html", "cpu")
    assert "CPU time" in (tmp_path / "r.html").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="there is no such folder"):
        campaign.run(tmp_path / "no" / "s.sqlite")
