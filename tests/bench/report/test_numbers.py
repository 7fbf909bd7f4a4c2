"""The numbers of a report, with their contestants, quantities and units."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

import pytest
from crosslit_bench import figures
from crosslit_bench.analysis.growth import medians_by_size
from crosslit_bench.analysis.scores import EXPLANATIONS, HEADINGS, scores
from crosslit_bench.analysis.tables import analyse, latex_text, tables
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report import html
from crosslit_bench.report.document import sections
from crosslit_bench.results.frame import Results, usual_measure
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.store import Store

from crosslit import Grid, Nonogram
from crosslit.contract.run import Run
from tests.bench.report.test_document import BOTH, Page, honest
from tests.bench.reports import BOARD, CORNER, DRAWN, LIMITS, campaign, named, solved, unsolved
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
        "PAR-2: mean time over the puzzles asked, an unsolved one counting 10 s.",
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


@pytest.mark.parametrize("columns", [(), ("label", "median"), tuple(HEADINGS)])
def test_the_columns_that_are_shown_are_explained_and_no_others(columns: tuple[str, ...]) -> None:
    times = table([[0.1, 0.2, 0.3], [0.2, 0.3, math.inf], [0.4, 0.5, 0.6]], groups=["one", "one", "two"])
    sheets = [sheet for section in sections(times, analyse(times), {}, columns) for sheet in section.sheets]
    assert len(sheets) == 5
    for sheet in sheets:
        explained = [note.partition(":")[0] for note in sheet.notes]
        assert explained == [name for name in sheet.columns if name in EXPLANATIONS]
        if not sheet.caption.startswith("Wins"):
            assert {*sheet.right} - {*explained} <= {"contestants"}


def test_no_table_on_paper_is_larger_than_its_page() -> None:
    times = table([[0.1 * at + 0.1 for at in range(10)]] * 3)
    paper = latex_text(times, tables(times, tuple(HEADINGS)), tuple(HEADINGS), "a note")
    parts = paper.replace("\\%", "%").split("\\begin{table}")[1:]
    heads = [re.findall(r"toprule\n(.*?) \\\\\n", part)[0].split(" & ") for part in parts]
    assert max(map(len, heads)) == 6
    assert max(part.partition("midrule")[2].partition("bottomrule")[0].count("\n") for part in parts) <= 42
    assert [part.count("a note") for part in parts] == [1, 1, 1, 0, 0, 0]  # in the ranking, which has three parts
    shown = {name.removesuffix(" (s)") for head in heads[:3] for name in head}
    assert shown == {*HEADINGS.values()} - {"95% interval"} | {"95% interval low", "95% interval high"}


@pytest.mark.parametrize("cpu_seconds", [None, 5.0])
def test_the_status_and_the_report_have_the_same_median(tmp_path: Path, cpu_seconds: float | None) -> None:
    repeated = iter((0.1, 0.9, 0.2, 0.3, 0.4, 9.0, 0.5, 0.5))  # over all runs, the medians are 0.25 and 0.5

    def run(instance: Instance, label: str) -> Run:
        run = solved(next(repeated), CORNER if instance.puzzle == BOTH[0].puzzle else DRAWN)
        run.timing = dataclasses.replace(run.timing, cpu=2 * run.timing.total)
        return run

    limits = dataclasses.replace(LIMITS, cpu_seconds=cpu_seconds)
    results = campaign(tmp_path, BOTH, ["a", "b"], run, runs=2, repetitions=2, limits=limits)
    times = results.table(usual_measure(limits))
    with Store(tmp_path / "results.sqlite") as store:
        known = {score.contestant.label: score.seconds for score in campaign_status(store).scores}
    assert known == {score.label: pytest.approx(score.median) for score in scores(times)}


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
