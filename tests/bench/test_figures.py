"""Figures: marks where the times are, looks that stay, and names of any kind."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from crosslit_bench.analysis import fits
from crosslit_bench.figures import cactus, figure_files, figures_of, scaling, scatter, svg_text
from matplotlib.figure import Figure

from tests.bench.test_analysis import INF, NAN, times

ROWS = [[0.1, 0.2, 0.05], [INF, 0.3, 2.0], [5.0, INF, 0.07], [INF, INF, NAN]]


def curves(figure: Figure) -> dict[str, Any]:
    """The points of the curves in a legend, by its texts."""
    (legend,) = figure.legends
    lines = [line for line in figure.axes[0].lines if line.get_color() != "#222222"]
    return dict(zip([text.get_text() for text in legend.get_texts()], lines, strict=False))


def test_a_cactus_plot_counts_solved_puzzles_in_order_of_their_times() -> None:
    figure = cactus(times(ROWS, wrong="c"), "boards")
    found = {name: (list(line.get_xdata()), list(line.get_ydata())) for name, line in curves(figure).items()}
    assert found == {
        "virtual best: 3": ([1, 2, 3], [0.1, 0.3, 5.0]),  # without the one that is wrong
        "c (wrong): 3 of 3": ([1, 2, 3], [0.05, 0.07, 2.0]),
        "b: 2": ([1, 2], [0.2, 0.3]),
        "a: 2": ([1, 2], [0.1, 5.0]),
    }
    assert figure.axes[0].get_xlabel() == "boards solved, of 4"


def test_times_are_drawn_over_their_sizes_with_unsolved_puzzles_above_the_limit() -> None:
    some = times([[0.01 * 2.0**at] if at < 5 else [INF] for at in range(7)], sizes=[4, 6, 8, 10, 12, 14, 16], limit=0.3)
    figure = scaling(some, "f", fits(some))
    dots, late, medians, curve = figure.axes[0].lines[1:5]
    assert list(dots.get_ydata()) == [0.01 * 2.0**at for at in range(5)]
    assert list(late.get_ydata()) == pytest.approx([0.42, 0.42])
    assert list(medians.get_xdata()) == [4, 6, 8, 10, 12]
    assert curve.get_xdata()[0] == 4
    assert np.all(np.diff(np.log(curve.get_ydata())) > 0)


def test_a_pair_has_a_point_for_each_puzzle_and_unsolved_ones_at_the_edge() -> None:
    figure = scatter(times(ROWS), "a", "b")
    (points,) = [line for line in figure.axes[0].lines if line.get_marker() not in ("None", None, "")]
    assert list(points.get_xdata()) == [0.1, 16.0, 5.0, 16.0]
    assert list(points.get_ydata()) == [0.2, 0.3, 16.0, 16.0]
    assert figure.axes[0].get_xlabel().startswith("a\nwins 2, ")


def test_a_contestant_looks_the_same_in_all_figures() -> None:
    looks = []
    for figure in (cactus(times(ROWS), "boards"), scaling(times(ROWS), "f", [])):
        names = [text.get_text().split(":")[0] for text in figure.legends[0].get_texts()]
        handles: Any = figure.legends[0].legend_handles
        found = {name: (one.get_color(), one.get_marker()) for name, one in zip(names, handles, strict=True)}
        looks.append([found[name] for name in "abc"])
    assert looks[0] == looks[1]
    assert len(set(looks[0])) == 3


@pytest.mark.parametrize(
    "rows", [ROWS, [[INF, INF]] * 3, [[0.0, 1e-7]] * 3, [[1.0]], [[NAN, 1.0], [1.0, NAN]], np.full((200, 30), 0.5)]
)
def test_there_is_a_figure_whatever_the_times(rows: Any) -> None:
    labels = [chr(0x100 + at) for at in range(len(rows[0]))]
    some = times(rows, labels)
    for plot in figures_of(some, fits(some)):
        assert svg_text(plot.figure).startswith("<?xml")
        assert plot.caption
        assert plot.alt


def test_names_of_any_kind_are_drawn_as_text() -> None:
    names = ["_under", "$x^2$", "<b>&", "\x1b[31m", "x" * 500, "日本", "%s{}"]
    some = times(np.full((3, 7), 0.5), names, families="<svg onload=x>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = "".join(svg_text(plot.figure) for plot in figures_of(some, []))
    assert "&lt;b&gt;&amp;: 3" in text
    assert "_under: 3" in text
    assert not any(words in text for words in ("<b>", "\x1b", "x" * 40))
    assert "onload" not in re.sub(r">[^<]*<|<!--.*?-->", "", text)


def test_files_have_names_of_their_own_and_are_equal_each_time() -> None:
    some = times(ROWS, ["A!", "a?", "b"])
    files = figure_files(some, [])
    names = ("cactus", "scaling-f", "scatter-b-a", "scatter-b-a-no2", "scatter-a-a")
    assert sorted(files) == sorted(f"{name}.{form}" for name in names for form in ("pdf", "svg"))
    assert files == figure_files(some, [])
    assert all(content.startswith((b"<?xml", b"%PDF")) for content in files.values())
