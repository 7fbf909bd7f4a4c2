"""``--anonymous``: no path and no name of a host or user is in any output."""

from __future__ import annotations

import dataclasses
import getpass
from pathlib import Path

import pytest
from crosslit_bench.cli import bench_audit, bench_report, benching
from crosslit_bench.provenance.software import Component, Software
from crosslit_bench.results.anonymity import AnonymousStore
from crosslit_bench.results.judged import load
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.store import Store

from tests.campaigns.reports import BOARD, CORNER, HERE, campaign, named, solved, unsolved

HOSTS = ("babbage-lab", "lovelace-lab")
USER = "ada1815"
HOME = f"/home/{USER}/my work"
TEXT = f"""
title = "Ours on babbage-lab"
backends = ["mine", "gauss"] # in {HOME}
[solvers]
mine = "{HOME}/solver.sh {{cnf}} --config=/home/{USER}/other/c.ini"
[[puzzles]]
family = "read"
files = ["{HOME}/board.txt"]
[[puzzles]]
puzzles = ["01/10", "../.#"]
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results with hosts, a user and paths in every field that can hold foreign text."""
    folder = tmp_path / "somebodys-folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(getpass, "getuser", lambda: USER)
    board = dataclasses.replace(named(BOARD, f"{HOME}/board.txt"), facts={"file": f"../../{USER}/board.txt"})

    def run(_: object, label: str) -> Outcome:
        where = dataclasses.replace(HERE, host=HOSTS[label == "line"])
        made = solved(1.0, CORNER, version=f"/home/{USER}/bin/solver")
        if label == "line":
            words = f"{HOME}/solver.sh:3: {USER}@{HOSTS[0]}: no file {folder}/x/y.txt, ~{USER}/z or {Path.cwd()}"
            made = unsolved(status="error", error=words, stray=words, stats={"log": f"/tmp/{USER}/log"})
        return Outcome(key="", run=made, circumstances=where, attempts=2, lost=f"lost on {HOSTS[1]}")

    campaign(
        folder,
        [board],
        ["gauss", "line"],
        run,
        text=TEXT,
        title="Ours on babbage-lab",
        about=f"By {USER}.",
        solvers={"mine": f"{HOME}/solver.sh {{cnf}}"},
    )
    component = Component(name="crosslit", version="1", content="0", commit="abc", origin=f"https://example.org/{USER}")
    with Store(folder / "results.sqlite", write=True) as opened:
        about = dataclasses.replace(
            opened.about,
            folder=Path(HOME),
            command=("crosslit", "bench", "run", f"{HOME}/c.toml", "--dask", f"tcp://{HOSTS[0]}:8786"),
            software=Software(components=(component,)),
        )
        opened.update_metadata(about)
    return folder / "results.sqlite"


def leaks(words: str) -> list[str]:
    """The names that are in a text."""
    return [name for name in (*HOSTS, USER, "somebodys-folder", "my work", "/home", "other/") if name in words]


def test_every_output_has_the_names_and_none_with_the_option(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for anonymous in (False, True):
        benching.export(str(store), None, "csv", anonymous)
        benching.export(str(store), None, "jsonl", anonymous)
        csv = capsys.readouterr().out
        bench_audit.reproduce(store, None, anonymous)
        block = capsys.readouterr().out
        files = bench_report.ReportFiles(page="page.html", figures=None, csv="tables", latex="tables.tex")
        bench_report.report(store, files, "total", True, anonymous)
        page, printed = Path("page.html").read_text(), capsys.readouterr().out
        tables = "".join(path.read_text() for path in [*Path("tables").iterdir(), Path("tables.tex")])
        said = [bool(leaks(words)) for words in (csv, block, page, printed + tables)]
        assert said == ([False] * 4 if anonymous else [True] * 4), [leaks(words) for words in (csv, block, page)]


def test_files_and_hosts_can_still_be_distinguished(store: Path) -> None:
    with AnonymousStore(store) as opened:
        results = load(opened)
        text = opened.about.text
    assert {row.circumstances.host for row in results.rows} == {"host 1", "host 2"}
    assert [one.name for one in results.judged] == ["./board.txt"]
    assert 'mine = "./solver.sh {cnf} --config=c.ini"' in text
    assert 'files = ["./board.txt"]' in text
    assert '"../.#"' in text  # a puzzle


def test_addresses_and_puzzles_are_no_paths(store: Path) -> None:
    with AnonymousStore(store) as opened:
        for words in ("see https://example.org/a/b", "10/01", "n/a", "cpsat/automaton", "1/2 and 3 / 4", "./run {cnf}"):
            assert opened.clean(words) == words
