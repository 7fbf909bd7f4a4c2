"""Anonymous exports for double-blind review."""

from __future__ import annotations

import dataclasses
import getpass
import json
from pathlib import Path

import pytest
from crosslit_bench.cli.bench_report import export
from crosslit_bench.results.anonymity import anonymous
from crosslit_bench.store.outcome import Outcome

from tests.bench.reports import BOARD, CORNER, HERE, campaign, named, solved, unsolved

HOSTS = ("babbage-lab", "lovelace-lab")
USER = "ada1815"
HOME = f"/home/{USER}/my work"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results with hosts, a user and paths in every column that can hold foreign text."""
    monkeypatch.setattr(getpass, "getuser", lambda: USER)

    def run(_: object, label: str) -> Outcome:
        where = dataclasses.replace(HERE, host=HOSTS[label == "line"])
        made = solved(1.0, CORNER, version=f"/home/{USER}/bin/solver")
        if label == "line":
            words = f"{HOME}/solver.sh:3: {USER}@{HOSTS[0]}: no file {HOME}/x/y.txt, ~{USER}/z"
            made = unsolved(status="error", error=words, stray=words, stats={"log": f"/tmp/{USER}/log"})
        return Outcome(key="", run=made, circumstances=where, attempts=2, lost=f"lost on {HOSTS[1]}")

    campaign(tmp_path, [named(BOARD, f"{HOME}/board.txt")], ["gauss", "line"], run, folder=Path(HOME))
    return tmp_path / "results.sqlite"


def leaks(text: str) -> list[str]:
    """The names that are in a text."""
    return [name for name in (*HOSTS, USER, "my work", "/home") if name in text]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_anonymous_export_has_no_names_of_hosts_users_and_folders(
    store: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    export(store, None, form, False)
    assert leaks(capsys.readouterr().out) == [*HOSTS, USER, "my work", "/home"]
    export(store, None, form, True)
    assert leaks(capsys.readouterr().out) == []


def test_files_and_hosts_can_still_be_distinguished(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export(store, None, "jsonl", True)
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {record["host"] for record in records} == {"host 1", "host 2"}
    assert {record["puzzle_name"] for record in records} == {"board.txt"}


@pytest.mark.parametrize("text", ["see https://example.org/a/b", "10/01", "n/a", "cpsat/automaton", "1/2 and 3 / 4"])
def test_addresses_and_puzzles_are_no_paths(text: str) -> None:
    (record,) = anonymous([{"host": "desk", "error": text}], Path("/home/ada"))
    assert record["error"] == text
