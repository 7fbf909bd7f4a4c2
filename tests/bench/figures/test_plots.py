"""The content of plots, not the place of each pixel."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis.growth import Fit
from crosslit_bench.figures import figure_files, figures_of, svg_text
from crosslit_bench.figures.curves import cactus, pairs_of, pdf_bytes, scaling, scatter
from crosslit_bench.figures.style import FLOOR, looks
from crosslit_bench.results.frame import Contestant, TimeTable
from defusedxml import ElementTree

from crosslit.base.errors import Unavailable
from tests.bench.drawable import disqualify, made_up, renamed, with_times

pytest.importorskip("matplotlib")
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

HOSTILE = [
    "$\\frac{1}{2}$",
    "_hidden",
    "<script>alert(1)</script>&amp;",
    "a\nb\x00c\x1b[31m",
    "\udcff\ud800",
    "$unbalanced",
    "100% \\$ {x} #1",
    "漢字 かな",
    "\u202eright to left",
    "",
    "]]> --> \"'",
]


def growing(contestant: str, family: str, rate: float = 0.1) -> Fit:
    counts: dict[str, Any] = {"points": 10, "censored": 0, "floored": 0, "floor": FLOOR}
    sizes: dict[str, Any] = {"smallest": 4.0, "largest": 22.0, "solved_to": 22.0}
    model: Any = "exponential" if rate else "flat"
    return Fit(
        family=family,
        contestant=contestant,
        group="",
        model=model,
        rate=rate,
        interval=None,
        **counts,
        **sizes,
        intercept=math.log(0.001),
        slope=rate,
    )


def drawn(figure: Figure, label: str) -> list[Line2D]:
    return [line for line in figure.axes[0].lines if line.get_label() == label]


def points(figure: Figure, label: str) -> int:
    return sum(len(line.get_xdata()) for line in drawn(figure, label))  # type: ignore[arg-type]


def words(figure: Figure) -> list[str]:
    """All text of the SVG, one string for each element."""
    root = ElementTree.fromstring(svg_text(figure))
    return ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_cactus_draws_every_solved_puzzle_in_order_of_time() -> None:
    table = made_up()
    curves = [line for line in cactus(table).axes[0].lines if str(line.get_label()).startswith("curve")]
    solved = np.isfinite(table.seconds).sum(axis=0)
    assert sorted(len(line.get_xdata()) for line in curves) == sorted(solved)  # type: ignore[arg-type]
    assert all((np.diff(np.asarray(line.get_ydata())) >= 0).all() for line in curves)


def test_the_virtual_best_takes_the_least_of_each_puzzle() -> None:
    (line,) = drawn(cactus(with_times([[1, 3], [5, 2], [math.inf, math.inf], [math.nan, 4]])), "vbs")
    assert list(line.get_ydata()) == [1, 2, 4]  # type: ignore[arg-type]


def test_who_is_disqualified_is_not_in_the_virtual_best_and_is_called_wrong() -> None:
    figure = cactus(disqualify(with_times([[1, 3], [5, 2]]), 0))
    (line,) = drawn(figure, "vbs")
    assert list(line.get_ydata()) == [2, 3]  # type: ignore[arg-type]
    assert words(figure)[-3:] == ["virtual best: 2", "c1: 2", "c0 (wrong): 2"]


@pytest.mark.parametrize("count", [3, 24])
@pytest.mark.parametrize("width", [3.3, 6.9])
def test_the_legend_names_everyone(count: int, width: float) -> None:
    table = made_up(contestants=count)
    shown = words(cactus(table, width))
    for at, one in enumerate(table.contestants):
        asked = (~np.isnan(table.seconds[:, at])).sum()
        of = "" if asked == len(table.entries) else f" of {asked}"
        assert f"{one.label}: {np.isfinite(table.seconds[:, at]).sum()}{of}" in shown
    shown = words(scaling(table, "solvable", width=width))
    assert {one.label for one in table.contestants} <= set(shown)


def test_growth_shows_every_puzzle_and_a_triangle_for_each_that_is_not_solved() -> None:
    table = made_up()
    figure, times = scaling(table, "unsolvable"), table.of_family("unsolvable").seconds
    assert points(figure, "puzzles") == np.isfinite(times).sum()
    assert points(figure, "unsolved") == np.isposinf(times).sum() > 0
    triangles = np.concatenate([np.asarray(line.get_ydata()) for line in drawn(figure, "unsolved")])
    assert (triangles > table.limit).all()


def test_medians_count_what_is_not_solved() -> None:
    seconds = [[1.0], [math.inf], [2.0], [math.inf], [math.inf], [3.0]]
    table = with_times(seconds)
    sizes = [4, 4, 4, 5, 5, 5]
    entries = tuple(dataclasses.replace(one, size=size) for one, size in zip(table.entries, sizes, strict=True))
    (line,) = drawn(scaling(dataclasses.replace(table, entries=entries), "boards"), "median")
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([4], [2])  # type: ignore[arg-type]


def test_fits_are_drawn_for_their_family_and_contestant() -> None:
    table = made_up()
    label = table.contestants[0].label
    fits = [growing(label, "solvable"), growing(label, "unsolvable"), growing("nobody", "solvable")]
    figure = scaling(table, "solvable", fits)
    (line,) = drawn(figure, "fit")
    (median,) = [one for one in drawn(figure, "median") if one.get_color() == line.get_color()]
    assert median.get_xdata()[0] == line.get_xdata()[0] == 4  # type: ignore[index]
    assert "fit" in words(figure)


def test_a_fit_that_does_not_grow_is_not_drawn() -> None:
    table = made_up()
    figure = scaling(table, "solvable", [growing(table.contestants[0].label, "solvable", rate=0)])
    assert not drawn(figure, "fit")
    assert "fit" not in words(figure)


def test_a_scatter_plot_has_a_mark_for_each_puzzle_that_both_were_asked() -> None:
    table = made_up()
    figure = scatter(table, 2, 3)
    xs, ys = table.seconds[:, 2], table.seconds[:, 3]
    assert points(figure, "puzzles") == (~np.isnan(xs) & ~np.isnan(ys)).sum() < len(table.entries)


def test_the_unsolved_lie_on_the_edge_and_wins_are_counted() -> None:
    inf, nan = math.inf, math.nan
    figure = scatter(with_times([[1, 2], [1, inf], [inf, inf], [3, 2], [2, 2], [nan, 1]]), 0, 1)
    (line,) = drawn(figure, "puzzles")
    edge = drawn(figure, "edge")[0].get_xdata()[0]  # type: ignore[index]
    assert edge > 10
    assert list(line.get_xdata()) == [1, 1, edge, 3, 2]  # type: ignore[arg-type]
    assert list(line.get_ydata()) == [2, edge, edge, 2, 2]  # type: ignore[arg-type]
    assert {"wins 2, above the diagonal", "wins 1, below the diagonal"} <= set(words(figure))
    assert words(figure).count("unsolved") == 2


def test_pairs_are_of_the_best_of_groups_first() -> None:
    times = with_times([[1, 2, 3, 4], [1, 2, 3, math.inf], [1, 2, 3, math.inf]])
    groups = ["a", "a", "b", "c"]
    contestants = tuple(Contestant(label=f"c{at}", group=group, version="1") for at, group in enumerate(groups))
    table = dataclasses.replace(times, contestants=contestants)
    assert pairs_of(table) == [(0, 2), (0, 3), (2, 3), (0, 1)]
    assert pairs_of(disqualify(table, 0)) == [(1, 2), (1, 3), (2, 3)]


@pytest.fixture
def two_kinds() -> TimeTable:
    """Three contestants on two boards and four on three nonograms, of which one was asked both."""
    inf, nan = math.inf, math.nan
    boards, nonograms = [1, 2, 3, nan, nan, nan], [nan, nan, inf, 1, 2, 3]
    table = with_times([boards, boards, nonograms, nonograms, nonograms])
    kinds = ["lights-out"] * 2 + ["nonogram"] * 3
    entries = tuple(dataclasses.replace(one, kind=kind) for one, kind in zip(table.entries, kinds, strict=True))
    return dataclasses.replace(table, entries=entries)


def test_each_kind_of_puzzle_has_a_cactus_plot_of_those_who_were_asked_it(two_kinds: TimeTable) -> None:
    boards, nonograms = (one for one in figures_of(two_kinds) if one.kind == "cactus")
    assert (boards.slug, nonograms.slug) == ("cactus-lights-out", "cactus-nonogram")
    assert (boards.caption, nonograms.caption) == (
        "Lights Out boards solved within a time per puzzle",
        "Nonograms solved within a time per puzzle",
    )
    assert {"Lights Out boards solved, of 2", "c0: 2", "c2: 2"} <= set(words(boards.figure))
    assert {"nonograms solved, of 3", "c5: 3", "c2: 0"} <= set(words(nonograms.figure))
    assert boards.alt.endswith("At the limit: c0 2 of 2, c1 2 of 2, c2 2 of 2.")
    assert nonograms.alt.endswith("At the limit: c2 0 of 3, c3 3 of 3, c4 3 of 3, c5 3 of 3.")
    assert not {"c3: 0", "c3: 0 of 0"} & set(words(boards.figure))
    (one,) = (one for one in figures_of(two_kinds.of_kind("nonogram")) if one.kind == "cactus")
    assert (one.slug, one.caption) == ("cactus", "Puzzles solved within a time per puzzle")


def test_pairs_are_of_all_kinds_in_turn(two_kinds: TimeTable) -> None:
    assert pairs_of(two_kinds) == [(0, 1), (3, 4), (0, 2), (3, 5), (3, 2)]


def test_pairs_without_a_common_puzzle_are_left_out() -> None:
    assert pairs_of(with_times([[1, math.nan], [math.nan, 1]])) == []


@pytest.mark.parametrize("groups", [1, 4, 9])
def test_no_two_contestants_look_the_same_in_black_and_white(groups: int) -> None:
    drawn_as = looks(made_up(contestants=24, groups=groups).contestants)
    assert len({(look.marker, str(look.line)) for look in drawn_as}) == 24
    assert all(math.dist(to_rgb(look.colour), (1, 1, 1)) > 0.4 for look in drawn_as)


def test_members_of_a_group_share_their_hue() -> None:
    first, second, third = (
        Contestant(label=label, group=group, version="") for label, group in (("a", "x"), ("b", "y"), ("c", "x"))
    )
    one, other, darker = (to_rgb(look.colour) for look in looks([first, second, third]))
    assert np.allclose(np.array(one) * 0.5, darker, atol=0.01)
    assert not np.allclose(np.array(one) * 0.6, other, atol=0.1)


def shown(name: str) -> str:
    """The name as a figure must show it."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name) or "(no name)"


@pytest.mark.slow
def test_hostile_names_are_shown_letter_by_letter_and_nothing_else() -> None:
    table = renamed(made_up(40, len(HOSTILE), HOSTILE[:4]), HOSTILE, HOSTILE[:4])
    for one in figures_of(table):
        text = svg_text(one.figure)
        assert not re.search(r"<(script|image[^>]*http|a |foreignObject)", text)
        ElementTree.fromstring(text)
    assert pdf_bytes(cactus(table)).startswith(b"%PDF")
    legend = words(cactus(table))
    for name in HOSTILE:
        assert any(line.startswith(f"{shown(name)}: ") for line in legend), name
    assert shown(HOSTILE[0]) in "".join(words(scaling(table, HOSTILE[0])))


def test_long_names_are_cut_and_kept_apart() -> None:
    names = [f"{'x' * 100}{at}{'y' * 100}" for at in range(3)]
    table = renamed(made_up(contestants=3), names)
    cut = [text for text in words(cactus(table)) if "…" in text]
    assert len(set(cut)) == 3
    assert all(len(text) < 60 for text in cut)
    assert cactus(table).axes[0].get_window_extent().width > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        with_times([[]]).among(rows=[]),
        with_times([[1.0, 2.0]]).among(rows=[]),
        with_times([[1.0]]).among(columns=[]),
        with_times([[1.0]]),
        with_times([[0.0, -1.0], [0.0, 0.0]]),
        with_times([[math.inf, math.inf]] * 3),
        with_times([[math.nan, math.nan]] * 3),
        disqualify(with_times([[1.0], [2.0]]), 0),
        with_times([[1e7, 1e-9]] * 2),
        dataclasses.replace(with_times([[1.0, 2.0]] * 2), limit=math.inf),
        dataclasses.replace(with_times([[1.0, 2.0]] * 2), limit=1e-5),
    ],
    ids=["empty", "no-puzzle", "no-contestant", "one", "zero", "unsolved", "nan", "wrong", "wide", "no-limit", "tiny"],
)
def test_poor_tables_give_figures(table: TimeTable) -> None:
    for figure in (one.figure for one in figures_of(table)):
        assert words(figure)
    assert words(scaling(table, "boards"))
    assert words(scaling(table, "no such family")) == ["no times to show", "Growth with size: no such family"]


def test_times_below_the_resolution_of_the_clock_are_drawn_at_the_floor() -> None:
    (line,) = [line for line in cactus(with_times([[0.0]])).axes[0].lines if str(line.get_label()).startswith("curve")]
    assert list(line.get_ydata()) == [FLOOR]  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_files_are_svg_and_pdf_of_all_figures_and_the_same_each_time() -> None:
    table = made_up(20, 2, ["solvable"])
    fits = [growing(table.contestants[0].label, "solvable")]
    files = figure_files(table, fits)
    assert files == figure_files(table, fits)
    assert {Path(name).suffix for name in files} == {".svg", ".pdf"}
    names = {Path(name).stem for name in files}
    assert {"cactus", "scaling-solvable"} <= names
    assert any(name.startswith("scatter-") for name in names)


def test_an_svg_needs_no_network_and_no_date() -> None:
    text = svg_text(cactus(made_up()))
    assert set(re.findall(r'(?:href|src)="([^"#]*)', text)) <= {""}
    assert "<dc:date>" not in text
    names = re.findall(r'\bid="([^"]*)"', text)
    assert len(set(names)) == len(names)
    assert "'DejaVu Sans', sans-serif" in text


@pytest.mark.slow
def test_what_the_user_has_configured_is_neither_used_nor_changed() -> None:
    import matplotlib as mpl

    table = made_up(20, 3)
    before = svg_text(cactus(table))
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert svg_text(cactus(table)) == before
        assert mpl.rcParams["font.size"] == 30
    assert "matplotlib.pyplot" not in sys.modules


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unavailable, match=r"pip install .*'matplotlib>="):
        cactus(with_times([[1.0]]))
