"""The page and the tables of a report: what they say, and that foreign text stays text."""

from __future__ import annotations

import base64
import csv
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
from click.testing import CliRunner
from crosslit_bench import report as module
from crosslit_bench.report import html, latex, plain
from crosslit_bench.results import Results
from crosslit_bench.spec import Instance

from crosslit import Grid, LightsOut
from crosslit.cli.group import root
from crosslit.contract.run import Run
from tests.bench.stores import BOARD, BOTH, HERE, PICTURE, Answer, campaign, fill, right, solved, unsolved
from tests.browser import emulate

HOSTILE = (
    "</script><script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "' onmouseover='window.ran = 1",
    "{{ 7 * 7 }}{% raw %}${7*7}\u2028\u2029<!--<script>]]>",
    "\x00\x1b[31m\u202e\u2066 gnp.exe",
    "x" * 10_000,
    "<svg onload=alert(1)>&lt;&amp;&#x27;</td></tr></table></pre></style>",
)


def honest(instance: Instance, _: str) -> Run:
    return solved(0.01, right(instance.puzzle))


def with_liar(instance: Instance, label: str) -> Run:
    return solved(0.001) if label == "liar" else honest(instance, label)


class Page(HTMLParser):
    """The elements and the text of a page, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._hidden = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._hidden = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._hidden = ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data


def test_the_policy_names_this_script_and_this_style_and_allows_pictures(tmp_path: Path) -> None:
    page = html(campaign(tmp_path / "s", honest, ["a", "b"]))
    hashes = []
    for tag in ("script", "style"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes.append(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")
    told = next(attributes for _, attributes in Page(page).elements if "http-equiv" in attributes)
    assert told["content"] == (
        f"default-src 'none'; img-src data:; script-src {hashes[0]}; style-src {hashes[1]};"
        " base-uri 'none'; form-action 'none'"
    )


def test_what_is_wrong_comes_before_any_ranking_with_its_picture(tmp_path: Path) -> None:
    def wrong(instance: Instance, label: str) -> Run:
        grid = Grid.from_bits(instance.puzzle.rows, instance.puzzle.columns, 0)
        return solved(0.1, grid) if label == "liar" else honest(instance, label)

    page = html(campaign(tmp_path / "s", wrong, ["a", "b", "liar"]))
    text = Page(page).text
    places = [text.index(words) for words in ("liar (4 wrong)", "Wrong answers", "Ranking", "Puzzle by puzzle")]
    assert places == sorted(places)
    assert "liar on a board" in text
    assert "disqualified, and left out below" in text
    pictures = re.findall(r'<article>.*?base64,([^"]*)"', page, re.DOTALL)
    assert base64.b64decode(pictures[0]).decode().startswith("<svg")
    assert '<td class="w">✗ wrong</td>' in page


def test_a_crash_disqualifies_nobody(tmp_path: Path) -> None:
    def crash(instance: Instance, label: str) -> Run:
        return unsolved(status="error", error="segfault") if label == "b" else honest(instance, label)

    text = Page(html(campaign(tmp_path / "s", crash, ["a", "b"]))).text
    assert "none on 2 puzzles" in text
    assert "segfault" in text
    assert "disqualified" not in text


@pytest.mark.parametrize(
    ("instances", "labels", "answer"),
    [
        pytest.param(BOTH, ["a"], honest, id="one contestant"),
        pytest.param(BOTH, ["a", "b"], lambda *_: unsolved(), id="all timeouts"),
        pytest.param(BOTH, ["a", "b"], lambda *_: None, id="no runs"),
        pytest.param(BOTH, ["liar"], with_liar, id="only a liar"),
        pytest.param(BOTH, ["a", "liar"], with_liar, id="one is left"),
        pytest.param(BOTH, ["a", "b"], lambda *_: unsolved(status="unsupported"), id="none is supported"),
    ],
)
def test_there_is_a_page_and_tables_whatever_was_found(
    tmp_path: Path, instances: list[Instance], labels: list[str], answer: Callable[..., Answer]
) -> None:
    results = campaign(tmp_path / "s", answer, labels, instances)
    page = Page(html(results))
    assert [tag for tag, _ in page.elements].count("h1") == 1
    assert "Measurement" in page.text
    assert not re.search(r"\bnan\b", page.text)
    assert latex(results).startswith("% needs")


def test_an_incomplete_campaign_and_unlike_machines_are_said_at_the_top(tmp_path: Path) -> None:
    def half(instance: Instance, label: str) -> Answer:
        return (honest(instance, label), {"processors": 4 + (instance.puzzle == BOARD)}) if label == "a" else None

    text = Page(html(campaign(tmp_path / "s", half, ["a", "b"]))).text
    notice = "This campaign is not complete: 2 of 4 runs are made."
    assert text.index(notice) < text.index("Unlike machines made the runs") < text.index("Summary")
    assert notice not in html(campaign(tmp_path / "s", honest, ["a", "b"]))


def test_the_environment_names_versions_plugins_programs_and_the_file(tmp_path: Path) -> None:
    results = campaign(tmp_path / "s", honest, ["a"], about="First.\n\nSecond <b>.")
    entrant = results.entrants[0]
    contestant = entrant.contestant._replace(
        version="9.15", plugin="mine-enc 1.0", sources="0123456789abcdef", programs=json.dumps({"./p": "#!/bin/sh\n"})
    )
    object.__setattr__(entrant, "contestant", contestant)
    text = Page(html(results)).text
    for words in ("desk", "Some CPU", "Linux 6.1", "3.12.1", "9.15", "mine-enc 1.0", "0123456789ab", "The program ./p"):
        assert words in text
    assert results.spec.toml in text
    assert "#!/bin/sh\n" in text
    assert "First." in text
    assert "Second <b>." in text


def test_the_start_of_a_program_is_a_column_with_a_note(tmp_path: Path) -> None:
    plainly = html(campaign(tmp_path / "s", honest, ["a"]))
    assert ">start</th>" not in plainly
    results = campaign(tmp_path / "s", honest, ["a", "b"])
    for record in results.records:
        record["start"] = 0.25 if record["backend"] == "b" else None
    assert ">start</th>" in html(results)
    assert "Start is the time on a tiny puzzle of a program" in html(results)
    assert "start" in latex(results)


def test_no_p_value_is_zero_and_no_growth_undecided(tmp_path: Path) -> None:
    from crosslit_bench.results import load

    results = load(fill(tmp_path / "s.sqlite", 420, repetitions=1))
    text = Page(html(results)).text
    assert "< 0.001" in text
    assert "\\textless{} 0.001" in latex(results) or "$< 0.001$" in latex(results)
    assert "undecided" not in text.split("Puzzle by puzzle")[0].replace("none on 60 puzzles; ", "")
    written = CliRunner().invoke(root, ["bench", "report", str(results.path), "--tables", str(tmp_path / "t")])
    assert written.output == f"7 files of tables in {tmp_path / 't'}\n" or "files of tables" in written.output
    with (tmp_path / "t" / "fits.csv").open(encoding="utf-8") as file:
        assert {row["growth"] for row in csv.DictReader(file)} <= {"flat", "power", "exponential", "unclear", ""} | {
            "below 1 ms"
        }


def test_what_does_not_fit_is_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_CELLS", 3)
    assert "And 1 more puzzles that do not fit" in html(campaign(tmp_path / "s", honest, ["a", "b"]))


def test_only_report_and_diff_need_pandas(tmp_path: Path) -> None:
    campaign(tmp_path / "s", honest)
    code = """
import sys
sys.modules["pandas"] = None
from click.testing import CliRunner
from crosslit.cli.group import root
for words in ("status s", "export s", "merge t s", "report s --json", "diff s t"):
    done = CliRunner().invoke(root, ["bench", *words.split()], standalone_mode=False)
    print(words, done.return_value, done.exception)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    *others, report, diff = done.stdout.splitlines()
    assert others == ["status s 0 None", "export s 0 None", "merge t s 0 None"]
    assert report.startswith("report s --json None a report needs pandas, SciPy, Matplotlib and Jinja: pip install ")
    assert diff.startswith("diff s t None `bench diff` needs pandas and SciPy: pip install ")


def test_long_and_odd_texts_become_a_line() -> None:
    assert plain("a\n b\x00c") == "a b\ufffdc"
    assert plain("x" * 500, 9) == "xxxxx…xxx"
    assert plain("\ud800") == "\ufffd"


def hostile(path: Path) -> Results:
    """A campaign with foreign text in every field that can hold it."""
    instances = [
        Instance(
            LightsOut(Grid.from_bits(3, 3, 11 + at)).named(text)
            if at % 2
            else PICTURE.named(text)
            if at == 0
            else LightsOut(Grid.from_bits(4, 3, 11 + at)).named(text),
            text,
        )
        for at, text in enumerate(HOSTILE)
    ]

    def answer(_: Instance, label: str) -> Answer:
        at = HOSTILE.index(label)
        run = unsolved(status="error", error=label, stray=label) if at % 3 else solved(0.01, stray=label)
        run.version, run.stats = label, {"difficulty": label, label[:50]: label}
        where = {name: label for name, value in HERE.items() if isinstance(value, str)}
        return run, {**where, "machine_load": 99.0}

    every = "".join(HOSTILE)
    return campaign(path, answer, HOSTILE, instances, title=every, about=every, name=every)


def test_what_others_wrote_is_only_text(tmp_path: Path) -> None:
    text = html(hostile(tmp_path / "s"))
    text.encode()
    page = Page(text)
    tags = [tag for tag, _ in page.elements]
    assert (tags.count("script"), tags.count("style"), tags.count("svg")) == (1, 1, 0)
    assert not [name for _, given in page.elements for name in given if name.startswith("on") or name == "style"]
    sources = [given["src"] or "" for _, given in page.elements if "src" in given]
    assert sources
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not [given for _, given in page.elements if "href" in given]
    assert "{{ 7 * 7 }}" in page.text
    assert "\x1b" not in text
    assert len(text) < 2_000_000
    assert latex(hostile(tmp_path / "s"))


class Shown:
    """A report in the browser."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    @property
    def names(self) -> list[str]:
        """Of the puzzles that are shown, from top to bottom."""
        rows = "[...document.querySelectorAll('#puzzles > tbody > tr')].filter(row => row.checkVisibility())"
        return list(self.script(f"return {rows}.map(row => row.cells[0].textContent)"))

    @property
    def overflow(self) -> int:
        """How much wider the page is than its window."""
        return int(self.script("const it = document.documentElement; return it.scrollWidth - it.clientWidth"))


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Shown]]:
    """Open a report in the browser; afterwards its console must be empty."""

    def open_page(results: Results, width: int = 1280) -> Shown:
        path = tmp_path / "report.html"
        path.write_text(html(results), encoding="utf-8")
        emulate(chromium, width, width < 500)
        chromium.get(path.as_uri())
        return Shown(chromium)

    chromium.get_log("browser")
    yield open_page
    assert chromium.get_log("browser") == []


@pytest.mark.slow
def test_the_table_of_puzzles_sorts_and_filters(show: Callable[..., Shown], tmp_path: Path) -> None:
    times = {"board 2": 0.5, "board 10": 0.03, "Board 1": 2.0}
    dark = LightsOut(Grid.from_text("000/000/000"))
    grids = {name: Grid.from_bits(3, 3, 1 << at) for at, name in enumerate(times)}
    boards = [Instance(dark.pressed(grid).named(name), "f") for name, grid in grids.items()]
    page = show(
        campaign(tmp_path / "s", lambda one, _: solved(times[one.puzzle.name], grids[one.puzzle.name]), ["a"], boards)
    )
    assert page.names == list(times)
    for column, order in ((4, ["board 10", "board 2", "Board 1"]), (0, ["Board 1", "board 2", "board 10"])):
        press = "document.querySelectorAll('#puzzles th')[arguments[0]].click()"
        page.script(press, column)
        assert page.names == order
        page.script(press, column)
        assert page.names == order[::-1]
    page.script(
        "const it = document.getElementById('search'); it.value = 'BOARD 1'; it.dispatchEvent(new Event('input'))"
    )
    assert sorted(page.names) == ["Board 1", "board 10"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 1280])
def test_a_hostile_page_is_as_wide_as_its_window_and_loads_nothing(
    show: Callable[..., Shown], tmp_path: Path, width: int
) -> None:
    page = show(hostile(tmp_path / "s"), width)
    page.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert page.overflow == 0
    assert page.script("return [window.ran ?? null, document.scripts.length]") == [None, 1]
    loaded = page.script("return performance.getEntriesByType('resource').map(one => one.name.slice(0, 19))")
    assert set(loaded) <= {"data:image/svg+xml;"}


@pytest.mark.slow
def test_no_table_of_a_few_contestants_is_cut_on_paper(show: Callable[..., Shown], tmp_path: Path) -> None:
    page = show(campaign(tmp_path / "s", honest, [f"engine{at}/an-encoding" for at in range(5)]), 1032)  # A4, landscape
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert page.overflow == 0
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
