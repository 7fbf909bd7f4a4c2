"""``crosslit bench check``: stored solutions judged again, and compared with expectations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from crosslit_bench.cli.bench_audit import check
from crosslit_bench.results.audit import deviations, expectations
from crosslit_bench.results.judged import Results, load
from crosslit_bench.store.answers import StoredAnswer
from crosslit_bench.store.store import Store

from crosslit import Grid
from crosslit.errors import InputError
from tests.campaigns.reports import BOARD, CORNER, DRAWN, PICTURE, campaign, named, solved, unsolved

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
    assert check(STORE, None, False) == 0
    assert out(capsys) == ["4 solutions of 4 runs judged by the rules; 0 wrong"]


def test_a_planted_wrong_solution_is_found_in_every_run_that_gave_it(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = StoredAnswer.of([Grid.from_text("010/000/000")])  # of the right shape, with the right hash
    change("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", *planted.row())
    change("UPDATE runs SET answer = ? WHERE puzzle = ?", planted.id, BOARD.id)
    assert check(STORE, None, False) == 1
    first, second, last = out(capsys)
    assert first.startswith("wrong: gauss on A board, repetition 0: solution 1: ")
    assert second.startswith("wrong: line on A board, repetition 0: solution 1: ")
    assert last == "4 solutions of 4 runs judged by the rules; 2 wrong"


def test_a_damaged_solution_is_found_and_the_others_are_judged(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    change("UPDATE answers SET packed = x'00' WHERE rows = 2")
    assert check(STORE, None, True) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(one["contestant"], one["puzzle"]) for one in told["wrong_solutions"]] == [
        ("gauss", "A picture"),
        ("line", "A picture"),
    ]
    assert (told["runs"], told["solutions"]) == (4, 2)


def test_solutions_of_runs_that_are_not_planned_any_more_are_judged_too(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    change("DELETE FROM plan WHERE contestant = 'line'")
    wrong = StoredAnswer.of([Grid.from_text("11/11")])
    change("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", *wrong.row())
    change("UPDATE runs SET answer = ? WHERE puzzle = ? AND contestant = 'line'", wrong.id, PICTURE.id)
    assert check(STORE, None, False) == 1
    assert out(capsys)[0].startswith("wrong: line on A picture, repetition 0: solution 1: ")


def test_a_wrong_claim_is_listed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign(tmp_path, INSTANCES[:1], ["gauss", "line"], lambda _, who: solved(1.0, *[CORNER] * (who == "gauss")))
    assert check(tmp_path / STORE, None, False) == 1
    assert out(capsys)[0].startswith("wrong: line on A board: false-unsolvable: ")


def expected() -> list[str]:
    with Store(STORE) as store:
        return list(expectations(load(store)))


def test_the_same_campaign_is_as_expected(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    Path("expected.txt").write_text("\n".join(expected()))
    assert check(STORE, "expected.txt", False) == 0
    assert out(capsys) == ["4 solutions of 4 runs judged by the rules; 0 wrong; plan and verdicts as expected"]


def test_another_verdict_and_another_plan_are_not_as_expected(
    results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = expected()
    lines[-1] = lines[-1].replace("unique 1", "unsolvable 0")
    Path("expected.txt").write_text("\n".join(lines))
    change("UPDATE plan SET version = '1.1'")
    assert check(STORE, "expected.txt", False) == 1
    said = out(capsys)
    assert said[0].startswith("not as expected: plan: expected ")
    assert said[1] == "not as expected: A picture: expected unsolvable 0, found unique 1"
    assert said[2].endswith("; 0 wrong; not as expected")


def test_a_verdict_that_is_less_decided_is_no_fault(results: Results, tmp_path: Path) -> None:
    lines = expected()
    campaign(
        tmp_path,
        INSTANCES,
        ["gauss", "line"],
        lambda one, _: solved(1.0, CORNER) if one.puzzle.id == BOARD.id else unsolved(),
    )
    with Store(STORE) as store:
        (found,) = deviations(lines, load(store))
    assert (found.what, found.expected, found.found, found.is_wrong) == ("A picture", "unique 1", "undecided", False)


def test_a_verdict_without_a_number_agrees_with_one_that_has_it(results: Results) -> None:
    lines = [line.removesuffix(" 1") for line in expected()]
    with Store(STORE) as store:
        assert deviations(lines, load(store)) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a line `plan` with a hash, as `bench reproduce` writes it, found none"),
        ("hello world", "line 1: expected `plan`, `software` or a puzzle and its verdict, found 'hello world'"),
        ("plan 0", "line 1: expected `plan`, `software` or a puzzle and its verdict, found 'plan 0'"),
        (f"\n{'0' * 16} perhaps", "line 2: expected `plan`, `software` or a puzzle and its verdict, found '0000"),
    ],
)
def test_a_file_that_has_no_expectations_is_refused(results: Results, text: str, problem: str) -> None:
    Path("expected.txt").write_text(text)
    with pytest.raises(InputError) as caught:
        check(STORE, "expected.txt", False)
    assert str(caught.value).startswith(f"expected.txt: {problem}")
