"""``crosslit bench report``: its file and its messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from crosslit_bench.cli import report as bench_report
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.store.outcome import Outcome

from crosslit.base.errors import InputError
from crosslit.cli.group import root
from tests.bench.report.test_document import BOTH, WRONG, honest, with_liar
from tests.bench.reports import campaign
from tests.bench.synthetic import HERE
from tests.conftest import Command


@pytest.mark.slow
def test_the_command_writes_a_page_and_figures(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a", WRONG], with_liar)
    goal, folder = tmp_path / "r.html", tmp_path / "figures"
    done = crosslit("bench", "report", str(tmp_path / "results.sqlite"), "-o", str(goal), "--figures", str(folder))
    assert done.returncode == 1, done.stderr  # somebody was wrong
    assert done.stdout.startswith(f"{goal}, and ")
    assert len(done.stdout.splitlines()) == 1
    assert goal.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (folder / "cactus-nonogram.svg").exists()
    assert (folder / "cactus-lights-out.pdf").read_bytes().startswith(b"%PDF")


def test_the_command_reports_in_json_the_files_that_it_wrote(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a"], honest)
    goal = tmp_path / "r.html"
    done = crosslit("bench", "report", str(tmp_path / "results.sqlite"), "-o", str(goal), "--measure", "cpu", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["bytes"] == goal.stat().st_size
    assert (told["measure"], told["runs"], told["planned"], told["disqualified"]) == ("cpu", 2, 2, 0)
    assert "CPU time" in goal.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_analysis_is_written_as_tables(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a", "=b", "c_d"], honest)
    store, folder, paper = tmp_path / "results.sqlite", tmp_path / "tables", tmp_path / "tables.tex"
    done = crosslit("bench", "report", str(store), "--tables", str(folder), "--latex", str(paper), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    told["analysis"]["campaign"] = [{key: told[key] for key in ("runs", "planned", "disturbed")}]
    assert told["file"] is None
    assert set(told["tables"]) == {*map(str, folder.iterdir()), str(paper)}
    for name, records in told["analysis"].items():
        if not records:
            assert not (folder / f"{name}.csv").exists()
            continue
        with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            read = list(csv.DictReader(file))
        assert [list(record) for record in read] == [list(record) for record in records]
        for line, record in zip(read, records, strict=True):
            assert [text.removeprefix("'") for text in line.values()] == [
                "" if value is None else str(value) for value in record.values()
            ]
    ranking = told["analysis"]["ranking"]
    assert {(one["kind"], one["label"], one["solved"]) for one in ranking} == {
        (kind, label, 1) for kind in ("lights-out", "nonogram") for label in ("a", "=b", "c_d")
    }
    text = paper.read_text(encoding="utf-8")
    assert "c\\_d & $1$ & $1$ & $" in text
    assert "contestant & solved & of puzzles & PAR-2 (s) & median (s) & contribution (s) \\\\\n" in text
    assert text.count("\\begin{tabular}") == text.count("\\caption{") == text.count("\\bottomrule") == 3


def test_the_columns_of_the_ranking_are_chosen_by_name(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a", "b"], honest)
    store, folder, paper = str(tmp_path / "results.sqlite"), tmp_path / "tables", tmp_path / "tables.tex"
    options = ("--tables", str(folder), "--latex", str(paper), "--columns", "label,interval,median")
    done = crosslit("bench", "report", store, *options)
    assert done.returncode == 0, done.stderr
    first = (folder / "ranking.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert first == "kind,label,interval_low,interval_high,median"
    assert "contestant & 95\\% interval low (s) & 95\\% interval high (s) & median (s) \\\\\n" in paper.read_text(
        encoding="utf-8"
    )
    refused = crosslit("bench", "report", store, "--tables", str(folder), "--columns", "label,mean")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no 'mean'; the columns are label, group, solved," in refused.stderr


def test_every_output_says_how_many_runs_were_disturbed(tmp_path: Path) -> None:
    def run(instance: Instance, label: str) -> Outcome:
        load = 9.0 if label == "b" and instance is BOTH[0] else 0.0
        return Outcome(key="", run=honest(instance, label), circumstances=replace(HERE, load=load))

    def printed(name: str, *arguments: str) -> str:
        return CliRunner().invoke(root, ["bench", name, *arguments]).stdout

    store, folder, paper = str(tmp_path / "results.sqlite"), tmp_path / "tables", tmp_path / "tables.tex"
    everything = ("--tables", str(folder), "--latex", str(paper), "--json")
    words = "1 of 4 runs disturbed by other load: times may be too long"
    campaign(tmp_path, BOTH, ["a", "b"], run)
    assert printed("status", store).startswith(f"warning: {words}\n")
    assert printed("diff", store, store).startswith(f"{store}: {words}\n" * 2)
    found = json.loads(printed("diff", store, store, "--json"))
    assert (found["disturbed_old"], found["disturbed_new"]) == (1, 1)
    assert json.loads(printed("report", store, *everything))["disturbed"] == 1
    assert (folder / "campaign.csv").read_text(encoding="utf-8").split() == ["runs,planned,disturbed", "4,4,1"]
    assert f"by time; {words}.}}\n" in paper.read_text(encoding="utf-8")
    campaign(tmp_path, BOTH, ["a", "b"], honest)
    printed("report", store, *everything)
    assert "disturbed" not in printed("status", store) + printed("diff", store, store) + paper.read_text(
        encoding="utf-8"
    )


def test_it_is_to_write_something(tmp_path: Path, crosslit: Command) -> None:
    done = crosslit("bench", "report", str(tmp_path / "results.sqlite"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing option" in done.stderr


def test_a_page_is_not_written_under_the_name_of_a_pdf(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a"], honest)
    done = crosslit("bench", "report", str(tmp_path / "results.sqlite"), "-o", str(tmp_path / "r.pdf"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "r.pdf: a page is HTML: name it .html" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        lambda store: bench_report.report(store, path=str(store)),
        lambda store: bench_report.report(store, latex=str(store)),
        lambda store: bench_report.export(store, str(store), None),
        lambda store: bench_report.reproduce(store, str(store)),
    ],
    ids=["report -o", "report --latex", "export -o", "reproduce -o"],
)
def test_no_file_of_results_is_overwritten(tmp_path: Path, command: Callable[[Path], int]) -> None:
    campaign(tmp_path, BOTH, ["a"], honest)
    store = tmp_path / "results.sqlite"
    before = store.read_bytes()
    with pytest.raises(InputError, match=r"results\.sqlite: is a file of results, which is not overwritten"):
        command(store)
    assert store.read_bytes() == before
