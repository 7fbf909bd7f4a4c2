"""The top of a report: paragraphs flow, and facts are right."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import figures
from crosslit_bench.analysis.tables import analyse
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report import html
from crosslit_bench.report.document import summary as summary_sheet
from crosslit_bench.results.frame import Results

from crosslit import Grid, LightsOut, solutions
from crosslit.contract.run import Run
from tests.bench.report.test_document import Page
from tests.bench.reports import BOARD, CORNER, campaign, named, solved, unsolved

SIZES = (4, 5, 6, 7, 8, 9)


def growing(folder: Path, contestants: list[str], **about: Any) -> Results:
    """The time of the first doubles twice every size until the limit of 5 s; the others take 10 ms."""
    empty = LightsOut(Grid.from_text("000/000/000"))
    boards = [empty.pressed(Grid.from_bits(3, 3, 1 << at)) for at in range(len(SIZES))]
    instances = [named(board, f"board {size}", "odd; family", size) for board, size in zip(boards, SIZES, strict=True)]

    def run(instance: Instance, label: str) -> Run:
        time = 0.02 * 4 ** (instance.size - 4) if label == contestants[0] else 0.01
        return solved(time, *solutions(instance.puzzle)) if time < 5 else unsolved()

    return campaign(folder, instances, contestants, run, **about)


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


def facts(results: Results) -> dict[str, str]:
    table = results.table()
    analysis = analyse(table) if table.ranked.contestants else None
    return {row[0]: row[1] for row, _ in summary_sheet(results, analysis).rows}


def test_the_facts_of_growth(tmp_path: Path) -> None:
    found = facts(growing(tmp_path, ["wall/cnf", "quick"]))
    assert found["growth on odd; family"] == (
        "wall/cnf grows exponentially, doubling each time n grows by 0.5, unsolved from n = 8 on"
    )
    assert found["runs"] == "12 of 12 runs made; 2 reached the time limit"


def test_growth_of_a_hand_picked_set_does_not_lead(tmp_path: Path) -> None:
    results = growing(tmp_path, ["wall/cnf", "quick"])
    sizes = iter((4, 5, 7, 11, 12, 20))
    picked = [dataclasses.replace(one.instance, size=next(sizes)) for one in results.judged]
    runs = {one.instance.puzzle.id: {row.label: row.run for row in one.rows} for one in results.judged}

    def again(instance: Instance, label: str) -> Run:
        return runs[instance.puzzle.id][label]

    found = campaign(tmp_path, picked, ["wall/cnf", "quick"], again)
    assert not any(fact.startswith("growth") for fact in facts(found))
    assert "Growth with size n" in html(found)  # further below


def test_a_family_without_growth_has_none(tmp_path: Path) -> None:
    results = growing(tmp_path, ["wall/cnf", "quick"], without_growth=("odd; family",))
    assert not any(fact.startswith("growth") for fact in facts(results))
    assert "Growth with size n" not in html(results)


def test_the_floor_of_a_fit_is_disclosed(tmp_path: Path) -> None:
    page = Page(html(growing(tmp_path, ["wall/cnf", "quick"], floor=0.05))).text
    assert "below 50 ms counted as at most that" in page


def test_the_facts_of_a_ranking(tmp_path: Path) -> None:
    # limit 5: PAR-2 of a = (1 + 10) / 2, of b = (10 + 2) / 2; VBS (1 + 2) / 2; without a it is b's, without b it is a's
    def run(instance: Instance, label: str) -> Run | None:
        if label == "c":
            return None
        able = (label == "a") == (instance.puzzle.name == "one")
        return solved(1.0 if label == "a" else 2.0, *solutions(instance.puzzle)) if able else unsolved(status="error")

    empty = LightsOut(Grid.from_text("000/000/000"))
    boards = [named(empty.pressed(Grid.from_bits(3, 3, 1 + at)), name) for at, name in enumerate(("one", "two"))]
    assert facts(campaign(tmp_path, boards, ["a", "b", "c"], run)) == {
        "wrong answers": "none on 2 puzzles",
        "runs": "4 of 6 runs made; 2 crashed",
        "most solved": "1 of 2 puzzles: a and b",
        "best PAR-2": "a: 5.5 s, over 2 puzzles",
        "virtual best solver": "solves 2; its PAR-2 is 1.5 s, and would rise by 4.5 s without a and by 4 s without b",
    }


def test_wrong_answers_are_the_first_fact(tmp_path: Path) -> None:
    boards = [named(BOARD, "b")]
    results = campaign(tmp_path, boards, ["a", "liar"], lambda _, label: solved(1, *([CORNER] * (label == "a"))))
    found = facts(results)
    assert next(iter(found)) == "wrong answers"
    assert found["wrong answers"] == "liar (1 false-unsolvable). Disqualified, and left out below."
    assert facts(campaign(tmp_path, boards, ["a"], lambda *_: unsolved()))["wrong answers"] == (
        "none on 1 puzzle; 1 undecided"
    )


def test_a_contribution_below_a_millisecond_is_not_listed(tmp_path: Path) -> None:
    results = campaign(
        tmp_path, [named(BOARD, "b")], ["a", "b"], lambda _, label: solved(1e-4 if label == "a" else 2e-4, CORNER)
    )
    assert facts(results)["virtual best solver"] == (
        "solves 1; its PAR-2 is 0.1 ms, and would rise by at most 1 ms without any one contestant"
    )


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
    flat = [dataclasses.replace(one.instance, size=math.pi) for one in results.judged]
    page = html(campaign(tmp_path, flat, ["a", "b"], lambda one, _: solved(1, *solutions(one.puzzle))))
    assert 'alt="Cactus plot' in summary(page)
    assert page.count('alt="Cactus plot') == 1
