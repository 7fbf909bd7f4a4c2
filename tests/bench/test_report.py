"""The report and its figures."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import report as module
from crosslit_bench.analysis import fits
from crosslit_bench.figures import figure_files, figures_of, svg_text
from crosslit_bench.report import html, latex, pair_tables, plain
from crosslit_bench.results import Results, load
from crosslit_bench.spec import Instance
from matplotlib.figure import Figure

from crosslit import Grid, LightsOut, draw
from crosslit.contract.run import Run
from tests.bench.stores import BOARD, HERE, PICTURE, Answer, campaign, honest, solved, two_campaigns, unsolved
from tests.bench.test_analysis import INF, NAN, times
from tests.stored import check

HOSTILE = (
    "</script><script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "' onmouseover='window.ran = 1 \u4e2d",  # a sign that the fonts of figures lack
    "{{ 7 * 7 }}{% raw %}${7*7}\u2028\u2029<!--<script>]]>",
    "\x00\x1b[31m\u202e\u2066 gnp.exe",
    "x" * 10_000,
    "<svg onload=alert(1)>&lt;&amp;&#x27;</td></tr></table></pre></style>",
)


def with_liar(instance: Instance, label: str) -> Run:
    return solved(0.001) if label == "liar" else honest(instance, label)


class Page(HTMLParser):
    """The elements and the text of a page, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements, self.text = list[tuple[str, dict[str, str | None]]](), ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.text += " " * (tag in ("td", "th"))

    def handle_data(self, data: str) -> None:
        self.text += data if self.cdata_elem is None else ""  # of a script or a style


@pytest.mark.usefixtures("undrawn")
def test_the_policy_allows_only_this_script_this_style_and_pictures_within(tmp_path: Path) -> None:
    page = html(campaign(tmp_path / "s", honest, ["a", "b"]))
    told = next(attributes["content"] or "" for _, attributes in Page(page).elements if "http-equiv" in attributes)
    parts = ["default-src 'none'", "img-src data:"]
    for tag in ("script", "style"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        parts.append(f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")
    assert told.split("; ") == [*parts, "base-uri 'none'", "form-action 'none'"]


@pytest.mark.usefixtures("undrawn")
def test_what_is_wrong_comes_before_any_ranking_with_its_picture(tmp_path: Path) -> None:
    two_campaigns(tmp_path)
    lines: list[str] = []
    parts = '<td class="b">', "<figcaption>", '<p class="warning">', "Start is", "<caption>Groups", "<caption>Pairs"
    for name, counts in (("old", [0, 11, 7, 0, 1, 1, 1]), ("new", [1, 11, 5, 1, 0, 0, 1])):
        results = load(tmp_path / f"{name}.sqlite")
        page = html(results)
        summary, _, others = Page(page).text.partition("fact value")[2].partition("Ranking")
        rows = others.partition("Search")[2].partition("Measurement")[0]
        shown = [[line.strip() for line in part.splitlines() if line.strip()] for part in (summary, rows)]
        lines += [*shown[0], *shown[1][:4], shown[1][-1]]
        found = re.findall(r'<article>.*?</h3>\n<img src="[^"]*base64,([^"]*)"', page, re.DOTALL)
        drawn = [draw(one.instance.puzzle, (finding.witness or "").split("/")).svg() for one, finding in results.wrong]
        assert [base64.b64decode(text).decode() for text in found] == drawn
        assert [len(found), *map(page.count, parts)] == counts
    check(Path(__file__).with_name("outputs.txt"), "pages", "\n".join(dict.fromkeys(lines)))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("labels", "answer", "has_times"),
    [
        pytest.param(["a"], honest, True, id="one contestant"),
        pytest.param(["a", "b"], lambda *_: unsolved(), True, id="all timeouts"),
        pytest.param(["a", "b"], lambda *_: None, False, id="no runs"),
        pytest.param(["liar"], with_liar, True, id="only a liar"),
        pytest.param(["a", "liar"], with_liar, True, id="one is left"),
        pytest.param(["a", "b"], lambda *_: unsolved(status="unsupported"), False, id="none is supported"),
    ],
)
def test_there_is_a_page_and_tables_whatever_was_found(
    tmp_path: Path, labels: list[str], answer: Callable[..., Answer], has_times: bool
) -> None:
    results = campaign(tmp_path / "s", answer, labels)
    text = html(results)
    page = Page(text)
    for status, cell in (("unsupported", "–"), ("timeout", "timeout")):
        assert (f'<td class="u">{cell}</td>' in text) == (status in results.statuses)
    assert [tag for tag, _ in page.elements].count("h1") == 1
    assert "Measurement" in page.text
    assert ("Ranking" in page.text) == has_times
    assert not re.search(r"\bnan\b", page.text)
    assert ("none on 2 puzzles; 2 undecided" in page.text) == ("timeout" in results.statuses)
    assert re.match(r"% needs(?!.*\n\n\n)", latex(results), re.DOTALL)


@pytest.mark.usefixtures("undrawn")
def test_an_incomplete_campaign_and_unlike_machines_are_said_at_the_top(tmp_path: Path) -> None:
    def half(instance: Instance, label: str) -> Answer:
        return (honest(instance, label), {"processors": 4 + (instance.puzzle == BOARD)}) if label == "a" else None

    text = Page(html(campaign(tmp_path / "s", half, ["a", "b"]))).text
    notice = "This campaign is not complete: 2 of 4 runs are made."
    assert text.index(notice) < text.index("Unlike machines made the runs") < text.index("Summary")
    assert notice not in html(campaign(tmp_path / "s", honest, ["a", "b"]))


@pytest.mark.usefixtures("undrawn")
def test_the_environment_names_versions_plugins_programs_and_the_file(tmp_path: Path) -> None:
    results = campaign(tmp_path / "s", honest, ["a"], about="First.\n\nSecond <b>.")
    software = {"version": "9.15", "plugin": "mine-enc 1.0", "sources": "0123456789abcdef"}
    contestant = results.entrants[0].contestant._replace(**software, programs=json.dumps({"./p": "#!/bin/sh\n"}))
    object.__setattr__(results.entrants[0], "contestant", contestant)
    text = Page(html(results)).text
    for words in ("desk", "Some CPU", "Linux 6.1", "3.12.1", "9.15", "mine-enc 1.0", "0123456789ab", "The program ./p"):
        assert words in text
    for words in (results.spec.toml, "#!/bin/sh\n", "First.", "Second <b>."):
        assert words in text


@pytest.mark.usefixtures("undrawn")
def test_what_does_not_fit_is_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_CELLS", 3)
    monkeypatch.setattr(module, "_MAX_PICTURE", 8)
    page = html(campaign(tmp_path / "s", with_liar, ["a", "liar"]))
    assert "And 1 more puzzles that do not fit" in page
    assert page.count("</h3>\n<img") == 1  # of two findings


def test_only_report_and_diff_need_pandas(tmp_path: Path) -> None:
    campaign(tmp_path / "s")
    code = """
import sys
from click.testing import CliRunner
from crosslit.cli.group import root
for words in ("status s", "export s", "merge t s", "report s --json", "diff s t", "report s -o s.html"):
    missing = "matplotlib" if "html" in words else "pandas"
    sys.modules[missing] = None
    done = CliRunner().invoke(root, ["bench", *words.split()], standalone_mode=False)
    del sys.modules[missing]
    print(words, done.return_value, done.exception)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    *others, report, diff, page = done.stdout.splitlines()
    assert others == ["status s 0 None", "export s 0 None", "merge t s 0 None"]
    for line, words in ((report, "report s --json"), (page, "report s -o s.html")):
        assert line.startswith(f"{words} None a report needs pandas, SciPy, Matplotlib and Jinja: pip install ")
    assert diff.startswith("diff s t None `bench diff` needs pandas and SciPy: pip install ")


def test_an_interval_has_two_ends_or_is_left_out() -> None:
    shown = [pair_tables(times([[1.0, 2.0]] * count))[0].rows[0][0][6] for count in (5, 6)]
    assert shown == ["", "0.5 to 0.5"]


def test_a_long_text_loses_its_middle() -> None:
    assert [plain("a" * count).count("a") for count in (80, 81, 999)] == [80, 79, 79]
    assert plain("a" * 60 + "\n" + "b" * 60) == "a" * 53 + "…" + "b" * 26


def hostile(path: Path) -> Results:
    """A campaign with foreign text in every field that can hold it."""
    puzzles = [PICTURE, *(LightsOut(Grid.from_bits(3 + at % 2, 3, 11 + at)) for at in range(1, len(HOSTILE)))]
    instances = [Instance(puzzle.named(text), text) for puzzle, text in zip(puzzles, HOSTILE, strict=True)]

    def answer(_: Instance, label: str) -> Answer:
        failed = HOSTILE.index(label) % 3
        run = unsolved(status="error", error=label, stray=label) if failed else solved(0.01, stray=label)
        run.version, run.stats = label, {"difficulty": label, label[:50]: label}
        return run, {name: label if isinstance(value, str) else 99.0 for name, value in HERE.items()}

    every = "".join(HOSTILE)
    return campaign(path, answer, HOSTILE, instances, title=every, about=every, name=every)


@pytest.mark.slow
def test_what_others_wrote_is_only_text(tmp_path: Path) -> None:
    results = hostile(tmp_path / "s")
    text = html(results)
    page = Page(text)
    tags, names = [tag for tag, _ in page.elements], {name for _, given in page.elements for name in given}
    assert (tags.count("script"), tags.count("style"), tags.count("svg")) == (1, 1, 0)
    assert not [name for name in names if name.startswith("on") or name in ("style", "href")]
    sources = {(given["src"] or "")[:26] for _, given in page.elements if "src" in given}
    assert sources == {"data:image/svg+xml;base64,"}
    assert "{{ 7 * 7 }}" in page.text
    assert "\x1b" not in text
    assert len(text.encode()) < 2_000_000
    assert latex(results)


ROWS = [[0.1, 0.2, 0.05], [INF, 0.3, 2.0], [5.0, INF, 0.07], [INF, INF, NAN]]


@pytest.mark.parametrize("rows", [ROWS, [[INF, INF]] * 3, [[0.0, 1e-7]] * 3, [[1.0]], [[NAN, 1.0], [1.0, NAN]]])
def test_there_is_a_figure_whatever_the_times(rows: Any) -> None:
    labels = [chr(0x100 + at) for at in range(len(rows[0]))]
    some = times(rows, labels)
    for plot in figures_of(some, fits(some)):
        assert svg_text(plot.figure).startswith("<?xml")
        assert plot.caption
        assert plot.alt
        assert plot.figure.axes[0].get_legend() is None  # of a single family
    assert svg_text(plot.figure) == svg_text(plot.figure)  # drawn again


def described(figure: Figure) -> Iterator[str]:
    """The texts and lines of a figure."""
    (axes,), looks = figure.axes, ("color", "marker", "linestyle", "alpha", "zorder", "markevery", "rasterized", "mew")
    texts = axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel(), str(axes.texts[0])
    yield " | ".join(texts).replace("\n", ", ")
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        parts = axis.get_major_formatter(), axis.get_major_locator(), axis.get_minor_locator()
        yield f"{axis.get_scale()} from {low:.3g} to {high:.3g}, {' '.join(type(one).__name__ for one in parts)}"
    for legend in [*figure.legends, *filter(None, [axes.get_legend()])]:
        yield f"{legend.get_title().get_text()} {[text.get_text() for text in legend.get_texts()]}"
    for line in axes.lines[1:]:  # the first one is the limit
        points = [f"{x:.3g} {y:.3g}" for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]
        shown = points if len(points) < 10 else [*points[:3], "...", points[-1]]
        yield f"{' '.join(str(getattr(line, f'get_{name}')()) for name in looks)}: {', '.join(shown)}"


def test_what_the_figures_draw() -> None:
    rows = [[0.01 * 2.0**at, 0.001 * at, INF] if at < 5 else [INF, NAN if at == 5 else 0.0, 0.2] for at in range(7)]
    some = times(rows, sizes=[4, 6, 8, 10, 12, 14, 16], limit=0.3, wrong="c", families=[*"ggggggf"])
    for plot in figures_of(some, fits(some)):
        assert plot.alt.startswith(plot.caption)
        check(Path(__file__).with_name("figures.txt"), plot.slug, "\n".join([plot.alt, *described(plot.figure)]))


def test_many_contestants_and_long_names_can_be_told_apart() -> None:
    labels = ["a" * 33, "b" * 34, *"cdefghijklm"]
    figure = figures_of(times([[1.0] * 13], labels), [])[0].figure
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[1:3] == ["a" * 33 + ": 1", "b" * 17 + "…" + "b" * 16 + ": 1"]
    assert [line.get_linestyle() for line in figure.axes[0].lines[2:]] == ["-"] * 12 + ["--"]


@pytest.mark.slow
def test_files_are_equal_each_time() -> None:
    files = figure_files(times(ROWS), [])
    assert files == figure_files(times(ROWS), [])
    assert {name[-3:]: content[:4] for name, content in files.items()} == {"svg": b"<?xm", "pdf": b"%PDF"}
