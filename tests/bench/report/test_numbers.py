"""The numbers of a report, with their contestants, quantities and units."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from crosslit_bench import figures
from crosslit_bench.analysis.growth import medians_by_size
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report import html
from crosslit_bench.results.frame import Results
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.store import Store

from crosslit import Grid, Nonogram
from crosslit.contract.run import Run
from tests.bench.report.test_document import BOTH, Page, honest
from tests.bench.reports import BOARD, CORNER, DRAWN, campaign, named, solved, unsolved
from tests.bench.tables import table


@pytest.fixture(autouse=True)
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "figures_of", lambda *_: [])


def test_it_says_how_it_was_measured(tmp_path: Path) -> None:
    page = Page(html(campaign(tmp_path, BOTH, ["a"], honest, repetitions=3, seeds=(4, 5), seed=77))).text
    for said in (
        "whether there is a solution, and whether there is a second",
        "5 s of wall time, 512 MB of memory",
        "random (seed 77); runs in parallel: 1",
        "3 times, with the seeds 4, 5 if the backend has that option",
        "An unsolved puzzle counts 10 s in PAR-2",
    ):
        assert said in page


def test_each_kind_of_puzzle_has_its_ranking_in_units_that_suit(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run | None:
        if instance.puzzle.kind == "nonogram":
            return None if label == "a" else solved({"b": 0.000291, "c": 2.5}[label], DRAWN)
        return None if label == "c" else solved({"a": 0.0425, "b": 1.0}[label], CORNER)

    page = html(campaign(tmp_path, BOTH, ["a", "b", "c"], run))
    boards = page[
        page.index("<caption>Contestants on Lights Out boards by time, best PAR-2 on the 1 puzzle in common") :
    ]
    boards, _, nonograms = boards.partition("<caption>Contestants on nonograms by time")
    cells = r'<th scope="row">(\w)</th><td>(\d)</td><td>(\d)</td><td>([^<]*)</td>'
    assert re.findall(cells, boards) == [("a", "1", "1", "42.5 ms"), ("b", "1", "1", "1 s")]
    nonograms = nonograms[: nonograms.index("</table>")]
    assert re.findall(cells, nonograms) == [("b", "1", "1", "0.291 ms"), ("c", "1", "1", "2.5 s")]


def test_the_ranking_has_the_columns_that_differ_or_those_that_are_chosen(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run | None:
        return unsolved() if label == "a" else honest(instance, label)

    def headings(results: Results, *columns: str) -> list[str]:
        page = html(results, columns=columns)
        return re.findall(
            r'<th scope="col"[^>]*>([^<]*)', page[page.index("<caption>Contestants") :].partition("</tr>")[0]
        )

    solved = campaign(tmp_path, BOTH, ["a", "b"], honest)
    assert headings(solved)[:5] == ["contestant", "solved", "of puzzles", "PAR-2", "Borda"]
    assert headings(solved, "median", "group") == ["median", "group"]
    assert headings(campaign(tmp_path, BOTH, ["a", "b"], run))[3:6] == ["PAR-2", "PAR-k", "Borda"]


def test_the_median_of_a_standing_leaves_no_unsolved_run_out(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Run:
        return honest(instance, label) if label == "good" or instance.puzzle == BOTH[0].puzzle else unsolved()

    campaign(tmp_path, BOTH, ["good", "half"], run)
    with Store(tmp_path / "results.sqlite") as store:
        assert {score.contestant.label: score.seconds for score in campaign_status(store).scores} == {
            "good": 0.01,
            "half": None,
        }


def test_the_measure_is_reported(tmp_path: Path) -> None:
    found = campaign(tmp_path, BOTH, ["a", "b"], honest)
    assert "Contestants on nonograms by CPU time, best PAR-2" in html(found, "cpu")
    assert "Contestants on nonograms by search time, best PAR-2" in html(found, "solve")


def test_a_curve_goes_through_the_reported_median() -> None:
    sizes = [{"size": size} for size in (1.0, 1.0, 2.0, 2.0)]
    xs, middle = medians_by_size(table([[1.0], [3.0], [1.0], [math.inf]], facts=sizes))
    assert (xs.tolist(), middle[:, 0].tolist()) == ([1.0, 2.0], [2.0, math.inf])


def test_unequal_times_that_are_compared_do_not_look_equal(tmp_path: Path) -> None:
    seconds = {"a": 1.2861, "b": 1.2864}
    page = html(campaign(tmp_path, [named(BOARD, "first")], list(seconds), lambda _, who: solved(seconds[who], CORNER)))
    assert "a: 1.2861 s, over 1 puzzle" in page
    assert set(re.findall(r"<td>(1\.286\d+ s)</td>", page)) == {"1.2861 s", "1.2864 s"}
    assert '<td class="b">1.2861</td><td>1.2864</td>' in page


def test_a_ratio_close_to_one_is_on_a_side_of_it(tmp_path: Path) -> None:
    grids = {text: Grid.from_text(text) for text in ("11/11", "10/11", "01/11", "11/10", "11/01", "11/00")}
    pictures = [named(Nonogram.of(grid), name, "pictures", 2) for name, grid in grids.items()]

    def run(instance: Instance, label: str) -> Run:
        return solved(1.0003 if label == "b" else 1.0, grids[instance.puzzle.name])

    assert "<td>0.9997</td><td>0.9997 to 0.9997</td>" in html(campaign(tmp_path, pictures, ["a", "b"], run))
