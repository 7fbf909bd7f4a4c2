"""The words at the top of a report: paragraphs flow, and a long sentence is a list that reads as one."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

import pytest

from crosslit import Grid, LightsOut, solutions
from crosslit.campaigns import figures
from crosslit.campaigns.report import html
from crosslit.campaigns.report.text import brief
from crosslit.campaigns.results.judged import Results
from crosslit.campaigns.spec.campaign import Instance
from crosslit.numbers import format_number
from crosslit.runs.run import Run
from tests.campaigns.reports import BOARD, CORNER, campaign, named, solved, unsolved
from tests.campaigns.test_report import Page

SIZES = (4, 5, 6, 7, 8, 9)


def growing(folder: Path, contestants: list[str]) -> Results:
    """The time of the first doubles twice every size until the limit of 5 s; the others take 10 ms."""
    empty = LightsOut(Grid.from_text("000/000/000"))
    boards = [empty.pressed(Grid.from_bits(3, 3, 1 << at)) for at in range(len(SIZES))]
    instances = [named(board, f"board {size}", "odd; family", size) for board, size in zip(boards, SIZES, strict=True)]

    def run(instance: Instance, label: str) -> Run:
        time = 0.02 * 4 ** (instance.size - 4) if label == contestants[0] else 0.01
        return solved(time, *solutions(instance.puzzle)) if time < 5 else unsolved()

    return campaign(folder, instances, contestants, run)


@pytest.fixture(autouse=True)
def _without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "figures_of", lambda *_: [])


def summary(page: str) -> str:
    return page[page.index('id="summary"') : page.index('id="wrong"')]


def test_single_line_ends_of_the_description_flow_and_empty_lines_part_paragraphs(tmp_path: Path) -> None:
    text = "\none line\n  and its next\r\n \nanother\n\n\n"
    page = html(campaign(tmp_path, [named(BOARD, "b")], ["a"], lambda *_: solved(1, CORNER), about=text))
    header = page[page.index("<header>") : page.index("</header>")]
    assert re.findall("<p>(.*?)</p>", header, re.DOTALL) == ["one line and its next", "another"]


def test_clauses_are_a_list_that_reads_as_one_sentence_the_wall_first(tmp_path: Path) -> None:
    told = summary(html(growing(tmp_path, ["wall/cnf", "quick", "easy; or not"])))
    assert "<p>In the family &#39;odd; family&#39;,</p>" in told
    clauses = re.findall("<li>(.*?)</li>", told)
    assert clauses[0].startswith("the time of wall/cnf grows exponentially")
    assert [clause[-1] for clause in clauses] == [";", ";", "."]  # the names' own are no ends
    assert any("easy; or not" in clause for clause in clauses)


def test_of_many_clauses_the_first_are_shown_and_the_others_fold(tmp_path: Path) -> None:
    told = summary(html(growing(tmp_path, [f"engine {at}" for at in range(11)])))
    shown, folded = told.split("<details>")
    assert (shown.count("<li>"), folded.count("<li>")) == (8, 3)
    assert "<summary>3 more</summary>" in folded
    assert told.count(".</li>") == 1


def test_a_spec_may_break_after_a_slash_only_where_it_is_a_heading(tmp_path: Path) -> None:
    label = "glucose4/<b>full"
    page = html(campaign(tmp_path, [named(BOARD, "b")], [label, "a"], lambda *_: solved(1, CORNER)))
    assert '<th scope="col" class="one">glucose4/<wbr>&lt;b&gt;full</th>' in page
    assert label in Page(page).text


def test_the_leading_figure_is_shown_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    results = growing(tmp_path, ["wall", "quick"])
    page = html(results)
    assert 'alt="Time against size' in summary(page)
    assert page.count('alt="Time against size') == 1
    assert "is in the summary" in page
    flat = [dataclasses.replace(one.instance, size=math.pi) for one in results.judged]
    page = html(campaign(tmp_path, flat, ["a", "b"], lambda one, _: solved(1, *solutions(one.puzzle))))
    assert 'alt="Cactus plot' in summary(page)
    assert page.count('alt="Cactus plot') == 1


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (1e-9, "0"), (0.0123456, "0.0123"), (999.6, "1000"), (1e8, "100000000"), (1.0, "1")]
)
def test_numbers_have_three_digits_and_no_exponent(value: float, text: str) -> None:
    assert format_number(value) == text


def test_long_texts_lose_their_middle() -> None:
    text = "begin" + "x" * 10_000 + "end"
    assert len(brief(text)) == 80
    assert brief(text).startswith("begin")
    assert brief(text).endswith("end")
