"""The analysis of times, against another computation, and all outputs as stored."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from crosslit_bench import analysis
from crosslit_bench.analysis import (
    fit_curve,
    fit_words,
    fits,
    format_p,
    grows,
    growth,
    paired,
    portfolio,
    rivals,
    tables,
)
from crosslit_bench.plan import Contestant
from crosslit_bench.results import Entrant, Times, exported
from crosslit_bench.spec import CampaignLimits

from crosslit.base.version import __version__
from crosslit.cli.group import root
from crosslit.judging.verdict import Finding
from tests.bench.recompute import recomputed
from tests.bench.stores import a_spec, random_campaign, two_campaigns
from tests.stored import check

INF, NAN = math.inf, math.nan
SIZES = np.repeat(np.arange(4.0, 24.0), 2)


def times(
    rows: Any, labels: Any = "abcdefgh", *, limit: float = 10.0, groups: str = "", wrong: str = "", **more: Any
) -> Times:
    """Times of contestants a, b, ... on puzzles 0, 1, ...; more are sizes, families, statuses, starts, and keys."""
    seconds = pd.DataFrame(rows, dtype=float)
    names = list(labels[: seconds.shape[1]])
    seconds.columns = pd.Index(names)
    ends = pd.DataFrame(more.pop("statuses", np.where(np.isposinf(seconds), "timeout", "complete")))
    sizes, families = more.pop("sizes", range(1, len(seconds) + 1)), more.pop("families", "f")
    facts = {"kind": "lights-out", "size": [*map(float, sizes)], "family": families}
    entrants = [
        Entrant(
            label=name,
            group=group,
            contestant=Contestant(name, group, "", "", "", "{}"),
            wrong=(Finding(name, "wrong-solution", ""),) if name in wrong else (),
        )
        for name, group in itertools.zip_longest(names, groups, fillvalue="")
    ]
    return Times(
        puzzles=pd.DataFrame(facts, index=seconds.index),
        seconds=seconds,
        statuses=ends.set_axis(names, axis=1).where(seconds.notna(), ""),
        starts=more.pop("starts", {}),
        entrants=tuple(entrants),
        spec=a_spec(limits=CampaignLimits(timeout=limit), **more),
    )


@pytest.mark.parametrize("rows", [np.empty((0, 2)), np.empty((2, 0)), [[1.0]], [[1.0, NAN], [NAN, 1.0]]])
def test_there_may_be_nothing_to_compare(rows: Any) -> None:
    assert portfolio(times(rows)) is None
    assert (analysis.scores(times(rows))["contribution"] == 0).all()
    assert paired(times(rows)) == []


def test_the_puzzles_in_common_are_those_of_two_that_were_asked_all() -> None:
    some = times([[1.0, 2.0, NAN], [1.0, 2.0, 3.0]])
    assert portfolio(some)["puzzles"] == analysis.scores(some)["best"]["a"] == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("count", "ends"), [(5, (NAN, NAN)), (6, (1.0, 6.0)), (8, (1.0, 8.0)), (9, (2.0, 8.0)), (20, (6.0, 15.0))]
)
def test_the_interval_of_a_median_is_that_of_tables(count: int, ends: tuple[float, float]) -> None:
    found = analysis.median_interval(pd.Series(range(1, count + 1), dtype=float))
    assert found == pytest.approx(ends, nan_ok=True)


def test_the_interval_of_a_ratio_is_that_of_students_t() -> None:
    ratios = [1.0, 1.1, 1.3, 1.6, 2.0, 2.5]
    (pair,) = paired(times([[1.0, ratio] for ratio in ratios]))
    logs = [-math.log(ratio) for ratio in ratios]
    half = 2.5706 * statistics.stdev(logs) / math.sqrt(6)  # for five degrees of freedom
    ends = [math.exp(statistics.fmean(logs) + side * half) for side in (-1, 1)]
    assert [pair["interval_low"], pair["interval_high"]] == pytest.approx(ends, rel=1e-4)


@pytest.mark.parametrize(
    ("seconds", "quantile"),  # for four degrees of freedom, and one
    [([1.3, 1.0, 2.0, 1.1, 1.6, 1.2], 2.7764), ([1.0, 1.3, 1.0], 12.7062)],
)
def test_the_interval_of_a_constant_time_is_that_of_students_t(seconds: list[float], quantile: float) -> None:
    found = fit_curve(np.arange(1.0, len(seconds) + 1), np.array(seconds), 10.0)
    ratio = math.exp(quantile * found["sigma"] / math.sqrt(len(seconds)))
    ends = [found["rate"] / ratio, found["rate"] * ratio]
    assert [found["interval_low"], found["interval_high"]] == pytest.approx(ends, rel=1e-3)


def test_an_answer_that_took_long_is_better_than_none() -> None:
    # CPU time of many threads: 30 s under a limit of 10, and b has no answer
    (pair,) = paired(times([[30.0, INF], [1.9, 1.0], [2.5, 1.0], [0.0, 0.001]]))
    assert (pair["wins_a"], pair["wins_b"], pair["ties"], pair["statistic"]) == (1, 2, 1, 2.0)


def test_a_p_value_is_at_most_one_and_never_zero() -> None:
    assert [one["p_adjusted"] for one in analysis.adjusted([{"p": 0.4, "p_sign": 0.2}] * 3)] == [1.0, 1.0, 1.0]
    some = analysis.adjusted([{"p": p, "p_sign": p} for p in (0.01, 0.04, 0.03, 0.005)])
    assert [one["p_adjusted"] for one in some] == pytest.approx([0.03, 0.06, 0.06, 0.02])  # as p.adjust of R says
    assert [format_p(p) for p in (0.0, 0.000999, 0.001, 0.0456, 1.0)] == ["< 0.001", "< 0.001", "0.001", "0.046", "1"]


def grown(rate: float, noise: float, start: float = 1e-3, limit: float = INF, seed: int = 0, sizes: Any = SIZES) -> Any:
    """Times that grow exponentially, with noise; beyond a limit they are infinite."""
    rng = np.random.default_rng(seed)
    seconds = start * np.exp(rate * (sizes - 4) + noise * rng.standard_normal(len(sizes)))
    return np.where(seconds > limit, INF, seconds)


def test_times_that_fall_have_the_rate_of_those_that_grow_with_the_other_sign() -> None:
    seconds = grown(0.1, 0.1)
    up, down = (fit_curve(SIZES, some, 10.0, 1e-9) for some in (seconds, seconds[::-1]))
    ends = [down["interval_low"], down["rate"], down["interval_high"]]
    assert ends == pytest.approx([-up["interval_high"], -up["rate"], -up["interval_low"]], rel=1e-3)
    assert np.isfinite(ends).all()


def test_the_time_of_starting_does_not_hide_growth() -> None:
    seconds = 0.004 + 1e-5 * np.exp(0.7 * (SIZES - 4))
    seconds[seconds > 5] = INF
    found, hidden = fit_curve(SIZES, seconds, 5.0), fit_curve(SIZES, seconds, 5.0, 1e-3)
    assert found["floor"] == pytest.approx(0.008, rel=0.01)
    assert abs(found["slope"] - 0.7) < 0.05 < abs(hidden["slope"] - 0.7)


def test_rounding_does_not_choose_between_equal_curves() -> None:
    """The smaller sizes are below the floor: through the other two both curves are the same."""
    sizes = np.array([4.0, 4.0, 5.0, 5.0, 9.0, 9.0, 11.0, 11.0])
    seconds = np.array([0.54362, 0.59276, 0.65632, 0.60714, 1.26614, 0.98849, 1.92812, 2.35293]) / 1000
    assert fit_curve(sizes, seconds, 5.0)["model"] == "power"


def a_fit(model: Any = "exponential", **changed: Any) -> dict[str, Any]:
    """A fit of six puzzles to three of which another model fits worse."""
    found: dict[str, Any] = {"model": model, "rate": 2.0, "interval_low": 1.0, "interval_high": 3.0, "points": 6}
    found |= {"censored": 0, "floored": 0, "floor": 0.001, "smallest": 1.0, "largest": 9.0, "slope": 0.5}
    found |= {"aic": {name: 1.0 if name == model else 9.0 for name in ("flat", "power", "exponential")}, "why": ""}
    return {**found, **changed}


@pytest.mark.parametrize(
    ("changed", "said", "growing", "words"),
    [
        ({}, "exponential", True, "doubles when n grows by 2 (95% 1 to 3), fitted over n = 1 to 9"),
        ({"points": 5}, "unclear", True, "; a power fits about as well"),
        ({"aic": {"flat": 2.9, "power": 9.0, "exponential": 1.0}}, "unclear", False, "; no growth fits about as well"),
        ({"interval_high": INF}, "exponential", False, "(95% 1 to ∞)"),
        ({"interval_low": 0.0}, "exponential", False, "(95% 0 to 3)"),
        ({"model": "power", "aic": {"flat": 9.0, "power": 1.0, "exponential": 3.0}}, "power", True, "grows as n^2"),
        ({"model": "flat", "rate": 0.001}, "flat", False, "no visible growth: about 1 ms"),
        ({"model": "flat", "rate": 0.00099}, "below 1 ms", False, "no visible growth: below 1 ms"),
        ({"model": None, "why": "no idea"}, None, False, "no idea, over n = 1 to 9"),
        ({"floored": 2, "censored": 1}, "exponential", True, ", 2 below 1 ms counted as at most that, 1 puzzle cens"),
    ],
)
def test_what_a_fit_says(changed: dict[str, Any], said: str | None, growing: bool, words: str) -> None:
    found = a_fit(**changed)
    assert (growth(found), grows(found)) == (said, growing)
    assert words in fit_words(found)


@pytest.mark.parametrize(
    ("seconds", "why"),
    [
        ([INF] * 5, "solved none within the limit"),
        ([1e-4] * 5, "always below 1 ms"),
        ([1e-4, 1e-4, 0.5, INF, INF], "too few times between the floor and the limit"),
    ],
)
def test_times_without_a_fit(seconds: list[float], why: str) -> None:
    found = fit_curve(np.arange(1.0, 6.0), np.array(seconds), 1.0)
    assert (found["model"], found["why"], grows(found), rivals(found)) == (None, why, False, [])


@pytest.mark.parametrize("seed", range(25))
def test_whatever_the_times_there_is_a_fit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 30))
    sizes = rng.choice([1.0, 2.5, 7.0, 1e3, 1e6] if seed % 2 else [3.0, 4.0, 5.0], count)
    seconds = rng.choice([0.0, 1e-7, 1e-3, 0.02, 0.02, 3.0, INF], count)
    found = fit_curve(sizes, seconds, 3.0)
    assert fit_words(found)
    if found["model"] is not None:
        assert found["interval_low"] <= found["interval_high"]
        assert math.isfinite(analysis.predict(found, np.array([5.0]))[0])


def test_fits_are_of_ranked_contestants_on_families_of_three_sizes() -> None:
    rows = [[0.01 * 2.0**at, 0.1] for at in (0, 0, 1, 1, 2, 2)] + [[0.1, 0.1]] * 2
    some = {"sizes": [4, 4, 6, 6, 8, 8, 4, 6], "families": ["hard"] * 6 + ["few"] * 2}
    (one,) = fits(times(rows, groups="g", wrong="b", **some))
    assert [one[name] for name in ("family", "backend", "group", "points", "left_out")] == ["hard", "a", "g", 6, 0]
    assert one["rate"] == pytest.approx(2.0, rel=0.02)
    puzzles = ({"family": "hard", "growth": False, "puzzles": ["1|1"]},)
    assert fits(times(rows, puzzles=puzzles, **some)) == []


@pytest.mark.parametrize(
    ("changed", "is_wall"),
    [
        ({"censored": 1}, True),
        ({"slope": 0.575, "floor": 0.0}, False),  # by a factor of 99 from the smallest to the largest
        ({"slope": 0.576, "floor": 0.0}, True),
        ({"censored": 1, "interval_high": INF}, False),
        ({"censored": 1, "points": 5}, False),
        ({"censored": 1, "model": "power"}, False),
    ],
)
def test_a_wall_is_certain_growth_to_the_limit_or_by_a_large_factor(changed: dict[str, Any], is_wall: bool) -> None:
    found = {**a_fit(), "intercept": -6.0, "family": "f", "backend": "a", "group": "", **changed}
    walls = list(analysis.walls([found]))
    assert [(wall["backends"], wall["group"], wall["doubling_low"]) for wall in walls] == [("a", "a", 2.0)] * is_wall


def require_equal(row: dict[str, Any], found: dict[str, Any], about: object) -> None:
    for name, value in found.items():
        expected = pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else value
        assert row[name] == expected, (about, name)


def test_rankings_pairs_and_growth_follow_from_the_runs(tmp_path: Path) -> None:
    results = random_campaign(tmp_path / "s.sqlite")
    ours = tables(results.times())
    script = recomputed(list(csv.DictReader(io.StringIO("".join(exported(results, "csv"))))))

    ranking = {(row["kind"], row["backend"]): row for row in ours["ranking"]}
    assert ranking.keys() == {(kind, who) for kind, some in script["ranking"].items() for who in some}
    assert ("lights-out", "liar") not in ranking
    for (kind, who), row in ranking.items():
        require_equal(row, script["ranking"][kind][who], who)

    assert len(ours["pairs"]) == len(script["pairs"]) == 16
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


STORED = Path(__file__).with_name("outputs.txt")
_NUMBER = re.compile(r"-?\d+\.\d{5,}(?:e-?\d+)?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results")
    two_campaigns(path)
    (path / "tables").mkdir()
    return path


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    "line",
    [
        "status new.sqlite",
        "status old.sqlite",
        "status part.sqlite",
        "status new.sqlite --json",
        "diff part.sqlite new.sqlite",
        "diff old.sqlite new.sqlite --json",
        "merge all.sqlite part.sqlite old.sqlite",
        "export old.sqlite",
        "export old.sqlite -o runs.jsonl",
        "export new.sqlite -o old.sqlite",
        "report old.sqlite --json --figures drawn",
        "report old.sqlite",
        "report old.sqlite -o old.sqlite",
        "report old.sqlite -o page.pdf",
        "report part.sqlite --figures old.sqlite",
        "report part.sqlite -o page.html --figures new/figures",
        "report old.sqlite --tables tables",
    ],
)
def test_outputs_are_the_stored_ones(folder: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(root, ["bench", *line.split()], standalone_mode=False)
    text = f"{done.output}status {done.return_value} {done.exception or ''}\n"
    for name in ("tables.tex", "runs.jsonl"):
        if Path(name).stem in line:
            text += next(folder.rglob(name)).read_text(encoding="utf-8")
    text = _NUMBER.sub(lambda found: f"{float(found[0]):.4g}", text.replace(__version__, "VERSION"))
    lines = [*dict.fromkeys(text.splitlines())]  # each once: tables in LaTeX begin and end alike
    check(STORED, line, "\n".join([*lines[:3], *lines[3:][-1:]] if "export" in line else lines))
