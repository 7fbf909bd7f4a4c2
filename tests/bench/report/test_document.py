"""The report of a campaign as a file: its content and order, and foreign text that stays text."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import figures
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report import html
from crosslit_bench.report import puzzles as listing_module
from crosslit_bench.report.text import plain
from crosslit_bench.results.frame import Results
from crosslit_bench.store.outcome import Outcome

from crosslit import Grid, solutions
from crosslit.base.errors import Unavailable
from crosslit.contract.run import Run, Timing
from tests.bench.reports import BOARD, CORNER, DRAWN, HERE, PICTURE, campaign, named, solved, unsolved

HOSTILE = (
    "</script><script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "' onmouseover='window.ran = 1",
    "{{ 7 * 7 }}{% raw %}${7*7}\u2028\u2029<!--<script>]]>",
    "\ud800\x00\x1b[31m\u202e\u2066 gnp.exe",
    "x" * 10_000,
    "<svg onload=alert(1)>&lt;&amp;&#x27;</td></tr></table></pre></style>",
)
WRONG = "liar"


def honest(instance: Instance, label: str) -> Run:
    return solved(0.01, CORNER if instance.puzzle.kind == "lights-out" else DRAWN)


def with_liar(instance: Instance, label: str) -> Run:
    return solved(0.001) if label == WRONG else honest(instance, label)


BOTH = [named(BOARD, "first board"), named(PICTURE, "first picture", "pictures", 2)]


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


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longest, and most tests do not look."""
    monkeypatch.setattr(figures, "figures_of", lambda *_: [])


quick = pytest.mark.usefixtures("without_figures")


def facts(page: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="facts">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_the_policy_names_this_script_and_this_style_and_allows_pictures(tmp_path: Path) -> None:
    page = html(campaign(tmp_path, BOTH, ["a", "b"], honest))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    one, other = (
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in (script, style)
    )
    told = next(attributes for tag, attributes in Page(page).elements if "http-equiv" in attributes)
    assert told["content"] == (
        f"default-src 'none'; img-src data:; script-src {one}; style-src {other}; base-uri 'none'; form-action 'none'"
    )
    assert page.index("Content-Security-Policy") < page.index("<title>")


@quick
def test_what_is_wrong_comes_before_any_ranking_with_its_picture(tmp_path: Path) -> None:
    page = html(campaign(tmp_path, BOTH, ["a", "b", WRONG], with_liar))
    assert page.index('id="summary"') < page.index('id="wrong"') < page.index('id="ranking"')
    assert page.index('id="ranking"') < page.index('id="puzzle-by-puzzle"') < page.index('id="environment"')
    told = page[page.index('id="wrong"') : page.index('id="ranking"')]
    assert "liar gave wrong answers on 2 puzzles and is disqualified: its times are shown but not ranked." in told
    assert told.count("false-unsolvable") == 2
    pictures = [base64.b64decode(text).decode() for text in re.findall(r'src="data:[^,]*,([^"]*)"', told)]
    assert [picture.count("<circle") for picture in pictures] == [0, 1]  # of the nonogram; of the board, one press
    ranking = page[page.index('id="ranking"') : page.index('id="puzzle-by-puzzle"')]
    assert '<th scope="row">a</th>' in ranking
    assert '<th scope="row">liar</th>' not in ranking


@quick
def test_a_grid_that_breaks_the_rules_is_drawn_with_the_lights_it_leaves(tmp_path: Path) -> None:
    gave = Grid.from_text("010/000/000")
    found = campaign(tmp_path, BOTH[:1], ["a", WRONG], lambda _, label: solved(1, gave if label == WRONG else CORNER))
    page = html(found)
    assert "the discs are the presses that it gave; the rings are lights that they leave on" in page
    drawn = page[page.index('class="wrongs"') : page.index("<strong>wrong-solution")]
    picture = re.findall(r'src="data:[^,]*,([^"]*)"', drawn)[-1]
    left = found.judged[0].instance.puzzle.pressed(gave).lit  # type: ignore[union-attr]
    assert base64.b64decode(picture).decode().count('stroke="#d55e00"') == 2 * left.count()  # a ring is two lines


@quick
def test_other_findings_disqualify_nobody(tmp_path: Path) -> None:
    def crash(instance: Instance, label: str) -> Run:
        return unsolved(status="error", error="segfault") if label == "b" else honest(instance, label)

    page = html(campaign(tmp_path, BOTH, ["a", "b"], crash))
    assert "No wrong answer was found" in page
    assert page.index("Other findings") < page.index('id="ranking"')
    assert "segfault" in page
    assert "it is disqualified" not in page


@quick
def test_the_table_has_a_row_for_each_puzzle_and_a_time_for_each_contestant(tmp_path: Path) -> None:
    def mixed(instance: Instance, label: str) -> Run | None:
        times = {"a": solved(0.25, CORNER), "late": unsolved(), WRONG: solved(0.001), "absent": None}
        return times[label]

    made = campaign(tmp_path, BOTH[:1], ["a", "late", WRONG, "absent"], mixed)
    unplanned = tuple(planned for planned in made.plan if planned.label != "absent")
    # the backend will run, cannot run on the puzzle, and has run on another machine
    machines: Any = {("CPU", 1, 1, ""): "machine 1", ("CPU", 2, 1, ""): "machine 2"}
    for results, mark in (
        (made, ""),
        (dataclasses.replace(made, plan=unplanned), "–"),
        (dataclasses.replace(made, plan=unplanned, machines=machines), ""),
    ):
        page = html(results)
        (row,) = re.findall(r'<tr id="p\d+".*?</tr>', page)
        cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row)
        assert cells == ["first board", "boards", "3 x 3", "0", "unique", "claimed", "0.25", mark, "timeout", "✗ wrong"]
    found = facts(page)
    assert found["labels"] == ["a", "absent", "late", WRONG]
    assert '<td class="b">0.25</td>' in row  # a wrong contestant has no best time


@quick
def test_the_runs_behind_a_row_are_data(tmp_path: Path) -> None:
    def late(instance: Instance, label: str) -> Run:
        return unsolved() if label == "late" else honest(instance, label)

    found = facts(html(campaign(tmp_path, BOTH, ["a", "late"], late)))
    assert found["labels"] == ["a", "late"]
    board = found["puzzles"][0]
    runs = {found["labels"][run[0]]: found["words"][run[3]] for run in board["runs"]}
    assert runs == {"a": "complete", "late": "timeout"}
    assert board["text"] == BOARD.text
    picture = gzip.decompress(base64.b64decode(board["picture"])).decode()
    assert picture.startswith("<svg")
    assert picture.count("<circle") == 1


@pytest.mark.parametrize(
    ("instances", "contestants", "run"),
    [
        pytest.param([], [], honest, id="no puzzles"),
        pytest.param(BOTH, ["a"], honest, id="one contestant"),
        pytest.param(BOTH, ["a", "b"], lambda *_: unsolved(), id="all timeouts"),
        pytest.param(BOTH, ["a", "b"], lambda *_: None, id="no runs"),
        pytest.param(BOTH[:1], ["a", "b"], honest, id="no nonogram"),
        pytest.param(BOTH[1:], ["a", "b"], honest, id="no board"),
        pytest.param(BOTH, [WRONG], with_liar, id="only a liar"),
        pytest.param(BOTH, ["a", WRONG], with_liar, id="one is left"),
        pytest.param(BOTH, ["a", "b"], lambda *_: unsolved(status="unsupported"), id="none is supported"),
    ],
)
def test_there_is_a_page_whatever_was_found(
    tmp_path: Path, instances: list[Instance], contestants: list[str], run: Callable[..., Any]
) -> None:
    page = html(campaign(tmp_path, instances, contestants, run))
    told = Page(page)
    assert [tag for tag, _ in told.elements].count("h1") == 1
    assert "Measurement" in told.text
    assert "nan" not in told.text
    summary = page[page.index('id="summary"') : page.index('id="wrong"')]
    assert '<th scope="row">wrong answers</th>' in summary


@quick
def test_an_incomplete_campaign_says_so_at_the_top(tmp_path: Path) -> None:
    page = html(campaign(tmp_path, BOTH, ["a", "b"], lambda one, label: honest(one, label) if label == "a" else None))
    notice = "This campaign is not complete: 2 of 4 runs are made."
    assert page.index(notice) < page.index('id="summary"')
    assert notice not in html(campaign(tmp_path, BOTH, ["a", "b"], honest))


@quick
def test_runs_that_waited_or_were_crowded_or_repeated_are_distinguished(tmp_path: Path) -> None:
    def placed(instance: Instance, label: str) -> Outcome:
        run = honest(instance, label)
        where = HERE
        if label == "waits":
            run.timing = Timing(run.timing.phases, 0.01, 1.0, 0.9, 0.25)
        elif label == "crowded":
            where = dataclasses.replace(HERE, load=4.5)
        again = {"attempts": 2, "lost": "worker 7 died"} if label == "again" else {}
        return Outcome(key="", run=run, circumstances=where, **again)

    page = html(campaign(tmp_path, BOTH, ["calm", "waits", "crowded", "again"], placed))
    assert "worker 7 died" in page
    assert "2 repeated, because the process that made them was lost" in page
    assert "; 4 of 8 runs disturbed by other load: times may be too long;" in page


@quick
def test_environment_file_and_command(tmp_path: Path) -> None:
    text = 'title = "<b>&"\n[limits]\n'
    page = Page(html(campaign(tmp_path, BOTH, ["a"], honest, text=text))).text
    for said in ("desk", "Some CPU", "Linux 6.1", "3.12.1", "2026-03-04 05:06:07", text):
        assert said in page
    assert "\nvenv/bin/crosslit bench run small.toml --store small-repeated.sqlite || [ $? -eq 1 ]\n" in page


def hostile(folder: Path) -> Results:
    """A campaign with foreign text in every field that can hold it."""
    said = [plain(text) for text in HOSTILE]  # the content of a store can be written as UTF-8, except names of files
    instances = [
        Instance(
            puzzle=dataclasses.replace(BOARD if at % 2 else PICTURE, name=name, **_other(at)),
            family=said[at],
            size=3,
            facts={name: name},
        )
        for at, name in enumerate(said)
    ]

    def run(instance: Instance, label: str) -> Outcome:
        at = said.index(label) if label in said else 0
        text = said[at]
        made = unsolved(status="error", error=text, stray=text) if at % 3 else solved(0.01, stray=text)
        if label == "honest":
            made = solved(0.02, *solutions(instance.puzzle))
        made.version, made.stats = text, {"difficulty": text, text[:50]: text}
        where = dataclasses.replace(HERE, load=99.0, host=text, processor=text, system=text, python=text)
        return Outcome(key="", run=made, circumstances=where, attempts=2, lost=text)

    every = "".join(said)
    about = dict.fromkeys(("name", "title", "about", "text"), every)
    return campaign(folder, instances, [*said, "honest"], run, **about)


def _other(at: int) -> dict[str, Any]:
    """Fields that distinguish a puzzle from the others."""
    if at % 2:
        return {"lit": Grid.from_bits(3, 3, 11 + at)}
    return {"row_clues": ((1,),) * (at + 1), "column_clues": ((at + 1,),)}


def test_what_others_wrote_is_only_text(tmp_path: Path) -> None:
    page = html(hostile(tmp_path))
    page.encode()
    elements = [tag for tag, _ in Page(page).elements]
    assert elements.count("script") == 2
    assert elements.count("style") == 1
    assert "svg" not in elements
    assert not [name for _, given in Page(page).elements for name in given if name.startswith("on") or name == "style"]
    sources = [given["src"] or "" for _, given in Page(page).elements if "src" in given]
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources) and sources
    assert all((given["href"] or "").startswith("#") for _, given in Page(page).elements if "href" in given)
    assert "{{ 7 * 7 }}" in Page(page).text
    inside = re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)
    assert inside is not None
    assert inside[1].isascii()
    assert not set("<>&") & set(inside[1])
    assert len(page) < 2_000_000


@quick
def test_what_does_not_fit_is_left_out_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing_module, "MAX_CELLS", 3)
    monkeypatch.setattr(listing_module, "_MAX_PICTURE_CELLS", 3)
    page = html(campaign(tmp_path, BOTH, ["a", "b"], honest))
    assert len(re.findall(r'<tr id="p\d+"', page)) == 1
    assert "And 1 more puzzles that do not fit" in page
    (board,) = facts(page)["puzzles"]
    assert board["picture"] == ""
    assert "Not drawn" in board["caption"]


@quick
def test_pictures_of_small_puzzles_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing_module, "_MAX_PICTURE_CELLS", 9)
    found = facts(html(campaign(tmp_path, BOTH, ["a"], honest)))
    assert [bool(one["picture"]) for one in found["puzzles"]] == [False, True]  # 9 cells, and 4


def test_without_jinja_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = campaign(tmp_path, BOTH, ["a"], honest)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(Unavailable, match=r"pip install .*'matplotlib>="):
        html(found)
