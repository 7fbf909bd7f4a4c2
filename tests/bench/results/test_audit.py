"""``crosslit bench check``: stored solutions judged again."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest
from crosslit_bench.cli.report import check
from crosslit_bench.results.audit import audit_solutions
from crosslit_bench.results.frame import Results
from crosslit_bench.store.outcome import StoredAnswer
from crosslit_bench.store.store import Store

from crosslit import Grid
from crosslit.cli.group import root
from tests.bench.reports import BOARD, CORNER, DRAWN, PICTURE, campaign, named, solved

INSTANCES = [named(BOARD, "A board"), named(PICTURE, "A picture")]
STORE = Path("results.sqlite")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Results]:
    """Right answers of two contestants on two puzzles, in a file of the working directory."""
    monkeypatch.chdir(tmp_path)
    yield campaign(
        tmp_path,
        INSTANCES,
        ["gauss", "line"],
        lambda one, _: solved(1.0, CORNER if one.puzzle.id == BOARD.id else DRAWN),
    )


def change(query: str, *values: object) -> None:
    with closing(sqlite3.connect(STORE)) as database, database:
        database.execute(query, values)


def out(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_right_solutions_are_counted(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(STORE, False) == 0
    assert out(capsys) == ["4 solutions of 4 runs judged by the rules; 0 wrong"]


def test_a_planted_wrong_solution_is_found_in_every_run_that_gave_it(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = StoredAnswer.of([Grid.from_text("010/000/000")])  # of the right shape, with the right hash
    change("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", *dataclasses.astuple(planted))
    change("UPDATE runs SET answer = ? WHERE puzzle = ?", planted.id, BOARD.id)
    assert check(STORE, False) == 1
    first, second, last = out(capsys)
    assert first.startswith("wrong: gauss on A board, repetition 0: solution 1: ")
    assert second.startswith("wrong: line on A board, repetition 0: solution 1: ")
    assert last == "4 solutions of 4 runs judged by the rules; 2 wrong"


def test_a_damaged_solution_is_found_and_the_others_are_judged(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    change("UPDATE answers SET packed = x'00' WHERE rows = 2")
    with click.Context(root):
        assert check(STORE, True) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(one["contestant"], one["puzzle"]["name"]) for one in told["wrong_solutions"]] == [
        ("gauss", "A picture"),
        ("line", "A picture"),
    ]
    assert (told["runs"], told["solutions"]) == (4, 2)


def test_solutions_of_runs_that_are_not_planned_any_more_are_judged_too(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    change("DELETE FROM plan WHERE contestant = 'line'")
    wrong = StoredAnswer.of([Grid.from_text("11/11")])
    change("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", *dataclasses.astuple(wrong))
    change("UPDATE runs SET answer = ? WHERE puzzle = ? AND contestant = 'line'", wrong.id, PICTURE.id)
    assert check(STORE, False) == 1
    assert out(capsys)[0].startswith("wrong: line on A picture, repetition 0: solution 1: ")


def test_solutions_that_are_not_stored_and_puzzles_that_are_gone_are_told(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    change("UPDATE runs SET answer = '' WHERE puzzle = ? AND contestant = 'line'", BOARD.id)
    change("UPDATE runs SET solutions = 0 WHERE puzzle = ? AND contestant = 'gauss'", BOARD.id)
    change("DELETE FROM plan")
    change("DELETE FROM puzzles WHERE id = ?", PICTURE.id)
    with Store(STORE) as store:
        found = audit_solutions(store)
    assert (found.runs, found.unjudged, found.solutions) == (2, 2, 1)
    assert [(one.contestant, one.puzzle) for one in found.wrong] == [("gauss", "A board"), ("line", "A board")]


def test_a_wrong_claim_is_listed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign(tmp_path, INSTANCES[:1], ["gauss", "line"], lambda _, who: solved(1.0, *[CORNER] * (who == "gauss")))
    assert check(tmp_path / STORE, False) == 1
    assert out(capsys)[0].startswith("wrong: line on A board: false-unsolvable: ")
